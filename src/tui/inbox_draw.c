/* inbox_draw.c - the inbox on the screen: head, list, ask or session, status line. */
#include "base/clock.h"
#include "text/msg.h"
#include "text/safe_text.h"
#include "tui/inbox_inner.h"
#include "tui/stop_line.h"
#include "tui/words.h"

enum { WIDE = 100, LIST_MIN = 36, LIST_MAX = 60 };

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
	return in->stops.items && in->stops.items->count ? 2 : 1;
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
	struct str name = user_name(in, first);
	for (struct str one; str_cut(&rest, '\n', &one);)
		more++;
	buf_add_text(right, " @");
	text_fit_add(right, safe_line(arena, name.len ? name : first), 10);
	if (more) buf_print(right, " +%zu", more);
}

/* "▸x! Title …        high risk @mia agent  2:47" */
static void row_write(
	struct inbox *in, const struct item *item, int64_t now_ms, bool here)
{
	struct page *p = &in->page;
	struct arena arena = { 0 };
	bool hurry = item->deadline_ms != 0;
	struct str when = hurry ? countdown(item->deadline_ms - now_ms, &arena)
				: span_short(now_ms - item->created_ms, &arena);
	struct buf right = { .max = 4096 };

	if (item->similar > 0)
		buf_print(&right, " %s",
			msg_count(&arena, "tui.similar", (int64_t)item->similar).at);
	if (item->risk && p->width >= 40)
		buf_print(&right, " %s",
			MSG(&arena,
				arena_print(&arena, "web.risk.%s", risk_name(item->risk))
					.at)
				.at);
	if (item->priority >= PRIORITY_HIGH)
		buf_print(&right, " %s",
			MSG(&arena, arena_print(&arena, "web.priority.%s",
					    priority_name(item->priority))
					    .at)
				.at);
	if (p->width >= 48) assignee_add(in, item, &right, &arena);
	if (p->width >= 56) {
		buf_add_text(&right, " ");
		struct str agent = safe_line(&arena, item->agent);
		text_fit_add(&right, agent, 14);
	}
	size_t tail = text_width(buf_str(&right)) + 7;

	page_row(p);
	page_add_text(p, STYLE_ACCENT, here ? "▸" : " ");
	page_add_text(p, item->chosen ? STYLE_GOOD : STYLE_ACCENT,
		item->chosen ? "x "
		: item->read ? "  "
			     : "• ");
	if (item->inside) page_add_text(p, STYLE_SOFT, "  ");
	page_add_text(p, risk_style(item->risk), kind_mark(item->kind));
	page_add_text(p, STYLE_PLAIN, " ");
	size_t width = p->width;
	p->width = width > tail + 8 ? width - tail : width;
	page_add(p, item->read ? STYLE_PLAIN : STYLE_BOLD, item->title);
	p->width = width;
	page_pad(p, width > tail ? width - tail : 0);
	page_add(p, risk_style(item->risk), buf_str(&right));
	page_pad(p, width - 1 - text_width(when));
	page_add(p, hurry ? STYLE_WARN : STYLE_SOFT, when);
	buf_done(&right);
	arena_done(&arena);
}

static void empty_draw(struct inbox *in, const struct area *f)
{
	struct arena arena = { 0 };
	bool agent = in->hint && strcmp(in->hint, "tui.hint.login") == 0;
	const char *id = in->list.len > 0 ? "tui.filtered"
			 : !in->whole	  ? "web.loading"
			 : agent	  ? "tui.hint.login"
					  : "web.inbox.empty";

	screen_put(in->screen, f->y, f->x + 1, f->width - 1, STYLE_SOFT, MSG(&arena, id));
	arena_done(&arena);
}

