/* gateway.c - calls of MCP servers' tools by agents from elsewhere: decided as any operation; those that a person must
 * approve are held as rows, begun once, and keep what came of them until their caller has it. */
#include "desk/gateway.h"

#include "base/hash.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "core/run/run_tool.h"
#include "core/shared/json_schema.h"
#include "desk/policy/decide.h"
#include "desk/run/gateway_call.h"
#include "desk/run/mcp_servers.h"

enum { AGAIN_S = 15 * 60 };

/* ---- which server ---- */

/* Who may not use it does not learn that it is there. */
static enum err server_admit(struct task *t, struct rows *rows,
	const struct gateway_task *g, struct mcp_known *k, struct fault *why)
{
	enum err e = mcp_known_find(t->desk, rows, t->job.who.ws, g->server, k, why);

	if (e) return e;
	if (!k->record || !k->parts.gateway || !str_eq(k->record->name, g->server) ||
		!mcp_server_admits(&k->parts, t->job.who.agent) ||
		(k->parts.transport == MCP_LOCAL) != g->local)
		return desk_missing("MCP server", g->server, why);
	return mcp_known_as(rows, k, t->job.who.agent, why);
}

/* Never read, or not for an hour. */
static bool list_due(
	const struct mcp_known *k, const struct gateway_task *g, int64_t now_ms)
{
	return !g->listed && !g->local &&
	       (!k->list || now_ms - k->list->checked_ms > MCP_LIST_AGAIN_MS);
}

struct str gateway_tools_on(const struct mcp_pins *pins, struct arena *arena)
{
	struct buf b = { .max = 2 * MCP_LIST_BYTES };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	for (size_t i = 0; i < pins->len; i++)
		if (!pins->items[i].gone && mcp_tool_on(&pins->items[i]))
			jw_json(&w, pins->items[i].tool);
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

static enum err open_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct gateway_task *g = t->checked;
	struct mcp_known k;
	enum err e = server_admit(t, rows, g, &k, why);

	if (!e)
		e = mcp_access_make(
			t->desk, rows, &k, STR_NONE, &job->arena, &g->access, why);
	if (e) return e;
	g->access.agent = job->who.agent;
	g->what = list_due(&k, g, rows->now_ms) ? GATEWAY_UNREAD : GATEWAY_PASS;
	g->tools = gateway_tools_on(&k.pins, &job->arena);
	return OK;
}

const struct use use_gateway_open = READS("gateway_open", MAY_ASK, 0, open_read, NULL);

/* ---- what is decided about a call ---- */

/* A call that is being decided. */
struct gating {
	struct task *t;
	struct rows *rows;
	struct gateway_task *g;
	struct mcp_known known;
	const struct mcp_tool *tool; /* NULL: something is read */
	struct session *s;	     /* NULL: there is none yet */
	enum session_status was;     /* of the session, before it is asked in */
	bool fresh;		     /* it was made for this */
	struct str project, agent;
	struct run_operation op;
	struct str name, operation; /* mcp__NAME__tool; JSON */
	struct run_verdict verdict;
	struct rule_verdict rules;
};

static enum operation_type type_of(const struct mcp_server *s)
{
	return s->category == MCP_CATEGORY_FILE_OPS ? TYPE_FILE_OP
	       : s->category == MCP_CATEGORY_DB_OPS ? TYPE_DB_OP
						    : TYPE_MCP;
}

/* Why it is off; empty: it may be called. */
static struct str tool_refused(
	const struct mcp_tool *tool, struct str name, struct arena *arena)
{
	const char *word = !tool || tool->gone ? "unknown"
			   : mcp_tool_on(tool) ? NULL
			   : mcp_tool_state(tool) == MCP_CHANGED
				   ? "changed since it was accepted"
				   : "not accepted";

	if (!word) return STR_NONE;
	if (strcmp(word, "unknown") == 0)
		return arena_print(
			arena, "unknown tool: %.*s", STR_ARGS(str_first(name, 128)));
	if (tool->why.len)
		return arena_print(arena, "%.*s is not accepted: %.*s",
			STR_ARGS(tool->name), STR_ARGS(tool->why));
	return arena_print(arena,
		"%.*s is %s%s: an admin accepts it under Settings, MCP servers",
		STR_ARGS(tool->name), strcmp(word, "not accepted") == 0 ? "" : "off, it ",
		word);
}

