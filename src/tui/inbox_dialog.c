/* inbox_dialog.c - the ask that is open in the inbox. */
#include "base/clock.h"
#include "tui/editor.h"
#include "tui/inbox_inner.h"
#include "tui/words.h"

enum { CLAIM_MS = 90000 };

bool dialog_shows(const struct inbox *in, struct str ask)
{
	return in->dialog_on && !in->batch && str_eq(in->dialog.id, ask);
}

static void dialog_put_away(struct inbox *in)
{
	if (!in->dialog_on) return;
	if (ask_pending(in->dialog.ask) && !in->batch)
		drafts_keep(&in->drafts, in->dialog.id, &in->dialog.form);
	dialog_close(&in->dialog);
	in->dialog_on = in->batch = false;
}

static void ask_fetch(struct inbox *in, struct str id)
{
	buf_clear(&in->wanted);
	buf_add(&in->wanted, id);
	if (!in->waits[REQUEST_OPEN]) inbox_get(in, REQUEST_OPEN, id);
}

void ask_show(struct inbox *in, struct str id)
{
	if (in->view != VIEW_ASK) in->back = VIEW_LIST;
	in->view = VIEW_ASK;
	in->lost = false;
	if (dialog_shows(in, id)) {
		dialog_arm(&in->dialog);
		mark_read(in, id);
		return;
	}
	dialog_put_away(in);
	ask_fetch(in, id);
}

void dialog_glance(struct inbox *in)
{
	const struct item *item = list_at(&in->list);

	if (in->lost && in->list.rows.len == 0 && !(inbox_wide(in) && in->dialog_on))
		in->lost = false; /* the list is empty: nothing to mistake for it */
	if (!inbox_wide(in) || in->view != VIEW_LIST || in->waits[REQUEST_OPEN] ||
		in->lost)
		return;
	if (!item) {
		dialog_put_away(in);
	} else if (!in->dialog_on || !str_eq(in->dialog.id, item->id)) {
		if (!str_eq(buf_str(&in->wanted), item->id)) ask_fetch(in, item->id);
	}
}

/* Settled by another: the card says by whom, and stays with what was typed until the
 * person moves on. */
static void ask_lost(struct inbox *in)
{
	struct dialog *d = &in->dialog;

	drafts_keep(&in->drafts, d->id, &d->form);
	if (in->view == VIEW_ASK || in->view == VIEW_LIST)
		INBOX_SAY(in, STYLE_WARN, "web.colon",
			{ "words", ask_settled(d->ask, &in->turn) },
			{ "text", ask_title(d->ask, &in->turn) });
}

/* Whoever may not answer is told why, under the form; a list beside it says so already. */
void dialog_hint(struct inbox *in)
{
	if (in->dialog_on && in->hint && !inbox_wide(in) && ask_pending(in->dialog.ask))
		dialog_say(&in->dialog, STYLE_WARN, MSG(&in->turn, in->hint));
}

static void batch_draw(struct page *p, const void *ctx)
{
	together_write(&((const struct inbox *)ctx)->many, p);
}

void dialog_arrived(struct inbox *in, const struct json *ask)
{
	struct str id = json_text_of(ask, "id"), tool, server;

	if (dialog_shows(in, id)) {
		bool was_open = in->dialog.open;

		dialog_update(&in->dialog, ask);
		if (was_open && !in->dialog.open) ask_lost(in);
		return;
	}
	if (!str_eq(buf_str(&in->wanted), id)) { /* the person has moved on meanwhile */
		if (in->wanted.len > 0 && !in->waits[REQUEST_OPEN])
			inbox_get(in, REQUEST_OPEN, buf_str(&in->wanted));
		return;
	}
	if (ask_pending(ask) && inbox_was_settled(in, id)) { /* while it was on its way */
		inbox_get(in, REQUEST_OPEN, id);
		return;
	}
	dialog_put_away(in);
	buf_clear(&in->wanted);
	in->dialog_on = dialog_open(&in->dialog, ask, in->may_answer);
	in->batch = in->dialog_on && in->batch_next;
	in->batch_next = false;
	if (!in->dialog_on) return;
	in->dialog.me = buf_str(&in->user);
	in->dialog.admin = in->admin;
	if (in->view == VIEW_ASK) mark_read(in, in->dialog.id);
	dialog_hint(in);
	if (in->batch) dialog_instead(&in->dialog, in->many.taken, batch_draw, in);
	drafts_fill(&in->drafts, in->dialog.id, &in->dialog.form);
	if (ask_risk(in->dialog.ask) != RISK_NONE)
		inbox_get(in, REQUEST_BEFORE, json_text_of(in->dialog.ask, "session"));
	inbox_told(in, in->dialog.id);
	if (ask_held(in->dialog.ask, &tool, &server))
		inbox_get(in, REQUEST_SERVER, server);
}

