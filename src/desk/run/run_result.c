/* run_result.c - the result of a call that said it comes later, brought by whoever works on it: taken once, with the
 * token of the request, and the run goes on in that commit. */
#include "base/json_pattern.h"
#include "core/shared/body.h"
#include "desk/run/run_inner.h"

/* The text of `result` or `error`. */
static enum err result_read(const struct json *body, struct arena *arena, struct str *out,
	bool *failed, struct fault *why)
{
	const struct json *result = json_get(body, "result");
	const struct json *error = json_get(body, "error");

	if (!json_is(body, JSON_OBJECT) || body->count != 1 || (!result && !error))
		return fail_at(why, "", "must be an object with result or error");
	if (error && !json_is(error, JSON_STRING))
		return fail_at(why, "/error", "must be a text");
	*failed = error != NULL;
	*out = error			      ? error->text
	       : json_is(result, JSON_STRING) ? result->text
					      : json_keep(result, arena);
	return OK;
}

/* A person need not say any more what came of it. */
static enum err recovery_withdraw(
	const struct run_job *j, struct str ask, struct fault *why)
{
	const struct settlement how = { .verb = SETTLE_CANCEL,
		.reason = STR("its result came") };
	struct ask *a = NULL;
	enum err e = rows_fetch_open(j->rows, j->s, why);

	while (!e && (a = rows_next_ask(j->rows, j->s->ws, j->s->id, a)))
		if (a->status == ASK_PENDING && str_eq(a->id, ask))
			e = ask_settle(j->t, j->rows, a, &how, why);
	return e;
}

static enum err result_take(const struct run_job *j, struct tool_call *c, struct str text,
	bool failed, struct fault *why)
{
	bool asked = c->status == CALL_INTERRUPTED, unreadable;
	enum err e;

	text = tool_reply_text(200, STR_NONE, text, j->rows->arena, &unreadable);
	e = configured_mask(j->t->desk, j->rows, j->r->ws, &text, why);
	if (!e) e = run_call_end(j, c, failed ? CALL_FAIL : CALL_FINISH, text, why);
	if (!e && asked) e = recovery_withdraw(j, c->ask, why);
	return e ? e : run_goes_on(j, "result", why);
}

static enum err result_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct run_job j = { .t = t, .rows = rows };
	const struct server_key *key = NULL;
	const struct tool_call *at = NULL;
	const struct run *r;
	struct str text;
	bool failed;
	int64_t ws;
	enum err e = desk_find_key(rows, STR(CALLBACK_KEY), &key, why);

	if (e) return e;
	if (!key || !tool_callback_read(key->value, t->callback, t->id, rows->arena, &ws))
		return fail(why, ERR_NO_TOKEN,
			"the request's Parley-Callback is needed as Bearer token");
	e = rows_get(rows, RECORD_TOOL_CALLS, KEY(ws, t->id), &at, why);
	if (!e && !at) e = desk_missing("tool call", t->id, why);
	if (!e) e = result_read(t->body, rows->arena, &text, &failed, why);
	if (e) return e;
	/* Whoever has the token was called; the reply that announces the result may come behind it. */
	if (tool_call_ended(at) || !at->attempts)
		return fail(why, ERR_CONFLICT, "tool call %.*s is %s", STR_ARGS(at->id),
			call_status_name(at->status));
	e = run_fetch(rows, ws, at->run, &r, why);
	if (!e) e = rows_fetch_session(rows, ws, at->session, &j.s, why);
	if (e) return e;
	j.r = rows_change(rows, r);
	e = run_calls_fetch(&j, why);
	if (!e)
		e = result_take(&j,
			rows_change(rows, rows_find(rows, RECORD_TOOL_CALLS, at->id)),
			text, failed, why);
	if (e) return e;
	JW(TO_REPLY(job), "{'id':%s,'status':%s}", t->id,
		str_of(failed ? "failed" : "done"));
	return OK;
}

const struct use use_tool_result =
	WRITES("tool_result", 0, JOB_OPEN, NULL, result_decide, NULL, NULL);
