/* inbox_data.c - the inbox and the server: what is loaded, what events change, what is
 * sent. */
#include "base/clock.h"
#include "text/safe_text.h"
#include "tui/inbox_inner.h"
#include "tui/words.h"

enum {
	PATIENCE_MS = 20000,
	LOG_PAGE = 200,
	FLOOD = 12,
	DECIDED_MS = 3000, /* what was decided stays longer than other notices */
	FOLLOW_MS = 1200,  /* between two looks whether the agent has it */
	FOLLOW_TIMES = 4,
	SIGHT_MS = 5 * 60 * 1000,
	PRESENT_EVERY_MS = 30 * 1000,
	CHANNELS_EVERY_MS = 60 * 1000,
};

/* A request, and what becomes of its reply. */
static const struct request_kind {
	const char *method, *path; /* then comes an id, if it has one */
	const char *tail;	   /* what follows the id */
	void (*take)(struct inbox *, const struct json *); /* a good reply */
	size_t kept;	  /* where in the inbox its items are kept; 0: nowhere */
	const char *said; /* the message that says that it was done; NULL: none does */
	void (*failed)(
		struct inbox *, const struct fault *); /* NULL: it is passed over */
	/* Any reply, in place of all these; `why` NULL: it is a good one. */
	void (*came)(struct inbox *, const struct json *, const struct fault *);
	void (*again)(struct inbox *); /* asks for it anew, see inbox_get_anew */
} kinds[REQUESTS];

static void reply_take(void *ctx, int tag, enum err err, const struct api_reply *r,
	const struct fault *why)
{
	struct inbox *in = ctx;
	const struct request_kind *kind = &kinds[tag];
	bool good = err == OK && (r->json || !kind->take);

	in->dirty = true;
	in->waits[tag] = false;
	if (kind->came) {
		kind->came(in, r->json, err == OK ? NULL : why);
	} else if (good) {
		if (kind->said) INBOX_SAY(in, STYLE_GOOD, kind->said);
		if (kind->kept)
			kept_set((struct kept_json *)((char *)in + kind->kept),
				json_get(r->json, "items"));
		if (kind->take) kind->take(in, r->json);
	} else if (kind->failed) {
		kind->failed(in, why);
	}
	if (!in->again[tag]) return;
	in->again[tag] = false;
	kind->again(in);
}

/* `rest` is what the path goes on with. */
static void request_send(
	struct inbox *in, enum inbox_request request, struct str rest, struct str body)
{
	struct buf path = { .max = 8192 };

	buf_add_text(&path, kinds[request].path);
	buf_add(&path, rest);
	struct api_call call = {
		.method = kinds[request].method, .path = buf_str(&path), .body = body
	};
	in->waits[request] = true;
	if (!async_client_send(
		    in->client, &call, PATIENCE_MS, reply_take, in, (int)request))
		in->err = fail(&in->why, ERR_MEMORY, "out of memory");
	buf_done(&path);
}

void inbox_send(
	struct inbox *in, enum inbox_request request, struct str id, struct str body)
{
	struct buf rest = { .max = 4096 };

	url_add(&rest, id);
	if (kinds[request].tail) buf_add_text(&rest, kinds[request].tail);
	request_send(in, request, buf_str(&rest), body);
	buf_done(&rest);
}

void inbox_get(struct inbox *in, enum inbox_request request, struct str id)
{
	inbox_send(in, request, id, STR_NONE);
}

void inbox_get_anew(struct inbox *in, enum inbox_request request, struct str id)
{
	in->again[request] = in->waits[request];
	if (!in->waits[request]) inbox_get(in, request, id);
}

void inbox_users(struct inbox *in)
{
	if (!in->users.json && !in->waits[REQUEST_USERS])
		inbox_get(in, REQUEST_USERS, STR_NONE);
}

struct str inbox_user_name(const struct inbox *in, struct str id)
{
	for (const struct json *user = NULL; json_each(in->users.json, &user);)
		if (str_eq(json_text_of(user, "id"), id))
			return json_text_of(user, "name");
	return STR_NONE;
}

