/* notify_plan.c - whom a step tells.
 *
 * 1. Nobody is told who may not settle the ask; a team's own contacts (rooms) excepted.
 * 2. A person is told once a step, by each channel and contact that it names; a contact once.
 * 3. Quiet hours and digests put off, and never past the deadline. */
#include "core/notify/notify_plan.h"

static const char *const reasons[] = {
	[PLAN_QUIET] = "quiet",
	[PLAN_DIGEST] = "digest",
	[PLAN_PRESENT] = "present",
	[PLAN_CLAIMED] = "claimed",
	[PLAN_NO_CONTACT] = "no_contact",
	[PLAN_NOT_ENTITLED] = "not_entitled",
	[PLAN_ON_CALL] = "on_call",
	[PLAN_MUTED] = "muted",
	[PLAN_DOWN] = "down",
	[PLAN_DEAD] = "dead",
};

const char *plan_why_name(enum plan_why why)
{
	return reasons[why];
}

const struct plan_person *plan_person(const struct plan_facts *f, struct str user)
{
	for (size_t i = 0; i < f->people_len; i++)
		if (str_eq(f->people[i].user, user)) return &f->people[i];
	return NULL;
}

/* ---- who is meant ---- */

struct plan_target {
	struct str user;
	bool whole; /* the step means the person, and not only contacts of theirs */
};

/* Users and contacts that a step names, each once. */
struct plan_targets {
	struct plan_target *users;
	size_t users_len;
	const struct contact *named[ROUTE_TO_MAX]; /* contact:con_… of people */
	size_t named_len;
	const struct contact **rooms;
	size_t rooms_len;
	struct plan_entry missing[ROUTE_TO_MAX]; /* teams that have nobody to tell */
	size_t missing_len;
};

static void target_add(struct plan_targets *t, struct str id, bool whole)
{
	size_t i = 0;

	while (i < t->users_len && !str_eq(t->users[i].user, id))
		i++;
	if (i == t->users_len) t->users[t->users_len++] = (struct plan_target){ id };
	t->users[i].whole |= whole;
}

static enum refusal may_settle(const struct plan_facts *f, struct str id)
{
	const struct user *u = roster_user(f->roster, id);
	struct principal p = { .ws = f->ask->ws, .user = id };

	if (!u || u->disabled) return REFUSED_ROLE;
	p.role = u->role;
	p.name = u->name;
	return entitled_to_settle(f->ask, &p, f->roster);
}

/* The delegate may not answer this ask: tell the other members of the user's teams that cover
 * the project. */
static void targets_stay(
	const struct plan_facts *f, struct plan_targets *t, const struct user *u)
{
	for (size_t i = 0; i < f->roster->teams_len; i++) {
		const struct team_parts *team = &f->roster->teams[i];

		if (!team_covers(team, f->ask->project) || !team_member(team, u->id))
			continue;
		for (size_t k = 0; k < team->members_len; k++)
			if (may_settle(f, team->members[k].user) == REFUSED_NOT)
				target_add(t, team->members[k].user, true);
	}
}

/* `whole`: the person is meant, not a contact of theirs alone; so is who stands in for them.
 * False: there is no such person. */
static bool targets_user(
	const struct plan_facts *f, struct plan_targets *t, struct str id, bool whole)
{
	const struct user *u = roster_user(f->roster, id);
	struct str in_place;

	if (!u || u->disabled) return false;
	in_place = roster_delegate(f->roster, u, f->arena);
	if (in_place.len && may_settle(f, in_place) == REFUSED_TEAM)
		targets_stay(f, t, u);
	else
		target_add(t, in_place.len ? in_place : id, whole || in_place.len);
	return true;
}

static void targets_room(struct plan_targets *t, const struct contact *c)
{
	for (size_t i = 0; i < t->rooms_len; i++)
		if (t->rooms[i] == c) return;
	t->rooms[t->rooms_len++] = c;
}

