/* inbox_rows.c - the list of the inbox in columns: each as wide as what is in sight needs, and those
 * that matter least go where there is no room. */
#include "base/keep.h"
#include "text/safe_text.h"
#include "tui/inbox_inner.h"
#include "tui/words.h"

enum { TITLE_LEAST = 20, BRIEF_LEAST = 28, GAP = 2, CELL_MAX = 20, BRIEF = 70 };

static const char *kind_mark(enum ask_kind kind)
{
	static const char *const marks[] = {
		[ASK_BLOCKING] = "?",
		[ASK_NON_BLOCKING] = "·",
		[ASK_APPROVAL] = "!",
		[ASK_ERROR_RECOVERY] = "↻",
	};

	return marks[kind];
}

static enum style risk_style(enum risk risk)
{
	return risk >= RISK_HIGH     ? STYLE_BAD
	       : risk == RISK_MEDIUM ? STYLE_WARN
				     : STYLE_SOFT;
}

/* ---- cells ---- */

/* What a row is drawn with. */
struct row_look {
	const struct inbox *in;
	int64_t now_ms;
	bool brief; /* a narrow list: more of titles, and only risks that are high */
	struct arena *words;
};

/* "@mia", "@mia +1": whom it is assigned to. */
static struct str assignee_cell(const struct row_look *l, const struct item *item)
{
	struct str rest = item->assignees, first;
	size_t more = 0;

	if (!str_cut(&rest, '\n', &first)) return STR_NONE;
	struct str name = inbox_user_name(l->in, first);
	for (struct str one; str_cut(&rest, '\n', &one);)
		more++;
	if (!name.len) name = first;
	return more ? arena_print(l->words, "@%.*s +%zu", STR_ARGS(name), more)
		    : arena_print(l->words, "@%.*s", STR_ARGS(name));
}

/* "high risk", "High priority", or both. */
static struct str weight_cell(const struct row_look *l, const struct item *item)
{
	struct buf text = { .max = 256 };

	if (item->risk >= (l->brief ? RISK_HIGH : RISK_LOW))
		words_join(&text, " · ", words_risk(item->risk, l->words));
	if (item->priority >= PRIORITY_HIGH && !l->brief)
		words_join(&text, " · ",
			msg_named(l->words, "web.priority",
				str_of(priority_name(item->priority))));
	return buf_keep_done(&text, l->words);
}

static struct str agent_cell(const struct row_look *l, const struct item *item)
{
	(void)l;
	return item->agent;
}

/* "2:40 → rejected", "12m ago" */
static struct str when_cell(const struct row_look *l, const struct item *item)
{
	if (!item->deadline_ms) return words_ago(l->now_ms - item->created_ms, l->words);
	return words_due(item->deadline_ms - l->now_ms, item->end, l->words);
}

/* From left to right behind the title. */
enum row_column { WEIGHT, ASSIGNEE, AGENT, WHEN, COLUMNS };

static const struct {
	struct str (*text)(const struct row_look *, const struct item *);
	size_t max;
} columns[COLUMNS] = {
	[WEIGHT] = { weight_cell, CELL_MAX },
	[ASSIGNEE] = { assignee_cell, 14 },
	[AGENT] = { agent_cell, 14 },
	[WHEN] = { when_cell, CELL_MAX },
};

/* Which go first where there is no room; when it ends is always said. */
static const enum row_column spare[] = { AGENT, ASSIGNEE, WEIGHT };

/* ---- layout ---- */

struct row_table {
	size_t title; /* where the titles end */
	size_t widths[COLUMNS];
};

static size_t cells_width(const struct row_table *t)
{
	size_t all = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		all += t->widths[i] ? t->widths[i] + GAP : 0;
	return all;
}

static struct row_table table_make(
	const struct row_look *l, void *const *items, size_t n, size_t width)
{
	struct row_table t = { 0 };
	size_t least = width * 2 / 5 > TITLE_LEAST ? width * 2 / 5 : TITLE_LEAST;

	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < COLUMNS; c++) {
			struct str text = columns[c].text(l, items[i]);
			size_t wide = text_width(safe_line(l->words, text));

			if (wide > columns[c].max) wide = columns[c].max;
			if (wide > t.widths[c]) t.widths[c] = wide;
		}
	for (size_t i = 0; i < sizeof spare / sizeof *spare; i++) {
		/* Whose it is stands on the card, the risk only here. */
		size_t room = !l->brief		   ? least
			      : spare[i] != WEIGHT ? width / 2
						   : BRIEF_LEAST;

		if (cells_width(&t) + room > width) t.widths[spare[i]] = 0;
	}
	t.title = width > cells_width(&t) ? width - cells_width(&t) : width;
	return t;
}

/* ---- drawing ---- */

static enum style cell_style(enum row_column c, const struct item *item)
{
	if (c == WHEN) return item->deadline_ms ? STYLE_WARN : STYLE_SOFT;
	return c == WEIGHT ? risk_style(item->risk) : STYLE_SOFT;
}

