/* notify_ask.c - who is told of an ask, and when: loaded for a batch, staged as rows, moved and ended
 * with the ask. */
#include "desk/notify/notify_ask.h"

#include "base/clock.h"
#include "core/shared/address.h"
#include "desk/delivery/callbacks.h"
#include "desk/notify/alert_rows.h"
#include "desk/people/people.h"
#include "desk/shared/workspace.h"

/* ---- loading ---- */

static enum err person_take(const struct notify_person *n, struct arena *arena,
	struct plan_person *out, struct fault *why)
{
	enum err e;

	out->user = n->user;
	out->present_ms = n->present_ms;
	e = prefs_load(n->prefs, arena, &out->prefs, why);
	/* An unknown time zone has no quiet hours. */
	if (!e && prefs_zones(&out->prefs, zone_load, arena, NULL) == ERR_MEMORY)
		e = fail_memory(why);
	return e;
}

static enum err contacts_load(
	struct rows *rows, int64_t ws, struct recipients *t, struct fault *why)
{
	enum err e = rows_fetch(rows, RECORD_CONTACTS, SQL_CONTACTS_OF, ARGS(ws), why);

	if (!e)
		t->contacts = (const struct contact **)rows_all(
			rows, RECORD_CONTACTS, ws, &t->contacts_len);
	return e;
}

static enum err people_load(
	struct rows *rows, int64_t ws, struct recipients *t, struct fault *why)
{
	const struct notify_person *const *found;
	size_t len;
	enum err e = rows_fetch(
		rows, RECORD_NOTIFY_PEOPLE, SQL_NOTIFY_PEOPLE_OF, ARGS(ws), why);

	if (e) return e;
	found = (const struct notify_person **)rows_all(
		rows, RECORD_NOTIFY_PEOPLE, ws, &len);
	t->people = ARENA_ARRAY(rows->arena, struct plan_person, len + 1);
	for (size_t i = 0; !e && t->people && i < len; i++)
		e = person_take(found[i], rows->arena, &t->people[t->people_len++], why);
	return e;
}

enum err route_table_load(
	struct rows *rows, int64_t ws, struct route_table *out, struct fault *why)
{
	const struct routes_record *kept;
	enum err e = rows_get(rows, RECORD_ROUTES, KEY(ws), &kept, why);

	return e ? e : routes_load(kept ? kept->body : STR_NONE, rows->arena, out, why);
}

enum err recipients_load(
	struct rows *rows, int64_t ws, struct recipients *t, struct fault *why)
{
	enum err e;

	if (t->ws == ws) return OK;
	*t = (struct recipients){ 0 };
	e = roster_everybody(rows, ws, &t->roster, why);
	if (!e) e = contacts_load(rows, ws, t, why);
	if (!e) e = people_load(rows, ws, t, why);
	if (!e) e = route_table_load(rows, ws, &t->table, why);
	if (!e) t->ws = ws;
	return e;
}

enum err notify_fetch(struct rows *rows, const struct ask *a, struct fault *why)
{
	return rows_fetch(
		rows, RECORD_DELIVERIES, SQL_DELIVERIES_OF_ASK, ARGS(a->ws, a->id), why);
}

enum err recipients_facts(struct rows *rows, const struct recipients *t,
	const struct ask *a, struct plan_facts *out, struct fault *why)
{
	const struct delivery **told;
	size_t all, len = 0;
	enum err e = notify_fetch(rows, a, why);

	if (e) return e;
	told = (const struct delivery **)rows_all(rows, RECORD_DELIVERIES, a->ws, &all);
	for (size_t i = 0; i < all; i++)
		if (str_eq(told[i]->ask, a->id)) told[len++] = told[i];
	*out = (struct plan_facts){ .ask = a,
		.roster = &t->roster,
		.contacts = t->contacts,
		.contacts_len = t->contacts_len,
		.people = t->people,
		.people_len = t->people_len,
		.told = told,
		.told_len = len,
		.now_ms = rows->now_ms,
		.arena = rows->arena };
	return OK;
}

/* Both, for one ask. */
static enum err facts_load(struct rows *rows, struct recipients *t, const struct ask *a,
	struct plan_facts *out, struct fault *why)
{
	enum err e = recipients_load(rows, a->ws, t, why);

	return e ? e : recipients_facts(rows, t, a, out, why);
}

/* ---- staging ---- */