static void targets_all(const struct plan_facts *f, struct plan_targets *t)
{
	for (size_t i = 0; i < f->roster->users_len; i++)
		if (may_settle(f, f->roster->users[i]->id) == REFUSED_NOT)
			targets_user(f, t, f->roster->users[i]->id, true);
}

static bool member_meant(
	const struct team_parts *team, size_t i, enum notify_to_kind kind)
{
	return kind == TO_TEAM || (kind == TO_LEADS && team->members[i].lead) ||
	       (kind == TO_ON_CALL && str_eq(team->members[i].user, team->team->on_call));
}

static void targets_team(const struct plan_facts *f, struct plan_targets *t,
	const struct team_parts *team, enum notify_to_kind kind)
{
	bool some = false;

	for (size_t i = 0; i < team->members_len; i++)
		if (member_meant(team, i, kind))
			some |= targets_user(f, t, team->members[i].user, true);
	for (size_t i = 0; kind == TO_TEAM && i < f->contacts_len; i++)
		if (str_eq(f->contacts[i]->team, team->team->id)) {
			targets_room(t, f->contacts[i]);
			some = true;
		}
	if (!some && t->missing_len < ROUTE_TO_MAX)
		t->missing[t->missing_len++] =
			(struct plan_entry){ .team = team->team->id,
				.why = kind == TO_ON_CALL ? PLAN_ON_CALL
							  : PLAN_NO_CONTACT };
}

static void targets_assignees(const struct plan_facts *f, struct plan_targets *t)
{
	const struct json *list;

	if (json_read(f->ask->assignees, NULL, f->arena, &list, NULL) || !list->count) {
		targets_all(f, t);
		return;
	}
	for (uint32_t i = 0; i < list->count; i++) {
		struct str id = json_text(&list->items[i]);

		targets_user(f, t, id, true);
		for (size_t k = 0; k < f->roster->teams_len; k++)
			if (str_eq(f->roster->teams[k].team->id, id))
				targets_team(f, t, &f->roster->teams[k], TO_TEAM);
	}
}

static void targets_admins(const struct plan_facts *f, struct plan_targets *t)
{
	for (size_t i = 0; i < f->roster->users_len; i++)
		if (role_may(f->roster->users[i]->role, MAY_ADMIN))
			targets_user(f, t, f->roster->users[i]->id, true);
}

static void targets_contact(
	const struct plan_facts *f, struct plan_targets *t, struct str id)
{
	for (size_t i = 0; i < f->contacts_len; i++) {
		const struct contact *c = f->contacts[i];

		if (!str_eq(c->id, id)) continue;
		if (c->team.len) {
			targets_room(t, c);
			continue;
		}
		targets_user(f, t, c->user, false);
		if (t->named_len < ROUTE_TO_MAX) t->named[t->named_len++] = c;
	}
}

static void targets_add(
	const struct plan_facts *f, struct plan_targets *t, const struct notify_to *to)
{
	switch (to->kind) {
	case TO_ASSIGNEES: targets_assignees(f, t); return;
	case TO_ALL: targets_all(f, t); return;
	case TO_USER: targets_user(f, t, to->name, true); return;
	case TO_ADMINS: targets_admins(f, t); return;
	case TO_CONTACT: targets_contact(f, t, to->name); return;
	case TO_TEAM:
	case TO_ON_CALL:
	case TO_LEADS: break;
	}
	for (size_t i = 0; i < f->roster->teams_len; i++)
		if (str_eq(f->roster->teams[i].team->name, to->name))
			targets_team(f, t, &f->roster->teams[i], to->kind);
}

/* ---- by which contact ---- */

/* Was a message for this contact made before, even one that failed? */
static bool contact_told(const struct plan_facts *f, const struct contact *c)
{
	for (size_t i = 0; i < f->told_len; i++)
		if (f->told[i]->purpose != DELIVERY_SETTLED &&
			f->told[i]->status != DELIVERY_DROPPED &&
			str_eq(f->told[i]->contact, c->id))
			return true;
	return false;
}

