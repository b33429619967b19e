/* start.c - the first run of a workspace: begun when somebody first opens it, kept until it is done or dismissed. */
#include "desk/people/start.h"

#include "core/shared/show.h"

enum { ASK_ID_MAX = 64 };

enum err start_show(struct json_writer *w, struct rows *rows, const struct principal *p,
	struct fault *why)
{
	const struct start_record *s = NULL;
	enum err e = OK;

	jw_key(w, "start");
	if (principal_person(p).len)
		e = rows_get(rows, RECORD_STARTS, KEY(p->ws), &s, why);
	if (e || !s) {
		jw_null(w);
		return e;
	}
	jw_object(w);
	show_text(w, "test", s->test);
	show_time(w, "done_at", s->done_ms);
	jw_object_end(w);
	return OK;
}

static enum err start_put_check(struct task *t, struct fault *why)
{
	const struct json *test = json_get(t->body, "test");
	const struct json *done = json_get(t->body, "done");
	enum err e = MEMBERS_ONLY(t->body, why, "test", "done");

	if (test && !json_is(test, JSON_NULL) &&
		(!json_is(test, JSON_STRING) || test->text.len > ASK_ID_MAX ||
			!str_starts(test->text, "ask_")))
		e = fail_at(why, "/test", "the id of an ask, or null");
	if (done && !json_is(done, JSON_TRUE) && !json_is(done, JSON_FALSE))
		e = fail_at(why, "/done", "true or false");
	return e;
}

static enum err start_put_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct json *body = task_of(job)->body;
	const struct start_record fresh = { .ws = job->who.ws };
	struct start_record *s;
	enum err e = desk_person(&job->who, "only a person sets up a workspace", why);

	if (!e) e = rows_open(rows, RECORD_STARTS, KEY(job->who.ws), &fresh, &s, why);
	if (e) return e;
	s->test = arena_str(rows->arena, json_text(json_get(body, "test")));
	if (!json_is(json_get(body, "done"), JSON_TRUE))
		s->done_ms = 0;
	else if (!s->done_ms)
		s->done_ms = rows->now_ms;
	job->status = 204;
	return OK;
}

const struct use use_start_put =
	WRITES("start_put", MAY_SETTLE, 0, NULL, start_put_decide, NULL, start_put_check);
