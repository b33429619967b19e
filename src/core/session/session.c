/* session.c - names of session statuses, the status its asks give it, its JSON. */
#include "core/session/session.h"

#include "core/run/usage.h"
#include "core/shared/body.h"
#include "core/shared/shape.h"
#include "core/shared/show.h"

const char *const session_status_names[SESSION_CANCELLED + 1] = {
	[SESSION_IDLE] = "idle",
	[SESSION_RUNNING] = "running",
	[SESSION_WAITING_FOR_INPUT] = "waiting_for_input",
	[SESSION_WAITING_FOR_APPROVAL] = "waiting_for_approval",
	[SESSION_COMPLETED] = "completed",
	[SESSION_FAILED] = "failed",
	[SESSION_CANCELLED] = "cancelled",
};

ENUM_NAMES(session_status, session_status_names)

bool session_ended(const struct session *s)
{
	return s->status >= SESSION_COMPLETED;
}

bool session_runnable(const struct session *s)
{
	return s->starter.len > 0;
}

bool session_over(const struct session *s)
{
	return !s->open_input && !s->open_approval && !s->open_other && !s->run_open;
}

bool session_started_by(const struct session *s, const struct principal *p)
{
	return session_runnable(s) && principal_may(p, MAY_RUN) &&
	       (str_eq(s->starter, principal_starter(p)) || str_eq(s->starter, p->token));
}

bool session_seen_by(const struct session *s, const struct principal *p)
{
	return principal_sees(p, s->agent) || session_started_by(s, p);
}

static void count(struct session *s, enum ask_kind kind, int64_t by)
{
	switch (kind) {
	case ASK_BLOCKING:
		s->open_blocking += by;
		s->open_input += by;
		break;
	case ASK_ERROR_RECOVERY: s->open_input += by; break;
	case ASK_APPROVAL: s->open_approval += by; break;
	case ASK_NON_BLOCKING: s->open_other += by; break;
	}
}

/* Counts the ask and sets the status its session has now. An ask that nobody waits for
 * changes nothing, and neither does any in a session that has ended. A session that was made
 * for one ask is over with it: whoever waits gets the outcome, and nothing else is to come. */
static bool turn(struct session *s, enum ask_kind kind, int64_t by, int64_t now_ms)
{
	enum session_status now = s->status;

	count(s, kind, by);
	s->version++;
	s->updated_ms = now_ms;
	if (session_ended(s)) return false;
	if (s->for_ask && by < 0)
		now = SESSION_COMPLETED;
	else if (kind == ASK_NON_BLOCKING)
		return false;
	else if (s->open_input > 0)
		now = SESSION_WAITING_FOR_INPUT;
	else if (s->open_approval > 0)
		now = SESSION_WAITING_FOR_APPROVAL;
	else
		now = s->run_open || s->heard_ms + SESSION_HEARD_MS > now_ms
			      ? SESSION_RUNNING
			      : SESSION_IDLE;
	bool changed = now != s->status;
	s->status = now;
	return changed;
}

bool session_opened(struct session *s, enum ask_kind kind, int64_t now_ms)
{
	return turn(s, kind, 1, now_ms);
}

bool session_settled(struct session *s, enum ask_kind kind, int64_t now_ms)
{
	s->settled++;
	return turn(s, kind, -1, now_ms);
}

void session_goes_on(struct session *s, int64_t now_ms)
{
	if (s->for_ask && s->status == SESSION_COMPLETED) s->status = SESSION_IDLE;
	s->for_ask = false;
	s->heard_ms = now_ms;
}

bool session_run_began(struct session *s, struct str run)
{
	enum session_status was = s->status;

	s->run = run;
	s->run_open = true;
	s->error = STR_NONE;
	s->heard_ms = 0; /* Parley runs the agent itself, so it is never silent */
	if (session_ended(s) || session_resumed(s)) s->status = SESSION_RUNNING;
	return s->status != was;
}

bool session_run_ended(struct session *s, enum session_status how)
{
	enum session_status was = s->status;

	s->run_open = false;
	if (session_resumed(s)) s->status = how;
	return s->status != was;
}

