/* inbox_dialog.c - the ask that is open in the inbox. */
#include "base/clock.h"
#include "text/msg.h"
#include "tui/editor.h"
#include "tui/inbox_inner.h"
#include "tui/words.h"

enum { CLAIM_MS = 90000 };

static void before_want(struct inbox *in)
{
	struct buf path = { .max = 1024 };

	if (ask_risk(in->dialog.ask) == RISK_NONE) return;
	buf_add_text(&path, "/v1/events?format=json&limit=200&after=0&session=");
	url_add(&path, json_text(json_get(in->dialog.ask, "session")));
	data_call(in, "GET", buf_str(&path), STR_NONE, TAG_BEFORE);
	buf_done(&path);
}

static void dialog_put_away(struct inbox *in)
{
	if (!in->dialog_on) return;
	if (in->dialog.open && !in->batch)
		drafts_keep(&in->drafts, in->dialog.id, &in->dialog.form);
	dialog_close(&in->dialog);
	in->dialog_on = in->batch = false;
}

static void ask_fetch(struct inbox *in, struct str id)
{
	buf_clear(&in->wanted);
	buf_add(&in->wanted, id);
	if (in->opening) return;
	in->opening = true;
	data_ask(in, "GET", "", STR_NONE, TAG_OPEN);
}

void ask_show(struct inbox *in, struct str id)
{
	in->view = VIEW_ASK;
	if (in->dialog_on && !in->batch && str_eq(in->dialog.id, id)) {
		in->dialog.armed_at = clock_mono_ms() + ARMING_MS;
		return;
	}
	dialog_put_away(in);
	ask_fetch(in, id);
}

void ask_glance(struct inbox *in)
{
	const struct item *item = list_at(&in->list);

	if (!inbox_wide(in) || in->view != VIEW_LIST || in->opening) return;
	if (!item) {
		dialog_put_away(in);
	} else if (!in->dialog_on || !str_eq(in->dialog.id, item->id)) {
		if (!str_eq(buf_str(&in->wanted), item->id)) ask_fetch(in, item->id);
	}
}

/* Settled by another: the dialog closes and says by whom. What was typed stays in sight.
 */
static void ask_lost(struct inbox *in)
{
	struct arena arena = { 0 };
	struct dialog *d = &in->dialog;
	struct str who = ask_settled(d->ask, &arena);
	bool typed = false;

	for (size_t i = 0; i < d->form.len; i++)
		typed |= d->form.entries[i].text.text.len +
				 d->form.entries[i].other.text.len +
				 d->form.entries[i].note.text.len >
			 0;
	drafts_keep(&in->drafts, d->id, &d->form);
	inbox_say(in, STYLE_WARN,
		MSG(&arena, "web.colon", { "words", who },
			{ "text", ask_title(d->ask, &arena) }));
	if (typed && in->view == VIEW_ASK)
		dialog_say(d, STYLE_WARN, MSG(&arena, "tui.draft.kept"));
	else
		ask_gone(in);
	arena_done(&arena);
}

void ask_arrived(struct inbox *in, const struct json *ask)
{
	struct str id = json_text(json_get(ask, "id"));

	if (in->dialog_on && !in->batch && str_eq(in->dialog.id, id)) {
		bool was_open = in->dialog.open;

		dialog_update(&in->dialog, ask);
		if (was_open && !in->dialog.open) ask_lost(in);
		return;
	}
	if (!str_eq(buf_str(&in->wanted), id)) { /* the person has moved on meanwhile */
		if (in->wanted.len > 0 && !in->opening) {
			in->opening = true;
			data_ask(in, "GET", "", STR_NONE, TAG_OPEN);
		}
		return;
	}
	dialog_put_away(in);
	buf_clear(&in->wanted);
	in->dialog_on = dialog_open(&in->dialog, ask, in->may_answer);
	in->batch = in->dialog_on && in->batch_next;
	in->batch_next = false;
	if (!in->dialog_on) return;
	drafts_fill(&in->drafts, in->dialog.id, &in->dialog.form);
	before_want(in);
}

void ask_gone(struct inbox *in)
{
	dialog_put_away(in);
	buf_clear(&in->wanted);
	if (in->view == VIEW_ASK) in->view = VIEW_LIST;
}

/* ---- keys ---- */

static void reply_send(struct inbox *in)
{
	struct buf body = { .max = 1 << 17 };
	struct json_writer w = { .out = &body };

	dialog_reply(&in->dialog, &w);
	in->dialog.busy = true;
	data_ask(in, "POST", "/replies", buf_str(&body), TAG_SIDE);
	buf_done(&body);
}

/* Others see that somebody is at it. */
static void claim_renew(struct inbox *in)
{
	int64_t now = clock_mono_ms();

	if (in->batch || !form_touched(&in->dialog.form) ||
		(in->claim_ms && now - in->claim_ms < CLAIM_MS))
		return;
	in->claim_ms = now;
	data_ask(in, "POST", "/claim", STR("{}"), TAG_SIDE);
}

void ask_key(struct inbox *in, const struct key *k)
{
	if (!in->dialog_on) {
		if (k->name == K_ESCAPE) ask_gone(in);
		return;
	}
	switch (dialog_key(&in->dialog, k)) {
	case DIALOG_SUBMIT:
		if (in->batch)
			data_settle_many(in, false);
		else
			data_settle(in, false);
		return;
	case DIALOG_SKIP:
		if (in->batch)
			data_settle_many(in, true);
		else
			data_settle(in, true);
		return;
	case DIALOG_LEAVE: ask_gone(in); return;
	case DIALOG_REPLY: reply_send(in); return;
	case DIALOG_EDITOR: line_edit(&in->dialog, in->screen); return;
	case DIALOG_ARGUMENTS: arguments_edit(&in->dialog, in->screen); return;
	case DIALOG_CLAIM: data_ask(in, "POST", "/claim", STR("{}"), TAG_SIDE); return;
	case DIALOG_EXTEND:
		data_ask(in, "POST", "/extend", STR("{\"timeout\":\"10m\"}"), TAG_SIDE);
		return;
	case DIALOG_SESSION:
		data_session(in, json_text(json_get(in->dialog.ask, "session")));
		in->view = VIEW_SESSION;
		return;
	case DIALOG_UNUSED:
		if (key_letter(k) == '?' || key_letter(k) == 'q') {
			in->before_help = VIEW_ASK;
			in->view = key_letter(k) == '?' ? VIEW_HELP : VIEW_LIST;
		}
		return;
	case DIALOG_NONE:
		if (in->dialog.open && !in->dialog.replying) claim_renew(in);
	}
}

/* One answer for all that are chosen and alike; critical ones never are among them. */
void batch_show(struct inbox *in)
{
	const struct item *first = NULL;
	struct arena arena = { 0 };
	int64_t left = 0;

	for (size_t i = 0; i < in->list.len; i++) {
		const struct item *item = in->list.items[i];

		if (!item->chosen) continue;
		if (item->risk == RISK_CRITICAL || (first && item->form != first->form))
			left++;
		else if (!first)
			first = item;
	}
	if (left > 0)
		inbox_say(in, STYLE_WARN, msg_count(&arena, "tui.batch.left", left));
	arena_done(&arena);
	if (!first) return;
	ask_show(in, first->id);
	in->batch = in->dialog_on;
	in->batch_next = !in->dialog_on;
}
