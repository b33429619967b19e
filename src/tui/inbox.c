/* inbox.c - the inbox: its loop and what each key does. */
#include "tui/inbox.h"

#include "base/clock.h"
#include "base/mem.h"
#include "tui/inbox_inner.h"

enum {
	NOTICE_MS = 5000,
	TICK_MS = 1000,
	IDLE_MS = 2000, /* nobody is about to press a key meant for something else */
};

void inbox_say(struct inbox *in, enum style style, struct str text)
{
	buf_clear(&in->notice);
	buf_add(&in->notice, text);
	in->notice_style = style;
	in->notice_until = clock_person_ms() + NOTICE_MS;
	in->dirty = true;
}

/* ---- keys of the list ---- */

struct line *inbox_searched(struct inbox *in)
{
	return in->view == VIEW_SESSIONS  ? &in->sessions.search
	       : in->view == VIEW_HISTORY ? &in->history.search
					  : &in->search;
}

/* The lists that are here follow each key; the history is asked for once it is confirmed. */
static void search_key(struct inbox *in, const struct key *k)
{
	if (k->name == K_ESCAPE) line_set(inbox_searched(in), STR_NONE);
	if (k->name == K_ESCAPE || k->name == K_ENTER || k->name == K_DOWN)
		in->searching = false;
	else
		line_key(inbox_searched(in), k, false);
	if (in->view == VIEW_SESSIONS)
		session_list_filter(&in->sessions);
	else if (in->view == VIEW_HISTORY && !in->searching)
		inbox_history(in, true);
	else
		list_arrange(&in->list, clock_now_ms());
}

/* The history is filtered by the projects and agents of the sessions. */
static void view_show(struct inbox *in, enum view view)
{
	in->view = view;
	in->menu = false;
	if (view == VIEW_HISTORY) inbox_history(in, true);
	if (view == VIEW_SESSIONS || (view == VIEW_HISTORY && !in->sessions.loaded))
		inbox_sessions_read(in);
}

/* The second key after `g`. */
static void go_key(struct inbox *in, int32_t letter)
{
	in->go = false;
	if (letter == 's') view_show(in, VIEW_SESSIONS);
	if (letter == 'h') view_show(in, VIEW_HISTORY);
	if (letter == 'i') view_show(in, VIEW_LIST);
	if (letter == 'g' && in->view == VIEW_LIST) in->list.rows.at = 0;
}

/* ---- filters ---- */

struct filter_group inbox_filters(struct inbox *in)
{
	switch (in->view) {
	case VIEW_ASK:
		if (in->back == VIEW_HISTORY)
			return history_filters(&in->history, &in->sessions.rows);
		return list_filters(&in->list);
	case VIEW_LIST: return list_filters(&in->list);
	case VIEW_SESSIONS: return session_list_filters(&in->sessions);
	case VIEW_HISTORY: return history_filters(&in->history, &in->sessions.rows);
	default: return (struct filter_group){ 0 };
	}
}

static void filters_apply(struct inbox *in)
{
	if (in->view == VIEW_LIST) list_arrange(&in->list, clock_now_ms());
	if (in->view == VIEW_SESSIONS) session_list_filter(&in->sessions);
	if (in->view == VIEW_HISTORY) inbox_history(in, true);
}

/* While the menu is shown: another choice, none, or done. False: the key is for the list. */
static bool menu_key(struct inbox *in, const struct filter_group *g, const struct key *k)
{
	bool down = k->name == K_DOWN || key_letter(k) == 'j';

	if (down || k->name == K_UP || key_letter(k) == 'k') {
		filter_move(g, in->menu_which, down ? 1 : -1);
		filters_apply(in);
		return true;
	}
	in->menu = false;
	if (k->name == K_ESCAPE) {
		filter_clear(&g->filters[in->menu_which]);
		filters_apply(in);
	}
	return k->name == K_ESCAPE || k->name == K_ENTER;
}

/* A filter's key goes on to its next choice, and shows them all. */
static bool filters_key(struct inbox *in, const struct key *k)
{
	struct filter_group g = inbox_filters(in);
	size_t which = filter_find(&g, key_letter(k));
	bool same = in->menu && in->menu_which == which;

	if (in->menu && g.n && menu_key(in, &g, k)) return true;
	if (which >= g.n) return false;
	filter_move(&g, which, 1);
	in->menu = g.kinds[which].name != NULL;
	in->menu_which = which;
	filters_apply(in);
	if (in->view == VIEW_HISTORY && !same) inbox_counts(in);
	return true;
}

