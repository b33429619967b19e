/* history.c - the list of settled asks. */
#include "tui/history.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "client/client.h"
#include "text/msg.h"
#include "tui/words.h"

enum { PAGE = 50, TITLE_POINTS = 200, WHEN_COLUMNS = 7, OUTCOME_COLUMNS = 11 };

static const char *const outcomes[] = { "", "approved", "rejected", "answered", "skipped",
	"expired", "cancelled" };

/* How far back, as the page offers it. */
static const struct {
	int days; /* today is one; 0: all */
	const char *id;
} spans[] = { { 0, NULL }, { 1, "web.history.when.today" },
	{ 7, "web.history.when.week" }, { 30, "web.history.when.month" } };

void history_clear(struct history *h)
{
	for (size_t i = 0; i < h->len; i++)
		mem_free(h->rows[i]);
	h->len = h->at = h->top = 0;
	h->loaded = false;
	buf_clear(&h->cursor);
}

void history_done(struct history *h)
{
	history_clear(h);
	mem_free(h->rows);
	buf_done(&h->cursor);
	buf_done(&h->project);
	buf_done(&h->agent);
	line_done(&h->search);
	*h = (struct history){ 0 };
}

static void param_add(struct buf *out, const char *name, struct str value)
{
	if (!value.len) return;
	buf_print(out, "&%s=", name);
	url_add(out, value);
}

void history_query(const struct history *h, struct buf *out, int64_t now_ms)
{
	int days = spans[h->days].days;
	char from[TIME_SIZE] = "";

	buf_print(out, "status=settled&limit=%d", PAGE);
	if (h->mine) buf_add_text(out, "&by=me");
	if (days) time_write(day_begin(now_ms, days - 1), from);
	param_add(out, "from", str_of(from));
	param_add(out, "outcome", str_of(outcomes[h->outcome]));
	param_add(out, "project", buf_str(&h->project));
	param_add(out, "agent", buf_str(&h->agent));
	param_add(out, "q", str_trim(line_text(&h->search)));
	param_add(out, "cursor", buf_str(&h->cursor));
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
			      : "web.history.fetched.not";
	row->then_ms = used ? used : fetched;
}

static struct history_row *row_make(const struct json *ask)
{
	struct arena arena = { 0 };
	struct str parts[] = { json_text_of(ask, "id"), str_of(ask_outcome(ask)),
		utf8_first(ask_title(ask, &arena), TITLE_POINTS),
		ask_settler(ask, &arena) };
	size_t size = 0;
	struct history_row *row;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		size += parts[i].len;
	row = mem_alloc(sizeof *row + size);
	if (row) {
		struct str *to[] = { &row->id, &row->outcome, &row->title, &row->who };
		char *at = row->text;

		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
			if (parts[i].len > 0) memcpy(at, parts[i].at, parts[i].len);
			*to[i] = str_make(at, parts[i].len);
			at += parts[i].len;
		}
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
	const struct json *items = json_get(page, "items");
	uint32_t count = json_is(items, JSON_ARRAY) ? items->count : 0;

	h->loading = false;
	h->loaded = true;
	buf_clear(&h->cursor);
	buf_add(&h->cursor, json_text_of(page, "next_cursor"));
	if (h->len + count > h->cap) {
		size_t cap = (h->len + count) * 2;
		struct history_row **rows = mem_grow(h->rows, cap * sizeof *rows);

		if (!rows) return;
		h->rows = rows;
		h->cap = cap;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct history_row *row = row_make(&items->items[i]);

		if (row) h->rows[h->len++] = row;
	}
}

bool history_go(struct history *h, int64_t by)
{
	int64_t to = (int64_t)h->at + by, last = (int64_t)h->len - 1;

	if (to > last) to = last;
	h->at = to > 0 ? (size_t)to : 0;
	return h->at + 1 >= h->len && h->cursor.len > 0 && !h->loading;
}

void history_outcome_next(struct history *h)
{
	h->outcome = (h->outcome + 1) % (sizeof outcomes / sizeof *outcomes);
}

void history_days_next(struct history *h)
{
	h->days = (h->days + 1) % (sizeof spans / sizeof *spans);
}

static struct str outcome_words(struct str outcome, struct arena *arena)
{
	struct str id = arena_print(arena, "tui.outcome.%.*s", STR_ARGS(outcome));

