/* check_said.c - what was said in the runs of one workspace: that all of it can be read. */
#include "desk/check/check.h"

enum { SAID_PAGE = 500 };

/* Columns of a message. */
enum { SESSION_AT = 1, ID_AT };

static enum err message_row(void *ctx, const struct row *row, struct fault *why)
{
	struct check_pass *p = ctx;
	struct arena arena = { 0 };
	struct run_message read;
	enum err e = record_read(&records[RECORD_MESSAGES], row, &arena, &read, why);

	arena_done(&arena);
	p->rows++;
	p->to = arena_str(&p->arena, row_text(row, SESSION_AT));
	p->to_id = arena_str(&p->arena, row_text(row, ID_AT));
	if (p->arena.failed) return fail_memory(why);
	check_unreadable(p, p->to_id, &e, why);
	return e;
}

enum err check_said(struct checking *c, struct fault *why)
{
	struct check_pass p = { .c = c,
		.sql = SQL_CHECK_MESSAGES,
		.pairs = true,
		.page = SAID_PAGE,
		.row = message_row };

	return check_pages(&p, why);
}