/* ---- keys of the lists ---- */

/* Esc first shows all of a list again. False: all of it is shown. */
static bool view_widen(struct inbox *in)
{
	if (in->view == VIEW_HISTORY && history_narrowed(&in->history)) {
		history_show_all(&in->history);
		inbox_history(in, true);
		return true;
	}
	return in->view == VIEW_SESSIONS && session_list_show_all(&in->sessions);
}

/* Keys that mean the same in every list. False: this is none of them. */
static bool rows_key(struct inbox *in, struct row_list *l, const struct key *k)
{
	int32_t letter = key_letter(k);

	if (filters_key(in, k) || listing_key(l, k, draw_list_height(in))) return true;
	if (letter == '/')
		in->searching = true;
	else if (k->name == K_TAB) /* inbox, sessions, history, and round again */
		view_show(in, in->view == VIEW_LIST	  ? VIEW_SESSIONS
			      : in->view == VIEW_SESSIONS ? VIEW_HISTORY
							  : VIEW_LIST);
	else if (in->view != VIEW_LIST && k->name == K_ESCAPE && view_widen(in))
		return true;
	else if (in->view != VIEW_LIST && (k->name == K_ESCAPE || letter == 'q'))
		in->view = VIEW_LIST;
	else
		return false;
	return true;
}

static void list_letter(struct inbox *in, int32_t letter)
{
	const struct item *item = list_at(&in->list);
	struct str id = item ? item->id : STR_NONE;

	switch (letter) {
	case 'x':
		list_choose(&in->list);
		listing_go(&in->list.rows, 1);
		break;
	case ' ': list_fold(&in->list, clock_now_ms()); break;
	case 'i': prompt_open(in, PROMPT_ASSIGN, id, STR_NONE); break;
	case 'z': prompt_open(in, PROMPT_SNOOZE, id, STR_NONE); break;
	case 'u': approval_revoke(in, buf_str(&in->undo)); break;
	case 'B': dialog_batch(in); break;
	case 'l':
		if (item) inbox_get(in, REQUEST_LINK, id);
		break;
	case 'v':
		if (item) inbox_session(in, item->session);
		in->before_session = VIEW_LIST;
		break;
	case 'q': in->over = true; break;
	default: break;
	}
}

/* Keys by which the person says where they are going. */
static bool key_moves(const struct key *k)
{
	int32_t letter = key_letter(k);

	return (k->name >= K_UP && k->name <= K_PAGE_DOWN) || k->name == K_ESCAPE ||
	       k->name == K_TAB ||
	       (letter > 0 && letter < 128 && strchr("jkGfpmPAZ/?q", letter));
}

/* Nothing is selected any more; then everything is shown. */
static void list_escape(struct inbox *in)
{
	bool selected = list_chosen(&in->list) > 0;

	list_choose_none(&in->list);
	if (!selected) list_show_all(&in->list);
	list_arrange(&in->list, clock_now_ms());
}

static void list_key(struct inbox *in, const struct key *k)
{
	const struct item *item = list_at(&in->list);
	int32_t letter = key_letter(k);

	if (in->lost && !key_moves(k)) return;
	if (in->hint && letter > 0 && letter < 128 && strchr("xBizu", letter)) return;
	in->lost = false;
	if (rows_key(in, &in->list.rows, k)) return;
	if (k->name == K_ESCAPE)
		list_escape(in);
	else if ((k->name == K_ENTER || k->name == K_RIGHT) && item)
		ask_show(in, item->id);
	else
		list_letter(in, letter);
}

static void click(struct inbox *in, const struct key *k)
{
	struct row_list *l = &in->list.rows;
	size_t line = l->top + (size_t)k->row - draw_head_height(in);
	size_t row = list_row(&in->list, line);

	in->menu = false;
	if (in->view == VIEW_ASK && !inbox_wide(in)) return;
	if ((size_t)k->row < draw_head_height(in) || row >= l->len) return;
	if (list_line(&in->list, row) != line) return;
	in->lost = false;
	bool again = l->at == row;
	l->at = row;
	if (again) ask_show(in, list_at(&in->list)->id);
}

/* ---- keys of the other views ---- */

