/* gateway_call.c - a held call from its approval to its end: begun once, with its approval used up in the same commit;
 * what came of it is kept; what was cut off is put to a person. */
#include "desk/run/gateway_call.h"

#include "base/json_pattern.h"
#include "base/keep.h"
#include "core/run/run_tool.h"
#include "core/shared/json_schema.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/run/configured.h"
#include "desk/run/mcp_servers.h"

static bool gateway_call_in_store(const struct tool_call *c)
{
	return !c->run.len && c->class == CLASS_STORE;
}

/* ---- told and shown ---- */

void gateway_call_event(struct task *t, struct rows *rows, const struct session *s,
	const struct ask *a, const struct tool_call *c, const char *type)
{
	struct str server, tool;
	struct staged *st;

	if (!mcp_call_parts(c->name, &server, &tool)) tool = c->name;
	st = rows_event(rows, type, s, a,
		fields_text(rows->arena,
			FIELDS(field_text("call", c->id), field_text("server", c->server),
				field_text("tool", tool),
				field_word("status", call_status_name(c->status)),
				field_int("duration_ms",
					c->ended_ms ? c->ended_ms - c->started_ms : 0))));
	if (a)
		rows_wake(rows, st, a,
			desk_view(t->desk, s->title, desk_workspace(t, rows, s->ws)));
}

static enum err ask_of(struct rows *rows, const struct tool_call *c, struct ask **out,
	bool *approved, struct fault *why)
{
	enum err e = rows_fetch_ask(rows, c->ws, c->ask, out, why);

	*approved = false;
	if (e || (*out)->kind != ASK_APPROVAL) return e;
	return ask_approved(*out, rows->arena, approved, why);
}

/* May it be begun? By the word of a person, about what was to run or was cut short. */
enum err gateway_call_ready(
	struct rows *rows, const struct tool_call *c, bool *ready, struct fault *why)
{
	struct ask *a;
	enum err e = OK;

	*ready = c->status == CALL_PENDING && !gateway_call_in_store(c);
	if (gateway_call_in_store(c)) return OK; /* by the answer itself */
	if (c->status == CALL_WAITING) e = ask_of(rows, c, &a, ready, why);
	return e;
}

enum err gateway_call_show(struct task *t, struct rows *rows, const struct tool_call *c,
	struct gateway_task *g, struct fault *why)
{
	struct arena *arena = &t->job.arena;
	struct str server, tool;
	struct gateway_call *out = &g->call;
	enum err e;

	if (!mcp_call_parts(c->name, &server, &tool)) tool = c->name;
	*out = (struct gateway_call){ .id = arena_str(arena, c->id),
		.ask = arena_str(arena, c->ask),
		.server = arena_str(arena, c->server),
		.tool = arena_str(arena, tool),
		.status = c->status,
		.sent = c->sent,
		.result = arena_str(arena, c->result),
		.error = arena_str(arena, c->error),
		.edited = arena_str(arena, c->approved_arguments),
		.task = c->task != 0,
		.erred = str_find(c->result, STR("\"isError\":true")) >= 0,
		.created_ms = c->created_ms,
		.updated_ms = c->ended_ms     ? c->ended_ms
			      : c->started_ms ? c->started_ms
					      : c->created_ms };
	e = gateway_call_ready(rows, c, &out->ready, why);
	g->what = tool_call_ended(c) ? GATEWAY_ENDED : GATEWAY_HELD;
	return e;
}

/* ---- looked at, by who waits ---- */

static enum err call_find(struct rows *rows, int64_t ws, struct str id,
	const struct tool_call **out, struct fault *why)
{
	enum err e = rows_get(rows, RECORD_TOOL_CALLS, KEY(ws, id), out, why);

	if (!e && (!*out || !(*out)->server.len)) e = desk_missing("tool call", id, why);
	return e;
}

enum err gateway_call_own(struct task *t, struct rows *rows, struct str id,
	const struct tool_call **out, struct session **s, struct fault *why)
{
	enum err e = call_find(rows, t->job.who.ws, id, out, why);

	if (!e) e = rows_fetch_session(rows, (*out)->ws, (*out)->session, s, why);
	if (!e && !principal_sees(&t->job.who, (*s)->agent))
		e = desk_missing("tool call", id, why);
	return e;
}

