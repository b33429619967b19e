/* inbox_data.c - the inbox and the server: what is loaded, what events change, what is
 * sent. */
#include "base/clock.h"
#include "text/msg.h"
#include "text/safe_text.h"
#include "tui/inbox_inner.h"
#include "tui/words.h"

enum {
	PATIENCE_MS = 20000,
	PAGE = 50,
	FLOOD = 12,
	DECIDED_MS = 3000, /* what was decided stays longer than other notices */
	FOLLOW_MS = 1200,  /* between two looks whether the agent has it */
	FOLLOW_TIMES = 4,
	SIGHT_MS = 5 * 60 * 1000,
	PRESENT_EVERY_MS = 30 * 1000,
	CHANNELS_EVERY_MS = 60 * 1000,
};

static async_client_fn reply_take;

void data_call(
	struct inbox *in, const char *method, struct str path, struct str body, int tag)
{
	struct api_call call = { .method = method, .path = path, .body = body };

	if (!async_client_send(in->courier, &call, PATIENCE_MS, reply_take, in, tag))
		in->err = fail(&in->why, ERR_MEMORY, "out of memory");
}

void data_path(
	struct inbox *in, const char *method, struct buf *path, struct str body, int tag)
{
	data_call(in, method, buf_str(path), body, tag);
	buf_done(path);
}

static void ask_call(struct inbox *in, const char *method, struct str id,
	const char *tail, struct str body, int tag)
{
	struct buf path = { .max = 1024 };

	buf_add_text(&path, "/v1/asks/");
	url_add(&path, id);
	buf_add_text(&path, tail);
	data_path(in, method, &path, body, tag);
}

void data_ask(
	struct inbox *in, const char *method, const char *tail, struct str body, int tag)
{
	struct str id = tag == TAG_OPEN ? buf_str(&in->wanted) : in->dialog.id;

	ask_call(in, method, id, tail, body, tag);
}

static void page_want(struct inbox *in, struct str cursor)
{
	struct buf path = { .max = 4096 };

	buf_print(&path, "/v1/asks?order=attention&snoozed=all&limit=%d", PAGE);
	if (cursor.len > 0) {
		buf_add_text(&path, "&cursor=");
		url_add(&path, cursor);
	}
	data_path(in, "GET", &path, STR_NONE, TAG_LIST);
}

static void stops_want(struct inbox *in)
{
	data_call(in, "GET", STR("/v1/stops?limit=20"), STR_NONE, TAG_STOPS);
}

void data_users(struct inbox *in)
{
	if (in->users_asked) return;
	in->users_asked = true;
	data_call(in, "GET", STR("/v1/users?limit=200"), STR_NONE, TAG_USERS);
}

void data_start(struct inbox *in)
{
	in->seen_ms = clock_person_ms(); /* starting the inbox counts as looking */
	data_call(in, "GET", STR("/v1/me"), STR_NONE, TAG_ME);
	page_want(in, STR_NONE);
	data_call(in, "GET", STR("/v1/sessions?status=running&limit=200"), STR_NONE,
		TAG_RUNNING);
	stops_want(in);
}

/* ---- in sight ---- */

static void contacts_want(struct inbox *in)
{
	data_call(in, "GET", STR("/v1/me/contacts"), STR_NONE, TAG_CONTACTS);
}

/* Says once that a contact is broken; `parley contact` shows it from then on. */
static void broken_say(struct inbox *in, const struct json *contact)
{
	struct arena arena = { 0 };
	struct str channel = json_text_of(contact, "channel");

	if (in->broken_said) return;
	in->broken_said = true;
	inbox_say(in, STYLE_WARN,
		MSG(&arena, "tui.contact.broken",
			{ "channel",
				MSG(&arena, arena_print(&arena, "web.deliveries.%.*s",
						    STR_ARGS(channel))
						    .at) },
			{ "name", json_text_of(contact, "name") }));
	arena_done(&arena);
}