static enum err session_find(struct gating *d, struct fault *why)
{
	struct task *t = d->t;
	struct str named = t->default_session;
	bool by_id = str_starts(named, "ses_");

	d->s = by_id ? rows_session(d->rows, t->job.who.ws, named)
		     : rows_external(d->rows, t->job.who.ws, t->job.who.agent, named);
	if (by_id && (!d->s || !principal_sees(&t->job.who, d->s->agent)))
		return fail(why, ERR_INVALID, "no session %.*s",
			STR_ARGS(str_first(named, 64)));
	return d->s ? desk_own(&t->job.who, d->s->agent, why) : OK;
}

static void call_needs(struct job *job, struct wants *w)
{
	struct str named = task_of(job)->default_session;

	if (str_starts(named, "ses_"))
		wants_session(w, job->who.ws, named);
	else if (named.len)
		wants_external(w, job->who.ws, job->who.agent, named);
}

static bool verdict_counts(const struct rule_verdict *v)
{
	for (size_t i = 0; i < v->ruling.hits_len; i++)
		if (v->ruling.hits[i]->uses_left >= 0) return true;
	return v->mandate.len > 0;
}

static enum err gate(struct gating *d, struct fault *why)
{
	struct rows *rows = d->rows;
	struct policy_snapshot *snapshot;
	struct operation_view look;
	struct fault stopped = { 0 };
	const struct json *operation;
	struct decided decided;
	enum err e = json_read(d->operation, NULL, rows->arena, &operation, why);

	if (!e) e = snapshot_of(d->t, rows, d->t->job.who.ws, &snapshot, why);
	if (e) return e;
	operation_view(&look, operation, NULL, d->agent, d->project,
		d->s ? d->s->id : STR_NONE, rows->arena);
	look.requester = d->t->job.who.user;
	e = snapshot_decide(snapshot, rows, &look, 0, &d->rules, why);
	if (e) return e;
	run_gate(&snapshot->policy, &d->op, &look, &d->rules.ruling, rows->arena,
		&d->verdict);
	d->rules.risk = d->verdict.risk;
	e = mandate_decide(snapshot, rows, &look, true, &d->rules, why);
	if (e) return e;
	if (d->rules.mandate.len)
		run_gate(&snapshot->policy, &d->op, &look, &d->rules.ruling, rows->arena,
			&d->verdict);
	decided = (struct decided){ .effect = d->verdict.effect,
		.risk = d->verdict.risk,
		.rule = d->verdict.rule,
		.reason = d->verdict.reason,
		.mandate = d->rules.mandate };
	if (d->rules.stop && decided.effect != EFFECT_DENY) {
		stop_fail(d->rules.stop, &stopped);
		decided.effect = d->verdict.effect = EFFECT_DENY;
		decided.stop = d->rules.stop->id;
		decided.reason = arena_str(rows->arena, str_of(stopped.detail));
	}
	/* Nothing of this is ever held. */
	if (!d->tool && !d->g->store && decided.effect == EFFECT_ASK)
		decided.effect = EFFECT_DENY;
	d->g->counts = verdict_counts(&d->rules);
	d->g->what = decided.effect == EFFECT_ALLOW  ? GATEWAY_PASS
		     : decided.effect == EFFECT_DENY ? GATEWAY_DENIED
						     : GATEWAY_HELD;
	if (decided.effect == EFFECT_DENY)
		d->g->text = arena_print(&d->t->job.arena, "Not run: %.*s",
			STR_ARGS(decided_sentence(&decided, rows->arena)));
	return decided.effect == EFFECT_ASK
		       ? OK
		       : decide_keep(d->t, rows, d->s, &look, &decided, why);
}

static enum err operation_make(struct gating *d, struct fault *why)
{
	const struct mcp_server *parts = &d->known.parts;
	struct gateway_task *g = d->g;
	struct arena *arena = d->rows->arena;
	struct str text = json_keep(g->arguments, arena);

