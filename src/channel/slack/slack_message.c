/* slack_message.c - writes messages as Slack's blocks. */
#include "channel/slack/slack_message.h"

#include "base/json_pattern.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "channel/markup.h"
#include "core/ask/question_kind.h"
#include "core/shared/body.h"
#include "text/msg.h"
#include "text/own.h"
#include "text/safe_text.h"

enum { BUTTONS_MAX = 5, LABEL_LEN = 75, CONFIRM_LEN = 300, FALLBACK_MAX = 400 };

/* ---- texts ---- */

struct str slack_escape(struct str text, struct arena *arena)
{
	struct buf out = { .max = 1 << 16 };

	markup_escape(&out, text);
	return buf_keep_done(&out, arena);
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

struct str slack_plain(struct str text, size_t max, struct arena *arena)
{
	struct str first = utf8_first(text, max);

	return JSON_TEXT(arena, "{'type':'plain_text','text':%s,'emoji':false}",
		first.len ? first : STR(" "));
}

/* `kind`: rich_text_section or rich_text_preformatted. Its one run of text is literal. */
static void rich_write(
	struct json_writer *w, const char *kind, struct str text, bool bold)
{
	if (text.len)
		JW(w, "{'type':%s,'elements':[{'type':'text','text':%s,'style':%j}]}",
			str_of(kind), text, bold ? STR("{\"bold\":true}") : STR_NONE);
}

/* ---- buttons ---- */

struct str slack_text(const struct slack_view *v, const char *id)
{
	return MSG_IN(v->arena, v->m->lang, id);
}

struct str slack_plain_text(const struct slack_view *v, const char *id, size_t max)
{
	return slack_plain(slack_text(v, id), max, v->arena);
}

static struct str confirm_text(const struct slack_view *b, struct str label)
{
	return JSON_TEXT(b->arena, "{'title':%j,'text':%j,'confirm':%j,'deny':%j}",
		slack_plain_text(b, "notify.slack.sure", 100),
		slack_plain(b->m->title, CONFIRM_LEN, b->arena),
		slack_plain(label, 30, b->arena),
		slack_plain_text(b, "notify.slack.cancel", 30));
}

static void button(const struct slack_view *b, enum slack_button_verb verb, size_t option,
	struct str label, const char *style)
{
	const struct slack_button p = { b->m->ask->id, ask_short_digest(b->m->ask), verb,
		option };
	/* Approving asks once more. */
	bool confirm = ask_effective_risk(b->m->ask) >= RISK_MEDIUM &&
		       (verb == PRESS_APPROVE || verb == PRESS_HOUR);

	JW(b->w,
		"{'type':'button','action_id':%s,'text':%j,'value':%s,'style':%?,'confirm':%j}",
		slack_button_action(&p, b->arena),
		slack_plain(label, LABEL_LEN, b->arena), slack_button_write(&p, b->arena),
		style ? str_of(style) : STR_NONE,
		confirm ? confirm_text(b, label) : STR_NONE);
}

static bool labels_fit(const struct question *q)
{
	for (size_t i = 0; i < q->options_len; i++)
		if (utf8_count(q->options[i].label) > LABEL_LEN) return false;
	return q->options_len <= BUTTONS_MAX;
}

static void approval_buttons(const struct slack_view *b)
{
	const struct ask *a = b->m->ask;

	if (channel_may_approve(b->m->limit, a, b->m->parts, b->arena)) {
		button(b, PRESS_APPROVE, 0, slack_text(b, "notify.approve"), "primary");
		if (b->m->parts->operation && !a->require.len &&
			ask_effective_risk(a) <= RISK_MEDIUM)
			button(b, PRESS_HOUR, 0, slack_text(b, "notify.slack.hour"),
				NULL);
	}
	button(b, PRESS_REJECT, 0, slack_text(b, "notify.slack.reject.open"), "danger");
}

/* What one press answers; the rest is a form. */
static void answer_buttons(const struct slack_view *b)
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
		button(b, PRESS_YES, 0, slack_text(b, "notify.yes"), NULL);
		button(b, PRESS_NO, 0, slack_text(b, "notify.no"), NULL);
	} else if (one && question_kind(q)->input == INPUT_ONE && labels_fit(q)) {
		for (size_t i = 0; i < q->options_len; i++)
			button(b, PRESS_OPTION, i,
				safe_line(b->arena, own_words(q->key, q->options[i].label,
							    b->m->lang, b->arena)),
				NULL);
		if (q->other || q->note)
			button(b, PRESS_FORM, 0, slack_text(b, "notify.slack.other"),
				NULL);
	} else if (p->questions_len) {
		button(b, PRESS_FORM, 0, slack_text(b, "notify.slack.form"), "primary");
	}
	button(b, PRESS_SKIP, 0, slack_text(b, "notify.slack.skip"), NULL);
}

static void actions_write(const struct slack_view *v)
{
	const struct slack_message *m = v->m;

	JW(v->w, "{'type':'actions','elements':[");
	if (m->limit && m->ask && channel_shows_actions(m->ask, m->parts))
		answer_buttons(v);
	JW(v->w, "{'type':'button','action_id':'open','text':%j,'url':%s}]}",
		slack_plain(m->open, LABEL_LEN, v->arena), m->url);
}

/* ---- the whole ---- */

static void words_write(struct json_writer *w, const struct slack_message *m)
{
	struct str rest = m->text;

	JW(w, "{'type':'rich_text','elements':[");
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
	JW(w, "]}");
}

void slack_message_write(const struct slack_view *v)
{
	JW(v->w, "'text':%s,'blocks':[",
		slack_escape(utf8_first(v->m->title, FALLBACK_MAX), v->arena));
	words_write(v->w, v->m);
	if (v->m->url.len) actions_write(v);
	JW(v->w, "]");
}