void notify_stage(struct rows *rows, const struct ask *a, const struct contact *c,
	struct delivery like, struct delivery **out)
{
	struct delivery *d;

	like.ws = c->ws;
	like.kind = c->channel;
	like.contact = c->id;
	like.user = c->user;
	like.target = contact_target(c);
	if (channel_is(c->channel, CHANNEL_HOST))
		like.host = url_host(c->address, rows->arena);
	like.owner =
		arena_print(rows->arena, "%lld/%.*s", (long long)c->ws, STR_ARGS(c->id));
	d = delivery_new(rows, a, like);
	if (out) *out = d;
}

void notify_step_stage(struct rows *rows, const struct ask *a, int64_t step,
	int64_t round, enum delivery_purpose purpose, int64_t due_ms)
{
	const struct delivery like = { .ws = a->ws,
		.kind = DELIVERY_ROUTE,
		.next_ms = due_ms,
		.purpose = purpose,
		.step = step,
		.round = round,
		/* All steps of a workspace have one owner: working one is quick, so agents
		 * need no shares. */
		.owner = arena_print(rows->arena, "%lld/", (long long)a->ws) };

	delivery_new(rows, a, like);
}

void delivery_drop(struct rows *rows, struct delivery *d, struct str reason)
{
	d->status = DELIVERY_DROPPED;
	d->last_error = reason;
	d->done_ms = rows->now_ms;
	d->lease = (struct lease){ 0 };
}

/* ---- a new ask ---- */

void notify_wants(const struct job *job, struct wants *w)
{
	if (job->credential.contacts) wants_once(w, RECORD_ROUTES, KEY(job->who.ws));
}

/* Parsed once and kept while the text is the same: of each writing clerk its own. */
static enum err table_kept(struct desk *d, struct rows *rows, int64_t ws,
	const struct route_table **out, struct fault *why)
{
	const struct val key[] = { val_int(ws) };
	struct routes_cache *c = &d->routes[rows->clerk];
	const struct routes_record *kept;
	struct str body;
	enum err e = rows_fetch_once(
		rows, RECORD_ROUTES, SQL_OF(RECORD_ROUTES, RECORD_GET), key, 1, why);

	if (e) return e;
	kept = rows_find_key(rows, RECORD_ROUTES, key);
	body = kept ? kept->body : str_of(routes_default);
	*out = &c->table;
	if (c->body.len && str_eq(c->body, body)) return OK;
	arena_done(&c->arena);
	c->body = arena_str(&c->arena, body);
	e = routes_load(c->body, &c->arena, &c->table, why);
	if (e) {
		arena_done(&c->arena);
		c->body = STR_NONE;
	}
	return e;
}

enum err notify_asked(const struct happened *h, struct fault *why)
{
	const struct route_table *table;
	const struct notify_route *r;
	struct rows *rows = h->rows;
	struct ask *a = h->ask;
	struct workspace_facts f;
	struct route_point p;
	enum err e;

	if (a->status != ASK_PENDING) return OK;
	e = workspace_facts(&h->task->job, rows, a->ws, &f, why);
	if (e || !f.contacts) return e;
	e = table_kept(h->task->desk, rows, a->ws, &table, why);
	if (e) return e;
	r = routes_find(table, a);
	if (!r || (!r->steps_len && !r->target_ms)) return OK;
	a->route = arena_str(rows->arena, r->id);
	if (route_next(r, a->created_ms, a->deadline_ms, NULL, &p))
		notify_step_stage(rows, a, p.step, p.round, notify_purpose(a), p.due_ms);
	if (r->target_ms)
		notify_step_stage(
			rows, a, -1, 0, DELIVERY_ALERT, a->created_ms + r->target_ms);
	return OK;
}

/* ---- steps ---- */

static bool point_there(const struct plan_facts *f, const struct route_point *p)
{
	for (size_t i = 0; i < f->told_len; i++)
		if (f->told[i]->kind == DELIVERY_ROUTE && f->told[i]->step == p->step &&
			f->told[i]->round == p->round)
			return true;
	return false;
}

static void next_stage(struct rows *rows, const struct plan_facts *f,
	const struct notify_route *r, const struct route_point *from)
{
	const struct ask *a = f->ask;
	struct route_point p;

	if (!route_next(r, a->created_ms, a->deadline_ms, from, &p) || point_there(f, &p))
		return;
	notify_step_stage(rows, a, p.step, p.round, notify_purpose(a), p.due_ms);
}