void dialog_gone(struct inbox *in)
{
	dialog_put_away(in);
	buf_clear(&in->wanted);
	if (in->view == VIEW_ASK) in->view = in->back;
	in->back = VIEW_LIST;
}

/* ---- keys ---- */

/* Others see that somebody is at it. */
static void claim_renew(struct inbox *in)
{
	int64_t now = clock_person_ms();

	if (in->batch || !form_touched(&in->dialog.form) ||
		(in->claim_ms && now - in->claim_ms < CLAIM_MS))
		return;
	in->claim_ms = now;
	inbox_send(in, REQUEST_CLAIM, in->dialog.id, STR("{}"));
}

/* ---- approving for longer ---- */

void dialog_policy_take(struct inbox *in, const struct json *policy)
{
	if (in->dialog_on)
		dialog_limit(&in->dialog, json_get(policy, "scopes"), in->admin);
}

/* One call at a time, as its reply does not name the ask. */
static void rule_try(struct inbox *in)
{
	bool may = in->dialog_on && !in->try_id.len;
	struct str rule = may ? dialog_rule(&in->dialog, &in->turn) : STR_NONE;

	if (!rule.len) return;
	buf_add(&in->try_id, in->dialog.id);
	inbox_send(in, REQUEST_TRY, STR_NONE, rule);
}

void dialog_try_came(struct inbox *in, const struct json *reply, const struct fault *why)
{
	bool same = in->dialog_on && str_eq(buf_str(&in->try_id), in->dialog.id);

	buf_clear(&in->try_id);
	if (same) dialog_tried(&in->dialog, why ? NULL : reply, why);
	rule_try(in); /* it may be another rule by now */
}

/* The person may have moved on meanwhile. */
void dialog_rule_came(struct inbox *in, const struct json *rule, const struct fault *why)
{
	struct str from = json_text_of(json_get(rule, "made_from"), "ask");

	if (!why && !dialog_shows(in, from)) {
		INBOX_SAY(in, STYLE_GOOD, "tui.scope.created");
	} else if (!why) {
		dialog_ruled(&in->dialog);
	} else if (in->dialog_on && in->dialog.scoping) {
		in->dialog.busy = false;
		dialog_fault(&in->dialog, why);
	}
}

void ask_key(struct inbox *in, const struct key *k)
{
	struct str id = in->dialog.id;

	if (!in->dialog_on) {
		if (k->name == K_ESCAPE) dialog_gone(in);
		return;
	}
	switch (dialog_key(&in->dialog, k)) {
	case WISH_SUBMIT: inbox_settle(in, false); return;
	case WISH_SKIP: inbox_settle(in, true); return;
	case WISH_LEAVE: dialog_gone(in); return;
	case WISH_REPLY:
		in->dialog.busy = true;
		inbox_send(in, REQUEST_REPLY, id, dialog_reply(&in->dialog, &in->turn));
		return;
	case WISH_EDITOR: editor_line(&in->dialog, in->screen); return;
	case WISH_ARGUMENTS:
		if (!in->batch) editor_arguments(&in->dialog, in->screen);
		return;
	case WISH_LONGER: inbox_get(in, REQUEST_POLICY, STR_NONE); return;
	case WISH_TRY: rule_try(in); return;
	case WISH_RULE:
		in->dialog.busy = true;
		inbox_send(in, REQUEST_RULE, STR_NONE,
			dialog_rule_made(&in->dialog, clock_now_ms(), &in->turn));
		return;
	case WISH_CLAIM: inbox_send(in, REQUEST_CLAIM, id, STR("{}")); return;
	case WISH_EXTEND:
		inbox_send(in, REQUEST_EXTEND, id, STR("{\"timeout\":\"10m\"}"));
		return;
	case WISH_SESSION:
		inbox_session(in, json_text_of(in->dialog.ask, "session"));
		return;
	case WISH_UNUSED:
		if (key_letter(k) == 'i') prompt_open(in, PROMPT_ASSIGN, id, STR_NONE);
		if (key_letter(k) == 'z') prompt_open(in, PROMPT_SNOOZE, id, STR_NONE);
		if (key_letter(k) == 'l') inbox_get(in, REQUEST_LINK, id);
		if (key_letter(k) == '?') inbox_help(in);
		if (key_letter(k) == 'q') in->view = VIEW_LIST;
		return;
	default:
		if (in->dialog.open && !in->dialog.replying) claim_renew(in);
	}
}

/* One answer for those that are chosen, shown and alike. */
void dialog_batch(struct inbox *in)
{
	const struct together_row *first;

	together_make(&in->many, &in->list, draw_ask_width(in));
	first = together_first(&in->many);
	if (!first && in->many.len)
		INBOX_SAY(in, STYLE_WARN, "tui.batch.none",
			{ "why", MSG(&in->turn, in->many.rows[0].why) });
	if (!first) return;
	dialog_put_away(in);
	in->batch_next = true;
	ask_show(in, first->id);
}