static void list_draw(struct inbox *in, const struct area *f, int64_t now_ms)
{
	const struct list *l = &in->list;

	if (l->at < in->list_top) in->list_top = l->at;
	if (l->at >= in->list_top + f->height) in->list_top = l->at - f->height + 1;
	if (l->shown_len == 0) empty_draw(in, f);
	page_clear(&in->page, f->width);
	for (size_t i = 0; i < f->height && in->list_top + i < l->shown_len; i++) {
		size_t at = in->list_top + i;
		bool here = at == l->at && !in->lost;

		row_write(in, l->shown[at], now_ms, here);
		screen_draw(in->screen, f->y + i, f->x, &in->page, i,
			!here			? STYLE_PLAIN
			: in->view == VIEW_LIST ? STYLE_CURSOR
						: STYLE_MARKED);
	}
}

/* ---- head and status ---- */

static void filter_add(struct inbox *in, struct page *p, struct arena *arena)
{
	const struct list_filter *f = &in->list.filter;

	if (f->kind_on) {
		page_add_text(p, STYLE_PLAIN, "  ");
		page_add(p, STYLE_ACCENT,
			MSG(arena,
				arena_print(arena, "web.kind.%s", ask_kind_name(f->kind))
					.at));
	}
	if (f->priority_on) {
		page_add_text(p, STYLE_PLAIN, "  ");
		page_add(p, STYLE_ACCENT,
			MSG(arena, arena_print(arena, "web.priority.%s",
					   priority_name(f->priority))
					   .at));
	}
	if (f->snoozed) {
		page_add_text(p, STYLE_PLAIN, "  ");
		page_add(p, STYLE_ACCENT, MSG(arena, "web.views.snoozed"));
	}
	if (f->project.len > 0) {
		page_add_text(p, STYLE_PLAIN, "  ");
		page_add(p, STYLE_ACCENT, buf_str(&f->project));
	}
	if (f->agent.len > 0) {
		page_add_text(p, STYLE_PLAIN, "  ");
		page_add(p, STYLE_ACCENT, buf_str(&f->agent));
	}
	if (f->assigned) {
		page_add_text(p, STYLE_PLAIN, "  ");
		page_add(p, STYLE_ACCENT,
			MSG(arena, f->assigned == ASSIGNED_ME
					   ? "web.filter.assignee.me"
					   : "web.filter.assignee.none"));
	}
}

static void search_add(struct inbox *in, struct page *p)
{
	const struct line *search = inbox_search(in);

	if (!in->searching && !search->text.len) return;
	page_add_text(p, STYLE_PLAIN, "  /");
	if (in->searching)
		page_line(p, STYLE_ACCENT, search);
	else
		page_add(p, STYLE_ACCENT, line_text(search));
}

/* The view that is shown stands in brackets: colours only repeat it. */
static void tab_add(
	struct page *p, struct str name, size_t count, bool on, struct arena *arena)
{
	page_add_text(p, STYLE_BOLD, on ? "[" : " ");
	page_add(p, on ? STYLE_BOLD : STYLE_SOFT, name);
	if (count)
		page_add(p, on ? STYLE_BOLD : STYLE_PLAIN,
			arena_print(arena, " %zu", count));
	page_add_text(p, STYLE_BOLD, on ? "]" : " ");
}

static void head_draw(struct inbox *in, int64_t now_ms)
{
	struct page *p = &in->page;
	struct arena arena = { 0 };
	size_t chosen = list_chosen(&in->list);
	bool sessions = in->view == VIEW_SESSION || in->view == VIEW_SESSIONS;
	bool history = in->view == VIEW_HISTORY ||
		       (in->view == VIEW_ASK && in->back == VIEW_HISTORY);
	bool inbox = !sessions && !history && in->view != VIEW_HELP;

	page_clear(p, screen_columns(in->screen));
	page_row(p);
	tab_add(p, MSG(&arena, "web.nav.inbox"), list_waiting(&in->list, now_ms), inbox,
		&arena);
	tab_add(p, MSG(&arena, "web.nav.sessions"), in->running.len, sessions, &arena);
	tab_add(p, MSG(&arena, "web.nav.history"), 0, history, &arena);
	if (in->view == VIEW_HELP) tab_add(p, MSG(&arena, "web.keys"), 0, true, &arena);
	if (inbox) filter_add(in, p, &arena);
	if (in->view == VIEW_SESSIONS) session_list_head(&in->sessions, p, &arena);
	if (history) history_head(&in->history, p, &arena);
	if (in->view != VIEW_SESSION && in->view != VIEW_HELP) search_add(in, p);
	if (in->hint && inbox && !in->searching) {
		page_add_text(p, STYLE_PLAIN, "  ");
		page_add(p, STYLE_WARN, MSG(&arena, in->hint));
	}
	if (in->batch || chosen > 0) {
		page_add_text(p, STYLE_PLAIN, "  ");
		page_add(p, STYLE_GOOD,
			in->batch
				? msg_count(&arena, "tui.batch.title",
					  (int64_t)in->many.taken)
				: msg_count(&arena, "web.batch.chosen", (int64_t)chosen));
	}
	screen_draw(in->screen, 0, 0, p, 0, STYLE_PLAIN);
	if (p->cursor) screen_cursor(in->screen, 0, p->cursor_column);
	arena_done(&arena);
}