/* The digest of this contact that comes at that time, or a new one. */
static enum err digest_open(struct rows *rows, const struct contact *c, int64_t at_ms,
	struct str *out, struct fault *why)
{
	const struct delivery like = { .purpose = DELIVERY_DIGEST, .next_ms = at_ms };
	const struct delivery *d = NULL;
	struct delivery *fresh;
	enum err e = rows_fetch(rows, RECORD_DELIVERIES, SQL_DELIVERIES_TO_CONTACT,
		ARGS(c->ws, c->id, delivery_purpose_name(DELIVERY_DIGEST)), why);

	if (e) return e;
	while ((d = rows_next(rows, RECORD_DELIVERIES, d)))
		if (d->purpose == DELIVERY_DIGEST && d->status == DELIVERY_WAITING &&
			!d->ask.len && d->next_ms == at_ms && str_eq(d->contact, c->id)) {
			*out = d->id;
			return OK;
		}
	notify_stage(rows, NULL, c, like, &fresh);
	*out = fresh->id;
	return OK;
}

bool notify_there(
	const struct plan_facts *f, const struct contact *c, const struct delivery *like)
{
	for (size_t i = 0; i < f->told_len; i++)
		if (str_eq(f->told[i]->contact, c->id) &&
			f->told[i]->purpose == like->purpose &&
			f->told[i]->step == like->step &&
			f->told[i]->round == like->round)
			return true;
	return false;
}

static enum err entry_stage(struct rows *rows, const struct plan_facts *f,
	const struct plan_entry *entry, enum delivery_purpose purpose, int64_t round,
	struct fault *why)
{
	struct delivery like = { .purpose = purpose,
		.step = entry->step,
		.round = round,
		.next_ms = entry->at_ms };
	struct contact *c;
	enum err e = OK;

	if (!entry->contact || !entry->at_ms || notify_there(f, entry->contact, &like))
		return OK;
	if (entry->why == PLAN_DIGEST)
		e = digest_open(rows, entry->contact, entry->at_ms, &like.carrier, why);
	if (e) return e;
	c = rows_change(rows, entry->contact);
	c->last_used_ms = rows->now_ms;
	notify_stage(rows, f->ask, c, like, NULL);
	return OK;
}

/* All that the plan of a step says, for this round. */
static enum err plan_stage(struct rows *rows, const struct plan_facts *f,
	const struct notify_step *s, int64_t step, int64_t round,
	struct notify_plan *plan, struct fault *why)
{
	enum err e = OK;

	if (!plan_step(f, s, step, plan)) return fail_memory(why);
	for (size_t i = 0; !e && i < plan->len; i++)
		e = entry_stage(rows, f, &plan->at[i],
			plan->at[i].again && !ask_is_alert(f->ask)
				? DELIVERY_REMINDER
				: notify_purpose(f->ask),
			round, why);
	return e;
}

static enum err overdue_event(
	struct rows *rows, const struct ask *a, int64_t target_ms, struct fault *why)
{
	struct session *s;
	enum err e = rows_fetch_session(rows, a->ws, a->session, &s, why);

	if (e) return e;
	rows_event(rows, "ask.overdue", s, a,
		arena_print(
			rows->arena, "{\"target\":%lld}", (long long)(target_ms / 1000)));
	return OK;
}

static void step_end(struct rows *rows, struct delivery *d)
{
	d->status = DELIVERY_DONE;
	d->done_ms = rows->now_ms;
	d->lease = (struct lease){ 0 };
}

/* Sends what the plan says for this step, and stages the next step. */
static enum err step_tell(struct recipients *t, struct rows *rows, struct delivery *d,
	const struct ask *a, const struct notify_route *r, struct notify_notes *notes,
	struct fault *why)
{
	const struct notify_step *s = &r->steps[d->step];
	const struct route_point at = { d->step, d->round, 0 };
	bool claimed = !s->unless_never && a->claimed_until_ms > rows->now_ms;
	struct notify_plan plan = { 0 };
	struct plan_facts f;
	enum err e = recipients_facts(rows, t, a, &f, why);

