/* session_list.c - the list of sessions. */
#include "tui/session_list.h"

#include <stdlib.h>

#include "base/keep.h"
#include "base/utf8.h"
#include "text/msg.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum {
	ROW_CACHE_MS =
		10 * 60 * 1000, /* what completed before that is among the others */
	TITLE_POINTS = 200,
	AGENT_COLUMNS = 14,
	DOING_COLUMNS = 28,
	COST_COLUMNS = 9,
	AGE_COLUMNS = 13,
	GAP = 2,
	TABLE_MOST = 140, /* wider, and one cannot follow a row */
	TREE_MAX = 12,
	TREE_INDENT = 3,
};

void session_list_done(struct sessions *l)
{
	listing_done(&l->rows);
	line_done(&l->search);
	filter_done(&l->project, 1);
	buf_done(&l->unfolded);
	kept_done(&l->failed);
	kept_done(&l->queued);
	run_tree_done(&l->tree);
	*l = (struct sessions){ 0 };
}

static const struct session_item *row_of(const struct sessions *l, size_t i)
{
	return l->rows.shown[i];
}

/* ---- data ---- */

static enum session_section section_of(const struct json *s, int64_t now_ms)
{
	struct str status = json_text_of(s, "status");

	if (str_starts(status, "waiting_for_")) return SECTION_WAITING;
	if (str_is(status, "failed")) return SECTION_FAILED;
	if (str_is(status, "running")) return SECTION_RUNNING;
	if (str_is(status, "completed") &&
		now_ms - ask_time(s, "updated_at") <= ROW_CACHE_MS)
		return SECTION_COMPLETED;
	return SECTION_OTHERS;
}

/* Of its open asks the one with the nearest deadline; NULL: none has one. */
static const struct json *ask_due(const struct json *asks)
{
	const struct json *next = NULL;

	for (const struct json *ask = NULL; json_each(asks, &ask);) {
		int64_t end = ask_time(ask, "expires_at");

		if (end && (!next || end < ask_time(next, "expires_at"))) next = ask;
	}
	return next;
}

static enum risk asks_risk(const struct json *asks)
{
	enum risk risk = RISK_NONE;

	for (const struct json *ask = NULL; json_each(asks, &ask);)
		if (ask_risk(ask) > risk) risk = ask_risk(ask);
	return risk;
}

static struct session_item *row_make(const struct json *s, enum session_section in)
{
	const struct json *asks = json_get(s, "pending_asks"), *due = ask_due(asks);
	struct arena arena = { 0 };
	struct str parts[] = { json_text_of(s, "id"),
		utf8_first(json_text_of(s, "title"), TITLE_POINTS),
		json_text_of(json_get(s, "agent"), "name"), json_text_of(s, "project"),
		json_text_of(s, "status"), json_text_of(s, "run"), cost_words(s, &arena),
		progress_words(json_get(s, "progress"), &arena),
		due ? ask_end_short(due, &arena) : STR_NONE };
	struct session_item *row;

	if (!parts[1].len) parts[1] = parts[0];
	row = listing_row(sizeof *row, parts, sizeof parts / sizeof *parts);
	if (row) {
		row->section = in;
		row->updated_ms = ask_time(s, "updated_at");
		row->asks = json_is(asks, JSON_ARRAY) ? asks->count : 0;
		row->risk = asks_risk(asks);
		row->deadline_ms = ask_time(due, "expires_at");
	}
	arena_done(&arena);
	return row;
}

static int by_section(const void *left, const void *right)
{
	const struct session_item *a = *(struct session_item *const *)left;
	const struct session_item *b = *(struct session_item *const *)right;

	if (a->section != b->section) return a->section < b->section ? -1 : 1;
	if (a->updated_ms != b->updated_ms) return a->updated_ms > b->updated_ms ? -1 : 1;
	return str_cmp(b->id, a->id);
}

void session_list_take(struct sessions *l, const struct json *page, int64_t now_ms)
{
	const struct session_item *here = listing_at(&l->rows);
	struct arena arena = { 0 };
	struct str id = here ? arena_str(&arena, here->id) : STR_NONE;
	size_t at = l->rows.at, top = l->rows.top;

	listing_clear(&l->rows);
	l->loaded = true;
	for (const struct json *s = NULL; json_each(json_get(page, "items"), &s);)
		listing_add(&l->rows, row_make(s, section_of(s, now_ms)));
	if (l->rows.all_len > 1)
		qsort(l->rows.all, l->rows.all_len, sizeof *l->rows.all, by_section);
	l->rows.at = at;
	l->rows.top = top;
	session_list_filter(l);
	for (size_t i = 0; i < l->rows.len; i++)
		if (str_eq(row_of(l, i)->id, id)) l->rows.at = i;
	arena_done(&arena);
}

