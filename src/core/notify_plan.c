/* notify_plan.c - whom a step tells.
 *
 * 1. Nobody is told who may not settle the ask; a team's own contacts (rooms) excepted.
 * 2. A person is told once a step, and a contact once a step.
 * 3. Quiet hours and digests put off, and never past the deadline. */
#include "core/notify_plan.h"

static const char *const reasons[] = {
	[PLAN_QUIET] = "quiet",
	[PLAN_DIGEST] = "digest",
	[PLAN_PRESENT] = "present",
	[PLAN_CLAIMED] = "claimed",
	[PLAN_NO_CONTACT] = "no-contact",
	[PLAN_NOT_ENTITLED] = "not-entitled",
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

/* Users and contacts that a step names, each once. */
struct plan_targets {
	struct str *users;
	const struct contact *
		*own; /* of each user: contact:con_…, only this one; or NULL */
	size_t users_len, users_cap;
	const struct contact **rooms;
	size_t rooms_len;
};

static bool targets_user(
	const struct plan_facts *f, struct plan_targets *t, struct str id)
{
	const struct user *u = roster_user(f->roster, id);
	struct str in_place;

	if (!u || u->disabled) return true;
	in_place = roster_delegate(f->roster, u, f->arena);
	if (in_place.len) id = in_place;
	for (size_t i = 0; i < t->users_len; i++)
		if (str_eq(t->users[i], id)) return true;
	if (t->users_len == t->users_cap) return false;
	t->users[t->users_len++] = id;
	return true;
}

static void targets_room(struct plan_targets *t, const struct contact *c)
{
	for (size_t i = 0; i < t->rooms_len; i++)
		if (t->rooms[i] == c) return;
	t->rooms[t->rooms_len++] = c;
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

static void targets_all(const struct plan_facts *f, struct plan_targets *t)
{
	for (size_t i = 0; i < f->roster->users_len; i++)
		if (may_settle(f, f->roster->users[i]->id) == REFUSED_NOT)
			targets_user(f, t, f->roster->users[i]->id);
}

static void targets_team(const struct plan_facts *f, struct plan_targets *t,
	const struct team_parts *team, enum notify_to_kind kind)
{
	for (size_t i = 0; i < team->members_len; i++)
		if (kind == TO_TEAM || (kind == TO_LEADS && team->members[i].lead) ||
			(kind == TO_ON_CALL &&
				str_eq(team->members[i].user, team->team->on_call)))
			targets_user(f, t, team->members[i].user);
	for (size_t i = 0; kind == TO_TEAM && i < f->contacts_len; i++)
		if (str_eq(f->contacts[i]->team, team->team->id))
			targets_room(t, f->contacts[i]);
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

		targets_user(f, t, id);
		for (size_t k = 0; k < f->roster->teams_len; k++)
			if (str_eq(f->roster->teams[k].team->id, id))
				targets_team(f, t, &f->roster->teams[k], TO_TEAM);
	}
}

static void targets_admins(const struct plan_facts *f, struct plan_targets *t)
{
	for (size_t i = 0; i < f->roster->users_len; i++)
		if (role_may(f->roster->users[i]->role, MAY_ADMIN))
			targets_user(f, t, f->roster->users[i]->id);
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
		targets_user(f, t, c->user);
		for (size_t k = 0; k < t->users_len; k++)
			if (str_eq(t->users[k], c->user)) t->own[k] = c;
	}
}

