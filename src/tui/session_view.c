/* session_view.c - one session: its runs and its log. */
#include "tui/session_view.h"

#include "base/mem.h"
#include "text/msg.h"
#include "tui/mandate.h"
#include "tui/words.h"

void session_view_done(struct session_view *v)
{
	listing_done(&v->feed);
	buf_done(&v->id);
	buf_done(&v->title);
	buf_done(&v->agent);
	buf_done(&v->status);
	buf_done(&v->progress);
	run_tree_done(&v->tree);
	kept_done(&v->mandates);
	*v = (struct session_view){ 0 };
}

/* ---- data ---- */

static void text_set(struct buf *b, struct str text)
{
	buf_clear(b);
	buf_add(b, text);
}

void session_view_open(struct session_view *v, struct str id)
{
	struct buf kept = { .max = 256 };

	buf_add(&kept, id); /* may lie in what is done with */
	session_view_done(v);
	v->id = kept;
	v->loading = true;
}

void session_view_take(struct session_view *v, const struct json *s)
{
	if (!str_eq(json_text_of(s, "id"), buf_str(&v->id))) return;
	text_set(&v->title, json_text_of(s, "title"));
	text_set(&v->status, json_text_of(s, "status"));
	text_set(&v->agent, json_text_of(json_get(s, "agent"), "name"));
	v->runnable = json_is(json_get(s, "runnable"), JSON_TRUE);
}

int64_t session_view_last(const struct session_view *v)
{
	const struct feed_row *last =
		v->feed.all_len ? v->feed.all[v->feed.all_len - 1] : NULL;

	return last ? last->id : 0;
}

static enum feed_filter drawer_of(struct str type)
{
	if (str_starts(type, "ask.")) return FEED_ASKS;
	return str_is(type, "session.progress") ? FEED_PROGRESS : FEED_STATUS;
}

static bool feed_passes(const struct session_view *v, const struct feed_row *row)
{
	return v->filter == FEED_ALL || v->filter == row->drawer;
}

static void filter_next(struct session_view *v)
{
	v->filter = (v->filter + 1) % FEED_FILTERS;
	v->back = 0;
	v->feed.len = 0;
	for (size_t i = 0; i < v->feed.all_len; i++)
		if (feed_passes(v, v->feed.all[i]))
			v->feed.shown[v->feed.len++] = v->feed.all[i];
}

/* The oldest goes when there are too many. */
static void feed_add(struct session_view *v, struct feed_row *row)
{
	bool passes = feed_passes(v, row), below = v->back > 0 && passes;

	if (v->feed.all_len == FEED_MAX) listing_remove(&v->feed, 0);
	if (!listing_add(&v->feed, row)) return;
	v->feed.len -= !passes;
	v->back += below;
	v->fresh += below && !v->loading;
}

/* The title of an ask, as an earlier event had it. */
static struct str title_known(const struct session_view *v, struct str ask)
{
	for (size_t i = ask.len ? v->feed.all_len : 0; i > 0; i--) {
		const struct feed_row *row = v->feed.all[i - 1];

		if (row->title.len && str_eq(row->ask, ask)) return row->title;
	}
	return STR_NONE;
}

void session_view_event(struct session_view *v, const struct json *event)
{
	struct str type = json_text_of(event, "type");
	struct arena arena = { 0 };
	struct str ask = json_text_of(event, "ask");
	struct str title = json_text_of(json_get(event, "data"), "title");
	struct str about = title.len ? STR_NONE : title_known(v, ask);
	struct str words = event_words(event, about, &arena);
	struct str parts[] = { words, ask, title.len ? title : about };
	int64_t id = json_int_of(event, "id");
	struct feed_row *row =
		id > session_view_last(v) ? listing_row(sizeof *row, parts, 3) : NULL;

	if (row) {
		row->id = id;
		row->at_ms = ask_time(event, "at");
		row->drawer = drawer_of(type);
		feed_add(v, row);
	}
	if (str_is(type, "session.status"))
		text_set(&v->status, json_text_of(json_get(event, "data"), "status"));
	if (str_is(type, "session.progress")) text_set(&v->progress, words);
	arena_done(&arena);
}

