/* check_said.c - what was said and done in the runs of one workspace: that all of it can be read. */
#include "desk/check/check.h"

enum { SAID_PAGE = 500 };

static struct str column_of(
	const struct record *r, const struct row *row, const char *name)
{
	int i = 0;

	while (strcmp(r->columns[i].name, name) != 0)
		i++;
	return row_text(row, i);
}

static enum err said_row(void *ctx, const struct row *row, struct fault *why)
{
	struct check_pass *p = ctx;
	const struct record *r = &records[*(const enum record_id *)p->own];
	struct arena arena = { 0 };
	union {
		struct run_message message;
		struct tool_call call;
	} read;
	enum err e = record_read(r, row, &arena, &read, why);

	arena_done(&arena);
	p->rows++;
	p->to = arena_str(&p->arena, column_of(r, row, "session"));
	p->to_id = arena_str(&p->arena, column_of(r, row, "id"));
	if (p->arena.failed) return fail_memory(why);
	check_unreadable(p, p->to_id, &e, why);
	return e;
}

static enum err table_read(
	struct checking *c, enum record_id id, enum sql sql, struct fault *why)
{
	struct check_pass p = { .c = c,
		.own = &id,
		.sql = sql,
		.pairs = true,
		.page = SAID_PAGE,
		.row = said_row };

	return check_pages(&p, why);
}

enum err check_said(struct checking *c, struct fault *why)
{
	enum err e = table_read(c, RECORD_MESSAGES, SQL_CHECK_MESSAGES, why);

	return e ? e : table_read(c, RECORD_TOOL_CALLS, SQL_CHECK_TOOL_CALLS, why);
}