void inbox_start(struct inbox *in)
{
	in->seen_ms = clock_person_ms(); /* starting the inbox counts as looking */
	inbox_get(in, REQUEST_ME, STR_NONE);
	inbox_get(in, REQUEST_LIST, STR_NONE);
	inbox_get(in, REQUEST_RUNNING, STR_NONE);
	inbox_get(in, REQUEST_STOPS, STR_NONE);
}

/* ---- in sight ---- */

/* Says once that a contact is broken; `parley contact` shows it from then on. */
static void contacts_take(struct inbox *in, const struct json *page)
{
	in->reachable = false;
	for (const struct json *c = NULL; json_each(json_get(page, "items"), &c);) {
		in->reachable = true;
		if (in->broken_said || !json_is(json_get(c, "broken"), JSON_OBJECT))
			continue;
		in->broken_said = true;
		INBOX_SAY(in, STYLE_WARN, "tui.contact.broken",
			{ "channel", msg_named(&in->turn, "web.deliveries",
					     json_text_of(c, "channel")) },
			{ "name", json_text_of(c, "name") });
	}
}

/* Admins hear that a channel does not work: looked at when messages come and go. */
static void channels_want(struct inbox *in)
{
	int64_t now = clock_person_ms();

	if (!in->admin || (in->channels_ms && now - in->channels_ms < CHANNELS_EVERY_MS))
		return;
	in->channels_ms = now;
	inbox_get(in, REQUEST_CHANNELS, STR_NONE);
}

/* An inbox that nobody has touched for a while may stand on an empty desk: whoever left it open
 * is told elsewhere. */
static void present_say(struct inbox *in, int64_t now)
{
	if (!in->reachable || in->line != LINE_LIVE || now - in->seen_ms > SIGHT_MS ||
		(in->present_ms && now - in->present_ms < PRESENT_EVERY_MS))
		return;
	in->present_ms = now;
	inbox_get(in, REQUEST_PRESENT, STR_NONE);
}

/* ---- the stream ---- */

static void ask_settled_elsewhere(struct inbox *in, struct str id)
{
	const struct item *here = list_at(&in->list);

	if (in->view == VIEW_LIST && here && str_eq(here->id, id)) in->lost = true;
	list_drop(&in->list, id);
	list_arrange(&in->list, clock_now_ms());
	in->settled[in->settled_at++ % SETTLED_KEPT] = str_hash(id);
	if (dialog_shows(in, id)) inbox_get(in, REQUEST_ASK, id);
}

bool inbox_was_settled(const struct inbox *in, struct str id)
{
	uint64_t sum = str_hash(id);

	for (size_t i = 0; i < SETTLED_KEPT; i++)
		if (in->settled[i] == sum) return true;
	return false;
}

/* Many at once are read as a list. */
static void ask_want(struct inbox *in, struct str id)
{
	if (async_client_load(in->client) < FLOOD)
		inbox_get(in, REQUEST_ASK, id);
	else if (in->whole)
		in->whole = false, inbox_get(in, REQUEST_LIST, STR_NONE);
}

static void session_deleted(struct inbox *in, struct str session)
{
	list_drop_session(&in->list, session);
	list_arrange(&in->list, clock_now_ms());
	if (in->dialog_on && str_eq(json_text_of(in->dialog.ask, "session"), session))
		dialog_deleted(&in->dialog);
}

void inbox_told(struct inbox *in, struct str id)
{
	if (dialog_shows(in, id)) inbox_get(in, REQUEST_TOLD, id);
}

/* The runs and tasks of the session shown. */
static void runs_want(struct inbox *in)
{
	bool both = !in->waits[REQUEST_RUNS];

	inbox_get_anew(in, REQUEST_RUNS, buf_str(&in->session.id));
	if (both) inbox_get(in, REQUEST_TASKS, buf_str(&in->session.id));
}

static void mandates_want(struct inbox *in)
{
	inbox_get_anew(in, REQUEST_MANDATES, buf_str(&in->session.id));
}