	if (g->store) {
		d->op = *run_tool_operation(g->tool, g->arguments);
		d->name = g->tool;
		d->operation =
			run_operation_text(d->op.type, d->name, text, d->op.risk, arena);
		return OK;
	}
	d->op = (struct run_operation){ .type = type_of(parts),
		.risk = d->tool ? mcp_tool_risk(d->tool, parts->trust) : RISK_LOW,
		.class = d->tool ? mcp_tool_class(d->tool, parts->trust) : CLASS_REPEAT };
	d->name = mcp_call_name(
		d->known.record->name, d->tool ? g->tool : str_of(g->reads), arena);
	d->operation = run_operation_text(d->op.type, d->name, text, d->op.risk, arena);
	return arena->failed ? fail_memory(why) : OK;
}

/* ---- the same call again ---- */

/* Of this agent, in this session; with a key by that alone. */
static struct str same_of(const struct gating *d)
{
	struct buf b = { .max = 16 << 20 };
	uint8_t hash[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];

	buf_print(&b, "%.*s\n", STR_ARGS(d->t->job.who.agent));
	if (d->g->key.len) {
		buf_print(&b, "key\n%.*s\n%.*s", STR_ARGS(d->g->server),
			STR_ARGS(d->g->key));
	} else {
		buf_print(&b, "%.*s\n%.*s\n", STR_ARGS(d->s->id), STR_ARGS(d->name));
		json_canonical(&b, d->g->arguments);
	}
	if (b.failed) d->rows->arena->failed = true;
	sha256(buf_str(&b), hash);
	buf_done(&b);
	hex_write(hash, SHA256_SIZE, hex);
	return arena_str(d->rows->arena, str_of(hex));
}

/* Is it still the same? What ended is good for a while, or until its caller had it. */
static bool same_holds(const struct gating *d, const struct tool_call *c)
{
	int64_t own_s = d->t->job.credential.again_s;
	int64_t again_ms = (own_s >= 0 ? own_s : AGAIN_S) * 1000;

	if (c->delivered_ms && !d->g->key.len) return false;
	return !tool_call_ended(c) || d->rows->now_ms - c->ended_ms <= again_ms;
}

static enum err same_find(struct gating *d, struct str same, const struct tool_call **out,
	struct fault *why)
{
	int64_t ws = d->t->job.who.ws;
	const struct tool_call *c = NULL;
	enum err e = rows_fetch(
		d->rows, RECORD_TOOL_CALLS, SQL_CALLS_SAME, ARGS(ws, same), why);

	*out = NULL;
	while (!e && (c = rows_next(d->rows, RECORD_TOOL_CALLS, c)))
		if (c->ws == ws && str_eq(c->same, same) && same_holds(d, c)) *out = c;
	return e;
}

/* The call that requestState or a task names: of this agent, with these arguments. */
static enum err named_find(
	struct gating *d, const struct tool_call **out, struct fault *why)
{
	const struct tool_call *c = NULL;
	const struct json *arguments;
	struct session *s;
	enum err e = rows_get(
		d->rows, RECORD_TOOL_CALLS, KEY(d->t->job.who.ws, d->g->same), &c, why);

	*out = NULL;
	if (e || !c) return e;
	e = rows_fetch_session(d->rows, c->ws, c->session, &s, why);
	if (!e) e = json_read(c->arguments, NULL, d->rows->arena, &arguments, why);
	if (!e && str_eq(s->agent, d->t->job.who.agent) && str_eq(c->name, d->name) &&
		json_equal(arguments, d->g->arguments))
		*out = c;
	return e;
}

/* ---- held ---- */

/* Until 2025-11-25 a tool says whether it can be one. */
static bool is_task(const struct gating *d)
{
	struct str allowed = json_text_of(
		json_get(d->tool ? d->tool->tool : NULL, "execution"), "taskSupport");

	return d->g->as == GATEWAY_TASK ||
	       (d->g->as == GATEWAY_TASK_IF_ALLOWED &&
		       (str_is(allowed, "optional") || str_is(allowed, "required")));
}

static struct tool_call call_row(const struct gating *d, struct str same)
{
	struct arena *arena = d->rows->arena;

