/* inbox_draw.c - the inbox on the screen: head, list, ask or session, status line. */
#include "base/clock.h"
#include "text/safe_text.h"
#include "tui/inbox_inner.h"
#include "tui/stop_line.h"
#include "tui/words.h"

enum { WIDE = 100, NARROW = 60, LIST_MAX = 88, ROOMY = 120 };

bool inbox_wide(const struct inbox *in)
{
	return screen_columns(in->screen) >= WIDE;
}

static size_t list_width(const struct inbox *in)
{
	size_t all = screen_columns(in->screen);
	size_t part = all >= ROOMY ? all / 2 : all * 9 / 20;

	if (!inbox_wide(in)) return all;
	return part > LIST_MAX ? LIST_MAX : part;
}

size_t draw_ask_width(const struct inbox *in)
{
	size_t all = screen_columns(in->screen);

	return inbox_wide(in) ? all - list_width(in) - 2 : all;
}

static bool is_stopped(const struct inbox *in)
{
	return in->stops.json && in->stops.json->count;
}

/* The first that does not work, of those an admin sees; NULL: all do. */
static const struct json *channel_down(const struct inbox *in)
{
	for (const struct json *c = NULL; json_each(in->channels.json, &c);)
		if (str_is(json_text_of(c, "state"), "down")) return c;
	return NULL;
}

/* A stop has a row of its own, and so has a channel that does not work. */
size_t draw_head_height(const struct inbox *in)
{
	return 1 + is_stopped(in) + (channel_down(in) != NULL);
}

size_t draw_list_height(const struct inbox *in)
{
	size_t rows = screen_rows(in->screen);

	return rows > draw_head_height(in) + 2 ? rows - draw_head_height(in) - 1 : 1;
}

/* ---- the list ---- */

static void list_draw(struct inbox *in, const struct area *f, int64_t now_ms)
{
	const struct row_list *l = &in->list.rows;
	struct area list = *f;

	if (in->hint) {
		struct page p = { .width = f->width };

		PAGE_WRAP(&p, STYLE_WARN, 1, in->hint);
		screen_page(in->screen, f, &p, 0);
		list.y += p.rows_len;
		list.height -= p.rows_len;
		page_done(&p);
	}
	if (l->len == 0 && (!in->hint || l->all_len > 0))
		screen_say(in->screen, &list,
			l->all_len > 0 ? "tui.filtered"
			: !in->whole   ? "web.loading"
				       : "web.inbox.empty");
	inbox_rows_draw(in, &list, now_ms);
}

/* ---- head and status ---- */

static void search_add(struct inbox *in, struct page *p)
{
	const struct line *search = inbox_searched(in);

	if (!in->searching && !search->text.len) return;
	page_add_text(p, STYLE_PLAIN, "  /");
	if (in->searching)
		page_line(p, STYLE_ACCENT, search);
	else
		page_add(p, STYLE_ACCENT, line_text(search));
}

/* The view that is shown stands in brackets: colours only repeat it. */
static void tab_add(struct page *p, const char *id, size_t count, bool on)
{
	page_add_text(p, STYLE_BOLD, on ? "[" : " ");
	PAGE_MSG(p, on ? STYLE_BOLD : STYLE_SOFT, id);
	if (count)
		page_add(p, on ? STYLE_BOLD : STYLE_PLAIN,
			arena_print(&p->words, " %zu", count));
	page_add_text(p, STYLE_BOLD, on ? "]" : " ");
}

/* "12 of 300" at the right end: which row the cursor stands on; "50+": there are more. */
static void position_add(const struct inbox *in, struct page *p)
{
	const struct row_list *l = in->view == VIEW_LIST       ? &in->list.rows
				   : in->view == VIEW_SESSIONS ? &in->sessions.rows
				   : in->view == VIEW_HISTORY  ? &in->history.rows
							       : NULL;
	bool more = in->view == VIEW_HISTORY && in->history.cursor.len > 0;
	struct str text;

	if (!l || !l->len) return;
	text = MSG(&p->words, "tui.position",
		{ "at", arena_print(&p->words, "%zu", l->at + 1) },
		{ "n", arena_print(&p->words, more ? "%zu+" : "%zu", l->len) });
	if (p->column + 2 + text_width(text) > p->width) return;
	page_pad(p, p->width - text_width(text));
	page_add(p, STYLE_SOFT, text);
}