/* Does it have the ask, so that this would be a reminder? */
static bool contact_has(const struct plan_facts *f, const struct contact *c)
{
	for (size_t i = 0; i < f->told_len; i++)
		if (f->told[i]->status == DELIVERY_DONE &&
			delivery_shows_ask(f->told[i]) &&
			str_eq(f->told[i]->contact, c->id))
			return true;
	return false;
}

/* The first contact of this channel that works and was not told; *first, when it is NULL: the
 * first that works at all. */
static const struct contact *channel_contact(const struct plan_facts *f, struct str user,
	enum delivery_kind channel, const struct contact **first)
{
	for (size_t i = 0; i < f->contacts_len; i++) {
		const struct contact *c = f->contacts[i];

		if (!str_eq(c->user, user) || c->channel != channel || !contact_usable(c))
			continue;
		if (!*first) *first = c;
		if (!contact_told(f, c)) return c;
	}
	return NULL;
}

/* Channels in a person's own order; those that they did not name come last. */
static size_t channel_order(const struct plan_facts *f, struct str user, unsigned via,
	enum delivery_kind out[DELIVERY_CHANNELS])
{
	const struct plan_person *p = plan_person(f, user);
	unsigned seen = 0;
	size_t len = 0;

	for (size_t i = 0; p && i < p->prefs.order_len; i++) {
		enum delivery_kind k = p->prefs.order[i];

		seen |= 1u << k;
		if (!via || via & 1u << k) out[len++] = k;
	}
	for (int i = 0; i < DELIVERY_CHANNELS; i++) {
		enum delivery_kind k = channel_ranked(i);

		if (!(seen & 1u << k) && (!via || via & 1u << k)) out[len++] = k;
	}
	return len;
}

/* What one person is told by, each once. */
struct plan_contacts {
	const struct contact *at[DELIVERY_CHANNELS + ROUTE_TO_MAX];
	size_t len;
};

static void contacts_add(struct plan_contacts *out, const struct contact *c)
{
	for (size_t i = 0; i < out->len; i++)
		if (out->at[i] == c) return;
	if (c) out->at[out->len++] = c;
}

/* `via`, where they have a contact that works by one of its channels; else any of theirs. */
static unsigned person_via(const struct plan_facts *f, struct str user, unsigned via)
{
	for (size_t i = 0; i < f->contacts_len; i++)
		if (via & 1u << f->contacts[i]->channel &&
			contact_usable(f->contacts[i]) &&
			str_eq(f->contacts[i]->user, user))
			return via;
	return 0;
}

/* Where nothing works: the first contact that is broken. It may work again by now. */
static const struct contact *last_resort(
	const struct plan_facts *f, struct str user, bool again)
{
	for (size_t i = 0; i < f->contacts_len; i++) {
		const struct contact *c = f->contacts[i];

		if (c->broken_ms && contact_open(c) && str_eq(c->user, user) &&
			(again || !contact_told(f, c)))
			return c;
	}
	return NULL;
}

const struct contact *plan_next_contact(
	const struct plan_facts *f, struct str user, unsigned via)
{
	enum delivery_kind order[DELIVERY_CHANNELS];
	size_t len = channel_order(f, user, person_via(f, user, via), order);
	const struct contact *first = NULL, *c = NULL;

	for (size_t i = 0; !c && i < len; i++)
		c = channel_contact(f, user, order[i], &first);
	return c ? c : last_resort(f, user, false);
}

/* A contact of each channel of `via`, or the first of their own order that was not told, or the
 * first again. */
static void person_contacts(const struct plan_facts *f, struct str user, unsigned via,
	struct plan_contacts *out)
{
	enum delivery_kind order[DELIVERY_CHANNELS];
	const struct contact *first = NULL, *c = NULL;
	size_t len;

	via = person_via(f, user, via);
	len = channel_order(f, user, via, order);