bool session_view_key(struct session_view *v, const struct key *k, size_t height)
{
	int32_t letter = key_letter(k);
	size_t page = height > 2 ? height - 2 : 1;

	if (k->name == K_UP || letter == 'k')
		v->back++;
	else if (k->name == K_DOWN || letter == 'j')
		v->back -= v->back > 0;
	else if (k->name == K_PAGE_UP)
		v->back += page;
	else if (k->name == K_PAGE_DOWN)
		v->back -= v->back > page ? page : v->back;
	else if (k->name == K_HOME)
		v->back = v->feed.len;
	else if (k->name == K_END || letter == 'G')
		v->back = 0;
	else if (letter == 'f' || k->name == K_TAB)
		filter_next(v);
	else
		return false;
	if (v->back == 0) v->fresh = 0;
	return true;
}

/* ---- drawing ---- */

static enum style status_style(struct str status)
{
	if (str_is(status, "running")) return STYLE_GOOD;
	if (str_starts(status, "waiting")) return STYLE_WARN;
	return str_is(status, "failed") ? STYLE_BAD : STYLE_SOFT;
}

/* In this many rows at most. */
static void mandates_write(
	const struct session_view *v, struct page *p, size_t max, int64_t now_ms)
{
	size_t end = p->rows_len + max;
	struct str hint = MSG(&p->words, "tui.mandate.key");

	for (const struct json *one = NULL; json_each(v->mandates.json, &one);) {
		if (p->rows_len < end)
			mandate_live_draw(p, one, hint, end - p->rows_len, now_ms);
		hint = STR_NONE; /* the key ends the first */
	}
}

static void head_write(
	const struct session_view *v, struct page *p, size_t max, int64_t now_ms)
{
	static const char *const names[] = {
		[FEED_ALL] = "web.feed.all",
		[FEED_ASKS] = "tui.feed.asks",
		[FEED_PROGRESS] = "tui.feed.progress",
		[FEED_STATUS] = "tui.feed.status",
	};
	struct str status = buf_str(&v->status);

	page_row(p);
	page_add(p, STYLE_BOLD, v->title.len > 0 ? buf_str(&v->title) : buf_str(&v->id));
	page_row(p);
	if (status.len) {
		page_add_text(p, status_style(status), "● ");
		page_add(p, status_style(status),
			msg_named(&p->words, "web.status", status));
	}
	page_dot(p, STYLE_SOFT, buf_str(&v->agent));
	page_dot(p, STYLE_PLAIN, buf_str(&v->progress));
	run_tree_add(&v->tree, p, 0, max);
	mandates_write(v, p, max / 2, now_ms);
	page_row(p);
	for (enum feed_filter i = FEED_ALL; i < FEED_FILTERS; i++)
		page_word(p, v->filter == i ? STYLE_ACCENT : STYLE_SOFT,
			MSG(&p->words, names[i]));
}

/* The end of the log, or what is `back` rows above it. */
static void feed_draw(
	struct session_view *v, struct screen *s, const struct area *f, int64_t now_ms)
{
	size_t shown = v->feed.len;
	struct page p = { .width = f->width };

	if (v->back + f->height > shown)
		v->back = shown > f->height ? shown - f->height : 0;
	for (size_t i = shown > f->height ? shown - f->height - v->back : 0;
		i < shown - v->back; i++) {
		const struct feed_row *r = v->feed.shown[i];

		page_row(&p);
		page_add(&p, STYLE_SOFT, time_local(r->at_ms, now_ms, &p.words));
		page_word(&p, r->drawer == FEED_ASKS ? STYLE_ACCENT : STYLE_PLAIN,
			r->words);
	}
	screen_page(s, f, &p, 0);
	page_done(&p);
}

void session_view_draw(
	struct session_view *v, struct screen *s, const struct area *f, int64_t now_ms)
{
	struct page p = { .width = f->width };
	struct area log = *f;
	size_t head;

	head_write(v, &p, f->height / 2, now_ms);
	screen_page(s, f, &p, 0);
	head = p.rows_len;
	log.y += head + 1;
	log.height = f->height > head + 1 ? f->height - head - 1 : 0;
	screen_rule(s, f->y + head, f->x, f->width);
	if (v->fresh > 0)
		screen_put(s, f->y + head, f->x + 2, f->width - 2, STYLE_WARN,
			arena_print(&p.words, " ↓ %s ",
				msg_count(&p.words, "web.feed.fresh", (int64_t)v->fresh)
					.at));
	feed_draw(v, s, &log, now_ms);
	page_done(&p);
}