static void event_take(struct inbox *in, const struct json *event)
{
	struct str type = json_text_of(event, "type");
	struct str id = json_text_of(event, "ask");
	struct str session = json_text_of(event, "session");

	if (in->session.id.len > 0 && str_eq(session, buf_str(&in->session.id))) {
		session_view_event(&in->session, event);
		if (str_starts(type, "run.") || str_starts(type, "task.")) runs_want(in);
		if (str_starts(type, "mandate.")) mandates_want(in);
	}
	if (session.len > 0) inbox_sessions_event(in, type, session, event);
	if (str_starts(type, "stop.")) inbox_get(in, REQUEST_STOPS, STR_NONE);
	if (str_is(type, "session.deleted"))
		session_deleted(in, session);
	else if (event_settles(type))
		ask_settled_elsewhere(in, id);
	else if (str_starts(type, "contact.") && in->may_answer)
		inbox_get(in, REQUEST_CONTACTS, STR_NONE);
	else if (str_is(type, "ask.notified") || str_is(type, "ask.notify_failed") ||
		 str_is(type, "ask.unreached"))
		inbox_told(in, id), channels_want(in);
	else if (id.len > 0 && !str_is(type, "ask.used") &&
		 !str_is(type, "ask.asked_again"))
		ask_want(in, id);
}

static void line_turn(struct inbox *in, enum line_state state)
{
	in->line = state;
	in->dirty = true;
}

static bool frame_take(void *ctx, const struct sse_frame *frame)
{
	struct arena arena = { 0 };
	const struct json *event = NULL;

	if (json_read(frame->data, NULL, &arena, &event, NULL) == OK)
		event_take(ctx, event);
	arena_done(&arena);
	line_turn(ctx, LINE_LIVE);
	return true;
}

static void line_lost(void *ctx, const struct fault *why)
{
	(void)why;
	line_turn(ctx, LINE_LOST);
}

static void line_back(void *ctx)
{
	line_turn(ctx, LINE_LIVE);
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
	async_client_stream(in->client, in->stream);
	in->line = LINE_LIVE;
}

/* ---- what went wrong ---- */

static void fault_say(struct inbox *in, const struct fault *why)
{
	inbox_say(in, STYLE_BAD, str_of(why->detail));
}

static void fault_end(struct inbox *in, const struct fault *why)
{
	in->err = why->err ? why->err : ERR_INTERNAL;
	in->why = *why;
}

/* Without its first page there is no inbox. */
static void list_failed(struct inbox *in, const struct fault *why)
{
	if (!in->stream) fault_end(in, why);
}

static void open_failed(struct inbox *in, const struct fault *why)
{
	buf_clear(&in->wanted);
	fault_say(in, why);
}

/* ---- asks ---- */

static void me_take(struct inbox *in, const struct json *me)
{
	struct str role = json_text_of(me, "role");

	in->admin = str_is(role, "owner") || str_is(role, "admin");
	in->may_answer = in->admin || str_is(role, "member");
	in->hint = in->may_answer	   ? NULL
		   : str_is(role, "agent") ? "tui.hint.login"
					   : "tui.hint.viewer";
	buf_clear(&in->user);
	buf_add(&in->user, json_text_of(json_get(me, "user"), "id"));
	/* The first ask may have come before. */
	in->dialog.me = in->list.me = buf_str(&in->user);
	list_arrange(&in->list, clock_now_ms());
	if (in->dialog_on) dialog_allow(&in->dialog, in->may_answer), dialog_hint(in);
	if (in->dialog_on && in->view == VIEW_ASK) mark_read(in, in->dialog.id);
	if (in->may_answer && in->user.len) inbox_get(in, REQUEST_CONTACTS, STR_NONE);
	channels_want(in);
}

/* Names of assignees are read once one is to be shown. */
static void ask_put(struct inbox *in, const struct json *ask)
{
	const struct json *assignees = json_get(ask, "assignees");

	list_put(&in->list, ask);
	if (json_is(assignees, JSON_ARRAY) && assignees->count) inbox_users(in);
}

static void list_take(struct inbox *in, const struct json *page)
{
	struct str next = json_text_of(page, "next_cursor");
	bool first = !in->list.rows.len;

	for (const struct json *ask = NULL; json_each(json_get(page, "items"), &ask);)
		if (!inbox_was_settled(in, json_text_of(ask, "id"))) ask_put(in, ask);
	list_arrange(&in->list, clock_now_ms());
	if (first) in->list.rows.at = 0;
	if (!in->stream) stream_start(in, json_get(page, "as_of"));
	in->whole = next.len == 0;
	if (!in->whole) inbox_get(in, REQUEST_LIST_MORE, next);
}