/* Where this row's title ends: it runs on over cells that say nothing. */
static size_t title_end(
	const struct row_look *l, const struct row_table *t, const struct item *item)
{
	size_t end = t->title;

	for (enum row_column c = 0; c < COLUMNS; c++) {
		if (!t->widths[c]) continue;
		if (columns[c].text(l, item).len) break;
		end += GAP + t->widths[c];
	}
	return end;
}

/* "▸x ! 4 similar  Title …   high risk  @mia  agent  2:47 → rejected" */
static void row_write(struct page *p, const struct row_look *l, const struct row_table *t,
	const struct item *item, bool here)
{
	size_t end = t->title;

	page_row(p);
	page_add_text(p, STYLE_ACCENT, here ? "▸" : " ");
	page_add_text(p, item->chosen ? STYLE_GOOD : STYLE_ACCENT,
		item->chosen ? "x "
		: item->read ? "  "
			     : "• ");
	if (item->inside) page_add_text(p, STYLE_SOFT, "  ");
	page_add_text(p, risk_style(item->risk), kind_mark(item->kind));
	page_add_text(p, STYLE_PLAIN, " ");
	if (item->similar) {
		page_add(p, STYLE_WARN,
			msg_count(l->words, "tui.similar", (int64_t)item->similar));
		page_add_text(p, STYLE_PLAIN, "  ");
	}
	page_cell(p, title_end(l, t, item) + 1, item->read ? STYLE_PLAIN : STYLE_BOLD,
		item->title);
	for (enum row_column c = 0; c < COLUMNS; c++) {
		if (!t->widths[c]) continue;
		struct str text = columns[c].text(l, item);
		size_t from = end + GAP;

		end = from + t->widths[c];
		if (!text.len) continue;
		page_pad(p, from);
		page_cell(p, end + 1, cell_style(c, item), text);
	}
}

/* "High risk or priority  3": why the rows below stand here. */
static void section_write(struct page *p, const struct item *item)
{
	static const char *const ids[GROUPS] = {
		[GROUP_SOON] = "web.section.soon",
		[GROUP_HIGH] = "web.section.high",
		[GROUP_OTHER] = "web.section.other",
	};

	page_row(p);
	PAGE_MSG(p, STYLE_BOLD, ids[item->group]);
	page_word(p, STYLE_SOFT, arena_print(&p->words, "%zu", item->section));
}

void inbox_rows_draw(struct inbox *in, const struct area *f, int64_t now_ms)
{
	struct row_list *l = &in->list.rows;
	struct page *p = &in->page;
	struct row_look look = {
		.in = in, .now_ms = now_ms, .brief = f->width < BRIEF, .words = &p->words
	};
	const struct item *at = list_at(&in->list);
	struct row_table table;
	size_t first, end;

	listing_scroll(l, list_line(&in->list, l->at), at && at->section, f->height);
	first = list_row(&in->list, l->top);
	end = first + f->height < l->len ? first + f->height : l->len;
	page_clear(p, f->width);
	/* A bar may stand right behind it. */
	table = table_make(&look, l->shown + first, end - first, f->width - 1);
	for (size_t i = first; i < end; i++) {
		const struct item *item = l->shown[i];
		bool here = i == l->at && !in->lost;

		if (item->section && list_line(&in->list, i) > l->top)
			section_write(p, item);
		row_write(p, &look, &table, item, here);
		if (here)
			page_mark(p, in->view == VIEW_LIST ? STYLE_CURSOR : STYLE_MARKED);
	}
	screen_page(in->screen, f, p, 0);
}

/* ---- of the session shown ---- */

enum { OPEN_MAX = 3 };

static size_t session_open(const struct inbox *in, void *items[OPEN_MAX])
{
	const struct row_list *l = &in->list.rows;
	struct str session = buf_str(&in->session.id);
	size_t n = 0;

	for (size_t i = 0; i < l->all_len && n < OPEN_MAX; i++) {
		struct item *item = l->all[i];

		if (str_eq(item->session, session)) items[n++] = item;
	}
	return n;
}

const struct item *inbox_session_ask(const struct inbox *in)
{
	void *items[OPEN_MAX] = { 0 };

	return session_open(in, items) ? items[0] : NULL;
}

void inbox_session_draw(struct inbox *in, const struct area *f, int64_t now_ms)
{
	void *items[OPEN_MAX] = { 0 };
	size_t n = session_open(in, items), rows = n ? n + 1 : 0;
	struct page *p = &in->page;
	struct row_look look = { .in = in, .now_ms = now_ms, .words = &p->words };
	struct area log = { f->y, f->x, f->height - rows, f->width };
	struct area open = { f->y + log.height + 1, f->x, n, f->width };
	struct row_table table;

	session_view_draw(&in->session, in->screen, &log, now_ms);
	if (!n) return;
	screen_rule(in->screen, open.y - 1, f->x, f->width);
	page_clear(p, f->width);
	table = table_make(&look, items, n, f->width);
	for (size_t i = 0; i < n; i++)
		row_write(p, &look, &table, items[i], i == 0 && in->view == VIEW_SESSION);
	screen_page(in->screen, &open, p, 0);
}
