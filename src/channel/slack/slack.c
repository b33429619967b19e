/* slack.c - the channel of Slack: messages posted, edited when their ask is settled, and added to its
 * thread. At most one message a second goes to a room. */
#include "base/json_pattern.h"
#include "base/keep.h"
#include "channel/slack/slack_call.h"
#include "channel/slack/slack_in.h"
#include "channel/slack/slack_message.h"
#include "channel/slack/slack_payload.h"

#include "base/clock.h"
#include "channel/notify_text.h"
#include "channel/post.h"
#include "net/outbound.h"

enum { ROOM_MS = 1000, SLACK_ROOMS = 256 };

/* When the next message may go to a room, by a hash of its id; monotonic. */
struct slack_rooms {
	int64_t next_ms[SLACK_ROOMS];
};

/* What an error of Slack means: the first row that fits, else it is dead. */
static const struct {
	const char *error;
	enum delivery_ending ending;
	bool down; /* no message of ours gets through */
} errors[] = {
	{ "user_not_found", ENDED_GONE },
	{ "account_inactive", ENDED_GONE },
	{ "is_archived", ENDED_GONE },
	{ "channel_not_found", ENDED_GONE },
	{ "not_in_channel", ENDED_GONE },
	/* Somebody deleted the message: nothing is left to edit. */
	{ "message_not_found", ENDED_NOTHING },
	{ "cant_update_message", ENDED_NOTHING },
	{ "edit_window_closed", ENDED_NOTHING },
	/* Ours, or Slack's own: it may work later. */
	{ "ratelimited", ENDED_BADLY },
	{ "rate_limited", ENDED_BADLY },
	{ "internal_error", ENDED_BADLY },
	{ "fatal_error", ENDED_BADLY },
	{ "service_unavailable", ENDED_BADLY },
	{ "request_timeout", ENDED_BADLY },
	{ "not_authed", ENDED_BADLY, true },
	{ "invalid_auth", ENDED_BADLY, true },
	{ "token_revoked", ENDED_BADLY, true },
	{ "token_expired", ENDED_BADLY, true },
	{ "missing_scope", ENDED_BADLY, true },
};

/* ---- what is sent ---- */

static struct str shown_part(struct claimed *c, const char *name)
{
	const struct json *at = NULL;

	if (c->fill.shown_at.len)
		json_read(c->fill.shown_at, NULL, claimed_arena(c), &at, NULL);
	return json_text_of(at, name);
}

/* Is it an edit of the message that shows the ask? */
static bool is_edit(const struct claimed *c)
{
	return c->delivery->purpose == DELIVERY_SETTLED ||
	       c->delivery->purpose == DELIVERY_VOTED;
}

static struct str slack_body(struct claimed *c)
{
	const struct notify *n = claimed_notify(c);
	const struct delivery_fill *f = &c->fill;
	const struct channel_limit limit =
		channel_limit_slack(n->set.slack_approve, STR_NONE);
	struct str channel = shown_part(c, "channel"), ts = shown_part(c, "ts");
	bool asks = f->delivery->purpose == DELIVERY_ASK ||
		    f->delivery->purpose == DELIVERY_VOTED;
	struct buf out = { .max = 1 << 18 };
	struct json_writer w = { .out = &out };
	struct notify_words words;

	notify_text(c, CHANNEL_ROOM_SLACK, &words);
	const struct slack_message m = { .lang = words.lang,
		.title = words.title,
		.text = words.text,
		.code = words.code,
		.code_len = DETAIL_PARTS,
		.url = ts.len && !is_edit(c) ? STR_NONE : words.url,
		.open = words.open,
		.ask = asks ? &f->ask : NULL,
		.parts = &f->parts,
		.limit = asks && !f->title_only ? &limit : NULL };

	JW(&w,
		is_edit(c) ? "{'channel':%s,'ts':%s"
			   : "{'channel':%s,'thread_ts':%?,'unfurl_links':false,"
			     "'unfurl_media':false",
		channel.len ? channel : f->contact.address, ts);
	slack_message_write(&(struct slack_view){ &w, &m, claimed_arena(c) });
	JW(&w, "}");
	return buf_keep_done(&out, claimed_arena(c));
}

/* ---- what comes back ---- */

static enum delivery_ending error_ending(struct str error, bool *down)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (str_is(error, errors[i].error)) {
			*down = errors[i].down;
			return errors[i].ending;
		}
	return ENDED_DEAD;
}

