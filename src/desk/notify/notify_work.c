/* notify_work.c - messages to people under way: held back, counted, reported; the end of an ask
 * told to whoever shows it. */
#include "core/notify/alert.h"
#include "core/shared/field.h"
#include "desk/notify/notify_ask.h"

enum { RATE_MS = 60 * 1000 };

/* ---- events ---- */

static enum err committed_event(struct rows *rows, const struct delivery *d,
	const struct ask *a, const char *type, struct fault *why)
{
	struct session *s;
	enum err e;

	if (ask_is_alert(a)) return OK;
	e = rows_fetch_session(rows, a->ws, a->session, &s, why);
	if (!e)
		rows_event(rows, type, s, a,
			fields_text(rows->arena,
				FIELDS(field_text("user", d->user),
					field_str("contact", d->contact),
					field_word(
						"channel", delivery_kind_name(d->kind)),
					field_int("step", d->step),
					field_word("purpose",
						delivery_purpose_name(d->purpose)))));
	return e;
}

/* ---- the end of an ask ---- */

/* Can what this contact shows be changed, or is there somebody who wants to know? Of an alert
 * everybody does: there is nothing to see its end by. */
static bool contact_takes_end(
	const struct desk *desk, const struct ask *a, const struct contact *c)
{
	enum contact_format format = contact_format(c);

	if (ask_is_alert(a)) return true;
	if (channel_is(c->channel, CHANNEL_KEEPS)) return desk->set.mail_settled;
	return format == FORMAT_PARLEY || format == FORMAT_NTFY;
}

/* What was made for a contact that may show an ask. */
struct showing {
	bool shows; /* a message that was begun may have arrived, however it was reported */
	bool under_way; /* something is */
	int64_t ends;	/* how often its end was made, */
	bool end_waits; /* and one is not begun */
};

static enum err showing_find(struct rows *rows, const struct ask *a, struct str contact,
	struct showing *out, struct fault *why)
{
	const struct delivery *d = NULL;
	enum err e = notify_fetch(rows, a, why);

	*out = (struct showing){ 0 };
	while (!e && (d = rows_next(rows, RECORD_DELIVERIES, d))) {
		bool waits = d->status == DELIVERY_WAITING;

		if (!str_eq(d->ask, a->id) || !str_eq(d->contact, contact) ||
			d->step == DELIVERY_NOTICE_STEP)
			continue;
		if (d->purpose == DELIVERY_SETTLED) {
			out->ends++;
			out->end_waits |= waits && !d->lease.by.len;
			continue;
		}
		out->under_way |= waits && d->lease.by.len;
		out->shows |= delivery_shows_ask(d) &&
			      (d->status == DELIVERY_DONE || d->attempts > 0);
	}
	return e;
}

static enum err end_stage(struct desk *desk, struct rows *rows, const struct ask *a,
	struct str contact, int64_t round, struct fault *why)
{
	const struct delivery like = { .purpose = DELIVERY_SETTLED, .round = round };
	const struct contact *c;
	enum err e = contact_fetch(rows, a->ws, contact, &c, why);

	if (e || !c || !c->verified || c->broken_ms || !contact_takes_end(desk, a, c))
		return e;
	notify_stage(rows, a, c, like, NULL);
	return OK;
}

enum err notify_end_at(struct desk *desk, struct rows *rows, const struct ask *a,
	struct str contact, struct fault *why)
{
	struct showing s;
	enum err e = showing_find(rows, a, contact, &s, why);

	if (e || s.ends || s.under_way || !s.shows || alert_is_acked(a)) return e;
	return end_stage(desk, rows, a, contact, 0, why);
}

enum err notify_overtaken(
	struct desk *desk, struct rows *rows, const struct delivery *d, struct fault *why)
{
	struct showing s;
	struct ask *a;
	enum err e;

	if (!d->ask.len || !delivery_shows_ask(d)) return OK;
	e = notify_subject(rows, d->ws, d->ask, &a, why);
	if (e) return e == ERR_NOT_FOUND ? OK : e;
	if (a->status == ASK_PENDING || alert_is_acked(a)) return OK;
	e = showing_find(rows, a, d->contact, &s, why);
	if (e || s.end_waits || (!s.ends && s.under_way)) return e;
	return end_stage(desk, rows, a, d->contact, s.ends, why);
}

/* ---- a message that did not arrive ---- */

/* The person's next contact is tried at once. When nothing of the step may arrive any more, it
 * reached nobody. */