static void contacts_take(struct inbox *in, const struct json *page)
{
	const struct json *items = json_get(page, "items");

	in->reachable = json_is(items, JSON_ARRAY) && items->count > 0;
	for (uint32_t i = 0; in->reachable && i < items->count; i++)
		if (json_is(json_get(&items->items[i], "broken"), JSON_OBJECT))
			broken_say(in, &items->items[i]);
}

/* Admins hear that a channel does not work: looked at when messages come and go. */
static void channels_want(struct inbox *in)
{
	int64_t now = clock_person_ms();

	if (!in->admin || (in->channels_ms && now - in->channels_ms < CHANNELS_EVERY_MS))
		return;
	in->channels_ms = now;
	data_call(in, "GET", STR("/v1/channels"), STR_NONE, TAG_CHANNELS);
}

/* Once for each time that it went down. */
static void down_say(struct inbox *in, const struct json *c, struct arena *arena)
{
	struct str channel = json_text_of(c, "channel");
	struct str line = arena_print(arena, "%.*s %.*s\n", STR_ARGS(channel),
		STR_ARGS(json_text_of(c, "since")));

	if (!str_is(json_text_of(c, "state"), "down") ||
		str_find(buf_str(&in->down_said), line) >= 0)
		return;
	buf_add(&in->down_said, line);
	inbox_say(in, STYLE_BAD,
		MSG(arena, "web.channels.failing",
			{ "channel", MSG(arena, arena_print(arena, "web.deliveries.%.*s",
							STR_ARGS(channel))
							.at) },
			{ "error", safe_line(arena, json_text_of(c, "error")) }));
}

static void channels_take(struct inbox *in, const struct json *page)
{
	const struct json *items = json_get(page, "items");
	struct arena arena = { 0 };

	for (const struct json *item = NULL; json_each(items, &item);)
		down_say(in, item, &arena);
	arena_done(&arena);
}

/* An inbox that nobody has touched for a while may stand on an empty desk: whoever left it open
 * is told elsewhere. */
void data_present(struct inbox *in)
{
	int64_t now = clock_person_ms();

	if (!in->reachable || in->line != LINE_LIVE || now - in->seen_ms > SIGHT_MS ||
		(in->present_ms && now - in->present_ms < PRESENT_EVERY_MS))
		return;
	in->present_ms = now;
	data_call(in, "POST", STR("/v1/me/present"), STR_NONE, TAG_PRESENT);
}

/* ---- the stream ---- */

static bool frame_take(void *ctx, const struct sse_frame *frame)
{
	struct inbox *in = ctx;
	struct arena arena = { 0 };
	const struct json *event = NULL;

	if (json_read(frame->data, NULL, &arena, &event, NULL) == OK)
		data_event(in, event);
	arena_done(&arena);
	in->line = LINE_LIVE;
	in->dirty = true;
	return true;
}

static void line_lost(void *ctx, const struct fault *why)
{
	struct inbox *in = ctx;

	(void)why;
	in->line = LINE_LOST;
	in->dirty = true;
}

static void line_back(void *ctx)
{
	struct inbox *in = ctx;

	in->line = LINE_LIVE;
	in->dirty = true;
}

/* Goes on from the snapshot that the first page was. */
static void stream_start(struct inbox *in, const struct json *as_of)
{
	struct stream_setup setup = { .client = in->with->client,
		.after = json_is(as_of, JSON_NUMBER) ? as_of->text : STR_NONE,
		.event = frame_take,
		.trouble = line_lost,
		.back = line_back,
		.ctx = in };

	in->stream = stream_new(&setup);
	if (!in->stream) in->err = fail(&in->why, ERR_MEMORY, "out of memory");
	async_client_stream(in->courier, in->stream);
	in->line = LINE_LIVE;
}

static void ask_settled_elsewhere(struct inbox *in, struct str id)
{
	const struct item *here = list_at(&in->list);

	if (in->view == VIEW_LIST && here && str_eq(here->id, id)) in->lost = true;
	list_drop(&in->list, id);
	list_arrange(&in->list, clock_now_ms());
	in->settled[in->settled_at++ % SETTLED_KEPT] = str_hash(id);
	if (in->dialog_on && !in->batch && str_eq(in->dialog.id, id))
		ask_call(in, "GET", id, "", STR_NONE, TAG_ASK);
}

