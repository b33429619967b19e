/* check_runs.c - the runs of one workspace: what their sessions say of them, and whether they are
 * there, have their configuration and have ended as their events say; and the tool calls of their
 * messages. Events from before told nothing of configurations and calls. */
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
	/* Of its configuration: of the row, and as its last event has it. */
	char config[SHORT_DIGEST_SIZE], config_told[SHORT_DIGEST_SIZE];
};

/* Of a message that has some: the digest of the rows. */
struct calls_facts {
	struct str message;
	char digest[SHORT_DIGEST_SIZE];
};

/* The page at hand, beside its runs. */
struct calls_pass {
	struct table messages; /* id → struct calls_facts */
};

/* The columns of SQL_CHECK_SESSION_RUNS. */
enum { ID, RUN, OPEN, SPENT, LAST, LAST_OPEN, TOKENS, COST, PRICED, PARTIAL };

static void spending_compare(struct check_pass *p, struct str id, const struct row *row)
{
	struct spending spent;

	if (spending_parse(row_text(row, SPENT), &p->arena, &spent, NULL)) {
		if (!p->arena.failed)
			check_found(p->c, id, "what its runs used cannot be read");
		return;
	}
	if (spending_usage_total(&spent.usage) != row_int(row, TOKENS) ||
		spent.cost != row_int(row, COST) ||
		spent.priced != (row_int(row, PRICED) != 0) ||
		spent.partial != (row_int(row, PARTIAL) != 0))
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
	digest_text(row_text(row, 3), f->config);
	if (!run_status_read(row_text(row, 1), &f->status)) {
		check_found(p->c, f->id, "its status cannot be read");
		f->status = RUN_STATUSES;
	}
	return OK;
}

/* ---- tool calls ---- */

static struct calls_facts *calls_of(struct check_pass *p, struct str message)
{
	struct table *messages = &((struct calls_pass *)p->own)->messages;
	struct calls_facts *f = table_get(messages, message);

	if (f) return f;
	f = ARENA_NEW(&p->arena, struct calls_facts);
	if (!f) return NULL;
	f->message = arena_str(&p->arena, message);
	return !p->arena.failed && table_put(messages, f->message, f) ? f : NULL;
}

enum { CALL_ID_AT = 1 }; /* the column */

/* Those of a message come in their order. */
static enum err call_row(void *ctx, const struct row *row, struct fault *why)
{
	struct check_pass *p = ctx;
	struct arena arena = { 0 };
	struct calls_facts *f = NULL;
	struct tool_call c;
	enum err e = record_read(&records[RECORD_TOOL_CALLS], row, &arena, &c, why);

	if (!e) f = calls_of(p, c.message);
	if (f) tool_call_digest(&c, f->digest);
	arena_done(&arena);
	if (e == ERR_INTERNAL) {
		check_found(p->c, row_text(row, CALL_ID_AT), "%s",
			why ? why->detail : "it cannot be read");
		return OK;
	}
	return e || f ? e : fail_memory(why);
}

static enum err calls_compare(
	struct check_pass *p, const struct json *data, struct fault *why)
{
	struct str digest = json_text(json_get(data, "calls"));
	struct str message = json_text(json_get(data, "message"));
	const struct calls_facts *f = digest.len ? calls_of(p, message) : NULL;

	if (digest.len && !f) return fail_memory(why);
	if (f && !str_is(digest, f->digest))
		check_found(p->c, f->message, "its tool calls are not as its event says");
	return OK;
}

/* ---- events ---- */

static enum err told_more(struct check_pass *p, struct run_facts *f,
	const struct event *e, struct fault *why)
{
	struct arena arena = { 0 };
	const struct json *data = check_data(e, &arena);
	struct str config = json_text(json_get(data, "config"));
	enum err err = OK;

	if (config.len) {
		config = str_first(config, SHORT_DIGEST_SIZE - 1);
		memcpy(f->config_told, config.at, config.len);
	}
	if (strcmp(e->type, "run.message") == 0) err = calls_compare(p, data, why);
	arena_done(&arena);
	return err;
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
	return told_more(p, f, e, why);
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
	else if (f->config_told[0] && strcmp(f->config_told, f->config) != 0)
		check_found(p->c, f->id, "configuration: not as its last event says");
}

/* Those of the sessions of the page, and of those between them. */
static enum err runs_compare(struct check_pass *p, struct fault *why)
{
	size_t at = 0;
	struct str key;
	void *value;
	enum err e = rows_query(p->c->rows, SQL_CHECK_RUNS,
		ARGS(p->c->ws, p->from, p->to), run_row, p, why);

	table_clear(&((struct calls_pass *)p->own)->messages);
	if (!e)
		e = rows_query(p->c->rows, SQL_CHECK_TOOL_CALLS,
			ARGS(p->c->ws, p->from, p->to), call_row, p, why);
	if (!e) e = check_events(p->c, p->from, false, p->to, run_event_seen, p, why);
	while (!e && table_next(&p->table, &at, &key, &value))
		facts_judge(p, value);
	return e;
}

enum err check_runs(struct checking *c, struct fault *why)
{
	struct calls_pass calls = { 0 };
	struct check_pass p = { .c = c,
		.own = &calls,
		.sql = SQL_CHECK_SESSION_RUNS,
		.page = RUNS_PAGE,
		.row = session_row,
		.compare = runs_compare };
	enum err e = check_pages(&p, why);

	table_done(&calls.messages);
	return e;
}
