/* webhook.c - the channel of webhooks: a POST, signed as Standard Webhooks has it. */
#include "base/clock.h"
#include "channel/webhook/webhook_format.h"

/* What a reply's status means: the first row that fits. */
static const struct {
	int from, to;
	enum delivery_ending ending;
} replies[] = {
	{ 200, 299, ENDED_WELL },
	{ 410, 410, ENDED_GONE },
	{ 0, 999, ENDED_BADLY },
};

bool webhook_may_connect(void *ctx, const uint8_t bytes[16])
{
	struct claimed *c = ctx;
	struct address to;

	memcpy(to.bytes, bytes, sizeof to.bytes);
	return reach_allows(claimed_notify(c)->set.webhook_internal, &c->url, &to);
}

static void webhook_done(void *ctx, const struct outbound_reply *reply)
{
	struct claimed *c = ctx;
	struct arena *arena = claimed_arena(c);
	struct str error = STR_NONE;
	size_t i = 0;

	while (reply->status < replies[i].from || reply->status > replies[i].to)
		i++;
	if (replies[i].ending == ENDED_GONE)
		error = STR("410 Gone: the webhook is off");
	else if (reply->status && replies[i].ending != ENDED_WELL)
		error = arena_print(arena, "HTTP %d", reply->status);
	else if (!reply->status)
		error = arena_str(arena, str_of(reply->error));
	c->outcome.retry_after_ms = reply->retry_after_ms;
	claimed_over(c, reply->refused ? ENDED_DEAD : replies[i].ending,
		reply->status ? reply->status : -1, error);
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
	struct notify *n = claimed_notify(c);
	struct arena *arena = claimed_arena(c);
	struct str body = c->fill.body = webhook_body(c);
	const char *url = webhook_url(c);
	struct outbound_request request = {
		.url = url,
		.headers = webhook_headers(c),
		.body = body,
		.timeout_ms = n->set.webhook_timeout_ms,
		.may_connect = webhook_may_connect,
		.done = webhook_done,
		.ctx = c,
	};
	struct fault why = { 0 };

	if (!url_split(str_of(url), &c->url))
		claimed_over(c, ENDED_DEAD, -1, STR("not a URL"));
	else if (arena->failed || outbound_send(n->outbound, &request, &why))
		claimed_over(c, ENDED_BADLY, -1, STR("out of memory"));
}

void webhook_cut(struct claimed *c)
{
	outbound_cut(claimed_notify(c)->outbound, c);
	claimed_over(c, ENDED_EARLY, -1, STR("the server stopped meanwhile"));
}

const struct channel channel_webhook = {
	.slots = 64,
	.start = webhook_start,
	.cut = webhook_cut,
	.patience_ms = 5000,
};
