/* inbox_draw.c - the inbox on the screen: head, list, ask or session, status line. */
#include "base/clock.h"
#include "text/safe_text.h"
#include "tui/inbox_inner.h"
#include "tui/stop_line.h"
#include "tui/words.h"

enum { WIDE = 100, NARROW = 60, LIST_MIN = 36, LIST_MAX = 60 };

bool inbox_wide(const struct inbox *in)
{
	return screen_columns(in->screen) >= WIDE;
}

static size_t list_width(const struct inbox *in)
{
	size_t all = screen_columns(in->screen), part = all * 2 / 5;

	if (!inbox_wide(in)) return all;
	return part < LIST_MIN ? LIST_MIN : part > LIST_MAX ? LIST_MAX : part;
}

size_t draw_ask_width(const struct inbox *in)
{
	size_t all = screen_columns(in->screen);

	return inbox_wide(in) ? all - list_width(in) - 2 : all;
}

/* A stop has a row of its own. */
size_t draw_head_height(const struct inbox *in)
{
	return in->stops.json && in->stops.json->count ? 2 : 1;
}

size_t draw_list_height(const struct inbox *in)
{
	size_t rows = screen_rows(in->screen);

	return rows > draw_head_height(in) + 2 ? rows - draw_head_height(in) - 1 : 1;
}

/* ---- the list ---- */

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

/* " @mia", " @mia +1": whom it is assigned to. */
static void assignee_add(const struct inbox *in, const struct item *item,
	struct buf *right, struct arena *arena)
{
	struct str rest = item->assignees, first;
	size_t more = 0;

	if (!str_cut(&rest, '\n', &first)) return;
	struct str name = inbox_user_name(in, first);
	for (struct str one; str_cut(&rest, '\n', &one);)
		more++;
	buf_add_text(right, " @");
	text_fit_add(right, safe_line(arena, name.len ? name : first), 10);
	if (more) buf_print(right, " +%zu", more);
}

/* What stands at the right: "high risk @mia agent". */
static void right_write(
	const struct inbox *in, const struct item *item, size_t width, struct buf *right)
{
	struct arena arena = { 0 };

	if (item->similar > 0)
		buf_print(right, " %s",
			msg_count(&arena, "tui.similar", (int64_t)item->similar).at);
	if (item->risk && width >= 40)
		buf_print(right, " %s", words_risk(item->risk, &arena).at);
	if (item->priority >= PRIORITY_HIGH)
		buf_print(right, " %s",
			msg_named(&arena, "web.priority",
				str_of(priority_name(item->priority)))
				.at);
	if (width >= 48) assignee_add(in, item, right, &arena);
	if (width >= 56) {
		buf_add_char(right, ' ');
		text_fit_add(right, safe_line(&arena, item->agent), 14);
	}
	arena_done(&arena);
}

/* "▸x! Title …        high risk @mia agent  2:47" */
static void row_write(
	struct inbox *in, const struct item *item, int64_t now_ms, bool here)
{
	struct page *p = &in->page;
	bool hurry = item->deadline_ms != 0;
	struct str when = hurry ? countdown(item->deadline_ms - now_ms, &p->words)
				: span_short(now_ms - item->created_ms, &p->words);
	struct buf right = { .max = 4096 };
	size_t width = p->width, tail;

	right_write(in, item, width, &right);
	tail = text_width(buf_str(&right)) + 7;
	page_row(p);
	page_add_text(p, STYLE_ACCENT, here ? "▸" : " ");
	page_add_text(p, item->chosen ? STYLE_GOOD : STYLE_ACCENT,
		item->chosen ? "x "
		: item->read ? "  "
			     : "• ");
	if (item->inside) page_add_text(p, STYLE_SOFT, "  ");
	page_add_text(p, risk_style(item->risk), kind_mark(item->kind));
	page_add_text(p, STYLE_PLAIN, " ");
	p->width = width > tail + 8 ? width - tail : width;
	page_add(p, item->read ? STYLE_PLAIN : STYLE_BOLD, item->title);
	p->width = width;
	page_pad(p, width > tail ? width - tail : 0);
	page_add(p, risk_style(item->risk), buf_str(&right));
	page_pad(p, width - 1 - text_width(when));
	page_add(p, hurry ? STYLE_WARN : STYLE_SOFT, when);
	buf_done(&right);
}

