/* history.c - the list of settled asks. */
#include "tui/history.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "client/client.h"
#include "core/policy/operation.h"
#include "text/msg.h"
#include "text/safe_text.h"
#include "tui/session_list.h"
#include "tui/words.h"

enum {
	PAGE = 50,
	TITLE_POINTS = 200,
	WHEN_COLUMNS = 7,
	OUTCOME_COLUMNS = 11,
	WHO_MOST = 20,
	GAP = 2,
	TABLE_MOST = 140, /* wider, and one cannot follow a row */
	DETAIL_ROWS = 5,
	DETAIL_FROM = 18, /* rows of the list */
	LINE_BYTES = 1024,
};

static const char *const outcomes[] = { "", "approved", "rejected", "answered", "skipped",
	"expired", "cancelled" };

static const char *const settlers[] = { "", "me", "rules" };

static const int days[] = { 0, 1, 7, 30 }; /* how far back; today is one, 0: all */

static const struct filter_kind filters[HISTORY_FILTERS] = {
	[HISTORY_BY] = { 'm', "tui.filter.by",
		{ "tui.history.all", "tui.history.mine", "tui.history.rules" } },
	[HISTORY_OUTCOME] = { 'f', "tui.filter.outcome",
		{ NULL, "tui.outcome.approved", "tui.outcome.rejected",
			"tui.outcome.answered", "tui.outcome.skipped",
			"tui.outcome.expired", "tui.outcome.cancelled" } },
	[HISTORY_DAYS] = { 'd', "tui.filter.days",
		{ NULL, "web.history.when.today", "web.history.when.week",
			"web.history.when.month" } },
	[HISTORY_PROJECT] = { 'P', "tui.filter.project",
		.names = offsetof(struct session_item, project) },
	[HISTORY_AGENT] = { 'A', "tui.filter.agent",
		.names = offsetof(struct session_item, agent) },
};

struct filter_group history_filters(struct history *h, const struct row_list *sessions)
{
	return (struct filter_group){ h->filters, filters, HISTORY_FILTERS, sessions,
		.counts = &h->counts };
}

bool history_narrowed(const struct history *h)
{
	return filter_on(h->filters, HISTORY_FILTERS) || h->search.text.len > 0;
}

void history_show_all(struct history *h)
{
	filter_done(h->filters, HISTORY_FILTERS);
	line_set(&h->search, STR_NONE);
}

void history_clear(struct history *h)
{
	listing_clear(&h->rows);
	h->loaded = false;
	buf_clear(&h->cursor);
}

void history_done(struct history *h)
{
	listing_done(&h->rows);
	buf_done(&h->cursor);
	filter_done(h->filters, HISTORY_FILTERS);
	line_done(&h->search);
	*h = (struct history){ 0 };
}

static void param_add(struct buf *out, const char *name, struct str value)
{
	if (!value.len) return;
	buf_print(out, "&%s=", name);
	url_add(out, value);
}

/* "&by=me&agent=ci": what is filtered and searched. */
static void narrowed_add(const struct history *h, struct buf *out, int64_t now_ms)
{
	const struct filter *f = h->filters;
	int back = days[f[HISTORY_DAYS].at];
	char from[TIME_SIZE] = "";

	param_add(out, "by", str_of(settlers[f[HISTORY_BY].at]));
	if (back) time_write(day_begin(now_ms, back - 1), from);
	param_add(out, "from", str_of(from));
	param_add(out, "outcome", str_of(outcomes[f[HISTORY_OUTCOME].at]));
	param_add(out, "project", buf_str(&f[HISTORY_PROJECT].name));
	param_add(out, "agent", buf_str(&f[HISTORY_AGENT].name));
	param_add(out, "q", str_trim(line_text(&h->search)));
}

void history_query(const struct history *h, struct buf *out, int64_t now_ms)
{
	buf_print(out, "status=settled&limit=%d", PAGE);
	narrowed_add(h, out, now_ms);
	param_add(out, "cursor", buf_str(&h->cursor));
}

struct counts_query {
	const struct history *h;
	struct buf *out;
	int64_t now_ms;
};

static void counts_query(void *ctx)
{
	const struct counts_query *q = ctx;

	narrowed_add(q->h, q->out, q->now_ms);
}

