/* mcp.c - sessions of MCP clients: they carry all there is to know, but for their end. */
#include "desk/shared/inner.h"

static enum err mcp_gate_enter(struct job *job, struct wants *w, struct fault *why)
{
	struct task *t = task_of(job);
	enum err e = t->entered ? t->entered(t, why) : OK;

	if (!e && w && t->mcp_session.len)
		wants_once(w, RECORD_MCP_ENDED, KEY(job->who.ws, t->mcp_session));
	return e;
}

static enum err mcp_gate_admit(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct val key[] = { val_int(job->who.ws), val_text(t->mcp_session) };
	enum err e;

	t->mcp_ended = false;
	if (!t->mcp_session.len) return OK;
	e = rows_fetch_once(rows, RECORD_MCP_ENDED, SQL_OF(RECORD_MCP_ENDED, RECORD_GET),
		key, 2, why);
	if (e) return e;
	t->mcp_ended = rows_find_key(rows, RECORD_MCP_ENDED, key) != NULL;
	return t->mcp_ended ? fail(why, ERR_NOT_FOUND, "this session was ended") : OK;
}

const struct job_gate mcp_gate = { mcp_gate_enter, mcp_gate_admit };

static enum err mcp_enter_read(struct job *job, struct rows *rows, struct fault *why)
{
	(void)job;
	(void)rows;
	(void)why;
	return OK;
}

const struct use use_mcp_enter = READS("mcp_enter", 0, 0, mcp_enter_read, NULL);

/* The names of templates go with the list of tools, in `context`. */
static enum err mcp_tools_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);

	return presets_templates(rows, job->who.ws, &job->arena, &t->context, why);
}

const struct use use_mcp_tools = READS("mcp_tools", 0, 0, mcp_tools_read, NULL);

static enum err mcp_end_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct mcp_ended end = { .ws = job->who.ws,
		.id = task_of(job)->mcp_session,
		.ended_ms = rows->now_ms };

	(void)why;
	rows_new(rows, RECORD_MCP_ENDED, &end);
	job->status = 204;
	return OK;
}

/* Behind mcp_gate, so that nobody ends a session that they may not use, nor twice. */
const struct use use_mcp_end = WRITES("mcp_end", 0, 0, NULL, mcp_end_decide, NULL, NULL);
