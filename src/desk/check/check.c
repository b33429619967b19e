/* check.c - goes through all workspaces, and reports what the passes found. */
#include "desk/check/check.h"

#include "core/shared/show.h"
#include "desk/shared/inner.h"

enum { WORKSPACES_PAGE = 200 };

struct check_list {
	struct checking *c;
	struct arena arena;
	struct checked_workspace {
		int64_t id, last, old, teams, teams_counted, contacts, contacts_counted;
		struct str name, head;
	} at[WORKSPACES_PAGE];
	size_t len;
};

static enum err workspace_row(void *ctx, const struct row *row, struct fault *why)
{
	struct check_list *l = ctx;

	l->at[l->len++] = (struct checked_workspace){ row_int(row, 0), row_int(row, 2),
		row_int(row, 4), row_int(row, 5), row_int(row, 6), row_int(row, 7),
		row_int(row, 8), arena_str(&l->arena, row_text(row, 1)),
		arena_str(&l->arena, row_text(row, 3)) };
	return l->arena.failed ? fail_memory(why) : OK;
}

static enum err workspace_check(
	struct checking *c, const struct checked_workspace *w, struct fault *why)
{
	enum err e;

	c->ws = w->id;
	c->workspace = arena_str(c->rows->arena, w->name);
	c->last_event = w->last;
	c->old_events = w->old;
	c->last_hash = w->head;
	c->workspaces++;
	if (w->teams != w->teams_counted)
		check_found(c, c->workspace, "it counts %lld teams and has %lld",
			(long long)w->teams, (long long)w->teams_counted);
	if (w->contacts != w->contacts_counted)
		check_found(c, c->workspace, "it counts %lld contacts and has %lld",
			(long long)w->contacts, (long long)w->contacts_counted);
	e = check_log(c, why);
	if (!e) e = check_asks(c, why);
	if (!e) e = check_sessions(c, why);
	if (!e) e = check_people(c, why);
	if (!e) e = check_runs(c, why);
	return e ? e : check_said(c, why);
}

/* Pages by the id: a store has as many workspaces as it has. */
static enum err workspaces_check(struct checking *c, struct fault *why)
{
	int64_t after = INT64_MIN;
	enum err e = OK;

	for (bool more = true; !e && more;) {
		struct check_list l = { .c = c };

		e = rows_query(c->rows, SQL_CHECK_WORKSPACES,
			ARGS(after, WORKSPACES_PAGE), workspace_row, &l, why);
		for (size_t i = 0; !e && i < l.len; i++)
			e = workspace_check(c, &l.at[i], why);
		more = l.len == WORKSPACES_PAGE;
		if (l.len) after = l.at[l.len - 1].id;
		c->last_hash = STR_NONE;
		arena_done(&l.arena);
	}
	c->workspace = STR_NONE;
	return e;
}

static enum err lost_count(struct checking *c, enum sql sql, const char *what,
	const char *how, struct fault *why)
{
	int64_t lost = 0;
	enum err e = rows_int(c->rows, sql, NULL, 0, &lost, why);

	if (!e && lost) check_found(c, str_of(what), "%lld %s", (long long)lost, how);
	return e;
}

#define RECORD_OF(name, ...) RECORD_##name,

/* Rows of a workspace that is not there belong to nobody, and no pass would see them. */
static enum err orphans_check(struct checking *c, struct fault *why)
{
	static const enum record_id of_workspaces[] = { RECORD_ASKS, RECORD_SESSIONS,
		RECORD_USERS, RECORD_TOKENS, RECORD_RULES, RECORD_STOPS, RECORD_POLICIES,
		RECORD_PRESETS, RECORD_PRICES, RECORD_MEMORIES, RECORD_CONTACTS,
		RECORD_ROUTES, RESOURCES(RECORD_OF) };
	static const struct {
		enum sql sql;
		const char *what;
	} parts[] = {
		{ SQL_CHECK_LOST_RUNS, "runs" },
		{ SQL_CHECK_LOST_MESSAGES, "messages" },
		{ SQL_CHECK_LOST_TOOL_CALLS, "tool calls" },
		{ SQL_CHECK_LOST_TASKS, "tasks" },
	};
	enum err e = lost_count(c, SQL_CHECK_LOST_EVENTS, "events",
		"out of place, or of a workspace that does not exist", why);

	for (size_t i = 0; !e && i < sizeof of_workspaces / sizeof *of_workspaces; i++)
		e = lost_count(c, SQL_OF(of_workspaces[i], RECORD_LOST),
			records[of_workspaces[i]].table,
			"of a workspace that does not exist", why);
	for (size_t i = 0; !e && i < sizeof parts / sizeof *parts; i++)
		e = lost_count(c, parts[i].sql, parts[i].what,
			"of a session, run or message that does not exist", why);
	return e;
}

static void finding_write(struct json_writer *w, const struct finding *f)
{
	jw_object(w);
	show_text(w, "workspace", f->workspace);
	jw_put_str(w, "record", f->record);
	jw_put_str(w, "what", f->what);
	jw_object_end(w);
}

void check_report(const struct checking *c, struct json_writer *w)
{
	const struct finding *first = c->found ? &c->findings[0] : NULL;

	jw_object(w);
	jw_put_bool(w, "ok", !first);
	show_text(w, "detail",
		first ? arena_print(c->rows->arena, "%.*s: %.*s", STR_ARGS(first->record),
				STR_ARGS(first->what))
		      : STR_NONE);
	jw_put_array(w, "findings");
	for (int64_t i = 0; i < c->found && i < FINDINGS_MAX; i++)
		finding_write(w, &c->findings[i]);
	jw_array_end(w);
	jw_put_int(w, "found", c->found);
	jw_put_int(w, "workspaces", c->workspaces);
	jw_put_int(w, "events", c->events);
	jw_put_int(w, "emptied", c->emptied);
	jw_put_int(w, "sessions", c->sessions);
	jw_put_int(w, "asks", c->asks);
	jw_put_int(w, "people", c->people);
	jw_put_int(w, "not_compared", c->old);
	jw_object_end(w);
}

enum err check_store(struct checking *c, struct json_writer *report, struct fault *why)
{
	int64_t events = 0;
	enum err e = rows_verify(c->rows, why);

	if (e == ERR_UNAVAILABLE) {
		check_found(c, STR("store"), "%s", why->detail);
		e = OK;
	}
	if (!e) e = rows_int(c->rows, SQL_CHECK_COUNT, NULL, 0, &events, why);
	c->all = events * 4;
	if (!e) e = workspaces_check(c, why);
	if (!e) e = orphans_check(c, why);
	/* What SQLite says of pages that it cannot read. */
	if (e == ERR_UNAVAILABLE && c->found) e = OK;
	if (!e && c->rows->arena->failed) e = fail_memory(why);
	if (!e) check_report(c, report);
	return e;
}