static void stop_draw(struct inbox *in, int64_t now_ms)
{
	struct arena arena = { 0 };

	page_clear(&in->page, screen_columns(in->screen));
	page_row(&in->page);
	stop_line_add(&in->stops, &in->page, now_ms, &arena);
	screen_draw(in->screen, 1, 0, &in->page, 0, STYLE_PLAIN);
	arena_done(&arena);
}

static struct str keys_now(struct inbox *in, struct arena *arena)
{
	static const char *const ids[] = {
		[VIEW_LIST] = "tui.keys.list",
		[VIEW_ASK] = "tui.keys.closed",
		[VIEW_SESSION] = "tui.keys.session",
		[VIEW_SESSIONS] = "tui.keys.sessions",
		[VIEW_HISTORY] = "tui.keys.history",
		[VIEW_HELP] = "tui.keys.help",
	};

	if (in->searching) return MSG(arena, "tui.keys.search");
	if (in->view == VIEW_ASK && in->dialog_on) return dialog_keys(&in->dialog, arena);
	if (in->view == VIEW_LIST && list_chosen(&in->list) > 0)
		return MSG(arena, "tui.keys.batch");
	return MSG(arena, ids[in->view]);
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
	struct arena arena = { 0 };
	int64_t next = list_next_deadline(&in->list);

	page_clear(p, screen_columns(in->screen));
	page_row(p);
	page_add_text(p, lines[in->line].style, " ● ");
	page_add(p, lines[in->line].style, MSG(&arena, lines[in->line].id));
	page_add_text(p, STYLE_SOFT, " · ");
	page_add(p, STYLE_PLAIN,
		msg_count(
			&arena, "tui.pending", (int64_t)list_waiting(&in->list, now_ms)));
	if (next) {
		page_add_text(p, STYLE_SOFT, " · ");
		page_add(p, STYLE_WARN, countdown(next - now_ms, &arena));
	}
	if (in->running.len && in->view == VIEW_SESSIONS) {
		page_add_text(p, STYLE_SOFT, " · ");
		page_add(p, STYLE_GOOD,
			arena_print(&arena, "%zu %.*s", in->running.len,
				STR_ARGS(MSG(&arena, "web.nav.running"))));
	}
	page_add_text(p, STYLE_SOFT, "  ");
	if (in->prompt)
		prompt_draw(in, p);
	else if (in->dialog_on && in->dialog.busy)
		page_add(p, STYLE_SOFT, MSG(&arena, "tui.sending"));
	else if (in->notice.len > 0 && mono_ms < in->notice_until)
		page_add(p, in->notice_style, buf_str(&in->notice));
	else
		page_add(p, STYLE_SOFT, keys_now(in, &arena));
	screen_draw(in->screen, screen_rows(in->screen) - 1, 0, p, 0, STYLE_PLAIN);
	if (p->cursor)
		screen_cursor(in->screen, screen_rows(in->screen) - 1, p->cursor_column);
	arena_done(&arena);
}

/* ---- help ---- */