	return id.at ? MSG(arena, id.at) : outcome;
}

static void word_add(struct page *p, struct str word)
{
	if (!word.len) return;
	page_add_text(p, STYLE_PLAIN, "  ");
	page_add(p, STYLE_ACCENT, word);
}

void history_head(const struct history *h, struct page *p, struct arena *arena)
{
	word_add(p, MSG(arena, h->mine ? "tui.history.mine" : "tui.history.all"));
	if (h->outcome) word_add(p, outcome_words(str_of(outcomes[h->outcome]), arena));
	if (h->days) word_add(p, MSG(arena, spans[h->days].id));
	word_add(p, buf_str(&h->project));
	word_add(p, buf_str(&h->agent));
}

/* " 14:05 approved   Rotate the key      owner  deployer has it" */
static void row_write(struct page *p, const struct history_row *r)
{
	struct arena arena = { 0 };
	bool no = str_is(r->outcome, "rejected") || str_is(r->outcome, "revoked") ||
		  str_is(r->outcome, "expired") || str_is(r->outcome, "cancelled") ||
		  str_is(r->outcome, "skipped");
	size_t when = WHEN_COLUMNS, width = p->width;

	page_row(p);
	page_pad(p, 1);
	page_add(p, STYLE_SOFT, time_local(r->at_ms, r->at_ms, &arena));
	page_pad(p, when);
	page_add(p, no ? STYLE_WARN : STYLE_GOOD, outcome_words(r->outcome, &arena));
	if (r->changed) page_add_text(p, STYLE_GOOD, "+");
	page_pad(p, when + OUTCOME_COLUMNS);
	size_t tail = width >= 90 ? 40 : width >= 60 ? 16 : 0;
	p->width = width - tail;
	page_add(p, STYLE_PLAIN, r->title);
	p->width = width;
	if (tail > 0) {
		page_pad(p, width - tail);
		page_add_text(p, STYLE_PLAIN, " ");
		p->width = width - (tail > 16 ? 24 : 0);
		page_add(p, STYLE_SOFT, r->who);
		p->width = width;
	}
	if (tail > 16) {
		page_pad(p, width - 24);
		page_add_text(p, STYLE_PLAIN, " ");
		if (r->then)
			page_add(p, STYLE_SOFT,
				MSG(&arena, r->then,
					{ "at", time_local(
							r->then_ms, r->at_ms, &arena) }));
	}
	arena_done(&arena);
}

/* Does a day begin with this row? Its heading is a line of its own. */
static bool day_begins(const struct history *h, size_t i)
{
	return i == 0 || h->rows[i - 1]->day != h->rows[i]->day;
}

/* Scrolls until the cursor's row is in sight, with the heading above it when it has one. */
static void history_scroll(struct history *h, size_t height)
{
	size_t line = h->at;

	for (size_t i = 0; i <= h->at; i++)
		line += day_begins(h, i);
	if (line < h->top + day_begins(h, h->at)) h->top = line - day_begins(h, h->at);
	if (line >= h->top + height) h->top = line - height + 1;
}

void history_draw(
	struct history *h, struct screen *s, const struct area *f, int64_t now_ms)
{
	struct arena arena = { 0 };
	struct page p = { .width = f->width };
	size_t line = 0;

	if (h->len > 0) history_scroll(h, f->height);
	for (size_t i = 0; i < h->len && line < h->top + f->height; i++) {
		if (day_begins(h, i) && line++ >= h->top)
			screen_put(s, f->y + line - 1 - h->top, f->x, f->width,
				STYLE_BOLD, day_words(h->rows[i]->at_ms, now_ms, &arena));
		if (line < h->top || line >= h->top + f->height) {
			line++;
			continue;
		}
		page_clear(&p, f->width);
		row_write(&p, h->rows[i]);
		screen_draw(s, f->y + line++ - h->top, f->x, &p, 0,
			i == h->at ? STYLE_CURSOR : STYLE_PLAIN);
	}
	if (h->len == 0 && (h->loading || h->loaded))
		screen_put(s, f->y, f->x + 1, f->width - 1, STYLE_SOFT,
			MSG(&arena, h->loading ? "web.loading" : "tui.history.empty"));
	page_done(&p);
	arena_done(&arena);
}
