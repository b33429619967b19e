/* push_text.c - writes the JSON of a push message. The worker has no catalogue: every word that it
 * shows is in here. */
#include "channel/push/push_text.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "channel/notify_text.h"
#include "core/ask/question_kind.h"
#include "text/msg.h"
#include "text/own.h"
#include "text/safe_text.h"

enum { BUTTON_MAX = 40, PUSH_ROOM = 1500 };

struct push_writing {
	struct claimed *c;
	const struct notify_words *words;
	struct json_writer *w;
};

static struct str say(const struct push_writing *p, const char *id)
{
	return MSG_IN(claimed_arena(p->c), p->words->lang, id);
}

static void member(struct json_writer *w, const char *name, struct str value)
{
	jw_put_str(w, name, value);
}

/* `answer` is JSON: the value that the button answers with. */
static void button(const struct push_writing *p, struct str title, struct str answer)
{
	struct buf safe = { .max = 4096 };

	safe_line_add(&safe, utf8_first(title, BUTTON_MAX));
	jw_object(p->w);
	member(p->w, "title", buf_str(&safe));
	jw_put_raw(p->w, "answer", answer);
	jw_object_end(p->w);
	buf_done(&safe);
}

static void option_button(
	const struct push_writing *p, const struct question *q, size_t i)
{
	struct arena *arena = claimed_arena(p->c);
	struct buf value = { .max = 4096 };
	struct json_writer v = { .out = &value };

	jw_str(&v, q->options[i].id);
	button(p, own_words(q->key, q->options[i].label, p->words->lang, arena),
		buf_str(&value));
	buf_done(&value);
}

static void buttons(const struct push_writing *p)
{
	const struct delivery_fill *f = &p->c->fill;
	const struct question *q = f->parts.questions;

	jw_put_array(p->w, "actions");
	if (f->ask.kind == ASK_APPROVAL) {
		button(p, say(p, "notify.approve"), STR("\"approve\""));
	} else if (question_kind(q)->input == INPUT_YES_NO) {
		button(p, say(p, "notify.yes"), str_of(question_kind(q)->pair[0]));
		button(p, say(p, "notify.no"), str_of(question_kind(q)->pair[1]));
	} else {
		option_button(p, q, 0);
		option_button(p, q, 1);
	}
	jw_array_end(p->w);
	member(p->w, "digest", ask_short_digest(&f->ask));
	member(p->w, "ended", say(p, "notify.push.ended"));
	member(p->w, "refused", say(p, "notify.push.refused"));
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
	const struct push_writing p = { c, words, w };
	bool settled = c->delivery->purpose == DELIVERY_SETTLED;
	struct str url = claimed_notify(c)->set.url;

	jw_object(w);
	/* What is about one ask replaces what was; the rest stands by itself. */
	member(w, "tag", c->delivery->ask.len ? c->delivery->ask : c->delivery->id);
	member(w, "title", words->title);
	member(w, "body", body);
	member(w, "path", str_from(words->url, url.len));
	member(w, "lang", words->lang == LANG_FR ? STR("fr") : STR("en"));
	if (settled) jw_put_bool(w, "settled", true);
	if (has_buttons(c)) buttons(&p);
	jw_object_end(w);
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