	for (size_t i = 0; i < len && (via || !c); i++) {
		const struct contact *of_channel = NULL;

		c = channel_contact(f, user, order[i], via ? &of_channel : &first);
		if (!c && via) c = of_channel;
		contacts_add(out, c);
	}
	if (!out->len) contacts_add(out, first ? first : last_resort(f, user, true));
}

/* What somebody is told by in this step. */
static void target_contacts(const struct plan_facts *f, const struct notify_step *s,
	const struct plan_targets *t, const struct plan_target *who,
	struct plan_contacts *out)
{
	out->len = 0;
	if (who->whole) person_contacts(f, who->user, s->via, out);
	for (size_t i = 0; i < t->named_len; i++)
		if (str_eq(t->named[i]->user, who->user) && contact_open(t->named[i]))
			contacts_add(out, t->named[i]);
}

/* ---- when ---- */

/* Something for them waits already, put off. */
static bool person_waits(const struct plan_facts *f, struct str user, int64_t now_ms)
{
	for (size_t i = 0; i < f->told_len; i++)
		if (f->told[i]->status == DELIVERY_WAITING && !f->told[i]->attempts &&
			(f->told[i]->next_ms > now_ms || f->told[i]->carrier.len) &&
			delivery_kind_is_channel(f->told[i]->kind) &&
			str_eq(f->told[i]->user, user))
			return true;
	return false;
}

/* When it would go out to this person, and what puts it off. */
static int64_t person_when(
	const struct plan_facts *f, struct str user, enum plan_why *why)
{
	const struct plan_person *p = plan_person(f, user);
	const struct ask *a = f->ask;
	int64_t at = f->now_ms, held;

	*why = PLAN_TOLD;
	if (!p) return at;
	held = ask_is_alert(a) ? 0
			       : prefs_hold_digest(&p->prefs, a->priority, a->risk,
					 a->deadline_ms, at);
	if (held) {
		at = held;
		*why = PLAN_DIGEST;
	}
	held = prefs_hold_quiet(&p->prefs, a->priority, a->risk, at);
	if (held) {
		at = held;
		if (*why == PLAN_TOLD) *why = PLAN_QUIET;
	}
	return at;
}

static bool too_late(const struct ask *a, int64_t at_ms)
{
	return a->deadline_ms && at_ms >= a->deadline_ms;
}

/* ---- the step ---- */

static bool plan_add(struct notify_plan *p, struct arena *arena, struct plan_entry e)
{
	if (p->len == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 16;
		struct plan_entry *at = ARENA_ARRAY(arena, struct plan_entry, cap);

		if (!at) return false;
		if (p->len) memcpy(at, p->at, p->len * sizeof *at);
		p->at = at;
		p->cap = cap;
	}
	p->at[p->len++] = e;
	return true;
}

/* In sight within the last minute, by either clock. */
bool plan_present(const struct plan_person *p, int64_t now_ms)
{
	return p->present_ms && now_ms - p->present_ms <= PRESENT_MS &&
	       p->present_ms - now_ms <= PRESENT_MS;
}

static enum plan_why person_why(const struct plan_facts *f, const struct notify_step *s,
	struct str user, const struct plan_contacts *by)
{
	const struct plan_person *p = plan_person(f, user);

	if (may_settle(f, user) != REFUSED_NOT) return PLAN_NOT_ENTITLED;
	if (!s->always && p && plan_present(p, f->now_ms)) return PLAN_PRESENT;
	if (by->len) return PLAN_TOLD;
	for (size_t i = 0; i < f->contacts_len; i++)
		if (f->contacts[i]->muted && str_eq(f->contacts[i]->user, user))
			return PLAN_MUTED;
	return PLAN_NO_CONTACT;
}

static bool person_plan(const struct plan_facts *f, const struct notify_step *s,
	int64_t step, const struct plan_targets *t, const struct plan_target *who,
	struct notify_plan *out)
{
	struct plan_entry e = { .step = step, .user = who->user };
	struct plan_contacts by;

