/* slack_message.c - writes messages as Slack's blocks. */
#include "channel/slack/slack_message.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/ask/question_kind.h"
#include "core/shared/body.h"
#include "text/msg.h"
#include "text/own.h"
#include "text/safe_text.h"

enum { BUTTONS_MAX = 5, LABEL_LEN = 75, CONFIRM_LEN = 300, FALLBACK_MAX = 400 };

/* ---- texts ---- */

void slack_escape(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		switch (text.at[i]) {
		case '&': buf_add(out, STR("&amp;")); break;
		case '<': buf_add(out, STR("&lt;")); break;
		case '>': buf_add(out, STR("&gt;")); break;
		default: buf_add_char(out, text.at[i]);
		}
}

struct str slack_unescape(struct str text, struct arena *arena)
{
	static const struct {
		const char *from;
		char to;
	} swaps[] = { { "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' } };
	struct buf out = { .max = text.len + 1 };

	while (text.len) {
		size_t i = 0;

		while (i < 3 && !str_starts(text, swaps[i].from))
			i++;
		buf_add_char(&out, i < 3 ? swaps[i].to : text.at[0]);
		text = str_from(text, i < 3 ? strlen(swaps[i].from) : 1);
	}
	return buf_keep_done(&out, arena);
}

static struct str safe(struct str text, struct arena *arena)
{
	struct buf out = { .max = 1 << 16 };

	safe_line_add(&out, text);
	return buf_keep_done(&out, arena);
}

void slack_plain(struct json_writer *w, struct str text, size_t max)
{
	struct str first = utf8_first(text, max);

	jw_object(w);
	jw_put_text(w, "type", "plain_text");
	jw_put_str(w, "text", first.len ? first : STR(" "));
	jw_put_bool(w, "emoji", false);
	jw_object_end(w);
}

/* A run of literal text. */
static void run_write(struct json_writer *w, struct str text, bool bold)
{
	jw_object(w);
	jw_put_text(w, "type", "text");
	jw_put_str(w, "text", text);
	if (bold) {
		jw_put_object(w, "style");
		jw_put_bool(w, "bold", true);
		jw_object_end(w);
	}
	jw_object_end(w);
}

/* `kind`: rich_text_section or rich_text_preformatted. */
static void rich_write(
	struct json_writer *w, const char *kind, struct str text, bool bold)
{
	if (!text.len) return;
	jw_object(w);
	jw_put_text(w, "type", kind);
	jw_put_array(w, "elements");
	run_write(w, text, bold);
	jw_array_end(w);
	jw_object_end(w);
}

/* ---- buttons ---- */

struct buttons {
	struct json_writer *w;
	const struct slack_message *m;
	struct arena *arena;
	bool confirm; /* approving asks once more */
};

static struct str say(const struct buttons *b, const char *id)
{
	return MSG_IN(b->arena, b->m->lang, id);
}

static void confirm_write(const struct buttons *b, struct str label)
{
	struct json_writer *w = b->w;

	jw_put_object(w, "confirm");
	jw_key(w, "title");
	slack_plain(w, say(b, "notify.slack.sure"), 100);
	jw_key(w, "text");
	slack_plain(w, b->m->title, CONFIRM_LEN);
	jw_key(w, "confirm");
	slack_plain(w, label, 30);
	jw_key(w, "deny");
	slack_plain(w, say(b, "notify.slack.cancel"), 30);
	jw_object_end(w);
}

static void button(const struct buttons *b, enum slack_button_verb verb, size_t option,
	struct str label, const char *style)
{
	const struct slack_button p = { b->m->ask->id, ask_short_digest(b->m->ask), verb,
		option };
	struct json_writer *w = b->w;

	jw_object(w);
	jw_put_text(w, "type", "button");
	jw_put_str(w, "action_id", slack_button_action(&p, b->arena));
	jw_key(w, "text");
	slack_plain(w, label, LABEL_LEN);
	jw_put_str(w, "value", slack_button_write(&p, b->arena));
	if (style) jw_put_text(w, "style", style);
	if (b->confirm && (verb == PRESS_APPROVE || verb == PRESS_HOUR))
		confirm_write(b, label);
	jw_object_end(w);
}

static bool labels_fit(const struct question *q)
{
	for (size_t i = 0; i < q->options_len; i++)
		if (utf8_count(q->options[i].label) > LABEL_LEN) return false;
	return q->options_len <= BUTTONS_MAX;
}

static void approval_buttons(const struct buttons *b)
{
	const struct ask *a = b->m->ask;

	if (channel_may_approve(b->m->limit, a, b->m->parts, b->arena)) {
		button(b, PRESS_APPROVE, 0, say(b, "notify.approve"), "primary");
		if (b->m->parts->operation && !a->require.len &&
			ask_effective_risk(a) <= RISK_MEDIUM)
			button(b, PRESS_HOUR, 0, say(b, "notify.slack.hour"), NULL);
	}
	button(b, PRESS_REJECT, 0, say(b, "notify.slack.reject.open"), "danger");
}

/* What one press answers; the rest is a form. */
static void answer_buttons(const struct buttons *b)
{
	const struct ask_parts *p = b->m->parts;
	const struct question *q = p->questions;
	bool one = p->questions_len == 1 && !q->note_required;

	if (one && question_decides(q)) {
		approval_buttons(b);
		return;
	}
	if (b->m->ask->kind == ASK_APPROVAL
			? !channel_may_approve(b->m->limit, b->m->ask, p, b->arena)
			: !channel_shows_whole(b->m->limit, p, b->arena)) {
		/* It is answered on the page. */
	} else if (one && question_kind(q)->input == INPUT_YES_NO) {
		button(b, PRESS_YES, 0, say(b, "notify.yes"), NULL);
		button(b, PRESS_NO, 0, say(b, "notify.no"), NULL);
	} else if (one && question_kind(q)->input == INPUT_ONE && labels_fit(q)) {
		for (size_t i = 0; i < q->options_len; i++)
			button(b, PRESS_OPTION, i,
				safe(own_words(q->key, q->options[i].label, b->m->lang,
					     b->arena),
					b->arena),
				NULL);
		if (q->other || q->note)
			button(b, PRESS_FORM, 0, say(b, "notify.slack.other"), NULL);
	} else if (p->questions_len) {
		button(b, PRESS_FORM, 0, say(b, "notify.slack.form"), "primary");
	}
	button(b, PRESS_SKIP, 0, say(b, "notify.slack.skip"), NULL);
}

static void link_button(const struct buttons *b)
{
	struct json_writer *w = b->w;

	jw_object(w);
	jw_put_text(w, "type", "button");
	jw_put_text(w, "action_id", "open");
	jw_key(w, "text");
	slack_plain(w, b->m->open, LABEL_LEN);
	jw_put_str(w, "url", b->m->url);
	jw_object_end(w);
}

static void actions_write(
	struct json_writer *w, const struct slack_message *m, struct arena *arena)
{
	const struct buttons b = { w, m, arena,
		m->ask && ask_effective_risk(m->ask) >= RISK_MEDIUM };

	jw_object(w);
	jw_put_text(w, "type", "actions");
	jw_put_array(w, "elements");
	if (m->limit && m->ask && channel_shows_actions(m->ask, m->parts))
		answer_buttons(&b);
	link_button(&b);
	jw_array_end(w);
	jw_object_end(w);
}

/* ---- the whole ---- */

static void words_write(struct json_writer *w, const struct slack_message *m)
{
	struct str rest = m->text;

	jw_object(w);
	jw_put_text(w, "type", "rich_text");
	jw_put_array(w, "elements");
	rich_write(w, "rich_text_section", m->title.len ? m->title : STR("Parley"), true);
	for (size_t i = 0; i < m->code_len; i++) {
		struct str code = m->code[i];

		if (!code.len) continue;
		rich_write(w, "rich_text_section",
			str_trim(str_first(rest, (size_t)(code.at - rest.at))), false);
		rich_write(w, "rich_text_preformatted", code, false);
		rest = str_from(rest, (size_t)(code.at - rest.at) + code.len);
	}
	rich_write(w, "rich_text_section", str_trim(rest), false);
	jw_array_end(w);
	jw_object_end(w);
}

void slack_message_write(
	struct json_writer *w, const struct slack_message *m, struct arena *arena)
{
	struct buf fallback = { .max = 1 << 16 };

	slack_escape(&fallback, utf8_first(m->title, FALLBACK_MAX));
	jw_put_str(w, "text", buf_str(&fallback));
	jw_put_array(w, "blocks");
	words_write(w, m);
	if (m->url.len) actions_write(w, m, arena);
	jw_array_end(w);
	if (fallback.failed) w->out->failed = true;
	buf_done(&fallback);
}
