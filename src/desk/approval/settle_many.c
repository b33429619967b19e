/* settle_many.c - many asks settled by one request; none affects another. */
#include "base/keep.h"
#include "core/shared/body.h"
#include "desk/ask/ask.h"
#include "desk/shared/problem.h"

#include <stdio.h>

enum { MANY_MAX = 200 };

struct many {
	const struct json *ids;
	const struct json *digests; /* id → digest of the operation that was shown */
	bool skip;
};

static enum err many_ids(const struct json *ids, struct fault *why)
{
	enum err e = OK;

	if (!json_is(ids, JSON_ARRAY)) return fail_at(why, "/ids", "an array is needed");
	if (ids->count < 1 || ids->count > MANY_MAX)
		return fail_at(why, "/ids", "from 1 to %d ids", MANY_MAX);
	for (uint32_t i = 0; i < ids->count; i++)
		if (ids->items[i].type != JSON_STRING)
			e = fail_at(why, POINTER("/ids/%u", i), "must be a string");
	return e;
}

static enum err many_digests(const struct json *digests, struct fault *why)
{
	if (!digests) return OK;
	if (!json_is(digests, JSON_OBJECT))
		return fail_at(why, "/digests", "an object is needed");
	for (uint32_t i = 0; i < digests->count; i++)
		if (digests->members[i].value.type != JSON_STRING)
			return fail_at(why, "/digests", "every digest is a string");
	return OK;
}

static enum err many_check(struct task *t, struct fault *why)
{
	struct many *m = TASK_CHECKED(t, struct many);
	const struct json *skip = json_get(t->body, "skip");
	bool answers = json_get(t->body, "answers") || json_get(t->body, "answer");
	enum err e = MEMBERS_ONLY(
		t->body, why, "ids", "answers", "answer", "digests", "skip", "reason");

	m->ids = json_get(t->body, "ids");
	m->digests = json_get(t->body, "digests");
	if (many_ids(m->ids, why)) e = why->err;
	if (many_digests(m->digests, why)) e = why->err;
	if (skip && !json_is_bool(skip)) e = fail_at(why, "/skip", "true or false");
	m->skip = json_is(skip, JSON_TRUE);
	if (m->skip == answers) e = fail_at(why, "", "either answers or skip is needed");
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

static enum err alone(struct fault *why, const char *reason, const char *detail)
{
	enum err e = fail(why, ERR_ALONE, "%s", detail);

	fail_member(why, "reason", str_of(reason));
	return e;
}

enum err many_admit(struct of_many *m, const struct ask *a, const struct ask_parts *parts,
	const struct answer *answer, struct fault *why)
{
	struct str shown = json_text(json_get_str(m->digests, a->id));

	m->approves = NULL;
	if (a->require.len)
		return fail(
			why, ERR_VOTES, "it requires approvals: vote on it by itself");
	if (answer->decision != DECISION_APPROVE) return OK;
	if (a->digest.len && !shown.len)
		return fail(why, ERR_STALE, "the digest of what was shown is missing");
	if (a->digest.len && !str_eq(shown, a->digest))
		return fail(why, ERR_STALE, "the digest is of another operation");
	if (a->risk >= RISK_HIGH)
		return alone(why, "risk", "its risk is high: approve it by itself");
	if (answer->arguments)
		return alone(why, "arguments",
			"its arguments are changed: approve it by itself");
	if (!parts->operation) return OK;
	if (m->first && !operation_alike(m->first, parts->operation))
		return alone(why, "operation",
			"its tool or its arguments differ: approve it by itself");
	m->approves = parts->operation;
	return OK;
}

static void result_start(struct json_writer *w, struct str id, int64_t status)
{
	jw_object(w);
	jw_put_str(w, "id", id);
	jw_put_int(w, "status", status);
}

static void many_result(
	struct json_writer *w, struct task *one, enum err e, int64_t now_ms)
{
	struct fault *why = &one->job.why;

