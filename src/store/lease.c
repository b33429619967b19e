/* lease.c - chooses what a process claims: fair between owners, bounded for groups. */
#include "store/lease.h"

#include "base/mem.h"
#include "store/migrate.h"

enum { OWNERS_MAX = 256, GROUPS_MAX = 256, FULL_SIZE = 16 * 1024 };

/* Something that is counted: an owner, or a group. */
struct lease_tally {
	struct str name;
	int64_t held;
	/* Of a group: */
	struct str owner; /* whose alone it is; empty: everyone's */
	int64_t max;	  /* 0: any number */
	bool shared;
	/* Of an owner: */
	bool due, done; /* it waits; it has no more to be claimed now */
	bool loaded;	/* its due records are copies of the batch */
	size_t full;	/* how many groups were full when they were loaded */
};

/* So many records of a group are held for an owner. */
struct lease_held {
	struct lease_held *next;
	struct str owner, group;
	int64_t count;
};

struct claiming {
	struct rows *rows;
	struct lease_held *held;
	const struct leased *l;
	const struct lease_claim *c;
	struct lease_tally owners[OWNERS_MAX * 2], groups[GROUPS_MAX];
	size_t owners_len, groups_len;
	int64_t free, taken;
};

static struct lease_tally *owner_find(struct claiming *q, struct str name)
{
	for (size_t i = 0; i < q->owners_len; i++)
		if (str_eq(q->owners[i].name, name)) return &q->owners[i];
	if (q->owners_len == OWNERS_MAX * 2) return NULL;
	q->owners[q->owners_len] = (struct lease_tally){ .name = name };
	return &q->owners[q->owners_len++];
}

static struct lease_tally *group_find(
	struct claiming *q, struct str owner, struct str name)
{
	struct lease_group g = { .max = q->c->group_max, .shared = true };

	for (size_t i = 0; i < q->groups_len; i++)
		if (str_eq(q->groups[i].name, name) &&
			(!q->groups[i].owner.len || str_eq(q->groups[i].owner, owner)))
			return &q->groups[i];
	if (q->groups_len == GROUPS_MAX) return NULL;
	if (q->l->group) g = q->l->group(q->c, owner, name);
	q->groups[q->groups_len] = (struct lease_tally){ .name = name,
		.owner = g.own ? owner : STR_NONE,
		.max = g.max,
		.shared = g.shared };
	return &q->groups[q->groups_len++];
}

static struct str text_at(const void *record, size_t at)
{
	return *(const struct str *)(const void *)((const char *)record + at);
}

/* ---- what is held, and who waits ---- */

/* Made when there is none; NULL: out of memory. */
static struct lease_held *held_find(
	struct claiming *q, struct str owner, struct str group)
{
	struct lease_held *h = q->held;

	while (h && (!str_eq(h->owner, owner) || !str_eq(h->group, group)))
		h = h->next;
	if (h) return h;
	h = ARENA_NEW(q->rows->arena, struct lease_held);
	if (!h) return NULL;
	*h = (struct lease_held){ q->held, owner, group, 0 };
	return q->held = h;
}

static enum err held_row(void *ctx, const struct row *row, struct fault *why)
{
	struct claiming *q = ctx;
	struct arena *arena = q->rows->arena;
	struct lease_held *h = held_find(q, arena_str(arena, row_text(row, 0)),
		arena_str(arena, row_text(row, 1)));
	struct lease_tally *owner;

	if (!h) return fail_memory(why);
	h->count += row_int(row, 2);
	owner = owner_find(q, h->owner);
	if (arena->failed) return fail_memory(why);
	if (owner) owner->held += row_int(row, 2);
	return OK;
}

static enum err owner_row(void *ctx, const struct row *row, struct fault *why)
{
	struct claiming *q = ctx;
	struct lease_tally *owner =
		owner_find(q, arena_str(q->rows->arena, row_text(row, 0)));

	if (q->rows->arena->failed) return fail_memory(why);
	if (owner) owner->due = true;
	return OK;
}

static enum err claiming_look(struct claiming *q, struct fault *why)
{
	const struct lease_claim *c = q->c;
	enum err e =
		rows_query(q->rows, q->l->held, ARGS(c->by, c->kind), held_row, q, why);

	/* After the query, because group_find may run another one. */
	for (const struct lease_held *h = e ? NULL : q->held; h; h = h->next) {
		struct lease_tally *group = group_find(q, h->owner, h->group);

		if (group) group->held += h->count;
	}
	return e ? e
		 : rows_query(q->rows, q->l->owners,
			   ARGS(q->rows->now_ms, c->by, c->kind, OWNERS_MAX), owner_row,
			   q, why);
}

/* Can this owner have no more of the group? */
static bool full_for(
	struct claiming *q, const struct lease_tally *group, struct str owner)
{
	const struct lease_held *h;

	if (!group->max || (group->owner.len && !str_eq(group->owner, owner)))
		return false;
	if (group->held >= group->max) return true;
	h = group->shared ? held_find(q, owner, group->name) : NULL;
	/* One more than are left: of two slots an owner who is alone gets both. */
	return h && !lease_share_allows(h->count, group->max - group->held + 1);
}

static bool group_full(struct claiming *q, const void *record)
{
	struct str owner = text_at(record, q->l->owner_at);
	const struct lease_tally *group =
		group_find(q, owner, text_at(record, q->l->group_at));

	return group && full_for(q, group, owner);
}