static void head_draw(struct inbox *in, int64_t now_ms)
{
	struct page *p = &in->page;
	size_t chosen = list_chosen(&in->list);
	bool help = in->view == VIEW_HELP;
	bool sessions = in->view == VIEW_SESSION || in->view == VIEW_SESSIONS ||
			(in->view == VIEW_ASK && in->back == VIEW_SESSION);
	bool history = in->view == VIEW_HISTORY ||
		       (in->view == VIEW_ASK && in->back == VIEW_HISTORY);
	bool inbox = !sessions && !history && !help;
	struct filter_group filters = inbox_filters(in);

	page_clear(p, screen_columns(in->screen));
	tab_add(p, "web.nav.inbox", list_waiting(&in->list, now_ms), inbox);
	tab_add(p, "web.nav.sessions", in->running.len, sessions);
	tab_add(p, "web.nav.history", 0, history);
	if (help) tab_add(p, "web.keys", 0, true);
	filter_head(&filters, p);
	if (in->view != VIEW_SESSION && !help) search_add(in, p);
	if (in->batch)
		page_word(p, STYLE_GOOD,
			msg_count(&p->words, "tui.batch.title", (int64_t)in->many.taken));
	else if (chosen)
		page_word(p, STYLE_GOOD,
			msg_count(&p->words, "web.batch.chosen", (int64_t)chosen));
	if (!in->searching) position_add(in, p);
	screen_draw(in->screen, 0, 0, p, 0);
	if (p->cursor) screen_cursor(in->screen, 0, p->cursor_column);
}

static void stop_draw(struct inbox *in, int64_t now_ms)
{
	page_clear(&in->page, screen_columns(in->screen));
	stop_line_add(&in->stops, &in->page, now_ms);
	screen_draw(in->screen, 1, 0, &in->page, 0);
}

/* "Slack is not working: invalid_auth · 14:02": an admin can mend it. */
static void channel_draw(struct inbox *in, int64_t now_ms)
{
	const struct json *c = channel_down(in);
	struct page *p = &in->page;
	int64_t since = ask_time(c, "since");

	if (!c) return;
	page_clear(p, screen_columns(in->screen));
	page_add_text(p, STYLE_BAD, " ");
	PAGE_MSG(p, STYLE_BAD, "web.channels.failing",
		{ "channel", msg_named(&p->words, "web.deliveries",
				     json_text_of(c, "channel")) },
		{ "error", safe_line(&p->words, json_text_of(c, "error")) });
	if (since) page_dot(p, STYLE_SOFT, time_local(since, now_ms, &p->words));
	screen_draw(in->screen, draw_head_height(in) - 1, 0, p, 0);
}

static struct str keys_now(struct inbox *in, struct arena *arena)
{
	if (in->searching) return MSG(arena, "tui.keys.search");
	if (in->menu) return MSG(arena, "tui.keys.filter");
	if (in->view == VIEW_ASK && in->dialog_on) return dialog_keys(&in->dialog, arena);
	if (in->view == VIEW_LIST && list_chosen(&in->list) > 0)
		return MSG(arena, "tui.keys.batch");
	if (in->view == VIEW_LIST && in->hint) return MSG(arena, "tui.keys.list.reader");
	return MSG(arena, inbox_views[in->view].footer);
}

/* "13 pending"; "6 of 13 pending" behind a filter. */
static struct str pending_words(
	const struct inbox *in, int64_t now_ms, struct arena *arena)
{
	size_t all = list_waiting(&in->list, now_ms), shown = list_passing(&in->list);

	if (in->view != VIEW_LIST || shown >= all)
		return msg_count(arena, "tui.pending", (int64_t)all);
	return MSG(arena, "tui.pending.some",
		{ "shown", arena_print(arena, "%zu", shown) },
		{ "n", arena_print(arena, "%zu", all) });
}