static bool inbox_was_settled(const struct inbox *in, struct str id)
{
	uint64_t sum = str_hash(id);

	for (size_t i = 0; i < SETTLED_KEPT; i++)
		if (in->settled[i] == sum) return true;
	return false;
}

/* Many at once are read as a list. */
static void ask_want(struct inbox *in, struct str id)
{
	if (async_client_load(in->courier) < FLOOD)
		ask_call(in, "GET", id, "", STR_NONE, TAG_ASK);
	else if (in->whole)
		in->whole = false, page_want(in, STR_NONE);
}

static void session_deleted(struct inbox *in, struct str session)
{
	list_drop_session(&in->list, session);
	list_arrange(&in->list, clock_now_ms());
	if (in->dialog_on && str_eq(json_text_of(in->dialog.ask, "session"), session))
		dialog_deleted(&in->dialog);
}

void data_told(struct inbox *in, struct str id)
{
	if (in->dialog_on && !in->batch && str_eq(in->dialog.id, id))
		ask_call(in, "GET", id, "/deliveries", STR_NONE, TAG_TOLD);
}

/* The runs and tasks of the session shown, unless they are under way: then once more after
 * that. */
static void runs_want(struct inbox *in)
{
	struct buf runs = { .max = 1024 }, tasks = { .max = 1024 };

	in->session.again = in->session.reading;
	if (in->session.reading) return;
	in->session.reading = true;
	buf_add_text(&runs, "/v1/runs?limit=100&session=");
	url_add(&runs, buf_str(&in->session.id));
	data_path(in, "GET", &runs, STR_NONE, TAG_RUNS);
	buf_add_text(&tasks, "/v1/sessions/");
	url_add(&tasks, buf_str(&in->session.id));
	buf_add_text(&tasks, "/tasks");
	data_path(in, "GET", &tasks, STR_NONE, TAG_TASKS);
}

void data_event(struct inbox *in, const struct json *event)
{
	struct str type = json_text_of(event, "type");
	struct str id = json_text_of(event, "ask");
	struct str session = json_text_of(event, "session");

	if (in->session.id.len > 0 && str_eq(session, buf_str(&in->session.id))) {
		session_view_event(&in->session, event);
		if (str_starts(type, "run.") || str_starts(type, "task.")) runs_want(in);
	}
	if (session.len > 0) sessions_event(in, type, session, event);
	if (str_starts(type, "stop.")) stops_want(in);
	if (str_is(type, "session.deleted"))
		session_deleted(in, session);
	else if (event_settles(type))
		ask_settled_elsewhere(in, id);
	else if (str_starts(type, "contact.") && in->may_answer)
		contacts_want(in);
	else if (str_is(type, "ask.notified") || str_is(type, "ask.notify_failed") ||
		 str_is(type, "ask.unreached"))
		data_told(in, id), channels_want(in);
	else if (id.len > 0 && !str_is(type, "ask.used") &&
		 !str_is(type, "ask.asked_again"))
		ask_want(in, id);
}

/* ---- replies ---- */

static void me_take(struct inbox *in, const struct json *me)
{
	struct str role = json_text_of(me, "role");
	const struct json *user = json_get(me, "user");

	in->may_answer =
		str_is(role, "owner") || str_is(role, "admin") || str_is(role, "member");
	in->admin = str_is(role, "owner") || str_is(role, "admin");
	in->hint = in->may_answer	   ? NULL
		   : str_is(role, "agent") ? "tui.hint.login"
					   : "tui.hint.viewer";
	buf_clear(&in->user);
	buf_add(&in->user, json_text_of(user, "id"));
	/* The first ask may have come before. */
	in->dialog.me = in->list.me = buf_str(&in->user);
	list_arrange(&in->list, clock_now_ms());
	if (in->dialog_on) dialog_allow(&in->dialog, in->may_answer), dialog_hint(in);
	if (in->dialog_on && in->view == VIEW_ASK) mark_read(in, in->dialog.id);
	if (in->may_answer && in->user.len) contacts_want(in);
	channels_want(in);
}

