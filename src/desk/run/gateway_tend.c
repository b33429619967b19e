/* gateway_tend.c - held calls that nobody sends again: tasks that may be run, calls whose process has gone, and those
 * that their caller withdraws. */
#include "desk/run/gateway_call.h"

#include "base/clock.h"

enum { AT_ONCE = 500, TRIES = 3 };

/* ---- what is due ---- */

/* Did its process go without a word? A gateway on an agent's side could say none while nobody was here. */
static bool is_lost(const struct task *t, const struct tool_call *c, int64_t now_ms)
{
	bool here = clock_mono_ms() - t->desk->opened_ms >= GATEWAY_LEASE_MS;

	return c->until_ms && c->until_ms <= now_ms &&
	       (here || !str_starts(c->owner, "local:"));
}

static enum err tasks_due(
	struct rows *rows, struct gateway_due *b, struct arena *arena, struct fault *why)
{
	const struct tool_call *c = NULL;
	enum err e =
		rows_fetch(rows, RECORD_TOOL_CALLS, SQL_CALLS_DUE, ARGS(AT_ONCE), why);

	b->calls = ARENA_ARRAY(arena, struct gateway_due_call, AT_ONCE);
	if (!e && !b->calls) e = fail_memory(why);
	while (!e && (c = rows_next(rows, RECORD_TOOL_CALLS, c))) {
		bool ready;

		if (!c->task || b->len == AT_ONCE) continue;
		e = gateway_call_ready(rows, c, &ready, why);
		if (!e && ready)
			b->calls[b->len++] = (struct gateway_due_call){ c->ws,
				arena_str(arena, c->server), arena_str(arena, c->id) };
	}
	return e;
}

static enum err due_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct gateway_due *b = task_of(job)->checked;
	const struct tool_call *c = NULL;
	enum err e;

	b->len = 0;
	b->tend = b->more = false;
	e = rows_fetch(rows, RECORD_TOOL_CALLS, SQL_CALLS_BEGUN, ARGS(AT_ONCE), why);
	while (!e && (c = rows_next(rows, RECORD_TOOL_CALLS, c)))
		if (c->server.len && c->status == CALL_STARTED) {
			b->more = true;
			b->tend |= str_eq(c->owner, b->owner) ||
				   is_lost(task_of(job), c, rows->now_ms);
		}
	return e ? e : tasks_due(rows, b, &job->arena, why);
}

const struct use use_gateway_due = READS("gateway_due", 0, JOB_OPEN, due_read, NULL);

/* ---- cut off ---- */

/* The process that began it is gone. */
static enum err call_cut(
	struct task *t, struct rows *rows, struct tool_call *c, struct fault *why)
{
	struct run_job j = { .t = t, .rows = rows };
	struct ask *before;
	enum err e;

	if (c->class == CLASS_REPEAT && c->attempts < TRIES) {
		c->status = CALL_PENDING; /* whose start is no promise */
		return OK;
	}
	if (c->class == CLASS_REPEAT)
		return gateway_call_end(t, rows, c, CALL_FAIL,
			STR("The server stopped three times during this call."), why);
	e = rows_fetch_session(rows, c->ws, c->session, &j.s, why);
	if (!e) e = rows_fetch_ask(rows, c->ws, c->ask, &before, why);
	if (!e) e = run_call_interrupt(&j, c, "The server stopped", why);
	if (!e) gateway_call_event(t, rows, j.s, before, c, "call.finished");
	return e;
}

/* Those of who has the store alone, and of its former self, have no process any more; nor has one that was silent. */
static bool is_cut(
	const struct task *t, const struct rows *rows, const struct tool_call *c)
{
	const struct gateway_cut *b = t->checked;

	if (str_eq(c->owner, b->owner)) return !b->runs || !b->runs(b->ctx, c->ws, c->id);
	/* One that an agent's own gateway runs goes on while we are away. */
	if (!b->runs && !desk_is_shared(t->desk) && !str_starts(c->owner, "local:"))
		return true;
	return is_lost(t, c, rows->now_ms);
}

static enum err cut_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct gateway_cut *b = t->checked;
	const struct tool_call *c = NULL;
	enum err e =
		rows_fetch(rows, RECORD_TOOL_CALLS, SQL_CALLS_BEGUN, ARGS(AT_ONCE), why);

	while (!e && (c = rows_next(rows, RECORD_TOOL_CALLS, c))) {
		if (!c->server.len || c->status != CALL_STARTED) continue;
		if (is_cut(t, rows, c))
			e = call_cut(t, rows, rows_change(rows, c), why);
		else if (str_eq(c->owner, b->owner))
			((struct tool_call *)rows_change(rows, c))->until_ms =
				rows->now_ms + GATEWAY_LEASE_MS;
	}
	return e;
}

const struct use use_gateway_cut =
	WRITES("gateway_cut", 0, JOB_OPEN, NULL, cut_decide, NULL, NULL);

/* ---- withdrawn ---- */

/* Its ask, if that is open, is withdrawn, and with it the call; what is under way is given up. */
static enum err cancel_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct settlement how = { .verb = SETTLE_CANCEL,
		.reason = STR("the client cancelled it") };
	struct task *t = task_of(job);
	struct gateway_task *g = t->checked;
	const struct tool_call *c;
	struct session *s;
	struct ask *a;
	enum err e = gateway_call_own(t, rows, g->same, &c, &s, why);

	if (!e) e = desk_own(&job->who, s->agent, why);
	if (!e && tool_call_ended(c))
		e = fail(why, ERR_CONFLICT, "it has ended: %s",
			call_status_name(c->status));
	if (!e) e = rows_fetch_open(rows, s, why);
	if (!e) e = rows_fetch_ask(rows, c->ws, c->ask, &a, why);
	if (e) return e;
	if (a->status == ASK_PENDING) e = ask_settle(t, rows, a, &how, why);
	if (!e) c = rows_find(rows, RECORD_TOOL_CALLS, c->id);
	if (!e && !tool_call_ended(c))
		e = gateway_call_end(t, rows, rows_change(rows, c), CALL_CANCEL,
			STR("Cancelled: the client did not want it any more."), why);
	return e ? e : gateway_call_show(t, rows, c, g, why);
}

const struct use use_gateway_cancel =
	WRITES("gateway_cancel", MAY_ASK, JOB_LATE, NULL, cancel_decide, NULL, NULL);