/* A new one calls for attention. */
static void ask_new(struct inbox *in, const struct json *ask)
{
	struct str agent = json_text_of(json_get(ask, "agent"), "name");

	if (in->with->bell) screen_bell(in->screen);
	if (in->with->notify)
		screen_notify(in->screen,
			MSG(&in->turn, "web.toast.asks", { "agent", agent }),
			ask_title(ask, &in->turn));
	if (!in->with->opens || str_is(json_text_of(ask, "kind"), "non_blocking")) return;
	buf_add(&in->queue, json_text_of(ask, "id"));
	buf_add_char(&in->queue, '\n');
}

static void ask_take(struct inbox *in, const struct json *ask)
{
	struct str id = json_text_of(ask, "id");
	bool known = list_find(&in->list, id) != NULL;

	if (dialog_shows(in, id)) dialog_arrived(in, ask);
	if (!ask_pending(ask) || inbox_was_settled(in, id)) {
		list_drop(&in->list, id);
		return;
	}
	ask_put(in, ask);
	list_arrange(&in->list, clock_now_ms());
	if (!known) ask_new(in, ask);
}

/* What came before the ask in its session: the page is newest first, and begins with what
 * came after it. */
static void before_take(struct inbox *in, const struct json *page)
{
	if (in->dialog_on) dialog_before(&in->dialog, json_get(page, "items"));
}

bool inbox_page_of_other(const struct json *page, const char *member, struct str id)
{
	const struct json *first = NULL;

	return json_each(json_get(page, "items"), &first) &&
	       !str_eq(json_text_of(first, member), id);
}

static void told_take(struct inbox *in, const struct json *told)
{
	if (in->dialog_on && !inbox_page_of_other(told, "ask", in->dialog.id))
		kept_set(&in->dialog.told, told);
}

/* The server may be that of an ask which the person has left. */
static void server_take(struct inbox *in, const struct json *server)
{
	if (in->dialog_on) kept_set(&in->dialog.tool, ask_tool(in->dialog.ask, server));
}

/* ---- what was sent ---- */

/* "Approved “Deploy”. deployer has it." */
static void decided_say(struct inbox *in, const struct json *ask)
{
	bool has = json_is(json_get(ask, "fetched_at"), JSON_STRING);

	inbox_say(in, STYLE_GOOD, ask_decided(ask, &in->turn));
	in->notice_until += DECIDED_MS;
	buf_clear(&in->undo);
	if (strcmp(ask_outcome(ask), "approved") == 0) {
		buf_add(&in->undo, json_text_of(ask, "id"));
		buf_print(&in->notice, "  %s", msg_text("tui.undo.hint"));
	}
	buf_clear(&in->follow);
	if (!has) buf_add(&in->follow, json_text_of(ask, "id"));
	in->follow_ms = clock_person_ms() + FOLLOW_MS;
}

static void follow_look(struct inbox *in, int64_t now)
{
	if (in->follow.len == 0 || now < in->follow_ms) return;
	if (in->follow_left-- > 0 && now < in->notice_until)
		inbox_get(in, REQUEST_FOLLOW, buf_str(&in->follow));
	in->follow_ms = INT64_MAX;
}

/* Says it again as it is now, unless the person or something else has moved on. */
static void follow_take(struct inbox *in, const struct json *ask)
{
	if (str_eq(json_text_of(ask, "id"), buf_str(&in->follow)) &&
		clock_person_ms() < in->notice_until)
		decided_say(in, ask);
}

void inbox_tick(struct inbox *in)
{
	int64_t now = clock_person_ms();

	follow_look(in, now);
	present_say(in, now);
	inbox_sessions_keep(in);
	marks_wake(in);
}

static void settled_take(struct inbox *in, const struct json *ask, bool with_rule)
{
	struct str id = json_text_of(ask, "id");

	list_drop(&in->list, id);
	list_arrange(&in->list, clock_now_ms());
	in->follow_left = FOLLOW_TIMES;
	decided_say(in, ask);
	if (with_rule) buf_print(&in->notice, "  %s", msg_text("tui.scope.created"));
	in->settled[in->settled_at++ % SETTLED_KEPT] = str_hash(id);
	if (!in->dialog_on || !str_eq(in->dialog.id, id)) return;
	form_close(&in->dialog.form);
	in->dialog.open = false;
	dialog_gone(in);
}

