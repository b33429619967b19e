/* session_view.c - one session: its runs and its log. */
#include "tui/session_view.h"

#include "base/mem.h"
#include "text/msg.h"
#include "tui/words.h"

static void feed_clear(struct session_view *v)
{
	for (size_t i = 0; i < v->feed_len; i++)
		mem_free(v->feed[i]);
	v->feed_len = 0;
	v->back = v->fresh = 0;
}

void session_view_done(struct session_view *v)
{
	feed_clear(v);
	mem_free(v->feed);
	buf_done(&v->id);
	buf_done(&v->title);
	buf_done(&v->agent);
	buf_done(&v->status);
	buf_done(&v->progress);
	run_tree_done(&v->tree);
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
	struct buf copy = { .max = 256 };

	buf_add(&copy, id); /* may lie in what is cleared */
	feed_clear(v);
	text_set(&v->id, buf_str(&copy));
	buf_clear(&v->title);
	buf_clear(&v->status);
	buf_clear(&v->agent);
	buf_clear(&v->progress);
	run_tree_done(&v->tree);
	v->runnable = v->again = false;
	v->filter = FEED_ALL;
	v->loading = true;
	buf_done(&copy);
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
	return v->feed_len > 0 ? v->feed[v->feed_len - 1]->id : 0;
}

static enum feed_filter drawer_of(struct str type)
{
	if (str_starts(type, "ask.")) return FEED_ASKS;
	return str_is(type, "session.progress") ? FEED_PROGRESS : FEED_STATUS;
}

static bool feed_room(struct session_view *v)
{
	size_t cap = v->feed_cap ? v->feed_cap * 2 : 64;
	struct feed_row **grown;

	if (v->feed_len == FEED_MAX) {
		mem_free(v->feed[0]);
		memmove(v->feed, v->feed + 1, --v->feed_len * sizeof *v->feed);
	}
	if (v->feed_len < v->feed_cap) return true;
	grown = mem_grow(v->feed, cap * sizeof *grown);
	if (!grown) return false;
	v->feed = grown;
	v->feed_cap = cap;
	return true;
}

static bool feed_passes(const struct session_view *v, const struct feed_row *row)
{
	return v->filter == FEED_ALL || v->filter == row->drawer;
}

void session_view_event(struct session_view *v, const struct json *event)
{
	const struct json *id = json_get(event, "id");
	struct str type = json_text_of(event, "type");
	struct arena arena = { 0 };
	struct str words = event_words(event, &arena);
	struct feed_row *row = NULL;

	if (id && id->is_int && id->integer > session_view_last(v) && feed_room(v))
		row = mem_alloc(sizeof *row + words.len);
	if (row) {
		*row = (struct feed_row){ .id = id->integer,
			.at_ms = ask_time(event, "at"),
			.drawer = drawer_of(type) };
		if (words.len > 0) memcpy(row->text, words.at, words.len);
		row->words = str_make(row->text, words.len);
		v->feed[v->feed_len++] = row;
		bool below = v->back > 0 && feed_passes(v, row);
		v->back += below;
		v->fresh += below && !v->loading;
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
		v->back = v->feed_len;
	else if (k->name == K_END || letter == 'G')
		v->back = 0;
	else if (letter == 'f' || k->name == K_TAB)
		v->filter = (v->filter + 1) % FEED_FILTERS, v->back = 0;
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

static void status_add(struct page *p, struct str status, struct arena *arena)
{
	if (status.len == 0) return;
	page_add_text(p, status_style(status), "● ");
	page_add(p, status_style(status),
		MSG(arena, arena_print(arena, "web.status.%.*s", STR_ARGS(status)).at));
}

static void head_draw(struct session_view *v, struct screen *s, const struct area *f,
	struct page *p, struct arena *arena)
{
	static const char *const names[] = {
		[FEED_ALL] = "web.feed.all",
		[FEED_ASKS] = "web.feed.asks",
		[FEED_PROGRESS] = "web.feed.progress",
		[FEED_STATUS] = "web.feed.status",
	};

	page_row(p);
	page_add(p, STYLE_BOLD, v->title.len > 0 ? buf_str(&v->title) : buf_str(&v->id));
	page_row(p);
	status_add(p, buf_str(&v->status), arena);
	page_add_text(p, STYLE_SOFT, " · ");
	page_add(p, STYLE_SOFT, buf_str(&v->agent));
	if (v->progress.len > 0) {
		page_add_text(p, STYLE_SOFT, " · ");
		page_add(p, STYLE_PLAIN, buf_str(&v->progress));
	}
	run_tree_add(&v->tree, p, f->height / 2, arena);
	page_row(p);
	for (int i = 0; i < FEED_FILTERS; i++) {
		bool on = v->filter == (enum feed_filter)i;

		page_add_text(p, STYLE_PLAIN, i > 0 ? "  " : "");
		page_add(p, on ? STYLE_ACCENT : STYLE_SOFT, MSG(arena, names[i]));
	}
	for (size_t i = 0; i < p->rows_len; i++)
		screen_draw(s, f->y + i, f->x, p, i, STYLE_PLAIN);
}

/* Fills from the end upwards, `back` rows above it. */
static void feed_draw(struct session_view *v, struct screen *s, const struct area *f,
	int64_t now_ms, struct arena *arena)
{
	size_t shown = 0, skip, row = f->height;
	struct page p = { .width = f->width };

	for (size_t i = 0; i < v->feed_len; i++)
		shown += feed_passes(v, v->feed[i]);
	if (v->back + f->height > shown)
		v->back = shown > f->height ? shown - f->height : 0;
	if (shown < f->height) row = shown;
	skip = v->back;
	for (size_t i = v->feed_len; i > 0 && row > 0; i--) {
		const struct feed_row *r = v->feed[i - 1];

		if (!feed_passes(v, r) || (skip > 0 && skip--)) continue;
		page_clear(&p, f->width);
		page_row(&p);
		page_add(&p, STYLE_SOFT, time_local(r->at_ms, now_ms, arena));
		page_add_text(&p, STYLE_PLAIN, "  ");
		page_add(&p, r->drawer == FEED_ASKS ? STYLE_ACCENT : STYLE_PLAIN,
			r->words);
		screen_draw(s, f->y + --row, f->x, &p, 0, STYLE_PLAIN);
	}
	page_done(&p);
}

void session_view_draw(
	struct session_view *v, struct screen *s, const struct area *f, int64_t now_ms)
{
	struct arena arena = { 0 };
	struct page p = { .width = f->width };
	struct area log = *f;
	size_t head;

	head_draw(v, s, f, &p, &arena);
	head = p.rows_len;
	log.y += head + 1;
	log.height = f->height > head + 1 ? f->height - head - 1 : 0;
	screen_rule(s, f->y + head, f->x, f->width);
	if (v->fresh > 0)
		screen_put(s, f->y + head, f->x + 2, f->width - 2, STYLE_WARN,
			arena_print(&arena, " ↓ %.*s ",
				STR_ARGS(msg_count(
					&arena, "web.feed.fresh", (int64_t)v->fresh))));
	feed_draw(v, s, &log, now_ms, &arena);
	page_done(&p);
	arena_done(&arena);
}
