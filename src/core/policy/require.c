/* require.c - reads, adds up and counts what approvals are required. */
#include "core/policy/require.h"

#include "base/id.h"
#include "base/keep.h"
#include "core/people/team.h"
#include "core/shared/shape.h"

static const struct str kinds[] = {
	[REQUIRE_TEAM] = STR("team:"),
	[REQUIRE_USER] = STR("user:"),
	[REQUIRE_ROLE] = STR("role:"),
};

/* ---- as JSON ---- */

static bool from_read(struct str text, void *at)
{
	struct require_from *out = at;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!str_starts(text, kinds[i].at)) continue;
		out->kind = (enum require_kind)i;
		out->name = str_from(text, kinds[i].len);
		if (out->kind == REQUIRE_USER) return id_valid(out->name, "usr");
		if (out->kind == REQUIRE_TEAM)
			return out->name.len > 0 && out->name.len <= TEAM_NAME_MAX;
		return role_read(out->name, &out->role) &&
		       role_may(out->role, MAY_SETTLE);
	}
	return false;
}

static void from_write(struct buf *out, const void *at)
{
	const struct require_from *from = at;

	buf_add(out, kinds[from->kind]);
	buf_add(out, from->name);
}

static bool same_from(const struct require_from *a, const struct require_from *b)
{
	return a->kind == b->kind && str_eq(a->name, b->name);
}

static bool has_from(const struct require_part *p, const struct require_from *from)
{
	for (size_t i = 0; i < p->from_len; i++)
		if (same_from(&p->from[i], from)) return true;
	return false;
}

/* Each of `from` once; several approvals are those of others unless it says otherwise. */
static void part_complete(const struct shape_reading *r)
{
	struct require_part *p = r->out;
	size_t given = p->from_len;

	p->from_len = 0;
	for (size_t i = 0; i < given; i++)
		if (!has_from(p, &p->from[i])) p->from[p->from_len++] = p->from[i];
	if (!shape_said(r, "others")) p->others = p->approvals > 1;
}

static const struct shape from_shape = {
	.size = sizeof(struct require_from), .from_text = from_read, .to_text = from_write
};

static const struct shape_member part_members[] = {
	{ STR("approvals"), OF_NUMBER, AT(require_part, approvals), 1,
		REQUIRE_APPROVALS_MAX, TEXT_NEEDED },
	{ STR("from"), OF_LIST, ALL(require_part, from), .least = 1,
		.most = REQUIRE_FROM_MAX, .flags = SHAPE_SPARE,
		.must = "must be {least} to {most} of team:NAME, user:usr_…, role:ROLE",
		.each = "must be team:NAME, user:usr_… or role:member, role:admin, "
			"role:owner",
		.of = &from_shape },
	{ STR("others"), OF_BOOL, AT(require_part, others) },
};
/* As RequirePart in openapi.json. */
static const struct shape require_part_shape = { SHAPE(part_members, require_part),
	.together = part_complete };

static void read_parts(struct check *c, const struct json_place *at,
	const struct json *json, const struct members *also, size_t max,
	struct arena *arena, struct require *out)
{
	struct require r = { 0 };

	if (json->type != JSON_ARRAY || !json->count || json->count > max) {
		wrong(c, at, "must be 1 to %zu parts, such as {\"approvals\": 2}", max);
		return;
	}
	r.parts = ARENA_ARRAY(arena, struct require_part, json->count);
	for (uint32_t i = 0; r.parts && i < json->count; i++) {
		struct json_place item = place_item(at, i);

		shape_check(&require_part_shape, c, &item, &json->items[i], also, arena,
			&r.parts[r.len++]);
	}
	if (!c->failed && r.parts) *out = r;
}

void require_check(struct check *c, const struct json_place *at, const struct json *json,
	struct arena *arena, struct require *out)
{
	read_parts(c, at, json, NULL, REQUIRE_PARTS_MAX, arena, out);
}

enum err require_read(const struct json *json, const char *at, struct arena *arena,
	struct require *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place spot = place_root(at);
	struct require r = { 0 };

	require_check(&c, &spot, json, arena, &r);
	enum err e = check_end(&c, arena);
	if (!e) *out = r;
	return e;
}

enum err require_load(
	struct str text, struct arena *arena, struct require *out, struct fault *why)
{
	static const struct str counted[] = { STR("have") };
	static const struct members have = { counted, 1 };
	struct check c = { 0 };
	struct json_place spot = place_root("");
	struct require r = { 0 };
	const struct json *json;
	enum err e = OK;

	if (text.len) {
		e = json_read(text, NULL, arena, &json, NULL);
		if (!e) read_parts(&c, &spot, json, &have, SIZE_MAX, arena, &r);
		if (!e) e = check_end(&c, arena);
	}
	if (e == ERR_MEMORY || arena->failed)
		return fail(why, ERR_MEMORY, "out of memory");
	if (e) return fail(why, ERR_INTERNAL, "what is required is unreadable");
	*out = r;
	return OK;
}

/* ---- adding up ---- */

/* Whoever counts for `narrow` counts for `wide`. */
static bool part_within(
	const struct require_part *narrow, const struct require_part *wide)
{
	if (wide->others && !narrow->others) return false;
	if (!wide->from_len) return true;
	if (!narrow->from_len) return false;
	for (size_t i = 0; i < narrow->from_len; i++)
		if (!has_from(wide, &narrow->from[i])) return false;
	return true;
}

/* Is `part` met whenever another of them is? */
static bool part_covered(const struct require_part *part, const struct require *by)
{
	for (size_t i = 0; i < by->len; i++)
		if (by->parts[i].approvals >= part->approvals &&
			part_within(&by->parts[i], part))
			return true;
	return false;
}