static bool matches(
	const struct sessions *l, const struct session_item *row, struct str folded)
{
	struct arena arena = { 0 };
	struct str shown = arena_print(&arena, "%.*s %.*s %.*s", STR_ARGS(row->title),
		STR_ARGS(row->agent), STR_ARGS(row->project));
	bool hit = filter_passes(&l->project, row->project) &&
		   listing_found(&shown, 1, folded);

	arena_done(&arena);
	return hit;
}

void session_list_filter(struct sessions *l)
{
	struct buf folded = { 0 };

	utf8_fold(&folded, line_text(&l->search));
	l->rows.len = 0;
	for (size_t i = 0; i < l->rows.all_len; i++)
		if (matches(l, l->rows.all[i], buf_str(&folded)))
			l->rows.shown[l->rows.len++] = l->rows.all[i];
	buf_done(&folded);
	listing_go(&l->rows, 0);
}

bool session_list_show_all(struct sessions *l)
{
	bool narrowed = l->project.name.len > 0 || l->search.text.len > 0;

	filter_done(&l->project, 1);
	line_set(&l->search, STR_NONE);
	if (narrowed) session_list_filter(l);
	return narrowed;
}

static size_t sessions_count(const void *list)
{
	const struct sessions *l = list;
	struct buf folded = { 0 };
	size_t count = 0;

	utf8_fold(&folded, line_text(&l->search));
	for (size_t i = 0; i < l->rows.all_len; i++)
		count += matches(l, l->rows.all[i], buf_str(&folded));
	buf_done(&folded);
	return count;
}

struct filter_group session_list_filters(struct sessions *l)
{
	static const struct filter_kind kind = { 'P', "tui.filter.project",
		.names = offsetof(struct session_item, project) };

	return (struct filter_group){ &l->project, &kind, 1, &l->rows, sessions_count,
		l };
}

bool session_list_has(const struct sessions *l, enum session_section in)
{
	for (size_t i = 0; i < l->rows.all_len; i++) {
		const struct session_item *row = l->rows.all[i];

		if (row->section == in && row->run.len) return true;
	}
	return false;
}

/* ---- drawing ---- */

struct session_mark {
	const char *text;
	enum style style;
};

static struct session_mark mark_of(const struct session_item *row, size_t place)
{
	bool completed = str_is(row->status, "completed");

	switch (row->section) {
	case SECTION_WAITING: return (struct session_mark){ "!", STYLE_WARN };
	case SECTION_FAILED: return (struct session_mark){ "x", STYLE_BAD };
	case SECTION_RUNNING:
		return place ? (struct session_mark){ "o", STYLE_SOFT }
			     : (struct session_mark){ "*", STYLE_GOOD };
	default:
		return completed ? (struct session_mark){ "=", STYLE_PLAIN }
				 : (struct session_mark){ "-", STYLE_SOFT };
	}
}

/* "2:47 → rejected · high risk · 2 waiting": what is cut is the least urgent. */
static struct str waiting_words(
	const struct session_item *row, int64_t now_ms, struct arena *arena)
{
	struct buf words = { .max = 4096 };

	if (row->deadline_ms)
		words_join(&words, " · ",
			words_due(row->deadline_ms - now_ms, row->end, arena));
	if (row->risk >= RISK_HIGH)
		words_join(&words, " · ", words_risk(row->risk, arena));
	if (row->asks > 1 || !words.len)
		words_join(&words, " · ",
			msg_count(arena, "web.sessions.asks", (int64_t)row->asks));
	return buf_keep_done(&words, arena);
}

static struct str doing_words(const struct sessions *l, const struct session_item *row,
	size_t place, int64_t now_ms, struct arena *arena)
{
	struct str cause = row->section == SECTION_FAILED
				   ? run_page_error(&l->failed, row->run)
				   : STR_NONE;

	if (row->section == SECTION_WAITING && row->asks)
		return waiting_words(row, now_ms, arena);
	if (cause.len) return cause;
	if (place) return MSG(arena, "web.run.place", { "place", ordinal(place, arena) });
	if (row->section == SECTION_RUNNING && row->progress.len) return row->progress;
	return msg_named(arena, "web.status", row->status);
}

/* At the right end of its columns. */
static void right_add(struct page *p, size_t end, size_t columns, struct str text)
{
	size_t wide = text_width(text), width = wide < columns ? wide : columns;

	page_pad(p, end - 1 - width);
	page_add(p, STYLE_SOFT, text);
}

static bool any_cost(const struct sessions *l)
{
	for (size_t i = 0; i < l->rows.len; i++)
		if (row_of(l, i)->cost.len) return true;
	return false;
}

static size_t place_of(const struct sessions *l, const struct session_item *row)
{
	return row->section == SECTION_RUNNING ? run_page_place(&l->queued, row->id) : 0;
}