static void sessions_key(struct inbox *in, const struct key *k)
{
	const struct session_item *row = listing_at(&in->sessions.rows);
	int32_t letter = key_letter(k);

	if (rows_key(in, &in->sessions.rows, k)) return;
	if (!row) return;
	if (k->name == K_ENTER || k->name == K_RIGHT) {
		inbox_session(in, row->id);
		in->before_session = VIEW_SESSIONS;
	}
	if (letter == ' ') inbox_unfold(in, row->id);
	if (letter == 'S') prompt_open(in, PROMPT_STOP, row->id, row->title);
}

static void history_key(struct inbox *in, const struct key *k)
{
	const struct history_row *row = listing_at(&in->history.rows);

	if (rows_key(in, &in->history.rows, k)) {
		if (in->view == VIEW_HISTORY && !in->searching &&
			history_ends(&in->history))
			inbox_history(in, false);
	} else if ((k->name == K_ENTER || k->name == K_RIGHT) && row) {
		ask_show(in, row->id);
		in->back = VIEW_HISTORY;
	} else if (key_letter(k) == 'u' && row && str_is(row->outcome, "approved")) {
		approval_revoke(in, row->id);
	} else if (key_letter(k) == 'l' && row) {
		inbox_get(in, REQUEST_LINK, row->id);
	}
}

static void session_key(struct inbox *in, const struct key *k)
{
	struct session_view *v = &in->session;
	const struct item *open = inbox_session_ask(in);
	const struct json *mandate = NULL;

	if (key_letter(k) == 'S')
		prompt_open(in, PROMPT_STOP, buf_str(&v->id), buf_str(&v->title));
	if (key_letter(k) == 'E' && json_each(v->mandates.json, &mandate))
		prompt_open(in, PROMPT_END, json_text_of(mandate, "id"),
			json_text_of(mandate, "title"));
	if (key_letter(k) == 'm' && v->runnable)
		prompt_open(in, PROMPT_MESSAGE, buf_str(&v->id), buf_str(&v->agent));
	if (k->name == K_ENTER && open) {
		ask_show(in, open->id);
		in->back = VIEW_SESSION;
		return;
	}
	if (session_view_key(v, k, draw_list_height(in))) return;
	if (k->name == K_ESCAPE || key_letter(k) == 'q')
		in->view = in->before_session == VIEW_SESSIONS ? VIEW_SESSIONS
			   : in->dialog_on		       ? VIEW_ASK
							       : VIEW_LIST;
}

void inbox_help(struct inbox *in)
{
	static const enum help_part parts[] = {
		[VIEW_LIST] = HELP_INBOX,
		[VIEW_ASK] = HELP_ASK,
		[VIEW_SESSION] = HELP_SESSIONS,
		[VIEW_SESSIONS] = HELP_SESSIONS,
		[VIEW_HISTORY] = HELP_HISTORY,
	};

	help_open(&in->help, parts[in->view], false);
	in->before_help = in->view;
	in->view = VIEW_HELP;
}

/* A card that was covered has to stand there anew before it can be decided. */
static void view_help_key(struct inbox *in, const struct key *k)
{
	help_key(&in->help, k, draw_list_height(in));
	if (in->help.on) return;
	in->view = in->before_help;
	if (in->view == VIEW_ASK && in->dialog_on) dialog_arm(&in->dialog);
}

const struct inbox_view inbox_views[] = {
	[VIEW_LIST] = { list_key, "tui.keys.list" },
	[VIEW_ASK] = { ask_key, "tui.keys.closed" },
	[VIEW_SESSION] = { session_key, "tui.keys.session" },
	[VIEW_SESSIONS] = { sessions_key, "tui.keys.sessions" },
	[VIEW_HISTORY] = { history_key, "tui.keys.history" },
	[VIEW_HELP] = { view_help_key, "tui.keys.help" },
};

static void view_key(struct inbox *in, const struct key *k)
{
	int32_t letter = key_letter(k);
	bool typing = in->view == VIEW_ASK && in->dialog_on && dialog_line(&in->dialog);
	struct key turned = *k;

	if (!typing && !in->prompt && !in->searching) turned.name = key_paging(k);
	k = &turned;
	if (in->prompt) {
		prompt_key(in, k);
	} else if (in->searching) {
		search_key(in, k);
	} else if (in->go) {
		go_key(in, letter);
	} else if (letter == 'g' && !typing) {
		in->go = true;
	} else if (letter == '?' && in->view != VIEW_ASK && in->view != VIEW_HELP) {
		inbox_help(in);
	} else {
		inbox_views[in->view].key(in, k);
	}
}