	if (!e) next_stage(rows, &f, r, &at);
	if (e) return e;
	if (claimed) {
		/* Due when the claim ends; later steps keep their time. */
		d->next_ms = a->claimed_until_ms;
		d->lease = (struct lease){ 0 };
		d->attempts = 0;
		return OK;
	}
	e = plan_stage(rows, &f, s, d->step, d->round, &plan, why);
	if (e) return e;
	step_end(rows, d);
	return plan_reaches(&plan, 0) ? OK
				      : unreached_step(rows, &f, &at, &plan, notes, why);
}

enum err notify_step_due(struct recipients *t, struct rows *rows, struct delivery *d,
	struct notify_notes *notes, struct fault *why)
{
	const struct notify_route *r;
	struct ask *a;
	enum err e = notify_subject(rows, d->ws, d->ask, &a, why);

	if (!e) e = recipients_load(rows, d->ws, t, why);
	if (e) return e;
	if (a->status != ASK_PENDING ||
		(a->deadline_ms && a->deadline_ms <= rows->now_ms)) {
		delivery_drop(rows, d, STR("the ask is settled"));
		return OK;
	}
	/* If the ask's route was deleted, take the one that matches now. */
	r = routes_by_id(&t->table, a->route);
	if (!r) r = routes_find(&t->table, a);
	if (d->step < 0 && d->purpose == DELIVERY_ALERT) {
		step_end(rows, d);
		return r && r->target_ms ? overdue_event(rows, a, r->target_ms, why) : OK;
	}
	if (!r || d->step < 0 || (size_t)d->step >= r->steps_len) {
		step_end(rows, d);
		return OK;
	}
	return step_tell(t, rows, d, a, r, notes, why);
}

/* ---- its agent replies ---- */

/* `number`: of the reply, from 1. Each contact hears of it once; `only`, unless empty: this
 * one. */
static enum err reply_tell(struct rows *rows, const struct plan_facts *f, int64_t number,
	struct str only, struct fault *why)
{
	struct notify_plan plan = { 0 };
	enum err e = OK;

	if (!plan_thread(f, &plan)) return fail_memory(why);
	for (size_t i = 0; !e && i < plan.len; i++)
		if (!only.len || str_eq(plan.at[i].contact->id, only))
			e = entry_stage(
				rows, f, &plan.at[i], DELIVERY_THREAD, number, why);
	return e;
}

void notify_news(struct rows *rows, const struct ask *a)
{
	const struct delivery *d = NULL;

	while ((d = rows_next(rows, RECORD_DELIVERIES, d)))
		if (str_eq(d->ask, a->id) && d->contact.len &&
			d->status == DELIVERY_WAITING)
			rows_change(rows, d);
}

enum err notify_replied(const struct happened *h, struct fault *why)
{
	struct rows *rows = h->rows;
	const struct ask *a = h->ask;
	const struct json *replies;
	struct recipients t = { 0 };
	struct plan_facts f;
	enum err e;

	if (role_may(h->task->job.who.role, MAY_SETTLE)) return OK;
	if (!a->route.len || a->status != ASK_PENDING) return OK;
	e = json_read(a->replies, NULL, rows->arena, &replies, why);
	if (!e) e = facts_load(rows, &t, a, &f, why);
	if (!e) notify_news(rows, a);
	return e ? e : reply_tell(rows, &f, replies->count, STR_NONE, why);
}

static bool reply_missed(const struct json *reply, int64_t since_ms)
{
	int64_t at_ms;

	return str_is(json_text(json_get(json_get(reply, "by"), "kind")), "agent") &&
	       time_read(json_text(json_get(reply, "at")), &at_ms) && at_ms >= since_ms;
}

enum err notify_replied_meanwhile(
	struct rows *rows, const struct delivery *d, struct fault *why)
{
	const struct json *replies;
	struct recipients t = { 0 };
	struct plan_facts f;
	struct ask *a;
	enum err e = rows_fetch_ask(rows, d->ws, d->ask, &a, why);

	if (e) return e == ERR_NOT_FOUND ? OK : e;
	if (!a->replies.len || a->status != ASK_PENDING) return OK;
	e = json_read(a->replies, NULL, rows->arena, &replies, why);
	if (!e) e = facts_load(rows, &t, a, &f, why);
	for (uint32_t i = 0; !e && i < replies->count; i++)
		if (reply_missed(&replies->items[i], d->created_ms))
			e = reply_tell(rows, &f, i + 1, d->contact, why);
	return e;
}

/* ---- it is assigned ---- */

/* A round number above every round of a route. */
enum { ASSIGNED_ROUND = 1 << 20 };

