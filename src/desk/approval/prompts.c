/* prompts.c - prompts that are open in a terminal, too: what was decided there.
 *
 * Nothing tells an agent's hook that the terminal said yes; the agent tells that the call ran. Then
 * the ask that waits for it is withdrawn, and one that was rejected or skipped here shows that it
 * was overtaken. */
#include "base/keep.h"
#include "core/ask/question_kind.h"
#include "core/shared/field.h"
#include "core/shared/show.h"
#include "desk/ask/ask.h"

enum { SESSIONS_MOST = 20, PROMPTS_MOST = 100 };

/* {"session": the agent's own id of it, "operation" or "questions": what ran}; neither: the agent
 * waits for nothing any more. */
struct prompts_body {
	struct str session;
	const struct json *operation, *questions;
};

static enum err prompts_check(struct task *t, struct fault *why)
{
	struct prompts_body *b = TASK_CHECKED(t, struct prompts_body);
	enum risk risk;
	enum err e;

	if (!json_is(t->body, JSON_OBJECT))
		return fail_at(why, "", "an object is required");
	e = MEMBERS_ONLY(t->body, why, "session", "operation", "questions");
	b->session = json_text_of(t->body, "session");
	b->operation = json_get(t->body, "operation");
	b->questions = json_get(t->body, "questions");
	if (!b->session.len) e = fail_at(why, "/session", "required");
	if (b->operation && operation_read(b->operation, "/operation", &risk, why))
		e = why->err;
	if (b->questions && b->questions->type != JSON_ARRAY)
		e = fail_at(why, "/questions", "must be an array");
	return e;
}

static bool json_alike(const struct json *a, const struct json *b)
{
	struct buf left = { 0 }, right = { 0 };
	bool alike;

	if (!a || !b) return false;
	json_canonical(&left, a);
	json_canonical(&right, b);
	alike = !left.failed && !right.failed && str_eq(buf_str(&left), buf_str(&right));
	buf_done(&left);
	buf_done(&right);
	return alike;
}

/* Is it a prompt that is open in a terminal, too, and of what ran? */
static enum err prompt_fits(struct rows *rows, const struct ask *a,
	const struct prompts_body *b, bool *fits, struct fault *why)
{
	struct ask_parts parts;
	const struct json *fixed;
	char digest[DIGEST_SIZE];
	enum err e = ask_parts(a, rows->arena, &parts, why);

	*fits = false;
	if (!e) e = ask_fixed(a, rows->arena, &fixed, why);
	if (e || !str_is(json_text_of(parts.around, "beside"), "terminal")) return e;
	if (b->operation) {
		operation_digest(b->operation, NULL, a->session, digest);
		*fits = digest[0] && str_is(a->digest, digest);
	} else if (b->questions) {
		fixed = json_get(json_get(fixed, "foreign"), "request");
		*fits = json_alike(json_get(fixed, "questions"), b->questions);
	} else {
		*fits = a->status == ASK_PENDING;
	}
	return OK;
}

static enum err prompt_cancel(struct task *t, struct rows *rows, struct ask *a,
	const struct prompts_body *b, struct fault *why)
{
	struct settlement how = { .verb = SETTLE_CANCEL,
		.reason = b->operation || b->questions ? STR("decided in the terminal")
						       : STR("the agent ended") };

	return ask_settle(t, rows, a, &how, why);
}

static void prompt_overtake(struct rows *rows, struct ask *a)
{
	char decision[DIGEST_SIZE];

	a->overtaken_ms = rows->now_ms;
	a->version++;
	decision_digest(a, decision);
	if (!decision[0]) rows->arena->failed = true;
	rows_event(rows, "ask.overtaken", rows_session(rows, a->ws, a->session), a,
		fields_text(rows->arena, FIELDS(field_word("by", "terminal"),
						 field_word("decision", decision))));
}

/* Rejected or skipped here? */
static enum err prompt_refused(
	struct rows *rows, const struct ask *a, bool *out, struct fault *why)
{
	bool approved = false;
	enum err e = a->status == ASK_ANSWERED && a->kind == ASK_APPROVAL
			     ? ask_approved(a, rows->arena, &approved, why)
			     : OK;

	*out = a->status == ASK_SKIPPED ||
	       (a->status == ASK_ANSWERED && a->kind == ASK_APPROVAL && !approved);
	return e;
}

struct closed {
	struct json_writer cancelled, overtaken;
};

/* Of what ran: the oldest that waits, else the newest. Of an agent that ended: all that wait. */
static enum err session_close(struct task *t, struct rows *rows, struct str session,
	struct closed *out, struct fault *why)
{
	const struct prompts_body *b = t->checked;
	bool ended = !b->operation && !b->questions, refused = false;
	struct str ids[PROMPTS_MOST];
	struct ask *a, *waits = NULL, *newest = NULL;
	size_t len = 0;
	enum err e = rows_texts(rows, SQL_ASK_IDS_LATEST,
		ARGS(t->job.who.ws, session, PROMPTS_MOST), ids, PROMPTS_MOST, &len, why);

	for (size_t i = 0; !e && i < len; i++) {
		bool fits = false;

		e = rows_fetch_ask(rows, t->job.who.ws, ids[i], &a, why);
		if (!e) e = prompt_fits(rows, a, b, &fits, why);
		if (e || !fits) continue;
		if (ended) {
			e = prompt_cancel(t, rows, a, b, why);
			jw_str(&out->cancelled, a->id);
			continue;
		}
		if (!newest) newest = a;
		if (a->status == ASK_PENDING) waits = a;
	}
	if (!e && waits) {
		e = prompt_cancel(t, rows, waits, b, why);
		jw_str(&out->cancelled, waits->id);
	} else if (!e && newest && !newest->overtaken_ms) {
		e = prompt_refused(rows, newest, &refused, why);
		if (!e && refused) {
			prompt_overtake(rows, newest);
			jw_str(&out->overtaken, newest->id);
		}
	}
	return e;
}

/* An agent that went to another work tree has a second session, "ID:PROJECT". */
static enum err prompts_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct prompts_body *b = t->checked;
	struct buf cancelled = { .max = 65536 }, overtaken = { .max = 65536 };
	struct closed done = { { .out = &cancelled }, { .out = &overtaken } };
	struct json_writer w = { .out = &job->out };
	struct str ids[SESSIONS_MOST];
	size_t len = 0;
	enum err e = rows_texts(rows, SQL_SESSION_IDS_BY_EXTERNAL,
		ARGS(job->who.ws, job->who.agent, b->session,
			arena_print(rows->arena, "%.*s:", STR_ARGS(b->session)),
			arena_print(rows->arena, "%.*s;", STR_ARGS(b->session)),
			SESSIONS_MOST),
		ids, SESSIONS_MOST, &len, why);

	for (size_t i = 0; !e && i < len; i++)
		e = session_close(t, rows, ids[i], &done, why);
	jw_object(&w);
	jw_put_array(&w, "cancelled");
	jw_members(&w, buf_str(&cancelled));
	jw_array_end(&w);
	jw_put_array(&w, "overtaken");
	jw_members(&w, buf_str(&overtaken));
	jw_array_end(&w);
	jw_object_end(&w);
	if (cancelled.failed || overtaken.failed) rows->arena->failed = true;
	buf_done(&cancelled);
	buf_done(&overtaken);
	return e;
}

const struct use use_prompts_closed =
	WRITES("prompts_closed", MAY_ASK, 0, NULL, prompts_decide, NULL, prompts_check);