static enum err message_failed(struct rows *rows, const struct delivery *d,
	const struct ask *a, struct notify_notes *notes, struct fault *why)
{
	const struct route_point at = { d->step, d->round, 0 };
	const struct delivery like = {
		.purpose = notify_purpose(a), .step = d->step, .round = d->round
	};
	struct recipients t = { 0 };
	struct notify_plan plan = { 0 };
	const struct notify_route *r;
	const struct notify_step *s;
	const struct contact *next;
	struct plan_facts f;
	enum err e = recipients_load(rows, a->ws, &t, why);

	if (!e) e = recipients_facts(rows, &t, a, &f, why);
	if (!e) e = channels_down(rows, &f.down, why);
	if (e || (d->user.len && plan_hopes(&f, &at, d->user))) return e;
	r = routes_by_id(&t.table, a->route);
	s = r && d->step >= 0 && (size_t)d->step < r->steps_len ? &r->steps[d->step]
								: NULL;
	next = d->user.len ? plan_next_contact(&f, d->user, s ? s->via : 0) : NULL;
	/* Unless this contact already had a message of this step that was dropped. */
	if (next && !notify_there(&f, next, &like)) {
		notify_stage(rows, a, next, like, NULL);
		return OK;
	}
	if (!s || plan_hopes(&f, &at, STR_NONE)) return OK;
	if (!plan_failed(&f, s, &at, &plan)) return fail_memory(why);
	return plan_reaches(&plan, 0) ? OK
				      : unreached_step(rows, &f, &at, &plan, notes, why);
}

/* The same for one whose contact went away before it was begun. */
static enum err ask_unsent(struct rows *rows, const struct delivery *d,
	struct notify_notes *notes, struct fault *why)
{
	struct ask *a;
	enum err e = notify_subject(rows, d->ws, d->ask, &a, why);

	if (e) return e == ERR_NOT_FOUND ? OK : e;
	return a->status == ASK_PENDING && d->purpose != DELIVERY_THREAD
		       ? message_failed(rows, d, a, notes, why)
		       : OK;
}

/* ---- a vote on it ---- */

/* Is there an edit already that is made for this version, or that still waits and will show
 * the latest votes? */
static bool edit_there(
	const struct rows *rows, const struct ask *a, const struct delivery *shown)
{
	const struct delivery *d = NULL;

	while ((d = rows_next(rows, RECORD_DELIVERIES, d)))
		if (d->purpose == DELIVERY_VOTED && str_eq(d->ask, a->id) &&
			str_eq(d->contact, shown->contact) &&
			(d->round == a->version ||
				(d->status == DELIVERY_WAITING && !d->lease.by.len)))
			return true;
	return false;
}

/* Edits every message that shows it, where that can be done. */
static enum err votes_tell(struct rows *rows, const struct ask *a, struct fault *why)
{
	const struct delivery like = { .purpose = DELIVERY_VOTED, .round = a->version };
	const struct delivery *d = NULL;
	const struct contact *c;
	enum err e;

	/* The last vote settles it, which is told by itself. */
	if (!a->route.len || a->status != ASK_PENDING) return OK;
	e = notify_fetch(rows, a, why);
	while (!e && (d = rows_next(rows, RECORD_DELIVERIES, d))) {
		if (!channel_is(d->kind, CHANNEL_EDITS) || d->purpose != DELIVERY_ASK ||
			d->status != DELIVERY_DONE || !d->detail.len ||
			!str_eq(d->ask, a->id) || edit_there(rows, a, d))
			continue;
		e = contact_fetch(rows, a->ws, d->contact, &c, why);
		if (!e && c && c->verified && !c->broken_ms)
			notify_stage(rows, a, c, like, NULL);
	}
	return e;
}

enum err notify_voted(const struct happened *h, struct fault *why)
{
	enum err e = votes_tell(h->rows, h->ask, why);

	if (!e) notify_news(h->rows, h->ask);
	return e;
}

/* Edits a message if votes came while it was being sent. */
static enum err votes_meanwhile(
	struct rows *rows, const struct delivery *d, struct fault *why)
{
	struct ask *a;
	enum err e = notify_subject(rows, d->ws, d->ask, &a, why);

	if (e) return e == ERR_NOT_FOUND ? OK : e;
	return a->votes.len ? votes_tell(rows, a, why) : OK;
}

/* ---- before it is begun ---- */

/* Messages to this contact that this batch claims, which the store does not know yet. */
static int64_t claimed_now(const struct rows *rows, const struct delivery *than)
{
	const struct delivery *d = NULL;
	int64_t n = 0;

	while ((d = rows_next(rows, RECORD_DELIVERIES, d)))
		n += d != than && d->status == DELIVERY_WAITING && d->lease.by.len &&
		     delivery_shows_ask(d) && str_eq(d->contact, than->contact);
	return n;
}

