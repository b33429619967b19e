/* check_runs.c - the runs of one workspace: what their sessions say of them, and that everything
 * of a run has one. */
#include "desk/check.h"

#include "core/spending.h"

#include <stdio.h>

enum { RUNS_PAGE = 500 };

struct runs_pass {
	struct checking *c;
	struct arena arena; /* of one page */
	struct str last;
	int64_t rows;
};

/* The columns of SQL_CHECK_SESSION_RUNS. */
enum { ID, RUN, OPEN, SPENT, LAST, LAST_OPEN, TOKENS, COST };

static void spending_compare(struct runs_pass *p, struct str id, const struct row *row)
{
	struct spending spent;

	if (spending_parse(row_text(row, SPENT), &p->arena, &spent, NULL)) {
		if (!p->arena.failed)
			check_found(p->c, id, "what its runs used cannot be read");
		return;
	}
	if (usage_total(&spent.usage) != row_int(row, TOKENS) ||
		spent.cost != row_int(row, COST))
		check_found(p->c, id, "it does not say what its runs used");
}

static enum err session_row(void *ctx, const struct row *row, struct fault *why)
{
	struct runs_pass *p = ctx;
	struct str id = arena_str(&p->arena, row_text(row, ID));

	p->rows++;
	p->last = id;
	if (!str_eq(row_text(row, RUN), row_text(row, LAST)))
		check_found(p->c, id, "it names another run than its last");
	else if ((row_int(row, OPEN) != 0) != (row_int(row, LAST_OPEN) != 0))
		check_found(p->c, id, "whether its run has ended differs");
	spending_compare(p, id, row);
	return p->arena.failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

static enum err sessions_compare(struct checking *c, struct fault *why)
{
	char last[64] = "";
	enum err e = OK;

	for (bool more = true; !e && more;) {
		struct runs_pass p = { .c = c };
		const struct val args[] = { val_int(c->ws), val_text(str_of(last)),
			val_int(RUNS_PAGE) };

		e = db_one(c->db, SQL_CHECK_SESSION_RUNS, args, 3, session_row, &p, why);
		more = p.rows == RUNS_PAGE && p.last.len < sizeof last;
		if (more) snprintf(last, sizeof last, "%.*s", STR_ARGS(p.last));
		arena_done(&p.arena);
	}
	return e;
}

static enum err count_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	*(int64_t *)ctx = row_int(row, 0);
	return OK;
}

enum err check_runs(struct checking *c, struct fault *why)
{
	static const struct {
		enum sql sql;
		const char *record, *what;
	} counts[] = {
		{ SQL_CHECK_RUNS_LOST, "runs", "%lld without their session" },
		{ SQL_CHECK_RUNS_NESTED, "runs",
			"%lld below no top-level run of their session" },
		{ SQL_CHECK_MESSAGES_LOST, "messages", "%lld without their run" },
		{ SQL_CHECK_CALLS_LOST, "tool calls", "%lld without their message" },
		{ SQL_CHECK_TASKS_LOST, "tasks", "%lld without their session" },
	};
	const struct val args[] = { val_int(c->ws) };
	enum err e = sessions_compare(c, why);

	for (size_t i = 0; !e && i < sizeof counts / sizeof *counts; i++) {
		int64_t lost = 0;

		e = db_one(c->db, counts[i].sql, args, 1, count_row, &lost, why);
		if (!e && lost)
			check_found(c, str_of(counts[i].record), counts[i].what,
				(long long)lost);
	}
	return e;
}