/* "● live · 5 pending · 2:47 → rejected", then what happened last, or the keys. */
static void status_draw(struct inbox *in, int64_t now_ms, int64_t mono_ms)
{
	static const struct {
		enum style style;
		const char *id;
	} lines[] = {
		[LINE_CONNECTING] = { STYLE_WARN, "tui.line.connecting" },
		[LINE_LIVE] = { STYLE_GOOD, "tui.line.live" },
		[LINE_LOST] = { STYLE_BAD, "tui.line.lost" },
	};
	struct page *p = &in->page;
	size_t last = screen_rows(in->screen) - 1;
	const struct item *next = list_next_due(&in->list);
	bool decides = in->dialog_on &&
		       (in->dialog.scoping ||
			       (in->dialog.open && form_decides(&in->dialog.form)));
	bool said = in->notice.len > 0 && mono_ms < in->notice_until;
	/* What is said needs the room, and so do the keys of an ask, which says its own end. */
	bool room = p->width >= WIDE || (p->width >= NARROW && !said && !decides);

	page_clear(p, screen_columns(in->screen));
	page_add_text(p, lines[in->line].style, " ● ");
	PAGE_MSG(p, lines[in->line].style, lines[in->line].id);
	/* The title line has the count as well; where there is little room, the keys to decide matter more. */
	if (p->width >= (decides ? WIDE : NARROW) || in->view == VIEW_LIST)
		page_dot(p, STYLE_PLAIN, pending_words(in, now_ms, &p->words));
	if (next && room)
		page_dot(p, STYLE_WARN,
			words_due(next->deadline_ms - now_ms, next->end, &p->words));
	if (in->running.len && in->view == VIEW_SESSIONS)
		page_dot(p, STYLE_GOOD,
			arena_print(&p->words, "%zu %s", in->running.len,
				msg_text("web.nav.running")));
	if (in->prompt)
		page_add_text(p, STYLE_SOFT, "  "), prompt_draw(in, p);
	else if (in->dialog_on && in->dialog.busy)
		page_word(p, STYLE_SOFT, MSG(&p->words, "tui.sending"));
	else if (said)
		page_word(p, in->notice_style, buf_str(&in->notice));
	else
		page_hints(p, STYLE_SOFT, keys_now(in, &p->words));
	screen_draw(in->screen, last, 0, p, 0);
	if (p->cursor) screen_cursor(in->screen, last, p->cursor_column);
}

/* ---- all of it ---- */

/* The menu of a filter, above the list that it filters, which gets what is left. */
static void menu_draw(struct inbox *in, struct area *list)
{
	struct filter_group filters = inbox_filters(in);
	struct page p = { .width = list->width };

	if (!in->menu || in->menu_which >= filters.n) return;
	filter_menu(&filters, in->menu_which, list->height / 2, &p);
	screen_page(in->screen, list, &p, 0);
	screen_rule(in->screen, list->y + p.rows_len, list->x, list->width);
	list->y += p.rows_len + 1;
	list->height -= p.rows_len + 1;
	page_done(&p);
}

static void inbox_part(struct inbox *in, int64_t now_ms, int64_t mono_ms)
{
	size_t left = list_width(in), top = draw_head_height(in);
	struct area list = { top, 0, draw_list_height(in), left };
	struct area ask = { top, inbox_wide(in) ? left + 2 : 0, draw_list_height(in),
		draw_ask_width(in) };

	if (inbox_wide(in)) screen_bar(in->screen, top, left, list.height);
	menu_draw(in, &list);
	if (in->view == VIEW_ASK && in->back == VIEW_SESSION && inbox_wide(in))
		inbox_session_draw(in, &list, now_ms);
	else if (in->view == VIEW_ASK && in->back == VIEW_HISTORY && inbox_wide(in))
		history_draw(&in->history, in->screen, &list, now_ms, false, true);
	else if (inbox_wide(in) || in->view == VIEW_LIST)
		list_draw(in, &list, now_ms);
	if (!inbox_wide(in) && in->view != VIEW_ASK) return;
	in->dialog.form.idle = in->view != VIEW_ASK;
	if (in->dialog_on)
		dialog_draw(&in->dialog, in->screen, &ask, now_ms, mono_ms);
	else if (in->wanted.len > 0)
		screen_put(in->screen, ask.y, ask.x, ask.width, STYLE_SOFT,
			str_of(msg_text("web.loading")));
	if (in->view != VIEW_ASK) screen_cursor(in->screen, SIZE_MAX, 0);
}

void inbox_draw(struct inbox *in)
{
	int64_t now_ms = clock_now_ms(), mono_ms = clock_person_ms();
	struct area whole = { draw_head_height(in), 0, draw_list_height(in),
		screen_columns(in->screen) };

	in->dirty = false;
	if (screen_small(in->screen)) {
		screen_show_small(in->screen);
		return;
	}
	screen_erase(in->screen);
	switch (in->view) {
	case VIEW_SESSION: inbox_session_draw(in, &whole, now_ms); break;
	case VIEW_SESSIONS:
		menu_draw(in, &whole);
		session_list_draw(&in->sessions, in->screen, &whole, now_ms,
			in->waits[REQUEST_UNFOLDED]);
		break;
	case VIEW_HISTORY:
		menu_draw(in, &whole);
		history_draw(&in->history, in->screen, &whole, now_ms,
			in->waits[REQUEST_HISTORY], false);
		break;
	case VIEW_HELP: help_draw(&in->help, in->screen, &whole); break;
	default: inbox_part(in, now_ms, mono_ms);
	}
	head_draw(in, now_ms);
	if (is_stopped(in)) stop_draw(in, now_ms);
	channel_draw(in, now_ms);
	status_draw(in, now_ms, mono_ms);
	screen_show(in->screen);
}