/* Where the columns behind the title begin: each is as wide as what is in it, up to its most. */
struct session_table {
	size_t agent, doing, cost, end;
};

static size_t most_of(size_t widest, size_t most)
{
	return widest + GAP < most ? widest + GAP : most;
}

static struct session_table table_make(
	const struct sessions *l, struct page *p, int64_t now_ms)
{
	size_t width = p->width, agent = 0, doing = 0, age = 0;
	struct session_table t = { 0 };

	for (size_t i = 0; i < l->rows.len; i++) {
		const struct session_item *row = row_of(l, i);
		size_t name = text_width(safe_line(&p->words, row->agent));
		struct str does =
			doing_words(l, row, place_of(l, row), now_ms, &p->words);
		size_t said = text_width(safe_line(&p->words, does));

		size_t ago = text_width(words_ago(now_ms - row->updated_ms, &p->words));

		if (ago > age) age = ago;
		if (name > agent) agent = name;
		if (said > doing) doing = said;
	}
	age = most_of(age, AGE_COLUMNS);
	t.end = width > age ? width - age : 0;
	t.cost = width >= 70 && any_cost(l) ? t.end - COST_COLUMNS : t.end;
	t.doing = width >= 50 ? t.cost - most_of(doing, DOING_COLUMNS) : t.cost;
	t.agent = width >= 70 ? t.doing - most_of(agent, AGENT_COLUMNS) : t.doing;
	return t;
}

/* " ! Compare three stores     researcher    1 waiting            $0.42   1m" */
static void row_write(const struct sessions *l, struct page *p,
	const struct session_table *t, const struct session_item *row, int64_t now_ms,
	bool here)
{
	size_t place = place_of(l, row);
	struct session_mark mark = mark_of(row, place);

	page_row(p);
	page_add_text(p, STYLE_ACCENT, here ? "▸" : " ");
	page_add_text(p, mark.style, mark.text);
	page_add_text(p, STYLE_PLAIN, " ");
	page_cell(p, t->agent, STYLE_PLAIN, row->title);
	if (t->doing > t->agent) page_cell(p, t->doing, STYLE_SOFT, row->agent);
	if (t->cost > t->doing)
		page_cell(p, t->cost, mark.style,
			doing_words(l, row, place, now_ms, &p->words));
	if (t->end > t->cost) right_add(p, t->end, COST_COLUMNS - 1, row->cost);
	right_add(p, p->width, AGE_COLUMNS - 1,
		words_ago(now_ms - row->updated_ms, &p->words));
}

static void section_write(
	struct page *p, const struct sessions *l, enum session_section in)
{
	static const char *const ids[SECTIONS] = {
		[SECTION_WAITING] = "web.sessions.waiting",
		[SECTION_FAILED] = "web.sessions.failed",
		[SECTION_RUNNING] = "web.sessions.running",
		[SECTION_COMPLETED] = "web.sessions.completed",
		[SECTION_OTHERS] = "web.sessions.others",
	};
	size_t n = 0;

	for (size_t i = 0; i < l->rows.len; i++)
		n += row_of(l, i)->section == in;
	page_row(p);
	PAGE_MSG(p, STYLE_BOLD, ids[in]);
	page_word(p, STYLE_SOFT, arena_print(&p->words, "%zu", n));
}

void session_list_draw(struct sessions *l, struct screen *s, const struct area *f,
	int64_t now_ms, bool reading)
{
	struct page p = { .width = f->width < TABLE_MOST ? f->width : TABLE_MOST };
	struct session_table table = table_make(l, &p, now_ms);

	for (size_t i = 0; i < l->rows.len; i++) {
		const struct session_item *row = row_of(l, i);
		size_t rows;

		if (i == 0 || row_of(l, i - 1)->section != row->section)
			section_write(&p, l, row->section);
		row_write(l, &p, &table, row, now_ms, i == l->rows.at);
		if (i == l->rows.at) page_mark(&p, STYLE_CURSOR);
		if (!str_eq(row->id, buf_str(&l->unfolded))) continue;
		rows = p.rows_len;
		run_tree_add(&l->tree, &p, TREE_INDENT, TREE_MAX);
		if (p.rows_len > rows || reading) continue;
		page_row(&p);
		page_pad(&p, TREE_INDENT);
		PAGE_MSG(&p, STYLE_SOFT, "tui.sessions.no_runs");
	}
	/* The heading above the first row of a section is in sight with it. */
	listing_scroll(&l->rows, l->rows.len ? p.marked_row : 0, 1, f->height);
	if (l->rows.len == 0)
		screen_say(s, f,
			!l->loaded	  ? "web.loading"
			: l->rows.all_len ? "web.sessions.none"
					  : "web.sessions.empty");
	screen_page(s, f, &p, l->rows.top);
	page_done(&p);
}
