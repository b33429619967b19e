/* gateway_local.c - MCP servers that run on an agent's side, behind its gateway: their tools as that reads them, and held
 * calls that it runs. Who began a call says every few seconds that it lives. */
#include "base/keep.h"
#include "desk/run/gateway_call.h"
#include "desk/run/mcp_servers.h"

static const struct gateway_local *local_of(const struct job *job)
{
	return task_of((struct job *)job)->checked;
}

/* ---- its tools ---- */

static enum err tools_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct gateway_local *g = t->checked;
	const struct mcp_listing listing = { .ws = job->who.ws,
		.server = g->server,
		.agent = job->who.agent,
		.found = g->found };
	struct mcp_known k;
	enum err e = mcp_known_find(t->desk, rows, job->who.ws, g->server, &k, why);

	if (e) return e;
	if (k.record && k.parts.transport != MCP_LOCAL)
		return fail(why, ERR_CONFLICT,
			"%.*s is a server of the desk: leave the command out",
			STR_ARGS(g->server));
	if (k.record && (!k.parts.gateway || !str_eq(k.record->name, g->server) ||
				!mcp_server_admits(&k.parts, job->who.agent)))
		return desk_missing("MCP server", g->server, why);
	if (!g->found) return OK;
	e = mcp_local_keep(t, rows, &listing, &k, why);
	if (!e) g->tools = gateway_tools_on(&k.pins, &job->arena);
	return e;
}

const struct use use_gateway_tools =
	WRITES("gateway_tools", MAY_ASK, 0, NULL, tools_decide, NULL, NULL);

/* ---- a held call ---- */

/* The one that is named: of this agent, at this server, begun by nobody else. */
static enum err call_named(struct task *t, struct rows *rows, struct str id,
	const struct tool_call **out, struct fault *why)
{
	const struct gateway_local *g = local_of(&t->job);
	struct session *s;
	struct mcp_known k;
	enum err e = gateway_call_own(t, rows, id, out, &s, why);

	if (!e) e = mcp_known_find(t->desk, rows, (*out)->ws, (*out)->server, &k, why);
	if (!e && (!k.record || k.parts.transport != MCP_LOCAL ||
			  !str_eq(s->agent, t->job.who.agent) ||
			  !str_eq((*out)->server, g->server) ||
			  ((*out)->status == CALL_STARTED &&
				  !str_eq((*out)->owner, g->start.owner))))
		e = desk_missing("tool call", id, why);
	return e;
}

static enum err begin_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct gateway_local *g = t->checked;
	const struct tool_call *c;
	enum err e;

	g->start.ws = job->who.ws;
	g->start.again = true;
	e = call_named(t, rows, g->start.call, &c, why);
	if (!e) e = gateway_call_start(t, rows, &g->start, why);
	if (!e && g->start.started) {
		rows->so_far.held = true; /* whoever looks for silent ones is to know */
		c = rows_find(rows, RECORD_TOOL_CALLS, c->id);
		g->arguments = arena_str(&job->arena, tool_call_arguments(c));
	}
	return e;
}

const struct use use_gateway_begin =
	WRITES("gateway_begin", MAY_ASK, 0, NULL, begin_decide, NULL, NULL);

static enum err report_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct gateway_local *g = t->checked;
	const struct tool_call *c;
	enum err e;

	g->end.ws = job->who.ws;
	e = call_named(t, rows, g->end.call, &c, why);
	return e ? e : gateway_call_keep(t, rows, &g->end, why);
}

const struct use use_gateway_report =
	WRITES("gateway_report", MAY_ASK, 0, NULL, report_decide, NULL, NULL);

/* ---- it lives ---- */

enum { BEGUN_AT_ONCE = 500 };

static enum err alive_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct gateway_local *g = local_of(job);
	const struct tool_call *c = NULL;
	enum err e = rows_fetch(
		rows, RECORD_TOOL_CALLS, SQL_CALLS_BEGUN, ARGS(BEGUN_AT_ONCE), why);

	while (!e && (c = rows_next(rows, RECORD_TOOL_CALLS, c))) {
		if (c->ws != job->who.ws || c->status != CALL_STARTED || !c->until_ms ||
			!str_eq(c->owner, g->start.owner))
			continue;
		((struct tool_call *)rows_change(rows, c))->until_ms =
			rows->now_ms + GATEWAY_LEASE_MS;
	}
	return e;
}

const struct use use_gateway_alive =
	WRITES("gateway_alive", MAY_ASK, 0, NULL, alive_decide, NULL, NULL);