static void slack_done(void *ctx, const struct outbound_reply *reply)
{
	struct claimed *c = ctx;
	struct arena *arena = claimed_arena(c);
	const struct json *said = NULL;
	struct str error;

	c->outcome.retry_after_ms = reply->retry_after_ms;
	c->outcome.down = !reply->status;
	json_read(reply->body, NULL, arena, &said, NULL);
	error = arena_str(arena, json_text_of(said, "error"));
	if (reply->status == 429) {
		claimed_over(c, ENDED_BADLY, 429, STR("HTTP 429: too many messages"));
	} else if (json_is(json_get(said, "ok"), JSON_TRUE)) {
		c->outcome.output = slack_shown_at(
			json_text_of(said, "channel"), json_text_of(said, "ts"), arena);
		claimed_over(c, ENDED_WELL, reply->status, STR_NONE);
	} else if (error.len) {
		claimed_over(
			c, error_ending(error, &c->outcome.down), reply->status, error);
	} else if (reply->status) { /* no reply of Slack's, though it may be a 200 */
		claimed_over(c, ENDED_BADLY, reply->status,
			arena_print(arena, "HTTP %d", reply->status));
	} else {
		post_over(c, reply);
	}
}

/* ---- sending ---- */

static void slack_send(struct claimed *c)
{
	const struct settings *set = &claimed_notify(c)->set;
	struct arena *arena = claimed_arena(c);
	const char **headers = ARENA_ARRAY(arena, const char *, 3);

	c->later_ms = 0;
	if (headers) {
		headers[0] = "content-type: application/json; charset=utf-8";
		headers[1] = arena_print(
			arena, "authorization: Bearer %.*s", STR_ARGS(set->slack_token))
				     .at;
		headers[2] = NULL;
	}
	post_send(c,
		(struct outbound_request){
			.url = slack_method_url(set->slack_api,
				is_edit(c) ? STR("chat.update") : STR("chat.postMessage"),
				arena)
				       .at,
			.headers = headers,
			.body = slack_body(c),
			.may_connect = connect_to_any,
			.done = slack_done,
			.wants_body = true });
}

/* When a message may go to this room; the one after it a second later. */
static int64_t room_turn(struct slack_rooms *rooms, struct str room, int64_t now_ms)
{
	int64_t *next = &rooms->next_ms[str_hash(room) % SLACK_ROOMS];

	if (*next < now_ms) *next = now_ms;
	*next += ROOM_MS;
	return *next - ROOM_MS;
}

static bool slack_on(const struct settings *set)
{
	return set->slack_token.len;
}

static void slack_start(struct claimed *c)
{
	struct notify *n = claimed_notify(c);
	int64_t now_ms = clock_mono_ms();

	if (!slack_on(&n->set)) {
		claimed_over(c, ENDED_DEAD, -1, STR("Slack is not configured"));
		return;
	}
	/* No message to edit: the ask was part of a summary. */
	if (is_edit(c) && !c->fill.shown_at.len) {
		claimed_over(c, ENDED_NOTHING, -1, STR("no message shows the ask"));
		return;
	}
	if (!c->later_ms)
		c->later_ms = is_edit(c) ? now_ms
					 : room_turn(claimed_state(c),
						   c->fill.contact.address, now_ms);
	if (c->later_ms <= now_ms) slack_send(c);
}

static size_t slack_watch(struct claimed *c, struct pollfd fds[CHANNEL_FDS])
{
	(void)fds;
	if (c->later_ms && clock_mono_ms() >= c->later_ms) claimed_fill_anew(c);
	return 0;
}

static void slack_cut(struct claimed *c)
{
	if (c->later_ms)
		claimed_over(c, ENDED_UNMADE, -1, STR("the server stopped meanwhile"));
	else
		post_cut(c);
}

static enum err slack_open(struct notify *n, enum delivery_kind kind, struct fault *why)
{
	(void)why;
	n->state[kind] = ARENA_NEW(&n->arena, struct slack_rooms);
	return OK;
}

const struct channel channel_slack = {
	.on = slack_on,
	.open = slack_open,
	.slots = 16,
	.start = slack_start,
	.watch = slack_watch,
	.cut = slack_cut,
	.patience_ms = 5000,
	.receiver = &slack_receiver,
	.doctor = slack_doctor,
};