/* Names of assignees are read once one is to be shown. */
static void ask_put(struct inbox *in, const struct json *ask)
{
	const struct json *assignees = json_get(ask, "assignees");

	list_put(&in->list, ask);
	if (json_is(assignees, JSON_ARRAY) && assignees->count) data_users(in);
}

static void list_take(struct inbox *in, const struct json *page)
{
	const struct json *items = json_get(page, "items");
	struct str next = json_text_of(page, "next_cursor");

	for (const struct json *item = NULL; json_each(items, &item);)
		if (!inbox_was_settled(in, json_text_of(item, "id"))) ask_put(in, item);
	list_arrange(&in->list, clock_now_ms());
	if (!in->stream) stream_start(in, json_get(page, "as_of"));
	in->whole = next.len == 0;
	if (!in->whole) page_want(in, next);
}

/* A new one calls for attention. */
static void ask_new(struct inbox *in, const struct json *ask)
{
	struct arena arena = { 0 };

	if (in->with->bell) screen_bell(in->screen);
	if (in->with->notify) {
		struct str agent = json_text_of(json_get(ask, "agent"), "name");

		screen_notify(in->screen,
			MSG(&arena, "web.toast.asks", { "agent", agent }),
			ask_title(ask, &arena));
	}
	arena_done(&arena);
	if (!in->with->opens || str_is(json_text_of(ask, "kind"), "non_blocking")) return;
	buf_add(&in->queue, json_text_of(ask, "id"));
	buf_add_char(&in->queue, '\n');
}

static void ask_take(struct inbox *in, const struct json *ask)
{
	struct str id = json_text_of(ask, "id");
	bool pending = ask_pending(ask), known = list_find(&in->list, id) != NULL;

	if (in->dialog_on && !in->batch && str_eq(in->dialog.id, id))
		dialog_arrived(in, ask);
	if (!pending || inbox_was_settled(in, id)) {
		list_drop(&in->list, id);
		return;
	}
	ask_put(in, ask);
	list_arrange(&in->list, clock_now_ms());
	if (!known) ask_new(in, ask);
}

/* "Approved “Deploy”. deployer has it." */
static void decided_say(struct inbox *in, const struct json *ask)
{
	struct arena arena = { 0 };
	bool has = json_is(json_get(ask, "fetched_at"), JSON_STRING);

	inbox_say(in, STYLE_GOOD, ask_decided(ask, &arena));
	in->notice_until += DECIDED_MS;
	buf_clear(&in->undo);
	if (strcmp(ask_outcome(ask), "approved") == 0) {
		buf_add(&in->undo, json_text_of(ask, "id"));
		buf_add_text(&in->notice, "  ");
		buf_add(&in->notice, MSG(&arena, "tui.undo.hint"));
	}
	buf_clear(&in->follow);
	if (!has) buf_add(&in->follow, json_text_of(ask, "id"));
	in->follow_ms = clock_person_ms() + FOLLOW_MS;
	arena_done(&arena);
}

void data_follow(struct inbox *in)
{
	if (in->follow.len == 0 || clock_person_ms() < in->follow_ms) return;
	if (in->follow_left-- > 0 && clock_person_ms() < in->notice_until)
		ask_call(in, "GET", buf_str(&in->follow), "", STR_NONE, TAG_FOLLOW);
	in->follow_ms = INT64_MAX;
}

/* Says it again as it is now, unless the person or something else has moved on. */
static void follow_take(struct inbox *in, const struct json *ask)
{
	if (str_eq(json_text_of(ask, "id"), buf_str(&in->follow)) &&
		clock_person_ms() < in->notice_until)
		decided_say(in, ask);
}

