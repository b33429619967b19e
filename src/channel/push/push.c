/* push.c - the channel of web push: a message that only the person's browser can read, handed to its
 * push service (RFC 8030). */
#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/keep.h"
#include "base/url_text.h"
#include "channel/post.h"
#include "channel/push/push_text.h"
#include "core/notify/contact.h"

enum { HEADERS_MAX = 8, DAY_S = 24 * 3600, HOUR_S = 3600, SIGNED_S = 12 * 3600 };

/* ---- the request ---- */

/* Until the deadline, at most a day: who looks later finds the page. */
static int64_t push_ttl_s(const struct claimed *c)
{
	const struct ask *a = &c->fill.ask;
	int64_t left_s;

	if (c->delivery->purpose == DELIVERY_SETTLED) return HOUR_S;
	if (!a->id.len || !a->deadline_ms) return DAY_S;
	left_s = (a->deadline_ms - clock_now_ms()) / 1000;
	return left_s < 0 ? 0 : left_s > DAY_S ? DAY_S : left_s;
}

static const char *push_urgency(const struct claimed *c)
{
	static const char *const by_priority[] = { "low", "normal", "high", "high" };

	return c->fill.ask.id.len ? by_priority[c->fill.ask.priority] : "normal";
}

static const char *vapid_line(struct claimed *c)
{
	struct arena *arena = claimed_arena(c);
	uint8_t key[P256_PRIVATE_SIZE];
	struct buf line = { .max = 8192 };
	const char *text;

	p256_private_from((const uint8_t *)c->fill.keys[0].at, key);
	buf_add(&line, STR("authorization: "));
	if (!webpush_sign(key, url_origin(c->fill.contact.address),
		    subscription_subject(&claimed_notify(c)->set),
		    clock_now_ms() / 1000 + SIGNED_S, &line))
		arena->failed = true;
	text = arena_copy(arena, buf_str(&line));
	buf_done(&line);
	return text;
}

static const char *const *push_headers(struct claimed *c)
{
	struct arena *arena = claimed_arena(c);
	const char **headers = ARENA_ARRAY(arena, const char *, HEADERS_MAX);
	struct str ask = c->delivery->ask;
	size_t n = 0;

	if (!headers) return NULL;
	headers[n++] = "content-type: application/octet-stream";
	headers[n++] = "content-encoding: aes128gcm";
	headers[n++] = arena_print(arena, "ttl: %lld", (long long)push_ttl_s(c)).at;
	headers[n++] = arena_print(arena, "urgency: %s", push_urgency(c)).at;
	headers[n++] = vapid_line(c);
	if (ask.len)
		headers[n++] = arena_print(
			arena, "topic: %.*s", STR_ARGS(str_from(ask, strlen("ask_"))))
				       .at;
	headers[n] = NULL;
	return headers;
}

static struct str push_body(struct claimed *c)
{
	struct arena *arena = claimed_arena(c);
	struct str text = push_text(c);
	struct webpush_keys keys;
	uint8_t once[P256_PRIVATE_SIZE];
	struct buf body = { .max = WEBPUSH_RECORD + 1 };

	random_bytes(NULL, keys.salt, sizeof keys.salt);
	random_bytes(NULL, once, sizeof once);
	p256_private_from(once, keys.once);
	if (!subscription_keys(c->fill.contact.detail, arena, &keys) ||
		!webpush_seal(&keys, text,
			text.len < PUSH_SMALL ? PUSH_SMALL : PUSH_LARGE, &body))
		arena->failed = true;
	return buf_keep_done(&body, arena);
}

/* ---- the reply ---- */

static void push_done(void *ctx, const struct outbound_reply *reply)
{
	struct claimed *c = ctx;
	int status = reply->status;

	c->outcome.retry_after_ms = reply->retry_after_ms;
	if (status == 404 || status == 410)
		claimed_over(c, ENDED_GONE, status,
			arena_print(claimed_arena(c), "%d: the browser has unsubscribed",
				status));
	else
		post_over(c, reply);
}

static bool push_on(const struct settings *set)
{
	return subscription_subject(set).len;
}

static void push_start(struct claimed *c)
{
	if (!push_on(&claimed_notify(c)->set))
		claimed_over(c, ENDED_DEAD, -1, STR("push is not configured"));
	else
		post_send_out(
			c, (struct outbound_request){ .url = arena_copy(claimed_arena(c),
							      c->fill.contact.address),
				   .body = push_body(c),
				   .headers = push_headers(c),
				   .done = push_done });
}

/* The key that push services know us by is there before the first browser asks for it. */
static enum err push_open(struct notify *n, enum delivery_kind kind, struct fault *why)
{
	uint8_t key[SERVER_KEY_SIZE];

	(void)kind;
	return push_on(&n->set) ? desk_key_make(n->desk, PUSH_KEY, key, why) : OK;
}

const struct channel channel_push = {
	.on = push_on,
	.open = push_open,
	.slots = 32,
	.start = push_start,
	.cut = post_cut,
	.patience_ms = 5000,
};
