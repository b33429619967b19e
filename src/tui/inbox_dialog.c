/* inbox_dialog.c - the ask that is open in the inbox. */
#include "base/clock.h"
#include "text/msg.h"
#include "tui/editor.h"
#include "tui/inbox_inner.h"
#include "tui/words.h"

enum { CLAIM_MS = 90000 };

enum { BEFORE_PAGE = 100 };

/* The events before this ask in its session, newest first. */
static void before_want(struct inbox *in)
{
	struct buf path = { .max = 1024 };

	if (ask_risk(in->dialog.ask) == RISK_NONE) return;
	buf_print(&path,
		"/v1/events?format=json&limit=%d&before=%lld&session=", BEFORE_PAGE,
		(long long)INT64_MAX);
	url_add(&path, json_text_of(in->dialog.ask, "session"));
	data_call(in, "GET", buf_str(&path), STR_NONE, TAG_BEFORE);
	buf_done(&path);
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
	if (in->opening) return;
	in->opening = true;
	data_ask(in, "GET", "", STR_NONE, TAG_OPEN);
}

void ask_show(struct inbox *in, struct str id)
{
	if (in->view != VIEW_ASK) in->back = VIEW_LIST;
	in->view = VIEW_ASK;
	in->lost = false;
	if (in->dialog_on && !in->batch && str_eq(in->dialog.id, id)) {
		in->dialog.armed_at = clock_person_ms() + ARMING_MS;
		dialog_came(&in->dialog, in->by_itself);
		in->by_itself = false;
		mark_read(in, id);
		return;
	}
	dialog_put_away(in);
	ask_fetch(in, id);
}

void dialog_glance(struct inbox *in)
{
	const struct item *item = list_at(&in->list);

	if (in->lost && in->list.shown_len == 0 && !(inbox_wide(in) && in->dialog_on))
		in->lost = false; /* the list is empty: nothing to mistake for it */
	if (!inbox_wide(in) || in->view != VIEW_LIST || in->opening || in->lost) return;
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
	struct arena arena = { 0 };
	struct dialog *d = &in->dialog;
	struct str who = ask_settled(d->ask, &arena);

	drafts_keep(&in->drafts, d->id, &d->form);
	if (in->view == VIEW_ASK || in->view == VIEW_LIST)
		inbox_say(in, STYLE_WARN,
			MSG(&arena, "web.colon", { "words", who },
				{ "text", ask_title(d->ask, &arena) }));
	arena_done(&arena);
}

/* Whoever may not answer is told why, under the form. */
void dialog_hint(struct inbox *in)
{
	struct arena arena = { 0 };

	if (in->dialog_on && in->hint && ask_pending(in->dialog.ask))
		dialog_say(&in->dialog, STYLE_WARN, MSG(&arena, in->hint));
	arena_done(&arena);
}

static void batch_draw(struct page *p, const void *ctx)
{
	together_write(&((const struct inbox *)ctx)->many, p);
}

void dialog_arrived(struct inbox *in, const struct json *ask)
{
	struct str id = json_text_of(ask, "id");

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
	in->dialog.me = buf_str(&in->user);
	dialog_came(&in->dialog, in->by_itself);
	in->by_itself = false;
	if (in->view == VIEW_ASK) mark_read(in, in->dialog.id);
	dialog_hint(in);
	if (in->batch) dialog_instead(&in->dialog, in->many.taken, batch_draw, in);
	drafts_fill(&in->drafts, in->dialog.id, &in->dialog.form);
	before_want(in);
	data_told(in, in->dialog.id);
}

void dialog_gone(struct inbox *in)
{
	dialog_put_away(in);
	buf_clear(&in->wanted);
	if (in->view == VIEW_ASK) in->view = in->back;
	in->back = VIEW_LIST;
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
	int64_t now = clock_person_ms();

	if (in->batch || !form_touched(&in->dialog.form) ||
		(in->claim_ms && now - in->claim_ms < CLAIM_MS))
		return;
	in->claim_ms = now;
	data_ask(in, "POST", "/claim", STR("{}"), TAG_SIDE);
}

void ask_key(struct inbox *in, const struct key *k)
{
	if (!in->dialog_on) {
		if (k->name == K_ESCAPE) dialog_gone(in);
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
	case DIALOG_LEAVE: dialog_gone(in); return;
	case DIALOG_REPLY: reply_send(in); return;
	case DIALOG_EDITOR: editor_line(&in->dialog, in->screen); return;
	case DIALOG_ARGUMENTS:
		if (!in->batch) editor_arguments(&in->dialog, in->screen);
		return;
	case DIALOG_LONGER: scope_ask_limits(in); return;
	case DIALOG_TRY: scope_try(in); return;
	case DIALOG_CLAIM: data_ask(in, "POST", "/claim", STR("{}"), TAG_SIDE); return;
	case DIALOG_EXTEND:
		data_ask(in, "POST", "/extend", STR("{\"timeout\":\"10m\"}"), TAG_SIDE);
		return;
	case DIALOG_SESSION:
		data_session(in, json_text_of(in->dialog.ask, "session"));
		in->view = VIEW_SESSION;
		return;
	case DIALOG_UNUSED:
		if (key_letter(k) == 'i') prompt_assign(in, in->dialog.id);
		if (key_letter(k) == 'z') prompt_snooze(in, in->dialog.id);
		if (key_letter(k) == '?' || key_letter(k) == 'q') {
			in->before_help = VIEW_ASK;
			in->view = key_letter(k) == '?' ? VIEW_HELP : VIEW_LIST;
		}
		return;
	case DIALOG_NONE:
		if (in->dialog.open && !in->dialog.replying) claim_renew(in);
	}
}

/* One answer for those that are chosen, shown and alike. */
void dialog_batch(struct inbox *in)
{
	const struct together_row *first;
	struct arena arena = { 0 };

	together_make(&in->many, &in->list, draw_ask_width(in));
	first = together_first(&in->many);
	if (!first && in->many.len)
		inbox_say(in, STYLE_WARN,
			MSG(&arena, "tui.batch.none",
				{ "why", MSG(&arena, in->many.rows[0].why) }));
	arena_done(&arena);
	if (!first) return;
	dialog_put_away(in);
	in->batch_next = true;
	ask_show(in, first->id);
}
