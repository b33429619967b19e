/* dialect.c - ?dialect=: foreign requests in, foreign replies out. */
#include "serve/inner.h"

#include "base/clock.h"
#include "core/shared/show.h"

static enum err params_read(struct request *r, struct fault *why)
{
	struct str name = task_param(&r->task, "dialect"),
		   strict = task_param(&r->task, "strict");

	r->strict = str_is(strict, "true");
	if (strict.len && !r->strict && !str_is(strict, "false"))
		return fail_at(why, "/strict", "must be true or false");
	if (!name.len) return OK;
	r->dialect = dialect_find(name);
	if (r->dialect) return OK;
	return fail_at(why, "/dialect", "must be %.*s",
		STR_ARGS(dialect_names(&r->task.job.arena)));
}

enum err request_translate(struct request *r, struct fault *why)
{
	struct task *t = &r->task;
	struct translated in;
	enum err e = params_read(r, why);

	if (e || !r->dialect || !(r->route->flags & BODY_JSON)) return e;
	if (!t->body)
		return fail(why, ERR_MEDIA_TYPE,
			"with a dialect, Content-Type: application/json is needed");
	e = dialect_to_ask(r->dialect, t->body, r->strict, &t->job.arena, &in, why);
	if (e) return e;
	t->body = in.body;
	t->foreign = in.foreign;
	return OK;
}

enum err reply_translate(const struct dialect *d, bool strict, const struct kept_ask *k,
	struct buf *out, struct fault *why)
{
	struct json_writer w = { .out = out };
	struct arena arena = { 0 };
	struct ask_json whole;
	struct str reply;
	enum err e = ask_json_read(&k->ask, &k->view, &arena, &whole, why);

	if (!e) e = dialect_from_ask(d, &whole, strict, &arena, &reply, why);
	if (!e) {
		jw_object(&w);
		jw_key(&w, "ask");
		ask_write(&w, &k->ask, &k->view, clock_now_ms());
		show_json(&w, "reply", reply);
		jw_object_end(&w);
	}
	arena_done(&arena);
	if (!e && out->failed) e = fail(why, ERR_MEMORY, "out of memory");
	return e;
}