bool history_counts_query(struct history *h, const struct row_list *sessions,
	size_t which, struct buf *out, int64_t now_ms)
{
	struct filter_group g = history_filters(h, sessions);
	struct counts_query q = { h, out, now_ms };

	if (h->counts.len >= FILTER_COUNTED || h->counts.len >= filter_choices(&g, which))
		return false;
	filter_with(&g, which, h->counts.len, counts_query, &q);
	return true;
}

/* Does the agent have it, and has it been used? As the page says it. */
static void then_set(struct history_row *row, const struct json *ask)
{
	int64_t used = ask_time(ask, "used_at"), fetched = ask_time(ask, "fetched_at");

	if (json_is(json_get(ask, "revoked"), JSON_OBJECT) ||
		!json_is(json_get(ask, "answer"), JSON_OBJECT))
		return;
	row->then = used      ? "tui.history.used"
		    : fetched ? "tui.history.fetched"
			      : "web.has.fetched.not";
	row->then_ms = used ? used : fetched;
}

static void line_add(struct buf *out, struct str text)
{
	struct str line;

	if (str_cut(&text, '\n', &line)) words_join(out, "\n", line);
}

/* The arguments that it was approved with, if the person changed them. */
static const struct json *arguments_of(const struct json *answer)
{
	for (uint32_t i = 0; json_is(answer, JSON_OBJECT) && i < answer->count; i++) {
		const struct json *found =
			json_get(&answer->members[i].value, "arguments");

		if (json_is(found, JSON_OBJECT)) return found;
	}
	return NULL;
}

/* By whom, what it was about, what was said, and when it was asked. */
static struct str detail_of(const struct json *ask, struct arena *arena)
{
	const struct json *op = json_get(ask, "operation"),
			  *answer = json_get(ask, "answer");
	struct buf text = { .max = 16 * LINE_BYTES }, line = { .max = LINE_BYTES };
	int64_t asked = ask_time(ask, "created_at");

	words_join(&text, "\n", ask_settled(ask, arena));
	if (json_is(op, JSON_OBJECT))
		operation_line(&line, op, " ");
	else
		buf_add(&line, answer_all_words(ask, answer, arena));
	line_add(&text, buf_str(&line));
	buf_clear(&line);
	if (arguments_of(answer)) {
		buf_add_text(&line, "→ ");
		json_write(&line, arguments_of(answer));
	}
	line_add(&text, buf_str(&line));
	buf_done(&line);
	if (json_is(op, JSON_OBJECT) && words_said(answer).len)
		line_add(&text,
			MSG(arena, "tui.history.said", { "text", words_said(answer) }));
	line_add(&text, MSG(arena, "tui.history.asked",
				{ "at", time_local(asked, clock_now_ms(), arena) },
				{ "agent", ask_agent(ask, arena) }));
	return buf_keep_done(&text, arena);
}

static struct history_row *row_make(const struct json *ask)
{
	struct arena arena = { 0 };
	struct str parts[] = { json_text_of(ask, "id"), str_of(ask_outcome(ask)),
		utf8_first(ask_title(ask, &arena), TITLE_POINTS),
		ask_settler(ask, &arena), detail_of(ask, &arena) };
	struct history_row *row =
		listing_row(sizeof *row, parts, sizeof parts / sizeof *parts);

	if (row) {
		row->at_ms = ask_time(ask, "settled_at");
		row->day = day_local(row->at_ms);
		then_set(row, ask);
		row->changed = ask_changed(ask);
	}
	arena_done(&arena);
	return row;
}

void history_take(struct history *h, const struct json *page)
{
	h->loaded = true;
	buf_clear(&h->cursor);
	buf_add(&h->cursor, json_text_of(page, "next_cursor"));
	for (const struct json *ask = NULL; json_each(json_get(page, "items"), &ask);)
		listing_add(&h->rows, row_make(ask));
}

bool history_ends(const struct history *h)
{
	return h->rows.at + 1 >= h->rows.len && h->cursor.len > 0;
}

/* Where the columns behind the title begin: each is as wide as what is in it. */
struct history_table {
	size_t who, then;
};

static struct str then_words(const struct history_row *r, struct arena *arena)
{
	if (!r->then) return STR_NONE;
	return MSG(arena, r->then, { "at", time_local(r->then_ms, r->at_ms, arena) });
}