static void keys_take(struct inbox *in)
{
	struct key k;

	while (!in->over && screen_key(in->screen, &k)) {
		in->dirty = true;
		if (k.name == K_REDRAW) screen_refresh(in->screen);
		if (k.name == K_NONE || k.name == K_RESIZE || k.name == K_REDRAW)
			continue;
		in->notice_until = 0;
		if (k.name == K_CLOSED)
			in->over = true;
		else if (screen_small(in->screen))
			continue;
		else if (k.name == K_CLICK)
			click(in, &k);
		else
			view_key(in, &k);
		in->key_ms = in->seen_ms = clock_person_ms();
	}
}

/* ---- the loop ---- */

/* First in, first out, once nobody is at anything. */
static void queue_open(struct inbox *in)
{
	struct str rest = buf_str(&in->queue), id;

	if (in->view != VIEW_LIST || in->searching || in->prompt || in->menu ||
		list_chosen(&in->list) > 0 || clock_person_ms() - in->key_ms < IDLE_MS)
		return;
	/* A card that is being looked at stays; the new ones are in the list. */
	if (inbox_wide(in) && in->dialog_on) {
		buf_clear(&in->queue);
		return;
	}
	size_t all = rest.len;
	while (str_cut(&rest, '\n', &id))
		if (list_select(&in->list, id)) {
			ask_show(in, id);
			break;
		}
	buf_drop(&in->queue, all - rest.len);
}

/* The screen changes by itself when a countdown moves or a decision is armed. */
static int64_t sleep_ms(const struct inbox *in)
{
	int64_t arming =
		in->dialog_on ? dialog_arming(&in->dialog, clock_person_ms()) : 0;

	return arming > 0 && arming < TICK_MS ? arming : TICK_MS;
}

static void inbox_loop(struct inbox *in)
{
	int64_t drawn = 0;

	inbox_start(in);
	while (!in->over && in->err == OK) {
		arena_done(&in->turn);
		dialog_glance(in);
		queue_open(in);
		inbox_tick(in);
		if (in->dirty || clock_person_ms() - drawn >= TICK_MS)
			inbox_draw(in), drawn = clock_person_ms();
		switch (async_client_step(
			in->client, screen_fd(in->screen), sleep_ms(in), &in->why)) {
		case COURIER_STOPPED: in->over = true; break;
		case COURIER_FAILED:
			in->err = in->why.err ? in->why.err : ERR_INTERNAL;
			break;
		case COURIER_INPUT: keys_take(in); break;
		case COURIER_NEWS: break;
		}
	}
}

static void inbox_done(struct inbox *in)
{
	if (in->dialog_on) dialog_gone(in);
	drafts_close(&in->drafts);
	screen_close(in->screen);
	async_client_free(in->client);
	stream_free(in->stream);
	list_done(&in->list);
	line_done(&in->search);
	session_list_done(&in->sessions);
	mem_free(in->running.ids);
	kept_done(&in->stops);
	kept_done(&in->users);
	session_view_done(&in->session);
	history_done(&in->history);
	line_done(&in->prompt_line);
	arena_done(&in->turn);
	buf_done(&in->prompt_id);
	buf_done(&in->prompt_title);
	together_done(&in->many);
	buf_done(&in->follow);
	kept_done(&in->channels);
	buf_done(&in->undo);
	buf_done(&in->user);
	buf_done(&in->wanted);
	buf_done(&in->try_id);
	buf_done(&in->queue);
	buf_done(&in->notice);
	page_done(&in->page);
}

enum err inbox_run(const struct inbox_setup *setup, struct fault *why)
{
	struct inbox in = { .with = setup, .dirty = true };

	in.list.search = &in.search;
	in.client = async_client_new(setup->client);
	if (!in.client) return fail(why, ERR_MEMORY, "out of memory");
	in.screen = screen_open(&setup->screen, &in.why);
	drafts_open(&in.drafts, setup->drafts);
	if (in.screen)
		inbox_loop(&in);
	else
		in.err = in.why.err;
	inbox_done(&in);
	if (in.err != OK && why) *why = in.why;
	return in.err;
}