/* Nobody waits while a stop holds it back. */
static enum err stopped_look(struct task *t, struct rows *rows, const struct tool_call *c,
	struct gateway_task *g, struct fault *why)
{
	const struct json *stop;
	struct ask *a;
	enum err e = rows_fetch_ask(rows, c->ws, c->ask, &a, why);

	if (!e) e = stop_load(rows, a, &t->stopped, why);
	if (!e && t->stopped.len)
		e = json_read(t->stopped, NULL, rows->arena, &stop, why);
	if (e || !t->stopped.len) return e;
	g->text = arena_print(&t->job.arena, "Not run: stopped by %.*s: %.*s.",
		STR_ARGS(json_text_of(json_get(stop, "by"), "name")),
		STR_ARGS(json_text_of(stop, "reason")));
	return OK;
}

static enum err look_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct gateway_task *g = t->checked;
	const struct tool_call *c;
	struct session *s;
	enum err e = gateway_call_own(t, rows, g->same, &c, &s, why);

	if (!e) e = gateway_call_show(t, rows, c, g, why);
	t->settled = !e && g->what == GATEWAY_ENDED;
	return e || t->settled ? e : stopped_look(t, rows, c, g, why);
}

const struct use use_gateway_look = READS("gateway_look", 0, 0, look_read, NULL);

/* ---- its end ---- */

enum err gateway_call_end(struct task *t, struct rows *rows, struct tool_call *c,
	enum call_action action, struct str text, struct fault *why)
{
	struct session *s;
	struct ask *a = NULL;
	enum err e = tool_call_act(c, action, why);

	if (!e) e = rows_fetch_session(rows, c->ws, c->session, &s, why);
	if (!e && c->ask.len) e = rows_fetch_ask(rows, c->ws, c->ask, &a, why);
	if (e) return e;
	if (action == CALL_FINISH)
		c->result = text;
	else
		c->error = str_first(text, CALL_RESULT_MAX);
	if (!c->started_ms) c->started_ms = rows->now_ms;
	c->until_ms = 0;
	c->ended_ms = rows->now_ms;
	gateway_call_event(t, rows, s, a, c, "call.finished");
	return OK;
}

/* As the server would have said it. */
static struct str text_result(struct str text, bool error, struct arena *arena)
{
	return JSON_TEXT(arena, "{'content':[{'type':'text','text':%s}],'isError':%j}",
		text, json_bool(error));
}

/* ---- in the store ---- */

static enum err store_allow(
	const struct run_job *j, struct tool_call *c, struct fault *why)
{
	struct job *job = &j->t->job;
	struct buf reply = job->out; /* to who answered */
	enum err e;

	if (c->status != CALL_WAITING) return OK;
	job->out = (struct buf){ .max = reply.max };
	e = run_call_use(j, c, why);
	buf_done(&job->out);
	job->out = reply;
	return e ? e : tool_call_act(c, CALL_ALLOW, why);
}

enum err gateway_store_do(
	struct task *t, struct rows *rows, struct tool_call *c, struct fault *why)
{
	struct run_job j = { .t = t, .rows = rows };
	struct fault held = { 0 };
	struct str text;
	bool wrong;
	enum err e = rows_fetch_session(rows, c->ws, c->session, &j.s, why);

	if (!e) e = store_allow(&j, c, &held);
	if (e == ERR_STOPPED) return OK; /* until it comes again */
	if (e && held.err && e != ERR_MEMORY && e < ERR_UNAVAILABLE)
		return gateway_call_end(t, rows, c, CALL_REJECT,
			arena_print(rows->arena, "Not run: %s.", held.detail), why);
	if (e && held.err) *why = held;
	if (e) return e;
	c->attempts++;
	c->started_ms = rows->now_ms;
	e = run_tool_alone(t, rows, j.s, c, &text, &wrong, why);
	if (e) return e;
	return wrong ? gateway_call_end(t, rows, c, CALL_FAIL, text, why)
		     : gateway_call_end(t, rows, c, CALL_FINISH,
			       text_result(text, false, rows->arena), why);
}

/* ---- begun ---- */

static enum err begin_now(struct task *t, struct rows *rows, struct tool_call *c,
	struct gateway_start *b, struct fault *why)
{
	struct run_job j = { .t = t, .rows = rows };
	enum err e = rows_fetch_session(rows, c->ws, c->session, &j.s, why);

