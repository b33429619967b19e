/* slack_message.h - a message in Slack: what it says and its buttons. */
#ifndef CHANNEL_SLACK_MESSAGE_H
#define CHANNEL_SLACK_MESSAGE_H

#include "channel/slack/slack_button.h"
#include "text/lang.h"

/* Texts are safe: no control bytes. */
struct slack_message {
	enum lang lang;
	struct str title, text;
	/* Parts of `text`, in order, that stand as code; may be empty. */
	const struct str *code;
	size_t code_len;
	struct str url, open; /* empty: no link */
	const struct ask *ask;
	const struct ask_parts *parts;
	const struct channel_limit *limit; /* NULL: no buttons but the link */
};

/* One that is being written. */
struct slack_view {
	struct json_writer *w;
	const struct slack_message *m;
	struct arena *arena;
};
/* A text of the catalogue, in its language; and as slack_plain makes it. */
struct str slack_text(const struct slack_view *, const char *id);
struct str slack_plain_text(const struct slack_view *, const char *id, size_t max);

/* The members `text` and `blocks` of chat.postMessage and chat.update. */
void slack_message_write(const struct slack_view *);
/* As Slack wants plain text where it reads markup: &, < and > escaped. */
struct str slack_escape(struct str, struct arena *);
/* And back, of what a person typed. */
struct str slack_unescape(struct str, struct arena *);
/* {"type": "plain_text"}, at most `max` characters. */
struct str slack_plain(struct str, size_t max, struct arena *);

#endif
