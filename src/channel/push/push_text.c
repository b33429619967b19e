/* push_text.c - writes the JSON of a push message. The worker has no catalogue: every word that it
 * shows is in here. */
#include "channel/push/push_text.h"

#include "base/json_pattern.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "channel/notify_text.h"
#include "core/ask/question_kind.h"
#include "text/msg.h"
#include "text/own.h"
#include "text/safe_text.h"

enum { BUTTON_MAX = 40, PUSH_ROOM = 1500 };

/* `answer` is JSON: the value that the button answers with. */
static struct str button(struct arena *arena, struct str title, struct str answer)
{
	return JSON_TEXT(arena, "{'title':%s,'answer':%j}",
		safe_line(arena, utf8_first(title, BUTTON_MAX)), answer);
}

static struct str option_button(
	struct arena *arena, enum lang lang, const struct question *q, size_t i)
{
	return button(arena, own_words(q->key, q->options[i].label, lang, arena),
		JSON_TEXT(arena, "%s", q->options[i].id));
}

/* What one press answers with, and what is said of it afterwards. */
static void buttons(struct json_writer *w, struct claimed *c, enum lang lang)
{
	const struct delivery_fill *f = &c->fill;
	const struct question *q = f->parts.questions;
	const char *const *pair = question_kind(q)->pair;
	struct arena *arena = claimed_arena(c);
	struct str first, second = STR_NONE;

	if (f->ask.kind == ASK_APPROVAL) {
		first = button(
			arena, MSG_IN(arena, lang, "notify.approve"), STR("\"approve\""));
	} else if (question_kind(q)->input == INPUT_YES_NO) {
		first = button(arena, MSG_IN(arena, lang, "notify.yes"), str_of(pair[0]));
		second = button(arena, MSG_IN(arena, lang, "notify.no"), str_of(pair[1]));
	} else {
		first = option_button(arena, lang, q, 0);
		second = option_button(arena, lang, q, 1);
	}
	JW(w, "'actions':[%j,%j],'digest':%s,'ended':%s,'refused':%s", first, second,
		ask_short_digest(&f->ask), MSG_IN(arena, lang, "notify.push.ended"),
		MSG_IN(arena, lang, "notify.push.refused"));
}

/* One press settles it, within the channel's limit, and the person may see what it is about. */
static bool has_buttons(struct claimed *c)
{
	const struct delivery_fill *f = &c->fill;
	const struct ask_parts *parts = &f->parts;

	if (!delivery_shows_ask(c->delivery) || !f->ask.id.len || f->title_only ||
		f->ask.require.len || !channel_shows_actions(&f->ask, parts))
		return false;
	if (f->ask.kind == ASK_APPROVAL)
		return parts->questions_len == 1 && question_decides(parts->questions) &&
		       channel_may_approve(
			       &channel_limit_push, &f->ask, parts, claimed_arena(c));
	return channel_question_few(parts) &&
	       channel_shows_whole(&channel_limit_push, parts, claimed_arena(c));
}

static void push_write(struct claimed *c, const struct notify_words *words,
	struct str body, struct json_writer *w)
{
	const struct delivery *d = c->delivery;
	struct str url = claimed_notify(c)->set.url;

	/* A notification about an ask replaces the last one about it; others stand by themselves. */
	JW(w, "{'tag':%s,'title':%s,'body':%s,'path':%s,'lang':%s,'settled':%j",
		d->ask.len ? d->ask : d->id, words->title, body,
		str_from(words->url, url.len), str_of(lang_code(words->lang)),
		d->purpose == DELIVERY_SETTLED ? STR("true") : STR_NONE);
	if (has_buttons(c)) buttons(w, c, words->lang);
	JW(w, "}");
}

struct str push_text(struct claimed *c)
{
	struct notify_words words;
	struct str body;
	struct buf out = { .max = 1 << 16 };
	size_t over;

	notify_text(c, PUSH_ROOM, &words);
	body = words.text;
	/* JSON makes some characters longer, so what fits shows only once it is written. */
	for (;;) {
		struct json_writer w = { .out = &out };

		push_write(c, &words, str_trim(body), &w);
		if (out.failed || out.len < PUSH_LARGE || !body.len) break;
		over = out.len - (PUSH_LARGE - 1);
		body = utf8_fit(body, over < body.len ? body.len - over : 0);
		buf_clear(&out);
	}
	return buf_keep_done(&out, claimed_arena(c));
}