	if (!e) e = run_call_use(&j, c, why);
	if (!e && c->status == CALL_WAITING) e = tool_call_act(c, CALL_ALLOW, why);
	if (!e) e = tool_call_act(c, CALL_START, why);
	if (e) return e;
	c->attempts++;
	c->started_ms = rows->now_ms;
	c->owner = arena_str(rows->arena, b->owner);
	c->until_ms = rows->now_ms + GATEWAY_LEASE_MS;
	b->started = true;
	gateway_call_event(t, rows, j.s, NULL, c, "call.started");
	return OK;
}

/* An approval is good for a while, for whoever sends the call again. */
static enum err kept_too_long(struct task *t, struct rows *rows,
	const struct tool_call *c, bool *late, struct fault *why)
{
	struct ask *a;
	enum err e = rows_fetch_ask(rows, c->ws, c->ask, &a, why);

	*late = !e && a->settled_ms &&
		rows->now_ms - a->settled_ms > t->desk->set.gateway_keep_ms;
	return e;
}

enum err gateway_call_start(
	struct task *t, struct rows *rows, struct gateway_start *b, struct fault *why)
{
	const struct tool_call *at;
	struct tool_call *c;
	bool ready, late;
	enum err e = call_find(rows, b->ws, b->call, &at, why);

	b->started = false;
	if (e) return e;
	if (b->again && at->status == CALL_STARTED && str_eq(at->owner, b->owner)) {
		b->started = true;
		return OK;
	}
	e = gateway_call_ready(rows, at, &ready, why);
	if (e || !ready) return e;
	c = rows_change(rows, at);
	e = kept_too_long(t, rows, at, &late, why);
	if (e) return e;
	if (late)
		return gateway_call_end(t, rows, c, CALL_REJECT,
			STR("Not run: nobody sent it again in time after it was approved."),
			why);
	e = begin_now(t, rows, c, b, why);
	if (e == ERR_MEMORY || e >= ERR_UNAVAILABLE || !e) return e;
	/* What was approved may not run any more: revoked, stopped, denied by now. A stop is lifted some time. */
	if (e == ERR_STOPPED) return e;
	return gateway_call_end(t, rows, c, CALL_REJECT,
		arena_print(rows->arena, "Not run: %s.", why->detail), why);
}

static enum err start_decide(struct job *job, struct rows *rows, struct fault *why)
{
	return gateway_call_start(task_of(job), rows, task_of(job)->checked, why);
}

const struct use use_gateway_start =
	WRITES("gateway_start", 0, JOB_OPEN, NULL, start_decide, NULL, NULL);

/* ---- what came of it ---- */

enum err gateway_call_keep(
	struct task *t, struct rows *rows, const struct gateway_end *b, struct fault *why)
{
	struct run_job j = { .t = t, .rows = rows };
	struct str text = arena_str(rows->arena, b->text);
	const struct tool_call *at;
	struct tool_call *c;
	struct ask *before;
	enum err e = call_find(rows, b->ws, b->call, &at, why);

	if (!e) e = configured_mask(t->desk, rows, b->ws, &text, why);
	if (e || at->status != CALL_STARTED) return e; /* told before */
	c = rows_change(rows, at);
	if (b->how == GATEWAY_DONE && text.len <= CALL_RESULT_MAX)
		return gateway_call_end(t, rows, c, CALL_FINISH, text, why);
	if (b->how == GATEWAY_DONE)
		text = STR("It ran; its result is larger than 1 MiB and was not kept.");
	if (b->how != GATEWAY_UNKNOWN)
		return gateway_call_end(t, rows, c,
			b->how == GATEWAY_CANCELLED ? CALL_CANCEL : CALL_FAIL, text, why);
	e = rows_fetch_session(rows, c->ws, c->session, &j.s, why);
	if (!e) e = rows_fetch_ask(rows, c->ws, c->ask, &before, why);
	if (!e) e = run_call_interrupt(&j, c, arena_copy(rows->arena, text), why);
	if (!e) gateway_call_event(t, rows, j.s, before, c, "call.finished");
	return e;
}

