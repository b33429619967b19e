/* webhook_format.c - what webhooks of a contact send: JSON as Slack, Teams and ntfy take it. The
 * texts of agents stay text: no markup, mention or preview comes of them. */
#include "channel/webhook/webhook_format.h"

#include "base/keep.h"
#include "channel/notify_text.h"

enum { SLACK_ROOM = 1500, TEAMS_ROOM = 6000, NTFY_ROOM = 1500 };

/* Inside a fence nothing is read as markup or as a mention, by Slack, Mattermost or Discord. A
 * backtick would end it: a look-alike stands for it. */
static void fence_add(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (c == '`')
			buf_add(out, STR("\xcb\x8b"));
		else if (c == '&')
			buf_add(out, STR("&amp;"));
		else if (c == '<')
			buf_add(out, STR("&lt;"));
		else if (c == '>')
			buf_add(out, STR("&gt;"));
		else
			buf_add_char(out, c);
	}
}

static void slack_write(struct claimed *c, struct json_writer *w)
{
	struct notify_words words;
	struct buf text = { .max = 1 << 16 };

	notify_text(c, SLACK_ROOM, &words);
	buf_add(&text, STR("```\n"));
	fence_add(&text, words.title);
	buf_add(&text, STR("\n\n"));
	fence_add(&text, words.text);
	buf_add(&text, STR("```\n"));
	buf_add(&text, words.url);
	jw_object(w);
	jw_put_str(w, "text", buf_str(&text));
	jw_put_bool(w, "unfurl_links", false);
	jw_put_bool(w, "unfurl_media", false);
	jw_object_end(w);
	if (text.failed) w->out->failed = true;
	buf_done(&text);
}

/* A run of literal text. */
static void text_run_write(struct json_writer *w, struct str text, bool bold)
{
	jw_object(w);
	jw_put_text(w, "type", "RichTextBlock");
	jw_put_array(w, "inlines");
	jw_object(w);
	jw_put_text(w, "type", "TextRun");
	jw_put_str(w, "text", text);
	if (bold) jw_put_text(w, "weight", "bolder");
	jw_object_end(w);
	jw_array_end(w);
	jw_object_end(w);
}

static void card_write(struct json_writer *w, const struct notify_words *words)
{
	struct str rest = words->text, line;

	jw_object(w);
	jw_put_text(w, "$schema", "http://adaptivecards.io/schemas/adaptive-card.json");
	jw_put_text(w, "type", "AdaptiveCard");
	jw_put_text(w, "version", "1.4");
	jw_put_array(w, "body");
	text_run_write(w, words->title, true);
	while (str_cut(&rest, '\n', &line))
		text_run_write(w, line.len ? line : STR(" "), false);
	jw_array_end(w);
	jw_put_array(w, "actions");
	jw_object(w);
	jw_put_text(w, "type", "Action.OpenUrl");
	jw_put_str(w, "title", words->open);
	jw_put_str(w, "url", words->url);
	jw_object_end(w);
	jw_array_end(w);
	jw_object_end(w);
}

static void teams_write(struct claimed *c, struct json_writer *w)
{
	struct notify_words words;

	notify_text(c, TEAMS_ROOM, &words);
	jw_object(w);
	jw_put_text(w, "type", "message");
	jw_put_array(w, "attachments");
	jw_object(w);
	jw_put_text(w, "contentType", "application/vnd.microsoft.card.adaptive");
	jw_key(w, "content");
	card_write(w, &words);
	jw_object_end(w);
	jw_array_end(w);
	jw_object_end(w);
}

/* 1 to 5; what is settled makes no sound. */
static int64_t ntfy_priority(const struct claimed *c)
{
	static const int64_t by_priority[] = { 2, 3, 4, 5 };

	if (c->delivery->purpose == DELIVERY_SETTLED) return 1;
	return c->fill.ask.id.len ? by_priority[c->fill.ask.priority] : 3;
}

static void ntfy_write(struct claimed *c, struct json_writer *w)
{
	struct notify_words words;

	notify_text(c, NTFY_ROOM, &words);
	jw_object(w);
	jw_put_str(w, "topic", ntfy_topic(c->fill.contact.address));
	jw_put_str(w, "title", words.title);
	jw_put_str(w, "message", words.text);
	jw_put_str(w, "click", words.url);
	jw_put_int(w, "priority", ntfy_priority(c));
	jw_put_some(w, "sequence_id", c->delivery->ask);
	jw_object_end(w);
}

struct str ntfy_topic(struct str url)
{
	int host = str_find(url, STR("://"));
	struct str rest = str_from(url, host < 0 ? 0 : (size_t)host + 3);
	size_t n = 0;

	while (n < rest.len && rest.at[n] != '/')
		n++;
	rest = str_from(rest, n + 1);
	for (n = 0; n < rest.len && !strchr("/?#", rest.at[n]);)
		n++;
	return str_first(rest, n);
}

static const char *ntfy_root(struct str url, struct arena *arena)
{
	int host = str_find(url, STR("://"));
	size_t n = host < 0 ? 0 : (size_t)host + 3;

	while (n < url.len && url.at[n] != '/')
		n++;
	return arena_copy(
		arena, arena_print(arena, "%.*s/", STR_ARGS(str_first(url, n))));
}

static void (*const writers[])(struct claimed *, struct json_writer *) = {
	[FORMAT_SLACK] = slack_write,
	[FORMAT_TEAMS] = teams_write,
	[FORMAT_NTFY] = ntfy_write,
};

struct str webhook_body(struct claimed *c)
{
	enum contact_format format = contact_format(&c->fill.contact);
	struct buf out = { .max = 1 << 20 };
	struct json_writer w = { .out = &out };

	if (!c->delivery->contact.len || format == FORMAT_PARLEY) return c->fill.body;
	writers[format](c, &w);
	return buf_keep_done(&out, claimed_arena(c));
}

const char *webhook_url(struct claimed *c)
{
	struct arena *arena = claimed_arena(c);

	if (!c->delivery->contact.len) return arena_copy(arena, c->delivery->target);
	return contact_format(&c->fill.contact) == FORMAT_NTFY
		       ? ntfy_root(c->fill.contact.address, arena)
		       : arena_copy(arena, c->fill.contact.address);
}

bool webhook_signed(const struct claimed *c)
{
	return !c->delivery->contact.len ||
	       contact_format(&c->fill.contact) == FORMAT_PARLEY;
}