static void targets_add(
	const struct plan_facts *f, struct plan_targets *t, const struct notify_to *to)
{
	switch (to->kind) {
	case TO_ASSIGNEES: targets_assignees(f, t); return;
	case TO_ALL: targets_all(f, t); return;
	case TO_USER: targets_user(f, t, to->name); return;
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

/* Was it meant for this contact already, whatever came of it? */
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

/* The first usable contact of this channel that was not told; *first, when it is NULL: the
 * first usable at all. */
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
	static const enum delivery_kind all[] = { DELIVERY_PUSH, DELIVERY_SLACK,
		DELIVERY_EMAIL, DELIVERY_WEBHOOK, DELIVERY_COMMAND };
	const struct plan_person *p = plan_person(f, user);
	unsigned seen = 0;
	size_t len = 0;

	for (size_t i = 0; p && i < p->prefs.order_len; i++) {
		enum delivery_kind k = p->prefs.order[i];

		seen |= 1u << k;
		if (!via || via & 1u << k) out[len++] = k;
	}
	for (size_t i = 0; i < DELIVERY_CHANNELS; i++)
		if (!(seen & 1u << all[i]) && (!via || via & 1u << all[i]))
			out[len++] = all[i];
	return len;
}

const struct contact *plan_next_contact(
	const struct plan_facts *f, struct str user, unsigned via)
{
	enum delivery_kind order[DELIVERY_CHANNELS];
	size_t len = channel_order(f, user, via, order);
	const struct contact *first = NULL, *c = NULL;

	for (size_t i = 0; !c && i < len; i++)
		c = channel_contact(f, user, order[i], &first);
	return c;
}

/* What somebody is told by in this step: a contact of each channel of `via`, or the first of
 * their own order that was not told, or the first again. */
static size_t person_contacts(const struct plan_facts *f, struct str user, unsigned via,
	const struct contact *out[DELIVERY_CHANNELS])
{
	enum delivery_kind order[DELIVERY_CHANNELS];
	size_t len = channel_order(f, user, via, order), n = 0;
	const struct contact *first = NULL, *c = NULL;

	for (size_t i = 0; i < len && (via || !c); i++) {
		const struct contact *of_channel = NULL;

		c = channel_contact(f, user, order[i], via ? &of_channel : &first);
		if (!c && via) c = of_channel;
		if (c) out[n++] = c;
	}
	if (!n && first) out[n++] = first;
	return n;
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

/* When it goes out to this person, and what puts it off. 0: not before the deadline. */
static int64_t person_when(
	const struct plan_facts *f, struct str user, enum plan_why *why)
{
	const struct plan_person *p = plan_person(f, user);
	const struct ask *a = f->ask;
	int64_t at = f->now_ms, held;

	*why = PLAN_TOLD;
	if (!p) return at;
	held = prefs_hold_digest(&p->prefs, a->priority, a->risk, a->deadline_ms, at);
	if (held) {
		at = held;
		*why = PLAN_DIGEST;
	}
	held = prefs_hold_quiet(&p->prefs, a->priority, a->risk, at);
	if (held) {
		at = held;
		if (*why == PLAN_TOLD) *why = PLAN_QUIET;
	}
	return a->deadline_ms && at >= a->deadline_ms ? 0 : at;
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
static bool person_present(const struct plan_facts *f, const struct plan_person *p)
{
	return p->present_ms && f->now_ms - p->present_ms <= PRESENT_MS &&
	       p->present_ms - f->now_ms <= PRESENT_MS;
}

/* `own`: the one contact that the step names for them, or NULL. */
static enum plan_why person_why(const struct plan_facts *f, const struct notify_step *s,
	const struct contact *own, struct str user)
{
	const struct plan_person *p = plan_person(f, user);
	const struct contact *contacts[DELIVERY_CHANNELS];

	if (may_settle(f, user) != REFUSED_NOT) return PLAN_NOT_ENTITLED;
	if (!s->always && p && person_present(f, p)) return PLAN_PRESENT;
	if (own) return contact_usable(own) ? PLAN_TOLD : PLAN_NO_CONTACT;
	return person_contacts(f, user, s->via, contacts) ? PLAN_TOLD : PLAN_NO_CONTACT;
}

static bool person_plan(const struct plan_facts *f, const struct notify_step *s,
	int64_t step, const struct contact *own, struct str user, struct notify_plan *out)
{
	struct plan_entry e = { .step = step, .user = user };
	const struct contact *contacts[DELIVERY_CHANNELS];
	size_t n = 0;

	e.why = person_why(f, s, own, user);
	if (e.why) return plan_add(out, f->arena, e);
	if (own)
		contacts[n++] = own;
	else
		n = person_contacts(f, user, s->via, contacts);
	e.at_ms = person_when(f, user, &e.why);
	if (e.why && person_waits(f, user, f->now_ms)) e.at_ms = 0;
	/* What waits goes out once, whatever the step would do by other channels. */
	for (size_t i = 0; i < (e.why && n > 1 ? 1 : n); i++) {
		e.contact = contacts[i];
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

/* Of those who can be told, the one who was told longest ago; the others are left out. */
static void targets_pick(
	const struct plan_facts *f, const struct notify_step *s, struct plan_targets *t)
{
	size_t best = t->users_len;

	for (size_t i = 0; i < t->users_len; i++) {
		if (person_why(f, s, t->own[i], t->users[i])) continue;
		if (best == t->users_len ||
			person_last(f, t->users[i]) < person_last(f, t->users[best]))
			best = i;
	}
	if (best == t->users_len) return;
	t->users[0] = t->users[best];
	t->own[0] = t->own[best];
	t->users_len = 1;
}

bool plan_step(const struct plan_facts *f, const struct notify_step *s, int64_t step,
	struct notify_plan *out)
{
	struct plan_targets t = { .users_cap = f->roster->users_len };

	t.users = ARENA_ARRAY(f->arena, struct str, f->roster->users_len + 1);
	t.rooms = ARENA_ARRAY(f->arena, const struct contact *, f->contacts_len + 1);
	t.own = ARENA_ARRAY(f->arena, const struct contact *, f->roster->users_len + 1);
	if (!t.users || !t.rooms || !t.own) return false;
	for (size_t i = 0; i < s->to_len; i++)
		targets_add(f, &t, &s->to[i]);
	if (s->pick_one) targets_pick(f, s, &t);
	for (size_t i = 0; i < t.users_len; i++)
		if (!person_plan(f, s, step, t.own[i], t.users[i], out)) return false;
	for (size_t i = 0; i < t.rooms_len; i++) {
		const struct contact *c = t.rooms[i];
		struct plan_entry e = { f->now_ms, step, STR_NONE, c, contact_has(f, c),
			PLAN_TOLD };

		if (s->via && !(s->via & 1u << c->channel)) continue;
		if (contact_usable(c) && !plan_add(out, f->arena, e)) return false;
	}
	return !f->arena->failed;
}

bool plan_thread(const struct plan_facts *f, struct notify_plan *out)
{
	for (size_t i = 0; i < f->contacts_len; i++) {
		const struct contact *c = f->contacts[i];
		const struct plan_person *p = plan_person(f, c->user);
		struct plan_entry e = { .user = c->user, .contact = c, .again = true };

		if (!contact_usable(c) || !contact_has(f, c) ||
			(p && person_present(f, p)))
			continue;
		e.at_ms = c->user.len ? person_when(f, c->user, &e.why) : f->now_ms;
		if (!plan_add(out, f->arena, e)) return false;
	}
	return !f->arena->failed;
}
