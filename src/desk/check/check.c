/* check.c - goes through all workspaces, and reports what the passes found. */
#include "desk/check/check.h"

#include "desk/shared/inner.h"

#include <stdarg.h>
#include <stdio.h>

enum { EVENTS_PAGE = 1000, WORKSPACES_PAGE = 200 };

void check_found(struct checking *c, struct str record, const char *format, ...)
{
	char text[512];
	va_list args;

	if (c->found++ >= FINDINGS_MAX) return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	c->findings[c->found - 1] = (struct finding){ c->workspace,
		arena_str(c->rows->arena, str_first(record, 100)),
		arena_str(c->rows->arena, str_of(text)) };
}

void check_step(struct checking *c, int64_t events)
{
	c->done += events;
	if (c->progress) c->progress(c->progress_ctx, c->done, c->all);
}

bool check_is_old(const struct checking *c, const struct event *e)
{
	return e->n <= c->old_events;
}

const struct json *check_data(const struct event *e, struct arena *arena)
{
	const struct json *data;

	if (!e->data.len || json_read(e->data, NULL, arena, &data, NULL)) return NULL;
	return data->type == JSON_OBJECT ? data : NULL;
}

/* ---- events by session ---- */

struct check_page {
	struct checking *c;
	struct arena arena;
	struct event *events;
	size_t len;
	int64_t rows;
	struct str last_session;
	int64_t last_n;
};

/* A row that cannot be read was named by the pass over the log. */
static enum err page_event(void *ctx, const struct row *row, struct fault *why)
{
	struct check_page *p = ctx;
	enum err e = event_from_row(row, &p->arena, &p->events[p->len], why);

	p->rows++;
	p->last_n = row_int(row, EVENT_N_AT);
	p->last_session = arena_str(&p->arena, row_text(row, EVENT_SESSION_AT));
	if (!e) p->len++;
	return e == ERR_INTERNAL ? OK : e;
}

static enum err page_fetch(struct check_page *p, struct str from, int64_t n,
	struct str to, struct fault *why)
{
	const struct val args[] = { val_int(p->c->ws), val_text(from), val_int(n),
		val_text(to), val_int(EVENTS_PAGE) };

	p->events = ARENA_ARRAY(&p->arena, struct event, EVENTS_PAGE);
	p->len = 0;
	p->rows = 0;
	if (!p->events) return fail(why, ERR_MEMORY, "out of memory");
	return rows_query(p->c->rows, SQL_CHECK_EVENTS, args, 5, page_event, p, why);
}

enum err check_events(struct checking *c, struct str from, bool with_from, struct str to,
	check_event_fn *fn, void *ctx, struct fault *why)
{
	struct check_page pages[2] = { { .c = c }, { .c = c } };
	struct str session = from;
	int64_t n = with_from ? 0 : INT64_MAX;
	enum err e = OK;

	for (int at = 0;; at ^= 1) {
		struct check_page *p = &pages[at];

		e = page_fetch(p, session, n, to, why);
		arena_done(&pages[at ^ 1].arena); /* the page before: no longer needed */
		for (size_t i = 0; !e && i < p->len; i++)
			e = fn(ctx, &p->events[i], why);
		if (!e) check_step(c, p->rows);
		if (e || p->rows < EVENTS_PAGE) break;
		session = p->last_session;
		n = p->last_n;
	}
	arena_done(&pages[0].arena);
	arena_done(&pages[1].arena);
	return e;
}

/* ---- pages of rows ---- */

static enum err pass_page(struct check_pass *p, struct fault *why)
{
	struct val args[4] = { val_int(p->c->ws), val_text(p->from) };
	int len = 2;
	enum err e;

	if (p->pairs) args[len++] = val_text(p->from_id);
	args[len++] = val_int((int64_t)p->page);
	p->len = p->rows = 0;
	table_clear(&p->table);
	if (p->facts) p->at = arena_array(&p->arena, p->page, p->facts);
	if (p->facts && !p->at) return fail(why, ERR_MEMORY, "out of memory");
	e = rows_query(p->c->rows, p->sql, args, len, p->row, p, why);
	if (!e && p->rows < p->page) p->to = p->to_id = LAST_ID;
	return e || !p->compare ? e : p->compare(p, why);
}

enum err check_pages(struct check_pass *p, struct fault *why)
{
	struct arena last = { 0 }; /* of where the page before ended */
	enum err e;

	do {
		e = pass_page(p, why);
		arena_done(&last);
		last = p->arena;
		p->arena = (struct arena){ 0 };
		p->from = p->to;
		p->from_id = p->to_id;
	} while (!e && p->rows == p->page);
	arena_done(&last);
	table_done(&p->table);
	return e;
}

/* ---- the whole ---- */

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
	return l->arena.failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
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

static enum err sum_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	*(int64_t *)ctx = row_int(row, 0);
	return OK;
}