static void settle_take(struct inbox *in, enum err err, const struct api_reply *r,
	const struct fault *why)
{
	const struct json *ask = json_get(r->json, "ask");
	struct str id = json_text_of(ask, "id");
	struct arena arena = { 0 };

	in->dialog.busy = false;
	if (err == OK && ask_pending(ask)) { /* a vote, and more are needed */
		drafts_drop(&in->drafts, id);
		ask_take(in, ask);
		if (in->dialog_on && str_eq(in->dialog.id, id))
			dialog_say(&in->dialog, STYLE_GOOD, ask_decided(ask, &arena));
	} else if (err == OK) {
		list_drop(&in->list, id);
		list_arrange(&in->list, clock_now_ms());
		drafts_drop(&in->drafts, id);
		in->follow_left = FOLLOW_TIMES;
		decided_say(in, ask);
		if (json_text_of(r->json, "rule").len) {
			buf_add_text(&in->notice, "  ");
			buf_add(&in->notice, MSG(&arena, "tui.scope.created"));
		}
		in->settled[in->settled_at++ % SETTLED_KEPT] = str_hash(id);
		if (in->dialog_on && str_eq(in->dialog.id, id)) {
			form_close(&in->dialog.form);
			in->dialog.open = false;
			dialog_gone(in);
		}
	} else if (err == ERR_CONFLICT && ask) {
		ask_take(in, ask);
	} else if (in->dialog_on) {
		dialog_fault(&in->dialog, why);
	}
	arena_done(&arena);
}

static void many_take(struct inbox *in, enum err err, const struct api_reply *r)
{
	const struct json *results = json_get(r->json, "results");
	struct arena arena = { 0 };
	int64_t done = 0, failed = 0;

	for (const struct json *item = NULL; json_each(results, &item);) {
		const struct json *status = json_get(item, "status");
		bool good = status && status->is_int && status->integer == 200;

		if (good) list_drop(&in->list, json_text_of(item, "id"));
		done += good;
		failed += !good;
	}
	list_arrange(&in->list, clock_now_ms());
	in->dialog.busy = false;
	if (err != OK)
		inbox_say(in, STYLE_BAD, MSG(&arena, "web.problem.unreachable"));
	else if (failed > 0)
		inbox_say(in, STYLE_BAD, msg_count(&arena, "web.batch.failed", failed));
	else
		inbox_say(in, STYLE_GOOD, msg_count(&arena, "tui.batch.done", done));
	if (err == OK) list_choose_none(&in->list);
	if (err == OK && in->dialog_on) dialog_gone(in);
	arena_done(&arena);
}

static void side_take(struct inbox *in, enum err err, const struct api_reply *r,
	const struct fault *why)
{
	const struct json *ask =
		json_get(r->json, "questions") ? r->json : json_get(r->json, "ask");

	in->dialog.busy = false;
	if (err != OK) {
		if (in->dialog_on) dialog_fault(&in->dialog, why);
		return;
	}
	if (in->dialog.replying) {
		in->dialog.replying = false;
		line_set(&in->dialog.reply, STR_NONE);
	}
	if (ask) ask_take(in, ask);
}

/* The events of a session come in pages, oldest first. */
static void log_take(struct inbox *in, const struct json *page)
{
	const struct json *items = json_get(page, "items");
	uint32_t count = json_is(items, JSON_ARRAY) ? items->count : 0;
	struct buf path = { .max = 1024 };

	for (uint32_t i = 0; i < count; i++)
		session_view_event(&in->session, &items->items[i]);
	in->session.loading = count == 200;
	if (count < 200 || in->session.id.len == 0) return;
	buf_print(&path, "/v1/events?format=json&limit=200&after=%lld&session=",
		(long long)session_view_last(&in->session));
	url_add(&path, buf_str(&in->session.id));
	data_path(in, "GET", &path, STR_NONE, TAG_SESSION_LOG);
}

/* Is this page of runs or tasks of another session, which the person has left since? */
static bool page_of_other(const struct inbox *in, const struct json *page)
{
	const struct json *items = json_get(page, "items");

	return json_is(items, JSON_ARRAY) && items->count > 0 &&
	       !str_eq(json_text_of(&items->items[0], "session"),
		       buf_str(&in->session.id));
}

