/* check_runs.c - the runs of one workspace: what their sessions say of them, and whether they are
 * there and have ended as their events say. */
#include "desk/check/check.h"

#include "core/run/run.h"
#include "core/run/usage.h"

enum { RUNS_PAGE = 500 };

struct run_facts {
	struct str id;
	bool there, told;
	bool child; /* of a plan: nothing tells of it until what it waits for has ended */
	enum run_status status;	   /* of the row */
	enum run_status told_last; /* RUN_QUEUED for whatever is no end */
	int64_t n;		   /* of the last event */
};

/* The columns of SQL_CHECK_SESSION_RUNS. */
enum { ID, RUN, OPEN, SPENT, LAST, LAST_OPEN, TOKENS, COST };

static void spending_compare(struct check_pass *p, struct str id, const struct row *row)
{
	struct spending spent;

	if (spending_parse(row_text(row, SPENT), &p->arena, &spent, NULL)) {
		if (!p->arena.failed)
			check_found(p->c, id, "what its runs used cannot be read");
		return;
	}
	if (spending_usage_total(&spent.usage) != row_int(row, TOKENS) ||
		spent.cost != row_int(row, COST))
		check_found(p->c, id, "it does not say what its runs used");
}

static enum err session_row(void *ctx, const struct row *row, struct fault *why)
{
	struct check_pass *p = ctx;
	struct str id = arena_str(&p->arena, row_text(row, ID));

	p->rows++;
	p->to = id;
	if (!str_eq(row_text(row, RUN), row_text(row, LAST)))
		check_found(p->c, id, "it names another run than its last");
	else if ((row_int(row, OPEN) != 0) != (row_int(row, LAST_OPEN) != 0))
		check_found(p->c, id, "whether its run has ended differs");
	spending_compare(p, id, row);
	return p->arena.failed ? fail_memory(why) : OK;
}

/* ---- the runs themselves ---- */

static struct run_facts *facts_of(struct check_pass *p, struct str id)
{
	struct run_facts *f = table_get(&p->table, id);

	if (f) return f;
	f = ARENA_NEW(&p->arena, struct run_facts);
	if (!f) return NULL;
	f->id = arena_str(&p->arena, id);
	return !p->arena.failed && table_put(&p->table, f->id, f) ? f : NULL;
}

static enum err run_row(void *ctx, const struct row *row, struct fault *why)
{
	struct check_pass *p = ctx;
	struct run_facts *f = facts_of(p, row_text(row, 0));

	if (!f) return fail_memory(why);
	f->there = true;
	f->child = row_text(row, 2).len > 0;
	if (!run_status_read(row_text(row, 1), &f->status)) {
		check_found(p->c, f->id, "its status cannot be read");
		f->status = RUN_STATUSES;
	}
	return OK;
}

/* What was emptied tells of a session that was deleted, and its runs with it. */
static enum err run_event_seen(void *ctx, const struct event *e, struct fault *why)
{
	static const struct {
		const char *type;
		enum run_status status;
	} ends[] = {
		{ "run.completed", RUN_COMPLETED },
		{ "run.failed", RUN_FAILED },
		{ "run.cancelled", RUN_CANCELLED },
	};
	struct check_pass *p = ctx;
	struct run_facts *f;

	if (!e->data.len || !e->run.len || !str_starts(str_of(e->type), "run."))
		return OK;
	f = facts_of(p, e->run);
	if (!f) return fail_memory(why);
	f->told = true;
	f->n = e->n;
	f->told_last = RUN_QUEUED;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (strcmp(e->type, ends[i].type) == 0) f->told_last = ends[i].status;
	return OK;
}

static bool is_end(enum run_status s)
{
	return s == RUN_COMPLETED || s == RUN_FAILED || s == RUN_CANCELLED;
}

static void facts_judge(struct check_pass *p, const struct run_facts *f)
{
	if (!f->there)
		check_found(
			p->c, f->id, "its row is missing (event %lld)", (long long)f->n);
	else if (!f->told && !(f->child && f->status == RUN_WAITING))
		check_found(p->c, f->id, "no event tells of it");
	else if (f->told && f->status != RUN_STATUSES &&
		 (is_end(f->status) ? f->status : RUN_QUEUED) != f->told_last)
		check_found(p->c, f->id, "status: not as its events say");
}

/* Those of the sessions of the page, and of those between them. */
static enum err runs_compare(struct check_pass *p, struct fault *why)
{
	size_t at = 0;
	struct str key;
	void *value;
	enum err e = rows_query(p->c->rows, SQL_CHECK_RUNS,
		ARGS(p->c->ws, p->from, p->to), run_row, p, why);

	if (!e) e = check_events(p->c, p->from, false, p->to, run_event_seen, p, why);
	while (!e && table_next(&p->table, &at, &key, &value))
		facts_judge(p, value);
	return e;
}

enum err check_runs(struct checking *c, struct fault *why)
{
	struct check_pass p = { .c = c,
		.sql = SQL_CHECK_SESSION_RUNS,
		.page = RUNS_PAGE,
		.row = session_row,
		.compare = runs_compare };

	return check_pages(&p, why);
}