static const struct delivery *summary_here(const struct rows *rows, struct str contact)
{
	const struct delivery *d = NULL;

	while ((d = rows_next(rows, RECORD_DELIVERIES, d)))
		if (d->purpose == DELIVERY_SUMMARY && d->status == DELIVERY_WAITING &&
			!d->lease.by.len && str_eq(d->contact, contact))
			break;
	return d;
}

/* The summary that waits for this contact, or a new one. */
static enum err summary_open(struct rows *rows, const struct contact *c, int64_t at_ms,
	struct str *out, struct fault *why)
{
	const struct delivery like = { .purpose = DELIVERY_SUMMARY, .next_ms = at_ms };
	const struct delivery *d = summary_here(rows, c->id);
	struct delivery *fresh;
	enum err e =
		d ? OK
		  : rows_fetch(rows, RECORD_DELIVERIES, SQL_DELIVERIES_TO_CONTACT,
			    ARGS(c->ws, c->id, delivery_purpose_name(DELIVERY_SUMMARY)),
			    why);

	if (e) return e;
	if (!d) d = summary_here(rows, c->id);
	if (d) return *out = d->id, OK;
	notify_stage(rows, NULL, c, like, &fresh);
	*out = fresh->id;
	return OK;
}

/* Too many in a minute: the rest become one summary when it is over. */
static enum err rate_hold(struct task *t, struct rows *rows, struct delivery *d,
	const struct contact *c, bool *hold, struct fault *why)
{
	int64_t recent[2] = { 0 }, first_ms; /* how many, and when the first was */
	enum err e = rows_ints(rows, SQL_CONTACT_RECENT,
		ARGS(d->ws, d->contact, rows->now_ms - RATE_MS, d->id), recent, 2, why);

	if (e || recent[0] + claimed_now(rows, d) < t->desk->set.notify_rate) return e;
	first_ms = recent[1] ? recent[1] : rows->now_ms;
	/* A reply in a thread is delayed, not summarized: a summary would lose its text. */
	if (d->purpose == DELIVERY_THREAD)
		d->next_ms = first_ms + RATE_MS;
	else
		e = summary_open(rows, c, first_ms + RATE_MS, &d->carrier, why);
	if (e) return e;
	d->lease = (struct lease){ 0 };
	d->attempts = 0;
	*hold = true;
	return OK;
}

static enum err drop(struct rows *rows, struct delivery *d, bool *hold, struct str reason)
{
	delivery_drop(rows, d, reason);
	*hold = true;
	return OK;
}

static enum err ask_prepare(struct task *t, struct rows *rows, struct delivery *d,
	const struct contact *c, bool *hold, struct fault *why)
{
	struct ask *a;
	enum err e = notify_subject(rows, d->ws, d->ask, &a, why);

	if (e == ERR_NOT_FOUND)
		return drop(rows, d, hold, STR("the ask is no longer there"));
	if (e || d->purpose == DELIVERY_SETTLED) return e;
	if (a->status != ASK_PENDING ||
		(a->deadline_ms && a->deadline_ms <= rows->now_ms)) {
		drop(rows, d, hold, STR("the ask is settled"));
		return a->status == ASK_PENDING
			       ? OK
			       : notify_end_at(t->desk, rows, a, d->contact, why);
	}
	return d->attempts > 1 || d->purpose == DELIVERY_VOTED ||
			       d->purpose == DELIVERY_ALERT
		       ? OK
		       : rate_hold(t, rows, d, c, hold, why);
}

enum err notify_prepare(struct task *t, struct rows *rows, struct delivery *d, bool *hold,
	struct notify_notes *notes, struct fault *why)
{
	bool plain = d->purpose == DELIVERY_CODE || d->purpose == DELIVERY_TEST ||
		     d->purpose == DELIVERY_SETTLED || d->purpose == DELIVERY_VOTED;
	const struct contact *c;
	enum err e = contact_fetch(rows, d->ws, d->contact, &c, why);

	*hold = false;
	if (e) return e;
	if (!c || (!plain && !contact_open(c))) {
		drop(rows, d, hold,
			!c	   ? STR("the contact was removed")
			: c->muted ? STR("the contact is muted")
				   : STR("the contact is not verified"));
		return d->ask.len && !plain ? ask_unsent(rows, d, notes, why) : OK;
	}
	return d->ask.len ? ask_prepare(t, rows, d, c, hold, why) : OK;
}

/* ---- after it ended ---- */

/* Messages carried by a digest or summary end with its outcome. */
static enum err carried_end(struct rows *rows, const struct delivery *d,
	struct notify_notes *notes, struct fault *why)
{
	const struct delivery *at = NULL;
	enum err e = rows_fetch(
		rows, RECORD_DELIVERIES, SQL_DELIVERIES_CARRIED, ARGS(d->ws, d->id), why);

