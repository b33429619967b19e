/* settle_many.c - many asks settled by one request; none affects another. */
#include "desk/inner.h"
#include "desk/problem.h"

#include <stdio.h>

enum { MANY_MAX = 200 };

struct many {
	const struct json *ids;
	bool skip;
};

static enum err many_ids(const struct json *ids, struct fault *why)
{
	enum err e = OK;

	if (!json_is(ids, JSON_ARRAY)) return fail_at(why, "/ids", "an array is needed");
	if (ids->count < 1 || ids->count > MANY_MAX)
		return fail_at(why, "/ids", "from 1 to %d ids", MANY_MAX);
	for (uint32_t i = 0; i < ids->count; i++) {
		char pointer[32];

		snprintf(pointer, sizeof pointer, "/ids/%u", i);
		if (ids->items[i].type != JSON_STRING)
			e = fail_at(why, pointer, "a string is needed");
	}
	return e;
}

static enum err many_check(struct task *t, struct fault *why)
{
	static const char *const names[] = { "ids", "answers", "answer", "skip", "reason",
		NULL };
	struct many *m = ARENA_NEW(&t->job.arena, struct many);
	const struct json *skip = json_get(t->body, "skip");
	bool answers = json_get(t->body, "answers") || json_get(t->body, "answer");
	enum err e = members_only(t->body, names, why);

	if (!m) return fail(why, ERR_MEMORY, "out of memory");
	m->ids = json_get(t->body, "ids");
	if (many_ids(m->ids, why)) e = why->err;
	if (skip && !json_is_bool(skip)) e = fail_at(why, "/skip", "true or false");
	m->skip = json_is(skip, JSON_TRUE);
	if (m->skip == answers) e = fail_at(why, "", "either answers or skip is needed");
	t->checked = m;
	return e;
}

static void many_needs(struct job *job, struct wants *w)
{
	const struct many *m = task_of(job)->checked;

	for (uint32_t i = 0; i < m->ids->count; i++)
		wants_ask(w, job->who.ws, m->ids->items[i].text);
}

/* The members of the body that a single call would have had. */
static const struct json *many_body(struct task *t, const struct many *m)
{
	struct json *body = ARENA_NEW(&t->job.arena, struct json);
	struct json_member *members =
		ARENA_ARRAY(&t->job.arena, struct json_member, t->body->count);

	if (!body || !members) return NULL;
	body->type = JSON_OBJECT;
	body->members = members;
	for (uint32_t i = 0; i < t->body->count; i++) {
		struct str name = t->body->members[i].name;
		bool wanted = m->skip ? str_is(name, "reason")
				      : str_is(name, "answers") || str_is(name, "answer");

		if (wanted) members[body->count++] = t->body->members[i];
	}
	return body;
}

static void many_result(
	struct task *t, struct json_writer *w, struct task *one, enum err e)
{
	const struct json *ask;
	struct buf *out = &one->job.out;
	int status = e ? problem_status(e) : 200;

	(void)t;
	jw_object(w);
	jw_key(w, "id");
	jw_str(w, one->id);
	jw_key(w, "status");
	jw_int(w, status);
	if (e) {
		jw_key(w, "problem");
		problem_write(w, e, &one->job.why, one->job.conflict);
	} else if (json_read(buf_str(out), NULL, &one->job.arena, &ask, NULL) == OK) {
		jw_key(w, "ask");
		jw_json(w, json_get(ask, "ask"));
	}
	jw_object_end(w);
}

/* The same decisions as the single calls, in turn, on a task for each. */
static enum err many_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct many *m = t->checked;
	const struct use *use = m->skip ? &use_skip : &use_answer;
	const struct json *body = many_body(t, m);
	struct json_writer w = { .out = &job->out };

	if (!body) return fail(why, ERR_MEMORY, "out of memory");
	jw_object(&w);
	jw_key(&w, "results");
	jw_array(&w);
	for (uint32_t i = 0; i < m->ids->count; i++) {
		struct task *one = ARENA_NEW(&job->arena, struct task);
		enum err e;

		if (!one) return fail(why, ERR_MEMORY, "out of memory");
		one->desk = t->desk;
		one->id = m->ids->items[i].text;
		one->body = body;
		one->job.who = job->who;
		one->job.credential = job->credential;
		e = use->job.decide(&one->job, rows, &one->job.why);
		if (one->job.out.failed || one->job.arena.failed)
			job->arena.failed = true;
		many_result(t, &w, one, e);
		buf_done(&one->job.out);
		arena_done(&one->job.arena);
	}
	jw_array_end(&w);
	jw_object_end(&w);
	if (job->key.len) job->key_result = arena_str(&job->arena, buf_str(&job->out));
	return OK;
}

/* Each ask as it is now, each problem as it was. */
static enum err many_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	const struct json *record, *results;
	enum err e = json_read(k->result, NULL, &job->arena, &record, why);

	if (e) return e;
	results = json_get(record, "results");
	jw_object(&w);
	jw_key(&w, "results");
	jw_array(&w);
	for (uint32_t i = 0; results && i < results->count; i++) {
		const struct json *r = &results->items[i];
		struct str id = json_text(json_get(r, "id"));
		struct ask *a;

		if (!json_get(r, "ask") ||
			rows_fetch_ask(rows, job->who.ws, id, &a, NULL)) {
			jw_json(&w, r);
			continue;
		}
		jw_object(&w);
		jw_key(&w, "id");
		jw_str(&w, id);
		jw_key(&w, "status");
		jw_int(&w, 200);
		jw_key(&w, "ask");
		jw_raw(&w, desk_show(t->desk, a,
				   rows_session(rows, a->ws, a->session)->title,
				   job->credential.workspace, rows->now_ms, rows->arena));
		jw_object_end(&w);
	}
	jw_array_end(&w);
	jw_object_end(&w);
	return OK;
}

const struct use use_settle_many = {
	.job = { .name = "settle_many",
		.needs_permission = true,
		.permission = MAY_SETTLE,
		.needs = many_needs,
		.decide = many_decide,
		.again = many_again },
	.check = many_check,
};