static void settle_came(
	struct inbox *in, const struct json *reply, const struct fault *why)
{
	const struct json *ask = json_get(reply, "ask");
	struct str id = json_text_of(ask, "id");

	in->dialog.busy = false;
	if (!why) drafts_drop(&in->drafts, id);
	if (!why && ask_pending(ask)) { /* a vote, and more are needed */
		ask_take(in, ask);
		if (in->dialog_on && str_eq(in->dialog.id, id))
			dialog_say(&in->dialog, STYLE_GOOD, ask_decided(ask, &in->turn));
	} else if (!why) {
		settled_take(in, ask, json_text_of(reply, "rule").len > 0);
	} else if (why->err == ERR_CONFLICT && ask) {
		ask_take(in, ask);
	} else if (in->dialog_on) {
		dialog_fault(&in->dialog, why);
	}
}

static void many_came(struct inbox *in, const struct json *reply, const struct fault *why)
{
	const struct json *results = json_get(reply, "results");
	const char *outcome = "answered";
	int64_t done = 0, failed = 0;

	for (const struct json *one = NULL; json_each(results, &one);) {
		bool good = json_int_of(one, "status") == 200;

		if (good && json_get(one, "ask"))
			outcome = ask_outcome(json_get(one, "ask"));

		if (good) list_drop(&in->list, json_text_of(one, "id"));
		done += good;
		failed += !good;
	}
	list_arrange(&in->list, clock_now_ms());
	in->dialog.busy = false;
	if (why)
		INBOX_SAY(in, STYLE_BAD, "web.problem.unreachable");
	else if (failed > 0)
		inbox_say(
			in, STYLE_BAD, msg_count(&in->turn, "web.batch.failed", failed));
	else
		inbox_say(in, STYLE_GOOD,
			msg_count(&in->turn,
				arena_print(&in->turn, "web.batch.%s", outcome).at,
				done));
	if (why) return;
	list_choose_none(&in->list);
	if (in->dialog_on) dialog_gone(in);
}

/* What leaves the ask pending: claimed, extended, a message. */
static void side_came(struct inbox *in, const struct json *reply, const struct fault *why)
{
	const struct json *ask =
		json_get(reply, "questions") ? reply : json_get(reply, "ask");

	in->dialog.busy = false;
	if (why) {
		if (in->dialog_on) dialog_fault(&in->dialog, why);
		return;
	}
	dialog_replied(&in->dialog);
	if (ask) ask_take(in, ask);
}

/* That it is taken back, and what ended with it. */
static void revoke_take(struct inbox *in, const struct json *reply)
{
	const struct json *ended = json_get(reply, "ended");
	struct str more = json_is(ended, JSON_ARRAY) && ended->count
				  ? msg_count(&in->turn, "web.undo.rules", ended->count)
				  : MSG(&in->turn, "web.undo.again");

	inbox_say(in, STYLE_GOOD,
		arena_print(&in->turn, "%s. %.*s", msg_text("web.event.ask.revoked"),
			STR_ARGS(more)));
	if (in->view == VIEW_HISTORY) inbox_history(in, true);
}

void inbox_settle(struct inbox *in, bool skip)
{
	struct str answer = dialog_answer(&in->dialog, skip, &in->turn);

	in->dialog.busy = true;
	if (in->batch)
		inbox_send(in, REQUEST_MANY, STR_NONE,
			together_body(
				&in->many, skip ? NULL : &in->dialog.form, &in->turn));
	else
		inbox_send(
			in, skip ? REQUEST_SKIP : REQUEST_ANSWER, in->dialog.id, answer);
}

/* ---- sessions and history ---- */

/* The events of a session come in pages, oldest first. */
static void log_want(struct inbox *in, int64_t after)
{
	struct buf rest = { .max = 1024 };

	buf_print(&rest, "%lld&session=", (long long)after);
	url_add(&rest, buf_str(&in->session.id));
	request_send(in, REQUEST_LOG, buf_str(&rest), STR_NONE);
	buf_done(&rest);
}