	return (struct tool_call){ .ws = d->s->ws,
		.id = rows_new_id(d->rows, "call"),
		.session = d->s->id,
		.name = d->name,
		.arguments = json_keep(d->g->arguments, arena),
		.category = str_of(operation_category_name(d->op.type)),
		.risk = d->verdict.risk,
		.class = d->op.class,
		.status = d->verdict.effect == EFFECT_ASK ? CALL_WAITING : CALL_PENDING,
		.verdict = fields_text(arena,
			FIELDS(field_word("effect", effect_name(d->verdict.effect)),
				field_text("rule", d->verdict.rule),
				field_text("reason", d->verdict.reason))),
		.server = d->g->store ? STR(MCP_OWN_SERVER) : d->known.record->name,
		.via = arena_str(arena, d->g->via),
		.sent = 1,
		.task = is_task(d),
		.same = same,
		.behind = fields_text(
			arena, FIELDS(field_text("client", d->g->client),
				       field_text("session", d->g->behind),
				       field_text("revision", d->g->revision))),
		.created_ms = d->rows->now_ms };
}

static enum err call_hold(struct gating *d, struct str same, struct fault *why)
{
	struct rows *rows = d->rows;
	struct arena *arena = rows->arena;
	struct task *t = d->t;
	const struct json *schema =
		d->tool ? json_get(d->tool->tool, "inputSchema") : NULL;
	struct ask_from from = { .origin = ASK_BY_GATEWAY,
		.session = d->s,
		.was = d->was,
		.fresh = d->fresh,
		.verdict = &d->rules,
		.timeout_ms = d->verdict.timeout_ms,
		.schema = schema ? json_keep(schema, arena)
			  : d->g->store
				  ? run_tool_schema(&run_toolbox_mcp, d->op.tool, arena)
				  : STR_NONE };
	struct draft_limits limits = desk_limits(t->desk);
	struct tool_call c = call_row(d, same);
	struct str body = JSON_TEXT(arena,
		"{'kind':'approval','operation':%j,'context':{'server':%s,'tool':%s,'client':%?}}",
		run_operation_text(d->op.type, d->name, c.arguments, c.risk, arena),
		c.server, d->g->tool, d->g->client);
	const struct json *json;
	struct draft draft;
	struct ask *a;
	enum err e = json_read(body, NULL, arena, &json, why);

	limits.schema = from.schema;
	if (!e) e = draft_read(json, &limits, arena, &draft, why);
	if (e) return e;
	from.call = c.id;
	e = ask_make(t, rows, &draft, &from, &a, why);
	if (e) return e;
	c.ask = a->id;
	gateway_call_event(
		t, rows, d->s, a, rows_new(rows, RECORD_TOOL_CALLS, &c), "call.held");
	return gateway_call_show(
		t, rows, rows_find(rows, RECORD_TOOL_CALLS, c.id), d->g, why);
}

static enum err session_ready(struct gating *d, struct fault *why)
{
	enum err e = desk_rate(d->t, d->rows->now_ms, why);

	if (e) return e;
	d->fresh = !d->s;
	if (d->fresh)
		d->s = session_make_default(
			d->t, d->rows, d->t->default_session, d->project);
	d->was = d->s->status;
	if (session_ended(d->s)) d->s->status = SESSION_IDLE;
	return OK;
}

/* It came before: once more. */
static enum err call_again(
	struct gating *d, const struct tool_call *at, struct fault *why)
{
	struct tool_call *c = rows_change(d->rows, at);
	const struct json *arguments;
	enum err e = json_read(c->arguments, NULL, d->rows->arena, &arguments, why);

	if (e) return e;
	if (!str_eq(c->name, d->name) || !json_equal(arguments, d->g->arguments)) {
		d->g->what = GATEWAY_REFUSED;
		d->g->text = STR("the Idempotency-Key was used for another call");
		return OK;
	}
	if (!d->g->same.len) c->sent++;
	if (is_task(d)) c->task = 1;
	/* What a stop held back. */
	if (d->g->store && c->status == CALL_WAITING) {
		struct ask *a;
		bool approved = false;

		e = rows_fetch_ask(d->rows, c->ws, c->ask, &a, why);
		if (!e) e = ask_approved(a, d->rows->arena, &approved, why);
		if (!e && approved) e = gateway_store_do(d->t, d->rows, c, why);
		if (e) return e;
	}
	return gateway_call_show(d->t, d->rows, c, d->g, why);
}