/* Gives the ask a route if it had none, so that its end, votes and replies are sent, too. */
static void route_take(struct ask *a, const struct recipients *t, struct arena *arena)
{
	const struct notify_route *r = routes_find(&t->table, a);

	if (!a->route.len && r) a->route = arena_str(arena, r->id);
}

/* Notifies new assignees at once, whatever the route says. */
enum err notify_assigned(const struct happened *h, struct fault *why)
{
	struct notify_to to = { .kind = TO_ASSIGNEES };
	const struct notify_step step = { .to = &to, .to_len = 1, .unless_never = true };
	struct rows *rows = h->rows;
	struct ask *a = h->ask;
	const struct json *data;
	struct notify_plan plan = { 0 };
	struct ask only = *a;
	struct recipients t = { 0 };
	struct plan_facts f;
	enum err e = json_read(h->event->event.data, NULL, rows->arena, &data, why);

	if (e || a->status != ASK_PENDING) return e;
	data = json_get(data, "added");
	if (!json_is(data, JSON_ARRAY) || !data->count) return OK;
	only.assignees = json_keep(data, rows->arena);
	e = facts_load(rows, &t, &only, &f, why);
	if (e || !t.contacts_len) return e;
	route_take(a, &t, rows->arena);
	return plan_stage(rows, &f, &step, 0, ASSIGNED_ROUND + a->version, &plan, why);
}

/* ---- the deadline moves ---- */

enum err notify_moved(const struct happened *h, struct fault *why)
{
	struct rows *rows = h->rows;
	const struct ask *a = h->ask;
	struct recipients t = { 0 };
	struct route_point last = { -1, 0, 0 };
	const struct notify_route *r;
	struct plan_facts f;
	enum err e;

	if (!a->route.len) return OK;
	e = route_table_load(rows, a->ws, &t.table, why);
	if (!e) e = recipients_facts(rows, &t, a, &f, why);
	r = e ? NULL : routes_by_id(&t.table, a->route);
	if (!r) return e;
	for (size_t i = 0; i < f.told_len; i++) {
		const struct delivery *d = f.told[i];
		const struct route_point at = { d->step, d->round, 0 };

		if (d->kind != DELIVERY_ROUTE || d->purpose != DELIVERY_ASK) continue;
		/* Its time depends on the deadline: delete it, and stage it below with the
		 * new time. */
		if (d->status == DELIVERY_WAITING && !d->lease.by.len && d->step >= 0 &&
			(size_t)d->step < r->steps_len && r->steps[d->step].before) {
			rows_delete(rows, d);
			continue;
		}
		if (at.step > last.step ||
			(at.step == last.step && at.round > last.round))
			last = at;
	}
	e = recipients_facts(rows, &t, a, &f, why);
	if (!e) next_stage(rows, &f, r, last.step < 0 ? NULL : &last);
	return e;
}

/* ---- the end ---- */

enum err notify_over(
	struct desk *desk, struct rows *rows, const struct ask *a, struct fault *why)
{
	static const struct recipients nobody;
	bool unreached = false;
	struct plan_facts f;
	enum err e;

	if (!a->route.len) return OK;
	e = recipients_facts(rows, &nobody, a, &f, why);
	for (size_t i = 0; !e && i < f.told_len; i++) {
		const struct delivery *was = f.told[i];
		struct delivery *d;

		if (was->status != DELIVERY_WAITING ||
			(was->kind != DELIVERY_ROUTE && !was->contact.len) ||
			was->purpose == DELIVERY_SETTLED)
			continue;
		d = rows_change(rows, was);
		/* What is under way is changed, too, so that its report cannot be decided on
		 * an ask that was still open. */
		if (was->lease.by.len)
			d->last_error = STR("the ask is settled");
		else
			delivery_drop(rows, d, STR("the ask is settled"));
	}
	for (size_t i = 0; !e && i < f.told_len; i++) {
		unreached |= f.told[i]->kind == DELIVERY_ROUTE && f.told[i]->detail.len;
		if (f.told[i]->contact.len)
			e = notify_end_at(desk, rows, a, f.told[i]->contact, why);
	}
	return e || !unreached || ask_is_alert(a)
		       ? e
		       : alert_over(rows, a->ws, ALERT_UNREACHED, a->id, why);
}

enum err notify_settled(const struct happened *h, struct fault *why)
{
	return notify_over(h->task->desk, h->rows, h->ask, why);
}
