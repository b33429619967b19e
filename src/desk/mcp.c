/* mcp.c - sessions of MCP clients: they carry all there is to know, but for their end. */
#include "desk/inner.h"

static enum err ended_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)row;
	(void)why;
	*(bool *)ctx = true;
	return OK;
}

static enum err mcp_enter_read(
	struct job *job, struct db *db, int64_t now_ms, struct fault *why)
{
	struct str id = task_of(job)->id;
	const struct val args[] = { val_int(job->who.ws), val_text(id) };
	bool ended = false;
	enum err e = OK;

	(void)now_ms;
	if (id.len)
		e = db_one(db, SQL_OF(RECORD_MCP_ENDED, RECORD_GET), args, 2, ended_row,
			&ended, why);
	if (!e && ended) e = fail(why, ERR_NOT_FOUND, "this session was ended");
	return e;
}

const struct use use_mcp_enter = {
	.job = { .name = "mcp_enter", .read = mcp_enter_read },
};

static enum err mcp_end_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct mcp_ended end = {
		.ws = job->who.ws, .id = task_of(job)->id, .ended_ms = rows->now_ms
	};
	const struct val key[] = { val_int(end.ws), val_text(end.id) };
	struct str name = record_name(&records[RECORD_MCP_ENDED], &end, rows->arena);
	enum err e = rows_fetch(rows, RECORD_MCP_ENDED,
		SQL_OF(RECORD_MCP_ENDED, RECORD_GET), key, 2, why);

	if (e) return e;
	if (!rows_find(rows, RECORD_MCP_ENDED, name) &&
		!rows_new(rows, RECORD_MCP_ENDED, &end))
		return fail(why, ERR_MEMORY, "out of memory");
	job->status = 204;
	return OK;
}

const struct use use_mcp_end = {
	.job = { .name = "mcp_end", .decide = mcp_end_decide },
};