static enum err end_decide(struct job *job, struct rows *rows, struct fault *why)
{
	return gateway_call_keep(task_of(job), rows, task_of(job)->checked, why);
}

const struct use use_gateway_end =
	WRITES("gateway_end", 0, JOB_OPEN, NULL, end_decide, NULL, NULL);

/* ---- what it needs ---- */

static enum err load_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct gateway_load *b = t->checked;
	const struct tool_call *c;
	const struct json *behind;
	struct str server, tool;
	struct mcp_known k;
	struct session *s;
	enum err e = call_find(rows, b->ws, b->call, &c, why);

	if (!e) e = gateway_call_ready(rows, c, &b->ready, why);
	if (!e) e = mcp_known_find(t->desk, rows, b->ws, c->server, &k, why);
	if (!e && !k.record) e = desk_missing("MCP server", c->server, why);
	if (!e) e = json_read(c->behind, NULL, rows->arena, &behind, why);
	if (!e) e = rows_fetch_session(rows, c->ws, c->session, &s, why);
	if (e) return e;
	/* Its agent's gateway runs it. */
	if (k.parts.transport == MCP_LOCAL) b->ready = false;
	if (!mcp_call_parts(c->name, &server, &tool)) tool = c->name;
	b->arguments = arena_str(&job->arena, tool_call_arguments(c));
	b->behind = arena_str(&job->arena, json_text_of(behind, "session"));
	b->revision = arena_str(&job->arena, json_text_of(behind, "revision"));
	b->agent = arena_str(&job->arena, s->agent);
	e = mcp_access_make(t->desk, rows, &k, tool, &job->arena, &b->access, why);
	b->access.agent = b->agent;
	return e;
}

const struct use use_gateway_load = READS("gateway_load", 0, JOB_OPEN, load_read, NULL);

/* ---- its caller has the outcome, or wants none ---- */

static enum err delivered_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct gateway_task *g = t->checked;
	const struct tool_call *at;
	struct tool_call *c;
	enum err e = call_find(rows, job->who.ws, g->same, &at, why);

	if (e || at->delivered_ms || !tool_call_ended(at)) return e;
	c = rows_change(rows, at);
	c->delivered_ms = rows->now_ms;
	return OK;
}

const struct use use_gateway_delivered =
	WRITES("gateway_delivered", 0, JOB_OPEN, NULL, delivered_decide, NULL, NULL);

/* ---- its ask was settled ---- */

/* A person's edit must fit what the tool takes. */
static enum err edited_check(struct task *t, struct rows *rows, const struct tool_call *c,
	const struct json *edited, const char *at, bool whole, struct fault *why)
{
	const struct json *schema = NULL;
	struct str server, tool;
	struct json_miss wrong;
	struct mcp_known k;
	const struct mcp_tool *found;
	struct session *s;
	enum err e = mcp_known_find(t->desk, rows, c->ws, c->server, &k, why);

	if (!e) e = rows_fetch_session(rows, c->ws, c->session, &s, why);
	if (!e) e = mcp_known_as(rows, &k, s->agent, why);
	if (e) return e;
	if (gateway_call_in_store(c)) {
		if (run_tool_call(&run_toolbox_mcp, c->name, edited, rows->arena, &wrong))
			return OK;
	} else {
		if (!k.record || !mcp_call_parts(c->name, &server, &tool)) return OK;
		found = mcp_pins_find(&k.pins, tool);
		if (found) schema = json_get(found->tool, "inputSchema");
		if (!schema ||
			json_schema_fits(schema, edited, &(struct json_schema_rules){ 0 },
				rows->arena, &wrong))
			return OK;
	}
	if (whole) return fail_at(why, at, "%.*s", STR_ARGS(wrong.must));
	return fail_at(why, POINTER("%s%.*s", at, STR_ARGS(wrong.at)), "%.*s",
		STR_ARGS(wrong.must));
}

static struct str not_run(const struct ask *a, struct arena *arena)
{
	static const char *const words[] = { [ASK_ANSWERED] = "Rejected",
		[ASK_SKIPPED] = "Skipped: nobody approved it",
		[ASK_EXPIRED] = "Expired: nobody approved it in time",
		[ASK_CANCELLED] = "Withdrawn" };
	struct str reason = a->reason, who = STR_NONE;
	const struct json *json;

