/* check_pages.c - what the passes of a check share: findings, events and records page by page. */
#include "desk/check/check.h"

#include "desk/shared/inner.h"

#include <stdarg.h>
#include <stdio.h>

enum { EVENTS_PAGE = 1000 };

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

bool check_unreadable(
	struct check_pass *p, struct str record, enum err *e, const struct fault *why)
{
	if (*e != ERR_INTERNAL) return false;
	check_found(p->c, record, "%s", why ? why->detail : "it cannot be read");
	*e = OK;
	return true;
}

enum err check_keep(struct check_pass *p, struct str id, void *facts, struct fault *why)
{
	p->len++;
	return !p->arena.failed && table_put(&p->table, id, facts) ? OK
								   : fail_memory(why);
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
	p->events = ARENA_ARRAY(&p->arena, struct event, EVENTS_PAGE);
	p->len = 0;
	p->rows = 0;
	if (!p->events) return fail_memory(why);
	return rows_query(p->c->rows, SQL_CHECK_EVENTS,
		ARGS(p->c->ws, from, n, to, EVENTS_PAGE), page_event, p, why);
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
	if (p->facts && !p->at) return fail_memory(why);
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