static void log_take(struct inbox *in, const struct json *page)
{
	uint32_t count = 0;

	for (const struct json *event = NULL; json_each(json_get(page, "items"), &event);)
		session_view_event(&in->session, event), count++;
	in->session.loading = count == LOG_PAGE;
	if (in->session.loading && in->session.id.len > 0)
		log_want(in, session_view_last(&in->session));
}

static void session_take(struct inbox *in, const struct json *session)
{
	session_view_take(&in->session, session);
}

static void runs_take(struct inbox *in, const struct json *page)
{
	if (inbox_page_of_other(page, "session", buf_str(&in->session.id)))
		in->again[REQUEST_RUNS] = true;
	else
		kept_set(&in->session.tree.runs, json_get(page, "items"));
}

static void tasks_take(struct inbox *in, const struct json *page)
{
	if (!inbox_page_of_other(page, "session", buf_str(&in->session.id)))
		kept_set(&in->session.tree.tasks, json_get(page, "items"));
}

static void mandates_take(struct inbox *in, const struct json *page)
{
	if (!inbox_page_of_other(page, "session", buf_str(&in->session.id)))
		kept_set(&in->session.mandates, json_get(page, "items"));
}

void inbox_session(struct inbox *in, struct str id)
{
	session_view_open(&in->session, id);
	inbox_get(in, REQUEST_SESSION, buf_str(&in->session.id));
	log_want(in, 0);
	runs_want(in);
	mandates_want(in);
	in->view = VIEW_SESSION;
}

void inbox_history(struct inbox *in, bool anew)
{
	struct buf query = { .max = 4096 };

	if (anew) history_clear(&in->history);
	in->again[REQUEST_HISTORY] |= anew && in->waits[REQUEST_HISTORY];
	if (in->waits[REQUEST_HISTORY]) return;
	history_query(&in->history, &query, clock_now_ms());
	request_send(in, REQUEST_HISTORY, buf_str(&query), STR_NONE);
	buf_done(&query);
}

/* A page of the filter before is not shown. */
static void history_came(
	struct inbox *in, const struct json *page, const struct fault *why)
{
	if (in->again[REQUEST_HISTORY]) return;
	if (!why && page)
		history_take(&in->history, page);
	else if (why)
		fault_say(in, why);
}

static void history_anew(struct inbox *in)
{
	inbox_history(in, true);
}

/* One choice after the other: a menu is seen before all are counted. */
static void counts_want(struct inbox *in)
{
	struct buf query = { .max = 4096 };

	if (in->menu && in->view == VIEW_HISTORY &&
		history_counts_query(&in->history, &in->sessions.rows, in->menu_which,
			&query, clock_now_ms()))
		request_send(in, REQUEST_COUNTS, str_from(buf_str(&query), 1), STR_NONE);
	buf_done(&query);
}

void inbox_counts(struct inbox *in)
{
	in->history.counts.len = 0;
	in->again[REQUEST_COUNTS] = in->waits[REQUEST_COUNTS];
	if (!in->waits[REQUEST_COUNTS]) counts_want(in);
}

static void counts_came(
	struct inbox *in, const struct json *counts, const struct fault *why)
{
	struct filter_counts *c = &in->history.counts;

	if (in->again[REQUEST_COUNTS] || why || c->len >= FILTER_COUNTED) return;
	c->n[c->len++] = json_int_of(counts, "all");
	counts_want(in);
}

/* ---- all requests ---- */

#define ASK	     "/v1/asks/"
#define SESSION	     "/v1/sessions/"
#define KEPT(member) .kept = offsetof(struct inbox, member)