	result_start(w, one->id, e ? problem_status(e) : 200);
	if (e) {
		struct str said = task_words(one,
			arena_str(&one->job.arena, str_of(why->detail)), &one->job.arena);

		snprintf(why->detail, sizeof why->detail, "%.*s", STR_ARGS(said));
		jw_key(w, "problem");
		problem_write(w, e, why, one->job.conflict);
	} else if (one->found) {
		jw_key(w, "ask");
		ask_write(w, &one->found->ask, &one->found->view, now_ms);
	}
	jw_object_end(w);
}

/* For a repeat: which asks, and how it ended for each. Nothing of the asks themselves, which
 * may be deleted meanwhile. */
static void result_keep(struct json_writer *w, struct task *one, enum err e)
{
	result_start(w, one->id, e ? problem_status(e) : 200);
	if (e) {
		jw_key(w, "problem");
		problem_write(w, e, &one->job.why, STR_NONE);
	}
	jw_object_end(w);
}

static void results_start(struct json_writer *w)
{
	jw_object(w);
	jw_put_array(w, "results");
}

static void results_end(struct json_writer *w)
{
	jw_array_end(w);
	jw_object_end(w);
}

/* The same decisions as the single calls, in turn, on a task for each. */
static enum err many_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct many *m = t->checked;
	const struct use *use = m->skip ? &use_skip : &use_answer;
	const struct json *body = many_body(t, m);
	struct of_many of = { .digests = m->digests };
	struct buf kept = { 0 };
	struct json_writer w = { .out = &job->out }, keep = { .out = &kept };

	if (!body) return fail_memory(why);
	results_start(&w);
	results_start(&keep);
	for (uint32_t i = 0; i < m->ids->count; i++) {
		struct task *one = ARENA_NEW(&job->arena, struct task);
		enum err e;

		if (!one) break; /* the arena has failed, and the job with it */
		one->desk = t->desk;
		one->of_many = &of;
		one->words = t->words;
		one->wants_record = true;
		one->id = m->ids->items[i].text;
		one->body = body;
		one->job.who = job->who;
		one->job.credential = job->credential;
		rows_savepoint(rows);
		e = use->job.decide(&one->job, rows, &one->job.why);
		if (!e) e = rows_conclude(rows, &one->job, &one->job.why);
		if (e) rows_rollback(rows);
		if (!e && !of.first) of.first = of.approves;
		if (one->job.out.failed || one->job.arena.failed)
			job->arena.failed = true;
		many_result(&w, one, e, rows->now_ms);
		result_keep(&keep, one, e);
		buf_done(&one->job.out);
		arena_done(&one->job.arena);
	}
	rows_savepoint(rows); /* what follows from each is decided */
	results_end(&w);
	results_end(&keep);
	/* The Idempotency-Key goes with the token, not with one of the asks. */
	job->key_of = job->who.token;
	job->key_result = buf_keep_done(&kept, &job->arena);
	return OK;
}

static void again_problem(
	struct json_writer *w, const struct json *problem, struct str ask)
{
	jw_put_object(w, "problem");
	for (uint32_t i = 0; problem && i < problem->count; i++) {
		jw_key_str(w, problem->members[i].name);
		jw_json(w, &problem->members[i].value);
	}
	if (ask.len) jw_put_raw(w, "ask", ask);
	jw_object_end(w);
}

/* Each ask as it is now; one that is gone since is not found. */
static void again_result(
	struct task *t, struct rows *rows, const struct json *r, struct json_writer *w)
{
	struct str id = json_text(json_get(r, "id")), shown = STR_NONE;
	const struct json *status = json_get(r, "status");
	int64_t was = status ? status->integer : 0;
	struct fault gone = { 0 };
	struct ask *a;
	enum err e = rows_fetch_ask(rows, t->job.who.ws, id, &a, &gone);

	if (!e)
		shown = desk_show(t->desk, a,
			rows_session(rows, a->ws, a->session)->title,
			t->job.credential.workspace, rows->now_ms, rows->arena);
	result_start(w, id, was == 200 && e ? problem_status(e) : was);
	if (was == 200 && !e) {
		jw_put_raw(w, "ask", shown);
	} else if (was == 200) {
		jw_key(w, "problem");
		problem_write(w, e, &gone, STR_NONE);
	} else {
		again_problem(w, json_get(r, "problem"), was == 409 ? shown : STR_NONE);
	}
	jw_object_end(w);
}

static enum err many_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct json_writer w = { .out = &job->out };
	const struct json *record, *results;
	enum err e = json_read(k->result, NULL, &job->arena, &record, why);

	if (e) return e;
	results = json_get(record, "results");
	results_start(&w);
	for (uint32_t i = 0; results && i < results->count; i++)
		again_result(task_of(job), rows, &results->items[i], &w);
	results_end(&w);
	return OK;
}

const struct use use_settle_many = WRITES(
	"settle_many", MAY_SETTLE, 0, many_needs, many_decide, many_again, many_check);