	target_contacts(f, s, t, who, &by);
	e.why = person_why(f, s, who->user, &by);
	if (e.why) return plan_add(out, f->arena, e);
	e.at_ms = person_when(f, who->user, &e.why);
	e.waits = e.why && person_waits(f, who->user, f->now_ms);
	if (too_late(f->ask, e.at_ms)) {
		e.why = PLAN_QUIET;
		e.from_ms = e.at_ms;
	}
	if (e.waits || e.from_ms) e.at_ms = 0;
	/* A message that is put off goes to one contact only. */
	for (size_t i = 0; i < (e.why ? 1 : by.len); i++) {
		e.contact = by.at[i];
		e.again = contact_has(f, e.contact);
		if (!plan_add(out, f->arena, e)) return false;
	}
	return true;
}

/* When this person was last told of anything. */
static int64_t person_last(const struct plan_facts *f, struct str user)
{
	int64_t last = 0;

	for (size_t i = 0; i < f->contacts_len; i++)
		if (str_eq(f->contacts[i]->user, user) &&
			f->contacts[i]->last_used_ms > last)
			last = f->contacts[i]->last_used_ms;
	return last;
}

/* Of those who can be told, the one who was told longest ago; the others are left out. Who has
 * only what is broken comes last. */
static void targets_pick(
	const struct plan_facts *f, const struct notify_step *s, struct plan_targets *t)
{
	const struct plan_target *best = NULL;
	bool best_broken = false;

	for (size_t i = 0; i < t->users_len; i++) {
		const struct plan_target *at = &t->users[i];
		struct plan_contacts by;
		bool broken;

		target_contacts(f, s, t, at, &by);
		if (person_why(f, s, at->user, &by)) continue;
		broken = by.at[0]->broken_ms > 0;
		if (!best || (best_broken && !broken) ||
			(best_broken == broken &&
				person_last(f, at->user) < person_last(f, best->user))) {
			best = at;
			best_broken = broken;
		}
	}
	if (!best) return;
	t->users[0] = *best;
	t->users_len = 1;
}

static bool room_plan(const struct plan_facts *f, const struct notify_step *s,
	int64_t step, const struct contact *c, struct notify_plan *out)
{
	struct plan_entry e = { .step = step, .team = c->team };

	if (contact_open(c) && (!s->via || s->via & 1u << c->channel)) {
		e.at_ms = f->now_ms;
		e.contact = c;
		e.again = contact_has(f, c);
	} else {
		e.why = c->muted ? PLAN_MUTED : PLAN_NO_CONTACT;
	}
	return plan_add(out, f->arena, e);
}

bool plan_step(const struct plan_facts *f, const struct notify_step *s, int64_t step,
	struct notify_plan *out)
{
	struct plan_targets t = { 0 };
	size_t before = out->len;
	bool ok = true;

	t.users = ARENA_ARRAY(f->arena, struct plan_target, f->roster->users_len + 1);
	t.rooms = ARENA_ARRAY(f->arena, const struct contact *, f->contacts_len + 1);
	if (!t.users || !t.rooms) return false;
	for (size_t i = 0; i < s->to_len; i++)
		targets_add(f, &t, &s->to[i]);
	if (s->pick_one) targets_pick(f, s, &t);
	for (size_t i = 0; ok && i < t.users_len; i++)
		ok = person_plan(f, s, step, &t, &t.users[i], out);
	for (size_t i = 0; ok && i < t.rooms_len; i++)
		ok = room_plan(f, s, step, t.rooms[i], out);
	for (size_t i = 0; ok && i < t.missing_len; i++) {
		t.missing[i].step = step;
		ok = plan_add(out, f->arena, t.missing[i]);
	}
	/* The step names nobody who exists. */
	if (ok && out->len == before)
		ok = plan_add(out, f->arena,
			(struct plan_entry){ .step = step, .why = PLAN_NOT_ENTITLED });
	return ok && !f->arena->failed;
}

bool plan_reaches(const struct notify_plan *p, size_t from)
{
	for (size_t i = from; i < p->len; i++)
		if (p->at[i].at_ms || p->at[i].waits || p->at[i].why == PLAN_PRESENT)
			return true;
	return false;
}