static void list_draw(struct inbox *in, const struct area *f, int64_t now_ms)
{
	struct row_list *l = &in->list.rows;
	struct page *p = &in->page;
	bool agent = in->hint && strcmp(in->hint, "tui.hint.login") == 0;

	listing_scroll(l, l->at, 0, f->height);
	if (l->len == 0)
		screen_say(in->screen, f,
			l->all_len > 0 ? "tui.filtered"
			: !in->whole   ? "web.loading"
			: agent	       ? "tui.hint.login"
				       : "web.inbox.empty");
	page_clear(p, f->width);
	for (size_t i = l->top; i < l->len && i < l->top + f->height; i++) {
		bool here = i == l->at && !in->lost;

		row_write(in, l->shown[i], now_ms, here);
		if (here)
			page_mark(p, in->view == VIEW_LIST ? STYLE_CURSOR : STYLE_MARKED);
	}
	screen_page(in->screen, f, p, 0);
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

static void head_draw(struct inbox *in, int64_t now_ms)
{
	struct page *p = &in->page;
	size_t chosen = list_chosen(&in->list);
	bool help = in->view == VIEW_HELP;
	bool sessions = in->view == VIEW_SESSION || in->view == VIEW_SESSIONS;
	bool history = in->view == VIEW_HISTORY ||
		       (in->view == VIEW_ASK && in->back == VIEW_HISTORY);
	bool inbox = !sessions && !history && !help;

	page_clear(p, screen_columns(in->screen));
	tab_add(p, "web.nav.inbox", list_waiting(&in->list, now_ms), inbox);
	tab_add(p, "web.nav.sessions", in->running.len, sessions);
	tab_add(p, "web.nav.history", 0, history);
	if (help) tab_add(p, "web.keys", 0, true);
	if (inbox) list_head(&in->list, p);
	if (in->view == VIEW_SESSIONS)
		page_word(p, STYLE_ACCENT, buf_str(&in->sessions.project.name));
	if (history) history_head(&in->history, p);
	if (in->view != VIEW_SESSION && !help) search_add(in, p);
	if (in->hint && inbox && !in->searching)
		page_word(p, STYLE_WARN, MSG(&p->words, in->hint));
	if (in->batch)
		page_word(p, STYLE_GOOD,
			msg_count(&p->words, "tui.batch.title", (int64_t)in->many.taken));
	else if (chosen)
		page_word(p, STYLE_GOOD,
			msg_count(&p->words, "web.batch.chosen", (int64_t)chosen));
	screen_draw(in->screen, 0, 0, p, 0);
	if (p->cursor) screen_cursor(in->screen, 0, p->cursor_column);
}

static void stop_draw(struct inbox *in, int64_t now_ms)
{
	page_clear(&in->page, screen_columns(in->screen));
	stop_line_add(&in->stops, &in->page, now_ms);
	screen_draw(in->screen, 1, 0, &in->page, 0);
}

static struct str keys_now(struct inbox *in, struct arena *arena)
{
	if (in->searching) return MSG(arena, "tui.keys.search");
	if (in->view == VIEW_ASK && in->dialog_on) return dialog_keys(&in->dialog, arena);
	if (in->view == VIEW_LIST && list_chosen(&in->list) > 0)
		return MSG(arena, "tui.keys.batch");
	return MSG(arena, inbox_views[in->view].footer);
}

/* "● live · 5 pending · 2:47", then what happened last, or the keys. */
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
	int64_t next = list_next_deadline(&in->list);

	page_clear(p, screen_columns(in->screen));
	page_add_text(p, lines[in->line].style, " ● ");
	PAGE_MSG(p, lines[in->line].style, lines[in->line].id);
	if (p->width >= NARROW || in->view == VIEW_LIST)
		page_dot(p, STYLE_PLAIN,
			msg_count(&p->words, "tui.pending",
				(int64_t)list_waiting(&in->list, now_ms)));
	if (next && p->width >= NARROW)
		page_dot(p, STYLE_WARN, countdown(next - now_ms, &p->words));
	if (in->running.len && in->view == VIEW_SESSIONS)
		page_dot(p, STYLE_GOOD,
			arena_print(&p->words, "%zu %s", in->running.len,
				msg_text("web.nav.running")));
	if (in->prompt)
		page_add_text(p, STYLE_SOFT, "  "), prompt_draw(in, p);
	else if (in->dialog_on && in->dialog.busy)
		page_word(p, STYLE_SOFT, MSG(&p->words, "tui.sending"));
	else if (in->notice.len > 0 && mono_ms < in->notice_until)
		page_word(p, in->notice_style, buf_str(&in->notice));
	else
		page_hints(p, STYLE_SOFT, keys_now(in, &p->words));
	screen_draw(in->screen, last, 0, p, 0);
	if (p->cursor) screen_cursor(in->screen, last, p->cursor_column);
}

/* ---- all of it ---- */

static void inbox_part(struct inbox *in, int64_t now_ms, int64_t mono_ms)
{
	size_t left = list_width(in), top = draw_head_height(in);
	struct area list = { top, 0, draw_list_height(in), left };
	struct area ask = { top, inbox_wide(in) ? left + 2 : 0, draw_list_height(in),
		draw_ask_width(in) };

	if (inbox_wide(in) || in->view == VIEW_LIST) list_draw(in, &list, now_ms);
	if (inbox_wide(in)) screen_bar(in->screen, top, left, list.height);
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
	case VIEW_SESSION:
		session_view_draw(&in->session, in->screen, &whole, now_ms);
		break;
	case VIEW_SESSIONS:
		session_list_draw(&in->sessions, in->screen, &whole, now_ms,
			in->waits[REQUEST_UNFOLDED]);
		break;
	case VIEW_HISTORY:
		history_draw(&in->history, in->screen, &whole, now_ms,
			in->waits[REQUEST_HISTORY]);
		break;
	case VIEW_HELP: help_draw(&in->help, in->screen, &whole); break;
	default: inbox_part(in, now_ms, mono_ms);
	}
	head_draw(in, now_ms);
	if (draw_head_height(in) > 1) stop_draw(in, now_ms);
	status_draw(in, now_ms, mono_ms);
	screen_show(in->screen);
}