bool session_heard(struct session *s, int64_t now_ms)
{
	if (session_ended(s) || s->heard_ms >= now_ms) return false;
	s->heard_ms = now_ms;
	if (s->status == SESSION_IDLE && session_can_resume(s))
		s->status = SESSION_RUNNING;
	return true;
}

bool session_falls_idle(struct session *s, int64_t now_ms)
{
	if (s->status != SESSION_RUNNING || !s->heard_ms || s->run_open ||
		s->heard_ms + SESSION_HEARD_MS > now_ms)
		return false;
	s->status = SESSION_IDLE;
	return true;
}

enum err session_may_ask(const struct session *s, enum ask_kind kind, struct fault *why)
{
	if (session_ended(s) && !(s->for_ask && s->status == SESSION_COMPLETED))
		return fail(why, ERR_CONFLICT,
			"session %.*s is %s: ask in another one, or without a session",
			STR_ARGS(s->id), session_status_name(s->status));
	if (kind == ASK_BLOCKING && s->open_blocking > 0 && !s->parallel)
		return fail(why, ERR_CONFLICT,
			"session %.*s has an open blocking ask: wait for it, cancel it, or "
			"use another session",
			STR_ARGS(s->id));
	return OK;
}

bool session_resumed(const struct session *s)
{
	return s->open_input <= 0 && s->open_approval <= 0;
}

bool session_stopped(const struct session *s)
{
	return s->status == SESSION_IDLE && session_resumed(s) && s->open_other <= 0;
}

bool session_can_resume(const struct session *s)
{
	return s->settled > 0 && session_resumed(s);
}

/* Of a session whose agent Parley runs. */
static void run_members_write(struct json_writer *w, const struct session *s)
{
	struct arena arena = { 0 };
	struct spending spent = { 0 };

	spending_parse(s->spent, &arena, &spent, NULL);
	jw_put_bool(w, "runnable", true);
	show_text(w, "run", s->run);
	jw_key(w, "usage");
	usage_write(w, &spent.usage);
	jw_key(w, "cost_usd");
	cost_write(w, spending_cost(&spent));
	jw_put_bool(w, "cost_partial", spent.partial);
	jw_put_int(w, "context_tokens", spent.context_tokens);
	show_number(w, "context_max", spent.context_max, spent.context_max > 0);
	show_json(w, "error", s->error);
	show_time(w, "completed_at",
		!session_ended(s) ? 0
		: s->ended_ms	  ? s->ended_ms
				  : s->updated_ms);
	if (arena.failed) w->out->failed = true;
	arena_done(&arena);
}

void session_write(
	struct json_writer *w, const struct session *s, struct str pending_asks)
{
	jw_object(w);
	jw_put_str(w, "id", s->id);
	show_text(w, "title", s->title);
	show_agent(w, s->ws, s->agent, s->agent_name);
	show_text(w, "project", s->project);
	show_text(w, "external_id", s->external_id);
	jw_put_bool(w, "parallel", s->parallel);
	jw_put_bool(w, "sensitive", s->sensitive);
	jw_put_text(w, "status", session_status_name(s->status));
	show_json(w, "pending_asks", pending_asks.len ? pending_asks : STR("[]"));
	show_json(w, "progress", s->progress);
	show_json(w, "metadata", s->metadata.len ? s->metadata : STR("{}"));
	show_json(w, "on_settled", s->on_settled);
	jw_key(w, "on_ended");
	if (s->on_ended.len)
		shape_write(w, &on_ended_shape, &(struct on_ended){ s->on_ended });
	else
		jw_null(w);
	if (session_runnable(s)) run_members_write(w, s);
	show_time(w, "created_at", s->created_ms);
	show_time(w, "updated_at", s->updated_ms);
	jw_object_end(w);
}

void session_digest(const struct session *s, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE];
	const struct str fields[] = { s->id, s->agent, s->agent_name, s->token,
		s->project, s->external_id, s->metadata,
		s->parallel ? STR("1") : STR("0"), digest_number(s->created_ms, created),
		s->sensitive ? STR("sensitive") : STR_NONE, s->starter, s->trace };
	size_t without = s->trace.len ? 0 : s->starter.len ? 1 : s->sensitive ? 2 : 3;

	digest_fields(fields, sizeof fields / sizeof *fields - without, out);
}