static enum err call_known(struct gating *d, bool *known, struct fault *why)
{
	const struct tool_call *c = NULL;
	enum err e = OK;

	*known = true;
	if (d->g->same.len) {
		e = named_find(d, &c, why);
		if (!e && !c) {
			d->g->what = GATEWAY_REFUSED;
			d->g->text = STR("requestState is of another call");
			return OK;
		}
	} else if (d->s || d->g->key.len) {
		e = same_find(d, same_of(d), &c, why);
	}
	*known = c != NULL;
	return e || !c ? e : call_again(d, c, why);
}

/* Which tool it is, and whether it may be called; *done: not, or its list is to be read first. */
static enum err server_call(struct gating *d, bool *done, struct fault *why)
{
	struct gateway_task *g = d->g;
	struct arena *arena = &d->t->job.arena;
	enum err e = server_admit(d->t, d->rows, g, &d->known, why);

	*done = true;
	if (e) return e;
	if (list_due(&d->known, g, d->rows->now_ms)) {
		g->what = GATEWAY_UNREAD;
		return mcp_access_make(
			d->t->desk, d->rows, &d->known, STR_NONE, arena, &g->access, why);
	}
	if (g->tool.len) d->tool = mcp_pins_find(&d->known.pins, g->tool);
	if (!g->reads) g->text = tool_refused(d->tool, g->tool, arena);
	if (!g->reads && g->text.len) {
		g->what = GATEWAY_REFUSED;
		return OK;
	}
	*done = false;
	return mcp_access_make(
		d->t->desk, d->rows, &d->known, g->tool, arena, &g->access, why);
}

/* The same of a tool that works in the store. */
static void store_call(struct gating *d, bool *done)
{
	struct gateway_task *g = d->g;
	struct arena *arena = &d->t->job.arena;
	struct json_miss wrong = { 0 };

	*done = !run_tool_call(&run_toolbox_mcp, g->tool, g->arguments, arena, &wrong);
	if (!*done) return;
	g->what = GATEWAY_DENIED;
	g->text = run_tool_wrong(&wrong, arena);
}

/* Allowed: done in this very commit. */
static enum err store_pass(struct gating *d, struct fault *why)
{
	struct tool_call row = call_row(d, d->g->key.len ? same_of(d) : STR_NONE);
	struct tool_call *c = rows_new(d->rows, RECORD_TOOL_CALLS, &row);
	enum err e = gateway_store_do(d->t, d->rows, c, why);

	return e ? e : gateway_call_show(d->t, d->rows, c, d->g, why);
}

static enum err call_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct gating d = { .t = task_of(job), .rows = rows, .g = task_of(job)->checked };
	struct gateway_task *g = d.g;
	bool known = false, done = false;
	enum err e = OK;

	if (g->store)
		store_call(&d, &done);
	else
		e = server_call(&d, &done, why);
	g->access.agent = job->who.agent;
	if (e || done) return e;
	e = session_find(&d, why);
	if (!e) e = projects_resolve(d.t, rows, d.s, STR_NONE, &d.project, why);
	if (!e) e = operation_make(&d, why);
	if (e) return e;
	d.agent = d.s ? agent_known(d.s->agent, d.s->agent_name)
		      : agent_known(job->who.agent, session_agent_name(d.t));
	if (d.tool || g->store) e = call_known(&d, &known, why);
	if (e || known || (g->what == GATEWAY_REFUSED && g->text.len)) return e;
	e = gate(&d, why);
	if (e || (g->what != GATEWAY_HELD && !(g->store && g->what == GATEWAY_PASS)))
		return e;
	e = session_ready(&d, why);
	if (e) return e;
	return g->what == GATEWAY_PASS ? store_pass(&d, why)
				       : call_hold(&d, same_of(&d), why);
}

const struct use use_gateway_call =
	WRITES("gateway_call", MAY_ASK, JOB_ASKS, call_needs, call_decide, NULL, NULL);