static void runs_take(struct inbox *in, const struct json *page)
{
	bool other = page_of_other(in, page);

	if (!other) run_tree_runs(&in->session.tree, page);
	if (in->session.again || other) runs_want(in);
}

static void tasks_take(struct inbox *in, const struct json *page)
{
	if (!page_of_other(in, page)) run_tree_tasks(&in->session.tree, page);
}

void data_session(struct inbox *in, struct str id)
{
	struct buf path = { .max = 1024 }, log = { .max = 1024 };

	session_view_open(&in->session, id);
	buf_add_text(&path, "/v1/sessions/");
	url_add(&path, buf_str(&in->session.id));
	data_path(in, "GET", &path, STR_NONE, TAG_SESSION);
	buf_add_text(&log, "/v1/events?format=json&limit=200&after=0&session=");
	url_add(&log, buf_str(&in->session.id));
	data_path(in, "GET", &log, STR_NONE, TAG_SESSION_LOG);
	runs_want(in);
}

/* What came before the ask in its session: the page is newest first, and begins with what
 * came after it. */
static void before_take(struct inbox *in, const struct json *page)
{
	const struct json *items = json_get(page, "items");
	struct json before;
	uint32_t from = 0;

	if (!in->dialog_on || !json_is(items, JSON_ARRAY)) return;
	before = *items;
	for (uint32_t i = 0; i < items->count; i++)
		if (str_eq(json_text_of(&items->items[i], "ask"), in->dialog.id))
			from = i + 1;
	before.items += from;
	before.count -= from;
	dialog_before(&in->dialog, &before);
}

/* The page may be about an ask that the person has left: each item names its ask. */
static void told_take(struct inbox *in, const struct json *told)
{
	const struct json *items = json_get(told, "items");
	bool other = json_is(items, JSON_ARRAY) && items->count > 0 &&
		     !str_eq(json_text_of(&items->items[0], "ask"), in->dialog.id);

	if (in->dialog_on && !other) dialog_told(&in->dialog, told);
}

void data_history(struct inbox *in, bool anew)
{
	struct buf path = { .max = 4096 };

	if (anew) history_clear(&in->history);
	in->history.again |= anew && in->history.loading;
	if (in->history.loading) return;
	in->history.loading = true;
	buf_add_text(&path, "/v1/asks?");
	history_query(&in->history, &path, clock_now_ms());
	data_path(in, "GET", &path, STR_NONE, TAG_HISTORY);
}

/* `page` NULL: it could not be read. What was asked for meanwhile is read either way. */
static void page_take(struct inbox *in, const struct json *page, const struct fault *why)
{
	bool again = in->history.again;

	in->history.loading = in->history.again = false;
	if (again)
		data_history(in, true);
	else if (page)
		history_take(&in->history, page);
	else
		inbox_say(in, STYLE_BAD, str_of(why->detail));
}

/* That it is taken back, and what ended with it. */
static struct str revoked_words(const struct json *reply, struct arena *arena)
{
	const struct json *ended = json_get(reply, "ended");
	struct str more = json_is(ended, JSON_ARRAY) && ended->count
				  ? msg_count(arena, "web.undo.rules", ended->count)
				  : MSG(arena, "web.undo.again");

	return arena_print(arena, "%.*s. %.*s",
		STR_ARGS(MSG(arena, "web.event.ask.revoked")), STR_ARGS(more));
}

/* Assigning, writing and stopping say what they did. */
static void prompt_take(struct inbox *in, int tag, enum err err,
	const struct api_reply *r, const struct fault *why)
{
	struct arena arena = { 0 };

	if (err != OK)
		inbox_say(in, STYLE_BAD, str_of(why->detail));
	else if (tag == TAG_REVOKE)
		inbox_say(in, STYLE_GOOD, revoked_words(r->json, &arena));
	else
		inbox_say(in, STYLE_GOOD,
			MSG(&arena, tag == TAG_STOP	 ? "tui.stopped"
				    : tag == TAG_MESSAGE ? "tui.message.sent"
							 : "tui.assigned"));
	if (err == OK && tag == TAG_ASSIGN && r->json) ask_take(in, r->json);
	if (err == OK && tag == TAG_REVOKE && in->view == VIEW_HISTORY)
		data_history(in, true);
	arena_done(&arena);
}