bool require_merge(struct require *into, const struct require *more, struct arena *arena)
{
	struct require merged = { 0 };

	if (!more->len) return true;
	merged.parts = ARENA_ARRAY(arena, struct require_part, into->len + more->len);
	if (!merged.parts) return false;
	for (size_t i = 0; i < into->len; i++)
		if (!part_covered(&into->parts[i], more))
			merged.parts[merged.len++] = into->parts[i];
	for (size_t i = 0; i < more->len; i++)
		if (!part_covered(&more->parts[i], &merged))
			merged.parts[merged.len++] = more->parts[i];
	*into = merged;
	return true;
}

/* ---- writing ---- */

struct str require_text(const struct require *r, const int64_t *have, struct arena *arena)
{
	struct buf b = { .max = 262144 };
	struct json_writer w = { .out = &b };

	if (!r->len) return STR_NONE;
	jw_array(&w);
	for (size_t i = 0; i < r->len; i++) {
		jw_object(&w);
		shape_write_members(&w, &require_part_shape, &r->parts[i]);
		if (have) jw_put_int(&w, "have", have[i]);
		jw_object_end(&w);
	}
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

enum err require_add(struct str *kept, const struct require *more, struct arena *arena,
	struct fault *why)
{
	struct require all;
	int64_t *have;
	size_t covered = 0;
	enum err e = require_load(*kept, arena, &all, why);

	if (e) return e;
	while (covered < more->len && part_covered(&more->parts[covered], &all))
		covered++;
	if (covered == more->len) return OK;
	if (!require_merge(&all, more, arena) ||
		!(have = ARENA_ARRAY(arena, int64_t, all.len)))
		return fail(why, ERR_MEMORY, "out of memory");
	*kept = require_text(&all, have, arena);
	return arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

bool require_names_team(const struct require *r, struct str name)
{
	const struct require_from team = { .kind = REQUIRE_TEAM, .name = name };

	for (size_t i = 0; i < r->len; i++)
		if (has_from(&r->parts[i], &team)) return true;
	return false;
}

/* ---- counting ---- */

static bool from_fits(const struct require_from *from, const struct voter *v)
{
	switch (from->kind) {
	case REQUIRE_TEAM: return text_listed(v->teams, v->teams_len, from->name);
	case REQUIRE_USER: return str_eq(from->name, v->id);
	case REQUIRE_ROLE: return v->role >= from->role;
	}
	return false;
}

/* Does this person count in their own right, not as a delegate? */
static bool counts_directly(const struct require_part *p, const struct voter *v)
{
	if (!v->may_settle || (p->others && v->starter)) return false;
	for (size_t i = 0; i < p->from_len; i++)
		if (from_fits(&p->from[i], v)) return true;
	return !p->from_len;
}

/* The i-th whom they stand in for is named by the part. */
static bool stands_in(const struct require_part *p, const struct voter *v, size_t i)
{
	const struct require_from away = { .kind = REQUIRE_USER, .name = v->away[i] };

	return v->may_settle && !(p->others && v->starter) && has_from(p, &away);
}

bool require_counts(
	const struct require_part *p, const struct voter *v, struct str *stands_for)
{
	*stands_for = STR_NONE;
	if (counts_directly(p, v)) return true;
	for (size_t i = 0; i < v->away_len; i++)
		if (stands_in(p, v, i)) {
			*stands_for = v->away[i];
			return true;
		}
	return false;
}

bool require_counts_any(const struct require *r, const struct voter *v)
{
	struct str stands_for;

	for (size_t i = 0; i < r->len; i++)
		if (require_counts(&r->parts[i], v, &stands_for)) return true;
	return !r->len && v->may_settle;
}

/* Did this user, or an earlier delegate of theirs, already vote in this part? */
static bool seat_taken(const struct require_part *p, const struct approval_vote *votes,
	size_t len, size_t before, struct str digest, const struct str *seats,
	struct str seat)
{
	for (size_t i = 0; i < len; i++)
		if (str_eq(votes[i].digest, digest) && str_eq(votes[i].voter->id, seat) &&
			counts_directly(p, votes[i].voter))
			return true;
	return text_listed(seats, before, seat);
}

static int64_t part_count(const struct require_part *p, struct approval_vote *votes,
	size_t len, struct str digest)
{
	struct str seats[REQUIRE_FROM_MAX]; /* of those away, each once */
	size_t taken = 0;
	int64_t have = 0;

	for (size_t i = 0; i < len; i++) {
		struct approval_vote *vote = &votes[i];
		const struct voter *v = vote->voter;

		if (!str_eq(vote->digest, digest)) continue;
		if (counts_directly(p, v)) {
			vote->counts = true;
			have++;
			continue;
		}
		for (size_t k = 0; k < v->away_len; k++) {
			if (!stands_in(p, v, k) || taken == REQUIRE_FROM_MAX ||
				seat_taken(
					p, votes, len, taken, digest, seats, v->away[k]))
				continue;
			seats[taken++] = v->away[k];
			if (!vote->counts) vote->stands_for = v->away[k];
			vote->counts = true;
			have++;
			break;
		}
	}
	return have;
}

bool require_count(const struct require *r, struct approval_vote *votes, size_t len,
	struct str digest, int64_t *have)
{
	bool met = true;

	for (size_t i = 0; i < len; i++)
		if (str_eq(votes[i].digest, digest)) {
			votes[i].counts = false;
			votes[i].stands_for = STR_NONE;
		}
	for (size_t i = 0; i < r->len; i++) {
		have[i] = part_count(&r->parts[i], votes, len, digest);
		if (have[i] < r->parts[i].approvals) met = false;
	}
	return met;
}