static const struct {
	const char *keys, *id;
} helps[] = {
	{ "j k ↑ ↓", "web.keys.move" },
	{ "tui.key.enter", "web.keys.open" },
	{ "tui.key.choose", "web.keys.choose" },
	{ "y n", "web.keys.yesno" },
	{ "a", "web.keys.approve" },
	{ ".", "web.scope" },
	{ "r", "web.keys.reject" },
	{ "e", "web.keys.edit" },
	{ "← Tab", "tui.help.questions" },
	{ "tui.key.esc", "web.keys.back" },
	{ "s", "web.keys.skip" },
	{ "b", "web.thread.open" },
	{ "c +", "tui.help.claim" },
	{ "t", "tui.help.raw" },
	{ "tui.key.pages", "tui.help.scroll" },
	{ "Ctrl-G", "tui.help.editor" },
	{ "tui.key.newline", "tui.help.newline" },
	{ "x B", "tui.help.batch" },
	{ "tui.key.space", "tui.help.fold" },
	{ "/ f p P A m", "tui.help.filter" },
	{ "/ m f d P A", "tui.help.history" },
	{ "tui.key.space", "tui.help.unfold" },
	{ "i", "tui.help.assign" },
	{ "z Z", "tui.help.snooze" },
	{ "u", "tui.help.undo" },
	{ "v", "tui.help.session" },
	{ "S", "tui.help.stop" },
	{ "m", "tui.help.message" },
	{ "Tab", "tui.help.views" },
	{ "? q Ctrl-L", "tui.help.rest" },
};

static void help_draw(struct inbox *in, const struct area *f)
{
	struct page *p = &in->page;
	struct arena arena = { 0 };

	page_clear(p, f->width);
	for (size_t i = 0; i < sizeof helps / sizeof *helps; i++) {
		page_row(p);
		page_add_text(p, STYLE_PLAIN, " ");
		page_add(p, STYLE_ACCENT,
			msg_text(helps[i].keys) ? MSG(&arena, helps[i].keys)
						: str_of(helps[i].keys));
		page_pad(p, 16);
		page_add(p, STYLE_PLAIN, MSG(&arena, helps[i].id));
	}
	if (in->list_help > p->rows_len - 1) in->list_help = p->rows_len - 1;
	for (size_t i = 0; i < f->height; i++)
		screen_draw(
			in->screen, f->y + i, f->x, p, in->list_help + i, STYLE_PLAIN);
	arena_done(&arena);
}

/* ---- all of it ---- */

static void ask_draw(
	struct inbox *in, const struct area *f, int64_t now_ms, int64_t mono_ms)
{
	struct arena arena = { 0 };

	in->dialog.form.idle = in->view != VIEW_ASK;
	if (in->dialog_on)
		dialog_draw(&in->dialog, in->screen, f, now_ms, mono_ms);
	else if (in->wanted.len > 0)
		screen_put(in->screen, f->y, f->x, f->width, STYLE_SOFT,
			MSG(&arena, "web.loading"));
	arena_done(&arena);
}

static void inbox_part(struct inbox *in, int64_t now_ms, int64_t mono_ms)
{
	size_t left = list_width(in), top = draw_head_height(in);
	struct area list = { top, 0, draw_list_height(in), left };
	struct area ask = { top, inbox_wide(in) ? left + 2 : 0, draw_list_height(in),
		draw_ask_width(in) };

	if (inbox_wide(in) || in->view == VIEW_LIST) list_draw(in, &list, now_ms);
	if (inbox_wide(in)) screen_bar(in->screen, top, left, list.height);
	if (inbox_wide(in) || in->view == VIEW_ASK) {
		ask_draw(in, &ask, now_ms, mono_ms);
		if (in->view != VIEW_ASK) screen_cursor(in->screen, SIZE_MAX, 0);
	}
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
		session_list_draw(&in->sessions, in->screen, &whole, now_ms);
		break;
	case VIEW_HISTORY: history_draw(&in->history, in->screen, &whole, now_ms); break;
	case VIEW_HELP: help_draw(in, &whole); break;
	default: inbox_part(in, now_ms, mono_ms);
	}
	head_draw(in, now_ms);
	if (draw_head_height(in) > 1) stop_draw(in, now_ms);
	status_draw(in, now_ms, mono_ms);
	screen_show(in->screen);
}
