/* check_runs.c - what the sessions of one workspace say of their runs, against the runs. */
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

enum err check_runs(struct checking *c, struct fault *why)
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