static const struct request_kind kinds[REQUESTS] = {
	[REQUEST_ME] = { "GET", "/v1/me", .take = me_take, .failed = fault_end },
	[REQUEST_LIST] = { "GET", "/v1/asks?order=attention&snoozed=all&limit=50",
		.take = list_take, .failed = list_failed },
	[REQUEST_LIST_MORE] = { "GET",
		"/v1/asks?order=attention&snoozed=all&limit=50&cursor=",
		.take = list_take },
	[REQUEST_ASK] = { "GET", ASK, .take = ask_take },
	[REQUEST_OPEN] = { "GET", ASK, .take = dialog_arrived, .failed = open_failed },
	[REQUEST_FOLLOW] = { "GET", ASK, .take = follow_take },
	[REQUEST_BEFORE] = { "GET",
		"/v1/events?format=json&limit=100"
		"&before=9223372036854775807&session=",
		.take = before_take },
	[REQUEST_TOLD] = { "GET", ASK, "/deliveries", told_take },
	[REQUEST_SERVER] = { "GET", "/v1/mcp-servers/", .take = server_take },
	[REQUEST_POLICY] = { "GET", "/v1/policy", .take = dialog_policy_take },
	[REQUEST_TRY] = { "POST", "/v1/rules/try", .came = dialog_try_came },
	[REQUEST_RULE] = { "POST", "/v1/rules", .came = dialog_rule_came },
	[REQUEST_LINK] = { "GET", ASK, .take = marks_link_take, .failed = fault_say },
	[REQUEST_ANSWER] = { "POST", ASK, "/answer", .came = settle_came },
	[REQUEST_SKIP] = { "POST", ASK, "/skip", .came = settle_came },
	[REQUEST_MANY] = { "POST", "/v1/asks/settle-many", .came = many_came },
	[REQUEST_CLAIM] = { "POST", ASK, "/claim", .came = side_came },
	[REQUEST_EXTEND] = { "POST", ASK, "/extend", .came = side_came },
	[REQUEST_REPLY] = { "POST", ASK, "/replies", .came = side_came },
	[REQUEST_ASSIGN] = { "POST", ASK, "/assign", ask_take, .said = "tui.assigned",
		.failed = fault_say },
	[REQUEST_READ] = { "POST", ASK, "/mark" },
	[REQUEST_SNOOZE] = { "POST", ASK, "/mark", snooze_take, .failed = fault_say },
	[REQUEST_REVOKE] = { "POST", ASK, "/revoke", revoke_take, .failed = fault_say },
	[REQUEST_HISTORY] = { "GET", "/v1/asks?", .came = history_came,
		.again = history_anew },
	[REQUEST_COUNTS] = { "GET", "/v1/asks/counts?", .came = counts_came,
		.again = inbox_counts },
	[REQUEST_SESSION] = { "GET", SESSION, .take = session_take },
	[REQUEST_LOG] = { "GET",
		"/v1/events?format=json&limit=200&after=", .take = log_take },
	[REQUEST_RUNS] = { "GET", "/v1/runs?limit=100&session=", .take = runs_take,
		.again = runs_want },
	[REQUEST_TASKS] = { "GET", SESSION, "/tasks", tasks_take },
	[REQUEST_MANDATES] = { "GET", "/v1/mandates?status=live&limit=20&session=",
		.take = mandates_take, .again = mandates_want },
	[REQUEST_END] = { "POST", "/v1/mandates/", "/revoke",
		.said = "web.event.mandate.ended", .failed = fault_say },
	[REQUEST_STOP] = { "POST", SESSION, "/cancel", .said = "tui.stopped",
		.failed = fault_say },
	[REQUEST_MESSAGE] = { "POST", SESSION, "/messages", .said = "tui.message.sent",
		.failed = fault_say },
	[REQUEST_SESSIONS] = { "GET", "/v1/sessions?limit=100",
		.take = inbox_sessions_take },
	[REQUEST_RUNNING] = { "GET", "/v1/sessions?status=running&limit=200",
		.take = inbox_running_take },
	[REQUEST_FAILED] = { "GET", "/v1/runs?status=failed&limit=200",
		KEPT(sessions.failed) },
	[REQUEST_QUEUED] = { "GET", "/v1/runs?status=queued&limit=200",
		KEPT(sessions.queued) },
	[REQUEST_UNFOLDED] = { "GET", "/v1/runs?limit=100&session=",
		.take = inbox_unfolded_take, .again = inbox_unfolded_want },
	[REQUEST_STOPS] = { "GET", "/v1/stops?limit=20", KEPT(stops) },
	[REQUEST_USERS] = { "GET", "/v1/users?limit=200", KEPT(users) },
	[REQUEST_CONTACTS] = { "GET", "/v1/me/contacts", .take = contacts_take },
	[REQUEST_CHANNELS] = { "GET", "/v1/channels", KEPT(channels) },
	[REQUEST_PRESENT] = { "POST", "/v1/me/present" },
};
