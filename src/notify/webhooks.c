/* webhooks.c - a settlement told to a URL, signed as Standard Webhooks has it. */
#include "base/clock.h"
#include "notify/inner.h"

/* What a reply's status means: the first row that fits. */
static const struct {
	int from, to;
	enum ending ending;
} replies[] = {
	{ 200, 299, ENDED_WELL },
	{ 410, 410, ENDED_GONE },
	{ 0, 999, ENDED_BADLY },
};

static bool webhook_may_connect(void *ctx, const uint8_t bytes[16])
{
	struct work *w = ctx;
	struct address to;

	memcpy(to.bytes, bytes, sizeof to.bytes);
	return reach_allows(w->haul->notify->set.webhook_internal, &w->url, &to);
}

static void webhook_done(void *ctx, const struct outbound_reply *reply)
{
	struct work *w = ctx;
	struct arena *arena = work_arena(w);
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
	w->outcome.retry_after_ms = reply->retry_after_ms;
	work_over(w, reply->refused ? ENDED_DEAD : replies[i].ending,
		reply->status ? reply->status : -1, error);
}

static const char *signature_line(
	const struct errand *x, int64_t at_s, struct arena *arena)
{
	struct buf line = { .max = 1024 };

	for (size_t i = 0; i < WEBHOOK_KEYS; i++)
		if (x->keys[i].len)
			webhook_sign(&line, x->keys[i], x->delivery.id, at_s, x->body);
	if (line.failed) arena->failed = true;
	struct str text =
		arena_print(arena, "webhook-signature: %.*s", STR_ARGS(buf_str(&line)));
	buf_done(&line);
	return text.at;
}

void webhook_start(struct work *w)
{
	const struct errand *x = w->errand;
	struct arena *arena = work_arena(w);
	int64_t at_s = clock_now_ms() / 1000;
	struct str id = arena_print(arena, "webhook-id: %.*s", STR_ARGS(x->delivery.id));
	struct str at = arena_print(arena, "webhook-timestamp: %lld", (long long)at_s);
	const char *headers[] = { "content-type: application/json", id.at, at.at,
		signature_line(x, at_s, arena), NULL };
	struct outbound_request request = {
		.url = arena_copy(arena, x->delivery.target),
		.headers = headers,
		.body = x->body,
		.timeout_ms = w->haul->notify->set.webhook_timeout_ms,
		.may_connect = webhook_may_connect,
		.done = webhook_done,
		.ctx = w,
	};
	struct fault why = { 0 };

	if (!url_split(x->delivery.target, &w->url))
		work_over(w, ENDED_DEAD, -1, STR("not a URL"));
	else if (arena->failed ||
		 outbound_send(w->haul->notify->outbound, &request, &why))
		work_over(w, ENDED_BADLY, -1, STR("out of memory"));
}