/* ---- messages that failed ---- */

static bool of_point(const struct delivery *d, const struct route_point *p)
{
	return d->contact.len && d->step == p->step && d->round == p->round &&
	       (d->purpose == DELIVERY_ASK || d->purpose == DELIVERY_REMINDER ||
		       d->purpose == DELIVERY_ALERT);
}

/* Has this message arrived, or may it still arrive soon? */
static bool delivery_hopes(const struct plan_facts *f, const struct delivery *d)
{
	if (d->status != DELIVERY_WAITING || d->lease.by.len || !d->attempts)
		return d->status == DELIVERY_WAITING || d->status == DELIVERY_DONE;
	return d->attempts <= DELIVERY_SOON && !(f->down & 1u << d->kind);
}

bool plan_hopes(const struct plan_facts *f, const struct route_point *p, struct str user)
{
	for (size_t i = 0; i < f->told_len; i++)
		if (of_point(f->told[i], p) && delivery_hopes(f, f->told[i]) &&
			(!user.len || str_eq(f->told[i]->user, user)))
			return true;
	return false;
}

static struct str team_of(const struct plan_facts *f, struct str contact)
{
	for (size_t i = 0; i < f->contacts_len; i++)
		if (str_eq(f->contacts[i]->id, contact)) return f->contacts[i]->team;
	return STR_NONE;
}

static bool plan_has(const struct notify_plan *p, struct str user, struct str team)
{
	for (size_t i = 0; i < p->len; i++)
		if (str_eq(p->at[i].user, user) && str_eq(p->at[i].team, team))
			return true;
	return false;
}

bool plan_failed(const struct plan_facts *f, const struct notify_step *s,
	const struct route_point *p, struct notify_plan *out)
{
	struct notify_step everybody = *s;
	struct notify_plan now = { 0 };

	everybody.pick_one = false;
	if (!plan_step(f, &everybody, p->step, &now)) return false;
	for (size_t i = 0; i < f->told_len; i++) {
		const struct delivery *d = f->told[i];
		bool down = d->status == DELIVERY_WAITING && f->down & 1u << d->kind;
		struct plan_entry e = { .step = p->step,
			.user = d->user,
			.team = d->user.len ? STR_NONE : team_of(f, d->contact),
			.why = down ? PLAN_DOWN : PLAN_DEAD };

		if (of_point(d, p) && d->status != DELIVERY_DROPPED &&
			!plan_has(out, e.user, e.team) && !plan_add(out, f->arena, e))
			return false;
	}
	for (size_t i = 0; i < now.len; i++)
		if (!now.at[i].at_ms && !plan_has(out, now.at[i].user, now.at[i].team) &&
			!plan_add(out, f->arena, now.at[i]))
			return false;
	return true;
}

/* Was it told of the ask, in a message of its own or among others? */
static bool contact_heard(const struct plan_facts *f, const struct contact *c)
{
	for (size_t i = 0; i < f->told_len; i++)
		if (f->told[i]->status == DELIVERY_DONE &&
			(f->told[i]->carrier.len || delivery_shows_ask(f->told[i])) &&
			str_eq(f->told[i]->contact, c->id))
			return true;
	return false;
}

bool plan_thread(const struct plan_facts *f, struct notify_plan *out)
{
	for (size_t i = 0; i < f->contacts_len; i++) {
		const struct contact *c = f->contacts[i];
		const struct plan_person *p = plan_person(f, c->user);
		struct plan_entry e = { .user = c->user, .contact = c, .again = true };

		if (!contact_usable(c) || !contact_heard(f, c) ||
			(p && plan_present(p, f->now_ms)))
			continue;
		e.at_ms = c->user.len ? person_when(f, c->user, &e.why) : f->now_ms;
		if (too_late(f->ask, e.at_ms)) e.at_ms = 0;
		if (!plan_add(out, f->arena, e)) return false;
	}
	return !f->arena->failed;
}
