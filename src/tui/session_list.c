/* session_list.c - the list of sessions. */
#include "tui/session_list.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "text/msg.h"
#include "tui/words.h"

enum {
	ROW_CACHE_MS =
		10 * 60 * 1000, /* what completed before that is among the others */
	TITLE_POINTS = 200,
	AGENT_COLUMNS = 14,
	DOING_COLUMNS = 24,
	COST_COLUMNS = 9,
	AGE_COLUMNS = 5,
	TREE_MAX = 12,
	TREE_INDENT = 3,
};

static void rows_clear(struct sessions *l)
{
	for (size_t i = 0; i < l->all_len; i++)
		mem_free(l->all[i]);
	mem_free(l->all);
	mem_free(l->rows);
	l->all = l->rows = NULL;
	l->all_len = l->len = 0;
}

void session_list_done(struct sessions *l)
{
	rows_clear(l);
	line_done(&l->search);
	buf_done(&l->project);
	buf_done(&l->unfolded);
	run_page_done(&l->failed);
	run_page_done(&l->queued);
	run_tree_done(&l->tree);
	*l = (struct sessions){ 0 };
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

static void asks_sum(struct session_item *row, const struct json *asks)
{
	row->asks = json_is(asks, JSON_ARRAY) ? asks->count : 0;
	for (size_t i = 0; i < row->asks; i++) {
		const struct json *ask = &asks->items[i];
		int64_t end = ask_time(ask, "expires_at");

		if (ask_risk(ask) > row->risk) row->risk = ask_risk(ask);
		if (end && (!row->deadline_ms || end < row->deadline_ms))
			row->deadline_ms = end;
	}
}

static struct session_item *row_make(const struct json *s, enum session_section in)
{
	struct arena arena = { 0 };
	struct str parts[] = { json_text_of(s, "id"),
		utf8_first(json_text_of(s, "title"), TITLE_POINTS),
		json_text_of(json_get(s, "agent"), "name"), json_text_of(s, "project"),
		json_text_of(s, "status"), json_text_of(s, "run"), cost_words(s, &arena),
		progress_words(json_get(s, "progress"), &arena) };
	struct session_item *row;
	size_t size = 0;

	if (!parts[1].len) parts[1] = parts[0];
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		size += parts[i].len;
	row = mem_alloc(sizeof *row + size);
	if (row) {
		struct str *to[] = { &row->id, &row->title, &row->agent, &row->project,
			&row->status, &row->run, &row->cost, &row->progress };
		char *at = row->text;

		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
			if (parts[i].len > 0) memcpy(at, parts[i].at, parts[i].len);
			*to[i] = str_make(at, parts[i].len);
			at += parts[i].len;
		}
		row->section = in;
		row->updated_ms = ask_time(s, "updated_at");
		asks_sum(row, json_get(s, "pending_asks"));
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
	const struct json *items = json_get(page, "items");
	uint32_t count = json_is(items, JSON_ARRAY) ? items->count : 0;
	const struct session_item *at = session_list_at(l);
	struct arena arena = { 0 };
	struct str here = at ? arena_str(&arena, at->id) : STR_NONE;

	rows_clear(l);
	l->loaded = true;
	l->all = mem_alloc((count + 1) * sizeof *l->all);
	l->rows = mem_alloc((count + 1) * sizeof *l->rows);
	for (uint32_t i = 0; l->all && l->rows && i < count; i++) {
		const struct json *s = &items->items[i];
		struct session_item *row = row_make(s, section_of(s, now_ms));

		if (row) l->all[l->all_len++] = row;
	}
	if (l->all_len > 1) qsort(l->all, l->all_len, sizeof *l->all, by_section);
	session_list_filter(l);
	for (size_t i = 0; i < l->len; i++)
		if (str_eq(l->rows[i]->id, here)) l->at = i;
	arena_done(&arena);
}

static bool matches(
	const struct sessions *l, const struct session_item *row, struct str folded)
{
	struct arena arena = { 0 };
	struct buf text = { 0 };
	bool hit;

	if (l->project.len && !str_eq(row->project, buf_str(&l->project))) return false;
	if (!folded.len) return true;
	utf8_fold(&text, arena_print(&arena, "%.*s %.*s %.*s", STR_ARGS(row->title),
				 STR_ARGS(row->agent), STR_ARGS(row->project)));
	hit = str_find(buf_str(&text), folded) >= 0;
	buf_done(&text);
	arena_done(&arena);
	return hit;
}

void session_list_filter(struct sessions *l)
{
	struct buf folded = { 0 };

	utf8_fold(&folded, line_text(&l->search));
	l->len = 0;
	for (size_t i = 0; i < l->all_len; i++)
		if (matches(l, l->all[i], buf_str(&folded)))
			l->rows[l->len++] = l->all[i];
	buf_done(&folded);
	if (l->at >= l->len) l->at = l->len ? l->len - 1 : 0;
}

static struct str name_next(const struct sessions *l, struct str now, size_t offset)
{
	struct str next = STR_NONE;

	for (size_t i = 0; i < l->all_len; i++) {
		struct str name =
			*(const struct str *)(const void *)((const char *)l->all[i] +
							    offset);

		if (name.len > 0 && str_cmp(name, now) > 0 &&
			(next.len == 0 || str_cmp(name, next) < 0))
			next = name;
	}
	return next;
}

struct str session_list_next_project(const struct sessions *l, struct str now)
{
	return name_next(l, now, offsetof(struct session_item, project));
}

struct str session_list_next_agent(const struct sessions *l, struct str now)
{
	return name_next(l, now, offsetof(struct session_item, agent));
}

void session_list_project_next(struct sessions *l)
{
	struct str next = session_list_next_project(l, buf_str(&l->project));

	buf_clear(&l->project);
	buf_add(&l->project, next);
	session_list_filter(l);
}

const struct session_item *session_list_at(const struct sessions *l)
{
	return l->at < l->len ? l->rows[l->at] : NULL;
}

void session_list_go(struct sessions *l, int64_t by)
{
	int64_t to = (int64_t)l->at + by, last = (int64_t)l->len - 1;

	if (to > last) to = last;
	l->at = to > 0 ? (size_t)to : 0;
}

bool session_list_has(const struct sessions *l, enum session_section in)
{
	for (size_t i = 0; i < l->all_len; i++)
		if (l->all[i]->section == in && l->all[i]->run.len) return true;
	return false;
}

/* ---- drawing ---- */

void session_list_head(const struct sessions *l, struct page *p, struct arena *arena)
{
	(void)arena;
	if (!l->project.len) return;
	page_add_text(p, STYLE_PLAIN, "  ");
	page_add(p, STYLE_ACCENT, buf_str(&l->project));
}

struct session_mark {
	const char *text;
	enum style style;
};

static struct session_mark mark_of(const struct session_item *row, size_t place)
{
	switch (row->section) {
	case SECTION_WAITING: return (struct session_mark){ "!", STYLE_WARN };
	case SECTION_FAILED: return (struct session_mark){ "x", STYLE_BAD };
	case SECTION_RUNNING:
		return place ? (struct session_mark){ "o", STYLE_SOFT }
			     : (struct session_mark){ "*", STYLE_GOOD };
	default: break;
	}
	if (str_is(row->status, "completed"))
		return (struct session_mark){ "=", STYLE_PLAIN };
	return str_is(row->status, "cancelled")
		       ? (struct session_mark){ "x", STYLE_SOFT }
		       : (struct session_mark){ "-", STYLE_SOFT };
}

static struct str joined(struct str before, struct str words, struct arena *arena)
{
	return before.len ? arena_print(arena, "%.*s · %.*s", STR_ARGS(before),
				    STR_ARGS(words))
			  : words;
}

/* "2:47 · high risk · 2 waiting": what is cut is the least urgent. */
static struct str waiting_words(
	const struct session_item *row, int64_t now_ms, struct arena *arena)
{
	struct str words = STR_NONE;

	if (row->deadline_ms) words = countdown(row->deadline_ms - now_ms, arena);
	if (row->risk >= RISK_HIGH)
		words = joined(words,
			MSG(arena, arena_print(arena, "web.risk.%s", risk_name(row->risk))
					   .at),
			arena);
	if (row->asks == 1 && words.len) return words;
	return joined(
		words, msg_count(arena, "web.sessions.asks", (int64_t)row->asks), arena);
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
	return MSG(
		arena, arena_print(arena, "web.status.%.*s", STR_ARGS(row->status)).at);
}

/* " ! Compare three stores     researcher    1 waiting            $0.42   1m" */
static void row_write(const struct sessions *l, struct page *p,
	const struct session_item *row, int64_t now_ms, struct arena *arena)
{
	size_t place =
		row->section == SECTION_RUNNING ? run_page_place(&l->queued, row->id) : 0;
	struct session_mark mark = mark_of(row, place);
	size_t width = p->width, end = width > AGE_COLUMNS ? width - AGE_COLUMNS : 0;
	size_t cost = width >= 70 ? end - COST_COLUMNS : end;
	size_t doing = width >= 50 ? cost - DOING_COLUMNS : cost;
	size_t agent = width >= 70 ? doing - AGENT_COLUMNS : doing;

	page_row(p);
	page_add_text(p, STYLE_PLAIN, " ");
	page_add_text(p, mark.style, mark.text);
	page_add_text(p, STYLE_PLAIN, " ");
	p->width = agent - 1;
	page_add(p, STYLE_PLAIN, row->title);
	p->width = doing - 1;
	page_pad(p, agent);
	if (doing > agent) page_add(p, STYLE_SOFT, row->agent);
	p->width = cost - 1;
	page_pad(p, doing);
	if (cost > doing)
		page_add(p, mark.style, doing_words(l, row, place, now_ms, arena));
	p->width = width;
	if (end > cost)
		page_pad(
			p, end - 1 -
				   (row->cost.len < COST_COLUMNS - 1 ? row->cost.len
								     : COST_COLUMNS - 1));
	if (end > cost) page_add(p, STYLE_SOFT, row->cost);
	struct str age = span_short(now_ms - row->updated_ms, arena);
	page_pad(p, width - 1 - (age.len < AGE_COLUMNS - 1 ? age.len : AGE_COLUMNS - 1));
	page_add(p, STYLE_SOFT, age);
}

static void section_write(struct page *p, const struct sessions *l,
	enum session_section in, struct arena *arena)
{
	static const char *const ids[SECTIONS] = {
		[SECTION_WAITING] = "web.sessions.waiting",
		[SECTION_FAILED] = "web.sessions.failed",
		[SECTION_RUNNING] = "web.sessions.running",
		[SECTION_COMPLETED] = "web.sessions.completed",
		[SECTION_OTHERS] = "web.sessions.others",
	};
	size_t n = 0;

	for (size_t i = 0; i < l->len; i++)
		n += l->rows[i]->section == in;
	page_row(p);
	page_add(p, STYLE_BOLD, MSG(arena, ids[in]));
	page_add(p, STYLE_SOFT, arena_print(arena, "  %zu", n));
}

/* What is drawn: lines on two pages, of rows and of the tree, which stands further right. */
struct session_lines {
	struct page rows, tree;
	size_t tree_at; /* the line that the tree begins in; SIZE_MAX: there is none */
	size_t here;	/* the line of the cursor */
};

static void lines_make(struct sessions *l, struct session_lines *n, size_t width,
	int64_t now_ms, struct arena *arena)
{
	*n = (struct session_lines){ .rows = { .width = width },
		.tree = { .width = width > TREE_INDENT ? width - TREE_INDENT : width },
		.tree_at = SIZE_MAX };
	for (size_t i = 0; i < l->len; i++) {
		const struct session_item *row = l->rows[i];

		if (i == 0 || l->rows[i - 1]->section != row->section)
			section_write(&n->rows, l, row->section, arena);
		if (i == l->at) n->here = n->rows.rows_len + n->tree.rows_len;
		row_write(l, &n->rows, row, now_ms, arena);
		if (!str_eq(row->id, buf_str(&l->unfolded))) continue;
		n->tree_at = n->rows.rows_len;
		run_tree_add(&l->tree, &n->tree, TREE_MAX, arena);
		if (!n->tree.rows_len && !l->tree_reading) {
			page_row(&n->tree);
			page_add(
				&n->tree, STYLE_SOFT, MSG(arena, "tui.sessions.no_runs"));
		}
	}
}

void session_list_draw(
	struct sessions *l, struct screen *s, const struct area *f, int64_t now_ms)
{
	struct arena arena = { 0 };
	struct session_lines n;

	lines_make(l, &n, f->width, now_ms, &arena);
	size_t tree = n.tree.rows_len, all = n.rows.rows_len + tree;
	/* The heading above the first row of a section is in sight with it. */
	if (n.here < l->top + 1) l->top = n.here > 0 ? n.here - 1 : 0;
	if (n.here >= l->top + f->height) l->top = n.here - f->height + 1;
	for (size_t i = 0; i < f->height && l->top + i < all; i++) {
		size_t line = l->top + i;
		bool inside = n.tree_at != SIZE_MAX && line >= n.tree_at &&
			      line < n.tree_at + tree;

		if (inside)
			screen_draw(s, f->y + i, f->x + TREE_INDENT, &n.tree,
				line - n.tree_at, STYLE_PLAIN);
		else
			screen_draw(s, f->y + i, f->x, &n.rows,
				n.tree_at != SIZE_MAX && line >= n.tree_at ? line - tree
									   : line,
				line == n.here ? STYLE_CURSOR : STYLE_PLAIN);
	}
	if (l->len == 0)
		screen_put(s, f->y, f->x + 1, f->width - 1, STYLE_SOFT,
			MSG(&arena, !l->loaded	 ? "web.loading"
				    : l->all_len ? "web.sessions.none"
						 : "web.sessions.empty"));
	page_done(&n.rows);
	page_done(&n.tree);
	arena_done(&arena);
}