static struct history_table table_make(const struct history *h, struct page *p)
{
	size_t who = 0, then = 0;

	for (size_t i = 0; i < h->rows.len; i++) {
		const struct history_row *row = h->rows.shown[i];
		size_t name = text_width(safe_line(&p->words, row->who));
		size_t said = text_width(then_words(row, &p->words));

		if (name > who) who = name < WHO_MOST ? name : WHO_MOST;
		if (said > then) then = said;
	}
	then = p->width >= 70 && then ? p->width - then - GAP : p->width;
	return (struct history_table){ p->width >= 60 && who ? then - who - GAP : then,
		then };
}

/* "▸14:05 approved   Rotate the key      owner  used at 14:06" */
static void row_write(struct page *p, const struct history_table *t,
	const struct history_row *r, bool here)
{
	bool no = str_is(r->outcome, "rejected") || str_is(r->outcome, "revoked") ||
		  str_is(r->outcome, "expired") || str_is(r->outcome, "cancelled") ||
		  str_is(r->outcome, "skipped");

	page_row(p);
	page_add_text(p, STYLE_ACCENT, here ? "▸" : " ");
	page_add(p, STYLE_SOFT, time_local(r->at_ms, r->at_ms, &p->words));
	page_pad(p, WHEN_COLUMNS);
	page_add(p, no ? STYLE_WARN : STYLE_GOOD,
		msg_named(&p->words, "tui.outcome", r->outcome));
	if (r->changed) page_add_text(p, STYLE_GOOD, "+");
	page_pad(p, WHEN_COLUMNS + OUTCOME_COLUMNS);
	page_cell(p, t->who + 1, STYLE_PLAIN, r->title);
	if (t->then > t->who) {
		page_pad(p, t->who + GAP);
		page_cell(p, t->then + 1, STYLE_SOFT, r->who);
	}
	if (p->width == t->then || !r->then) return;
	page_pad(p, t->then + GAP);
	page_add(p, STYLE_SOFT, then_words(r, &p->words));
}

/* Does a day begin with this row? Its heading is a line of its own. */
static bool day_begins(const struct history *h, size_t i)
{
	const struct history_row *row = h->rows.shown[i];
	const struct history_row *before = i ? h->rows.shown[i - 1] : NULL;

	return !before || before->day != row->day;
}

/* Below a rule: the one under the cursor. */
static void detail_draw(
	const struct history_row *row, struct screen *s, const struct area *f)
{
	struct area below = { f->y + f->height - DETAIL_ROWS, f->x, DETAIL_ROWS,
		f->width };
	struct page p = { .width = f->width };
	struct str rest = row->detail, line;

	screen_rule(s, below.y - 1, f->x, f->width);
	for (bool first = true; str_cut(&rest, '\n', &line); first = false) {
		page_row(&p);
		page_pad(&p, 1);
		page_add(&p, first ? STYLE_BOLD : STYLE_PLAIN, line);
	}
	screen_page(s, &below, &p, 0);
	page_done(&p);
}

void history_draw(struct history *h, struct screen *s, const struct area *f,
	int64_t now_ms, bool loading, bool beside)
{
	struct page p = { .width = f->width < TABLE_MOST ? f->width : TABLE_MOST };
	struct history_table table = table_make(h, &p);
	struct area list = *f;

	if (f->height >= DETAIL_FROM && h->rows.len && !beside) {
		list.height -= DETAIL_ROWS + 1;
		detail_draw(listing_at(&h->rows), s, f);
	}
	for (size_t i = 0; i < h->rows.len; i++) {
		const struct history_row *row = h->rows.shown[i];

		if (day_begins(h, i)) {
			page_row(&p);
			page_add(&p, STYLE_BOLD, day_words(row->at_ms, now_ms, &p.words));
		}
		row_write(&p, &table, row, i == h->rows.at);
		if (i == h->rows.at) page_mark(&p, STYLE_CURSOR);
	}
	if (h->rows.len > 0)
		listing_scroll(
			&h->rows, p.marked_row, day_begins(h, h->rows.at), list.height);
	else if (loading || h->loaded)
		screen_say(s, f,
			loading		      ? "web.loading"
			: history_narrowed(h) ? "tui.filtered"
					      : "tui.history.empty");
	screen_page(s, &list, &p, h->rows.top);
	page_done(&p);
}
