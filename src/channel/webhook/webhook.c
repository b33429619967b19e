/* webhook.c - the channel of webhooks: a POST, signed as Standard Webhooks has it. */
#include "base/clock.h"
#include "channel/post.h"
#include "channel/webhook/webhook_format.h"

static void webhook_done(void *ctx, const struct outbound_reply *reply)
{
	struct claimed *c = ctx;

	c->outcome.retry_after_ms = reply->retry_after_ms;
	if (reply->status == 410)
		claimed_over(c, ENDED_GONE, 410, STR("410 Gone: the webhook is off"));
	else
		post_over(c, reply);
}

static const char *signature_line(struct claimed *c, int64_t at_s)
{
	struct arena *arena = claimed_arena(c);
	struct buf line = { .max = 1024 };

	for (size_t i = 0; i < WEBHOOK_KEYS; i++)
		if (c->fill.keys[i].len)
			webhook_sign(&line, c->fill.keys[i], c->delivery->id, at_s,
				c->fill.body);
	if (line.failed) arena->failed = true;
	struct str text =
		arena_print(arena, "webhook-signature: %.*s", STR_ARGS(buf_str(&line)));
	buf_done(&line);
	return text.at;
}

const char *const *webhook_headers(struct claimed *c)
{
	struct arena *arena = claimed_arena(c);
	int64_t at_s = clock_now_ms() / 1000;
	const char **headers = ARENA_ARRAY(arena, const char *, 5);

	if (!headers) return NULL;
	headers[0] = "content-type: application/json";
	if (!webhook_signed(c)) return headers;
	headers[1] = arena_print(arena, "webhook-id: %.*s", STR_ARGS(c->delivery->id)).at;
	headers[2] = arena_print(arena, "webhook-timestamp: %lld", (long long)at_s).at;
	headers[3] = signature_line(c, at_s);
	headers[4] = NULL;
	return headers;
}

static void webhook_start(struct claimed *c)
{
	c->fill.body = webhook_body(c);
	post_send_out(c, (struct outbound_request){ .url = webhook_url(c),
				 .headers = webhook_headers(c),
				 .body = c->fill.body,
				 .done = webhook_done });
}

const struct channel channel_webhook = {
	.slots = 64,
	.start = webhook_start,
	.cut = post_cut,
	.patience_ms = 5000,
};