	if (a->answer.len && !json_read(a->answer, NULL, arena, &json, NULL)) {
		struct str said = json_text_of(json_get(json, "decision"), "text");

		if (said.len) reason = said;
	}
	if (a->answered_by.len && !json_read(a->answered_by, NULL, arena, &json, NULL))
		who = json_text_of(json, "name");
	return arena_print(arena, "Not run. %s%s%.*s%s%.*s", words[a->status],
		who.len ? " by " : "", STR_ARGS(who), reason.len ? ": " : ".",
		STR_ARGS(reason));
}

static enum err approval_settled(struct task *t, struct rows *rows, struct tool_call *c,
	const struct ask *a, struct fault *why)
{
	const struct json *edited = NULL;
	struct ask_parts parts;
	bool approved;
	enum err e = ask_approved(a, rows->arena, &approved, why);

	if (e) return e;
	if (!approved)
		return gateway_call_end(t, rows, c,
			a->status == ASK_CANCELLED ? CALL_CANCEL : CALL_REJECT,
			not_run(a, rows->arena), why);
	e = ask_parts(a, rows->arena, &parts, why);
	if (!e) e = ask_edited(a, &parts, rows->arena, &edited, why);
	if (!e && edited)
		e = edited_check(
			t, rows, c, edited, "/answers/decision/arguments", false, why);
	if (!e && edited) c->approved_arguments = json_keep(edited, rows->arena);
	return e || !gateway_call_in_store(c) ? e : gateway_store_do(t, rows, c, why);
}

static enum err recovery_settled(struct task *t, struct rows *rows, struct tool_call *c,
	const struct ask *a, struct fault *why)
{
	const struct json *answer = NULL, *one, *json;
	struct str option = STR_NONE, text = STR_NONE;
	enum err e;

	if (a->answer.len && !json_read(a->answer, NULL, rows->arena, &answer, NULL)) {
		one = json_get(answer, "recovery");
		json = json_get(one, "selected");
		if (json_is(json, JSON_ARRAY) && json->count)
			option = json_text(&json->items[0]);
		text = json_text_of(one, "text");
	}
	if (str_is(option, "edit")) {
		if (json_read(text, NULL, rows->arena, &json, NULL) ||
			json->type != JSON_OBJECT)
			return fail_at(why, "/answers/recovery/text",
				"the new arguments as a JSON object");
		e = edited_check(t, rows, c, json, "/answers/recovery/text", true, why);
		if (e) return e;
		c->approved_arguments = text;
	}
	if (str_is(option, "edit") || str_is(option, "retry"))
		return tool_call_act(c, CALL_ALLOW, why);
	if (str_is(option, "skip") && text.len)
		return gateway_call_end(t, rows, c, CALL_FINISH,
			text_result(text, false, rows->arena), why);
	return gateway_call_end(t, rows, c, CALL_FAIL,
		answer ? STR("It was interrupted, and a person chose not to repeat it.")
		       : STR("It was interrupted, and nobody said what became of it."),
		why);
}

/* The call that an ask says it is of; empty: none. */
static struct str call_named(const struct ask *a)
{
	int at = str_find(a->fixed, STR("\"call\":\"call_"));
	struct str rest = at < 0 ? STR_NONE : str_from(a->fixed, (size_t)at + 8), id;

	return at >= 0 && str_cut(&rest, '"', &id) ? id : STR_NONE;
}

enum err gateway_settled(const struct happened *h, struct fault *why)
{
	const struct ask *a = h->ask;
	struct str id = a->run.len ? STR_NONE : call_named(a);
	const struct tool_call *at = NULL;
	struct tool_call *c;
	enum err e =
		id.len ? rows_get(h->rows, RECORD_TOOL_CALLS, KEY(a->ws, id), &at, why)
		       : OK;

	if (e || !at || !str_eq(at->ask, a->id)) return e;
	c = rows_change(h->rows, at);
	if (c->status == CALL_WAITING)
		e = approval_settled(h->task, h->rows, c, a, why);
	else if (c->status == CALL_INTERRUPTED)
		e = recovery_settled(h->task, h->rows, c, a, why);
	/* Nobody has to send it again. */
	if (!e && c->task && !tool_call_ended(c)) h->rows->so_far.held = true;
	return e;
}