/* Pages by the id: a store has as many workspaces as it has. */
static enum err workspaces_check(struct checking *c, struct fault *why)
{
	int64_t after = INT64_MIN;
	enum err e = OK;

	for (bool more = true; !e && more;) {
		struct check_list l = { .c = c };
		const struct val args[] = { val_int(after), val_int(WORKSPACES_PAGE) };

		e = rows_query(
			c->rows, SQL_CHECK_WORKSPACES, args, 2, workspace_row, &l, why);
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

/* Rows of a workspace that is not there belong to nobody, and no pass would see them. */
static enum err orphans_check(struct checking *c, struct fault *why)
{
	static const struct {
		enum sql sql;
		const char *what;
		bool part; /* belongs to a record that must exist */
	} tables[] = {
		{ SQL_CHECK_LOST_EVENTS, "events" },
		{ SQL_CHECK_LOST_ASKS, "asks" },
		{ SQL_CHECK_LOST_SESSIONS, "sessions" },
		{ SQL_CHECK_LOST_USERS, "users" },
		{ SQL_CHECK_LOST_TOKENS, "tokens" },
		{ SQL_CHECK_LOST_RULES, "rules" },
		{ SQL_CHECK_LOST_STOPS, "stops" },
		{ SQL_CHECK_LOST_POLICIES, "policies" },
		{ SQL_CHECK_LOST_PRESETS, "presets" },
		{ SQL_CHECK_LOST_AGENTS, "agents" },
		{ SQL_CHECK_LOST_PROVIDERS, "providers" },
		{ SQL_CHECK_LOST_PRICES, "prices" },
		{ SQL_CHECK_LOST_TEAMS, "teams" },
		{ SQL_CHECK_LOST_RUNS, "runs", .part = true },
		{ SQL_CHECK_LOST_MESSAGES, "messages", .part = true },
		{ SQL_CHECK_LOST_TOOL_CALLS, "tool calls", .part = true },
		{ SQL_CHECK_LOST_TASKS, "tasks", .part = true },
		{ SQL_CHECK_LOST_MEMORIES, "memories" },
		{ SQL_CHECK_LOST_CONTACTS, "contacts" },
		{ SQL_CHECK_LOST_ROUTES, "routes" },
	};
	enum err e = OK;

	for (size_t i = 0; !e && i < sizeof tables / sizeof *tables; i++) {
		int64_t lost = 0;

		e = rows_query(c->rows, tables[i].sql, NULL, 0, sum_row, &lost, why);
		if (!e && lost)
			check_found(c, str_of(tables[i].what),
				i == 0 ? "%lld out of place, or of a workspace that does not exist"
				: tables[i].part
					? "%lld of a session, run or message that does not exist"
					: "%lld of a workspace that does not exist",
				(long long)lost);
	}
	return e;
}

static void finding_write(struct json_writer *w, const struct finding *f)
{
	jw_object(w);
	jw_key(w, "workspace");
	if (f->workspace.len)
		jw_str(w, f->workspace);
	else
		jw_null(w);
	jw_put_str(w, "record", f->record);
	jw_put_str(w, "what", f->what);
	jw_object_end(w);
}

static void count_write(struct json_writer *w, const char *key, int64_t n)
{
	jw_put_int(w, key, n);
}

void check_report(const struct checking *c, struct json_writer *w)
{
	const struct finding *first = c->found ? &c->findings[0] : NULL;

	jw_object(w);
	jw_put_bool(w, "ok", !first);
	jw_key(w, "detail");
	if (first)
		jw_str(w, arena_print(c->rows->arena, "%.*s: %.*s",
				  STR_ARGS(first->record), STR_ARGS(first->what)));
	else
		jw_null(w);
	jw_put_array(w, "findings");
	for (int64_t i = 0; i < c->found && i < FINDINGS_MAX; i++)
		finding_write(w, &c->findings[i]);
	jw_array_end(w);
	count_write(w, "found", c->found);
	count_write(w, "workspaces", c->workspaces);
	count_write(w, "events", c->events);
	count_write(w, "emptied", c->emptied);
	count_write(w, "sessions", c->sessions);
	count_write(w, "asks", c->asks);
	count_write(w, "people", c->people);
	count_write(w, "not_compared", c->old);
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
	if (!e) e = rows_query(c->rows, SQL_CHECK_COUNT, NULL, 0, sum_row, &events, why);
	c->all = events * 4;
	if (!e) e = workspaces_check(c, why);
	if (!e) e = orphans_check(c, why);
	/* What SQLite says of pages that it cannot read. */
	if (e == ERR_UNAVAILABLE && c->found) e = OK;
	if (!e && c->rows->arena->failed) e = fail(why, ERR_MEMORY, "out of memory");
	if (!e) check_report(c, report);
	return e;
}