static bool record_due(struct claiming *q, const void *record)
{
	const struct lease *lease =
		(const struct lease *)(const void *)((const char *)record +
						     q->l->lease_at);

	return lease_free(lease, q->c->by, q->rows->now_ms) && !group_full(q, record) &&
	       q->l->due_now(q->rows, q->c, record);
}

/* If an owner has older records due, an ordinary claim takes them first. */
static void claiming_along(struct claiming *q)
{
	const void *at = NULL;

	for (size_t i = 0; i < q->owners_len; i++)
		if (q->owners[i].due) {
			q->free = 0;
			return;
		}
	while ((at = rows_next(q->rows, q->l->record, at)))
		if (record_due(q, at)) {
			struct lease_tally *owner =
				owner_find(q, text_at(at, q->l->owner_at));

			if (owner) owner->due = owner->loaded = true;
		}
}

/* ---- one at a time ---- */

/* Who holds least, of those the one that waits longest: owners are in that order. Those that
 * held something when we came are first in the list, but hold more. */
static struct lease_tally *owner_next(struct claiming *q)
{
	struct lease_tally *best = NULL;

	for (size_t i = 0; i < q->owners_len; i++) {
		struct lease_tally *o = &q->owners[i];

		if (!o->due || o->done || !lease_share_allows(o->held, q->free)) continue;
		if (!best || o->held < best->held) best = o;
	}
	return best;
}

static size_t groups_full_len(struct claiming *q, const struct lease_tally *owner)
{
	size_t len = 0;

	for (size_t i = 0; i < q->groups_len; i++)
		len += full_for(q, &q->groups[i], owner->name);
	return len;
}

static struct str groups_full(struct claiming *q, const struct lease_tally *owner)
{
	struct buf full = { .max = FULL_SIZE };
	struct str out;

	buf_add_char(&full, ',');
	for (size_t i = 0; i < q->groups_len; i++)
		if (full_for(q, &q->groups[i], owner->name)) {
			buf_add(&full, q->groups[i].name);
			buf_add_char(&full, ',');
		}
	out = arena_str(q->rows->arena, buf_str(&full));
	buf_done(&full);
	return out;
}

static enum err owner_load(
	struct claiming *q, struct lease_tally *owner, struct fault *why)
{
	owner->loaded = true;
	owner->full = groups_full_len(q, owner);
	return rows_fetch(q->rows, q->l->record, q->l->due,
		ARGS(q->rows->now_ms, q->c->by, q->c->kind, owner->name,
			groups_full(q, owner), q->c->take),
		why);
}

/* The first copy that this owner may have claimed. They came oldest first. */
static const void *owner_first(struct claiming *q, const struct lease_tally *owner)
{
	const struct leased *l = q->l;
	const void *at = NULL;

	while ((at = rows_next(q->rows, l->record, at)))
		if (str_eq(text_at(at, l->owner_at), owner->name) && record_due(q, at))
			return at;
	return NULL;
}

static enum err record_claim(struct claiming *q, struct lease_tally *owner,
	const void *record, lease_claimed_fn *claimed, void *ctx, struct fault *why)
{
	struct str name = text_at(record, q->l->group_at);
	struct lease_tally *group = group_find(q, owner->name, name);
	struct lease_held *held = held_find(q, owner->name, name);
	void *changed = rows_change(q->rows, record);

	lease_claim(
		leased_lease(q->l, changed), q->c->by, q->rows->now_ms, q->c->length_ms);
	owner->held++;
	if (group) group->held++;
	if (held) held->count++;
	q->free--;
	q->taken++;
	return claimed(ctx, q->rows, changed, why);
}

/* May this owner have due records that are not loaded? */
static bool owner_left(struct claiming *q, const struct lease_tally *owner)
{
	if (!owner->due || (q->c->along && owner->loaded)) return false;
	return !owner->done || groups_full_len(q, owner);
}

enum err rows_claim(struct rows *rows, const struct leased *l,
	const struct lease_claim *c, lease_claimed_fn *claimed, void *ctx,
	struct fault *why)
{
	MEM_UNSET struct claiming room; /* 64 KB; what is not used is not touched */
	struct claiming *q = &room;
	struct lease_tally *owner;
	enum err e;

	if (c->take <= 0 || c->free <= 0) return OK;
	q->rows = rows;
	q->held = NULL;
	q->l = l;
	q->c = c;
	q->owners_len = q->groups_len = 0;
	q->free = c->free;
	q->taken = 0;
	e = claiming_look(q, why);
	if (!e && c->along) claiming_along(q);
	while (!e && q->taken < c->take && (owner = owner_next(q))) {
		const void *record;

		if (!owner->loaded) e = owner_load(q, owner, why);
		if (e) break;
		record = owner_first(q, owner);
		if (record)
			e = record_claim(q, owner, record, claimed, ctx, why);
		else if (groups_full_len(q, owner) > owner->full)
			owner->loaded = false; /* there may be more behind those */
		else
			owner->done = true;
	}
	for (size_t i = 0; c->left && i < q->owners_len; i++)
		*c->left |= owner_left(q, &q->owners[i]);
	return e;
}

/* ---- looking ---- */

enum err lease_due_read(
	struct rows *rows, struct call next, struct lease_due *l, struct fault *why)
{
	struct call calls[] = { { .sql = SQL_SCHEMA_VERSION, .row = schema_row }, next };
	enum err e;

	l->next_ms = 0;
	calls[1].row = row_take_int;
	calls[1].ctx = &l->next_ms;
	e = db_run(rows->db, calls, 2, why);
	l->due = !e && l->next_ms && l->next_ms <= rows->now_ms;
	return e;
}