	while (!e && (at = rows_next(rows, RECORD_DELIVERIES, at))) {
		struct delivery *c;

		if (!str_eq(at->carrier, d->id) || at->status != DELIVERY_WAITING)
			continue;
		c = rows_change(rows, at);
		c->status = d->status;
		c->done_ms = rows->now_ms;
		c->last_error = d->last_error;
		if (c->status == DELIVERY_DEAD) e = ask_unsent(rows, c, notes, why);
		if (c->status == DELIVERY_DONE)
			e = notify_replied_meanwhile(rows, c, why);
	}
	return e;
}

/* A success mends a contact, and what can never arrive breaks it. */
static enum err contact_learn(struct rows *rows, const struct delivery *d,
	const struct delivery_outcome *o, struct fault *why)
{
	const struct contact *was;
	struct contact *c;
	enum err e = contact_fetch(rows, d->ws, d->contact, &was, why);

	if (e || !was) return e;
	if (d->status == DELIVERY_DONE ? !was->broken_ms && was->tested
				       : o->ending != ENDED_GONE || was->broken_ms)
		return OK;
	c = rows_change(rows, was);
	c->tested |= d->status == DELIVERY_DONE;
	c->broken_ms = d->status == DELIVERY_DONE ? 0 : rows->now_ms;
	c->broken = d->status == DELIVERY_DONE ? STR_NONE : d->last_error;
	if (c->broken_ms) contact_event(rows, c, "contact.broken");
	return OK;
}

static enum err ask_reported(struct task *t, struct rows *rows, struct delivery *d,
	const struct delivery_outcome *o, struct notify_notes *notes, struct fault *why)
{
	bool failed;
	struct ask *a;
	enum err e = notify_subject(rows, d->ws, d->ask, &a, why);

	if (e) return e == ERR_NOT_FOUND ? OK : e;
	if (d->purpose == DELIVERY_SETTLED) return OK;
	if (d->status == DELIVERY_WAITING &&
		(a->status != ASK_PENDING ||
			(!o->down && a->deadline_ms && a->deadline_ms <= d->next_ms))) {
		/* No further attempt: the ask is settled, or its deadline comes first. */
		if (a->status != ASK_PENDING)
			delivery_drop(rows, d, STR("the ask is settled"));
		else
			d->status = DELIVERY_DEAD, d->done_ms = rows->now_ms;
	}
	if (d->purpose == DELIVERY_VOTED)
		e = OK; /* an edit tells nobody anew */
	else if (d->status == DELIVERY_DONE)
		e = committed_event(rows, d, a, "ask.notified", why);
	else if (d->status == DELIVERY_DEAD)
		e = committed_event(rows, d, a, "ask.notify_failed", why);
	if (e) return e;
	if (a->status != ASK_PENDING)
		return notify_end_at(t->desk, rows, a, d->contact, why);
	/* A failed reply or edit needs no other contact: the ask itself has arrived. A
	 * message counts as failed when its channel is down or it is retried for long. */
	failed = d->status == DELIVERY_DEAD ||
		 (d->status == DELIVERY_WAITING &&
			 (o->down || d->attempts > DELIVERY_SOON));
	return failed && d->purpose != DELIVERY_THREAD && d->purpose != DELIVERY_VOTED
		       ? message_failed(rows, d, a, notes, why)
		       : OK;
}

enum err notify_reported(struct task *t, struct rows *rows, struct delivery *d,
	const struct delivery_outcome *o, struct notify_notes *notes, struct fault *why)
{
	enum err e = OK;

	if (d->ask.len) e = ask_reported(t, rows, d, o, notes, why);
	if (e || d->status == DELIVERY_WAITING) return e;
	/* Where it stands: for its end, its reminders and its thread. */
	d->detail = channel_is(d->kind, CHANNEL_EDITS) &&
				    (d->purpose == DELIVERY_ASK ||
					    d->purpose == DELIVERY_ALERT) &&
				    d->status == DELIVERY_DONE
			    ? o->output
			    : STR_NONE;
	if (d->detail.len) e = votes_meanwhile(rows, d, why);
	if (!e && d->purpose == DELIVERY_ASK && d->status == DELIVERY_DONE)
		e = notify_replied_meanwhile(rows, d, why);
	if (!e) e = contact_learn(rows, d, o, why);
	if (!e && (d->purpose == DELIVERY_DIGEST || d->purpose == DELIVERY_SUMMARY))
		e = carried_end(rows, d, notes, why);
	return e;
}