static void good_take(struct inbox *in, int tag, const struct json *json)
{
	switch (tag) {
	case TAG_ME: me_take(in, json); break;
	case TAG_LIST: list_take(in, json); break;
	case TAG_ASK: ask_take(in, json); break;
	case TAG_OPEN: dialog_arrived(in, json); break;
	case TAG_BEFORE: before_take(in, json); break;
	case TAG_TOLD: told_take(in, json); break;
	case TAG_POLICY: scope_take_limits(in, json); break;
	case TAG_CONTACTS: contacts_take(in, json); break;
	case TAG_CHANNELS: channels_take(in, json); break;
	case TAG_SESSION: session_view_take(&in->session, json); break;
	case TAG_SESSION_LOG: log_take(in, json); break;
	case TAG_RUNS: runs_take(in, json); break;
	case TAG_TASKS: tasks_take(in, json); break;
	case TAG_STOPS: run_page_take(&in->stops, json); break;
	case TAG_USERS: prompt_users(in, json); break;
	case TAG_FOLLOW: follow_take(in, json); break;
	case TAG_SNOOZE: snooze_take(in, json); break;
	default: sessions_take(in, tag, json); break;
	}
}

static void reply_take(void *ctx, int tag, enum err err, const struct api_reply *r,
	const struct fault *why)
{
	struct inbox *in = ctx;

	in->dirty = true;
	switch (tag) {
	case TAG_SETTLE: settle_take(in, err, r, why); return;
	case TAG_MANY: many_take(in, err, r); return;
	case TAG_SIDE: side_take(in, err, r, why); return;
	case TAG_TRY: scope_take_tried(in, err == OK ? r->json : NULL, why); return;
	case TAG_ASSIGN:
	case TAG_REVOKE:
	case TAG_MESSAGE:
	case TAG_STOP: prompt_take(in, tag, err, r, why); return;
	case TAG_HISTORY: page_take(in, err == OK ? r->json : NULL, why); return;
	default: break;
	}
	if (tag == TAG_OPEN) in->opening = false;
	if (tag == TAG_RUNS) in->session.reading = false;
	sessions_came(in, tag);
	if (tag == TAG_USERS && err != OK) in->users_asked = false;
	if (err == OK && r->json) {
		good_take(in, tag, r->json);
	} else if (tag == TAG_ME || (tag == TAG_LIST && !in->stream)) {
		in->err = err ? err : ERR_INTERNAL;
		in->why = *why;
	} else if (tag == TAG_OPEN) {
		buf_clear(&in->wanted);
		inbox_say(in, STYLE_BAD, str_of(why->detail));
	} else if (tag == TAG_SNOOZE) {
		inbox_say(in, STYLE_BAD, str_of(why->detail));
	}
}

/* ---- sending ---- */

void data_settle(struct inbox *in, bool skip)
{
	struct buf body = { .max = 1 << 20 };
	struct json_writer w = { .out = &body };

	if (skip)
		buf_add_text(&body, "{}");
	else
		dialog_answer(&in->dialog, &w);
	in->dialog.busy = true;
	data_ask(in, "POST", skip ? "/skip" : "/answer", buf_str(&body), TAG_SETTLE);
	buf_done(&body);
}

void data_settle_many(struct inbox *in, bool skip)
{
	struct buf body = { .max = 1 << 20 };
	struct json_writer w = { .out = &body };

	jw_object(&w);
	together_put(&in->many, &w);
	jw_key(&w, skip ? "skip" : "answers");
	if (skip)
		jw_bool(&w, true);
	else
		w.more = false, form_answer(&in->dialog.form, &w), w.more = true;
	jw_object_end(&w);
	in->dialog.busy = true;
	data_call(in, "POST", STR("/v1/asks/settle-many"), buf_str(&body), TAG_MANY);
	buf_done(&body);
}
