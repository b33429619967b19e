/* webhook.c - the channel of webhooks: a POST, signed as Standard Webhooks has it. To contacts also JSON as
 * Slack, Teams and ntfy take it; the texts of agents stay text: no markup, mention or preview comes of
 * them. */
#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "base/url_text.h"
#include "channel/markup.h"
#include "channel/notify_text.h"
#include "channel/post.h"
#include "core/shared/trace.h"

enum { SLACK_ROOM = 1500, TEAMS_ROOM = 6000, NTFY_ROOM = 1500 };

/* ---- what it says ---- */

/* Inside a fence nothing is read as markup or as a mention, by Slack, Mattermost or Discord. A
 * backtick would end it: a look-alike stands for it. */
static struct str fenced(const struct notify_words *words, struct arena *arena)
{
	struct str parts[] = { words->title, STR("\n\n"), words->text }, piece;
	struct buf out = { .max = 1 << 16 };

	buf_add_text(&out, "```\n");
	for (size_t i = 0; i < 3; i++)
		while (str_cut(&parts[i], '`', &piece)) {
			markup_escape(&out, piece);
			if (parts[i].at) buf_add_text(&out, "\xcb\x8b");
		}
	buf_add_text(&out, "```\n");
	buf_add(&out, words->url);
	return buf_keep_done(&out, arena);
}

static void slack_write(struct claimed *c, struct json_writer *w)
{
	struct notify_words words;

	notify_text(c, SLACK_ROOM, &words);
	JW(w, "{'text':%s,'unfurl_links':false,'unfurl_media':false}",
		fenced(&words, claimed_arena(c)));
}

/* A run of literal text. */
static void text_run_write(struct json_writer *w, struct str text, const char *weight)
{
	JW(w, "{'type':'RichTextBlock','inlines':[{'type':'TextRun','text':%s,'weight':%?}]}",
		text, str_of(weight));
}

static void teams_write(struct claimed *c, struct json_writer *w)
{
	struct notify_words words;
	struct str rest, line;

	notify_text(c, TEAMS_ROOM, &words);
	rest = words.text;
	JW(w, "{'type':'message','attachments':[{"
	      "'contentType':'application/vnd.microsoft.card.adaptive','content':{"
	      "'$schema':'http://adaptivecards.io/schemas/adaptive-card.json',"
	      "'type':'AdaptiveCard','version':'1.4','body':[");
	text_run_write(w, words.title, "bolder");
	while (str_cut(&rest, '\n', &line))
		text_run_write(w, line.len ? line : STR(" "), "");
	JW(w, "],'actions':[{'type':'Action.OpenUrl','title':%s,'url':%s}]}}]}",
		words.open, words.url);
}

/* 1 to 5; what is settled makes no sound. */
static struct str ntfy_priority(const struct claimed *c)
{
	static const char *const by_priority[] = { "2", "3", "4", "5" };

	if (c->delivery->purpose == DELIVERY_SETTLED) return STR("1");
	return str_of(c->fill.ask.id.len ? by_priority[c->fill.ask.priority] : "3");
}

static struct str ntfy_topic(struct str url)
{
	struct str rest = str_from(url, url_origin(url).len + 1);
	size_t n = 0;

	while (n < rest.len && !strchr("/?#", rest.at[n]))
		n++;
	return str_first(rest, n);
}

static void ntfy_write(struct claimed *c, struct json_writer *w)
{
	struct notify_words words;

	notify_text(c, NTFY_ROOM, &words);
	JW(w, "{'topic':%s,'title':%s,'message':%s,'click':%s,'priority':%j,'sequence_id':%?}",
		ntfy_topic(c->fill.contact.address), words.title, words.text, words.url,
		ntfy_priority(c), c->delivery->ask);
}

static void (*const writers[])(struct claimed *, struct json_writer *) = {
	[FORMAT_SLACK] = slack_write,
	[FORMAT_TEAMS] = teams_write,
	[FORMAT_NTFY] = ntfy_write,
};

static struct str webhook_body(struct claimed *c)
{
	enum contact_format format = contact_format(&c->fill.contact);
	struct buf out = { .max = 1 << 20 };
	struct json_writer w = { .out = &out };

	if (!c->delivery->contact.len || format == FORMAT_PARLEY) return c->fill.body;
	writers[format](c, &w);
	return buf_keep_done(&out, claimed_arena(c));
}

static const char *webhook_url(struct claimed *c)
{
	struct arena *arena = claimed_arena(c);
	struct str address =
		c->delivery->contact.len ? c->fill.contact.address : c->delivery->target;

	/* ntfy takes JSON at its root, wherever the topic is. */
	if (c->delivery->contact.len && contact_format(&c->fill.contact) == FORMAT_NTFY)
		return arena_print(arena, "%.*s/", STR_ARGS(url_origin(address))).at;
	return arena_copy(arena, address);
}

/* Only who designed the format can check it. */
static bool webhook_signed(const struct claimed *c)
{
	return !c->delivery->contact.len ||
	       contact_format(&c->fill.contact) == FORMAT_PARLEY;
}

/* ---- sending ---- */

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
	const char **headers = ARENA_ARRAY(arena, const char *, 7);
	struct trace_on trace = trace_pass(c->fill.trace, c->delivery->id, arena);
	size_t len = 0;

	if (!headers) return NULL;
	headers[len++] = "content-type: application/json";
	if (trace.parent.len)
		headers[len++] =
			arena_print(arena, "traceparent: %.*s", STR_ARGS(trace.parent))
				.at;
	if (trace.state.len)
		headers[len++] =
			arena_print(arena, "tracestate: %.*s", STR_ARGS(trace.state)).at;
	if (!webhook_signed(c)) return headers;
	headers[len++] =
		arena_print(arena, "webhook-id: %.*s", STR_ARGS(c->delivery->id)).at;
	headers[len++] =
		arena_print(arena, "webhook-timestamp: %lld", (long long)at_s).at;
	headers[len++] = signature_line(c, at_s);
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
