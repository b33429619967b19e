/* entitled.c - who may settle, and whose vote counts. */
#include "core/approval/entitled.h"

#include "base/keep.h"

static const char *const reasons[] = {
	[REFUSED_ROLE] = "role",
	[REFUSED_TEAM] = "team",
	[REFUSED_SELF] = "self",
	[REFUSED_REQUIRE] = "require",
	[REFUSED_CHANNEL] = "channel",
};

const char *refusal_name(enum refusal r)
{
	return reasons[r];
}

enum err refused(
	enum refusal r, const struct ask *a, const struct principal *p, struct fault *why)
{
	switch (r) {
	case REFUSED_NOT: return OK;
	case REFUSED_ROLE:
		fail(why, ERR_NOT_ENTITLED, "the role %s may not answer or skip an ask",
			role_name(p->role));
		break;
	case REFUSED_TEAM:
		fail(why, ERR_NOT_ENTITLED,
			"a team covers the project %.*s, and you are not in it",
			STR_ARGS(str_first(a->project, 100)));
		break;
	case REFUSED_SELF:
		fail(why, ERR_NOT_ENTITLED,
			"whoever asks for an approval cannot decide it");
		break;
	case REFUSED_REQUIRE:
		fail(why, ERR_NOT_ENTITLED,
			"your approval does not count for what it requires; you may reject it");
		break;
	case REFUSED_CHANNEL:
		fail(why, ERR_NOT_ENTITLED, "it may not be decided by this channel");
		break;
	}
	fail_member(why, "reason", str_of(reasons[r]));
	return ERR_NOT_ENTITLED;
}

const struct user *roster_user(const struct roster *r, struct str id)
{
	for (size_t i = 0; i < r->users_len; i++)
		if (str_eq(r->users[i]->id, id)) return r->users[i];
	return NULL;
}

const struct team *roster_team(const struct roster *r, struct str id)
{
	for (size_t i = 0; i < r->teams_len; i++)
		if (str_eq(r->teams[i].team->id, id)) return r->teams[i].team;
	return NULL;
}

const struct team *roster_team_named(const struct roster *r, struct str name)
{
	for (size_t i = 0; i < r->teams_len; i++)
		if (str_eq(r->teams[i].team->name, name)) return r->teams[i].team;
	return NULL;
}

/* ---- who may settle ---- */

static bool team_keeps_out(
	const struct ask *a, const struct principal *p, const struct roster *r)
{
	bool covered = false;

	if (role_may(p->role, MAY_ADMIN)) return false;
	for (size_t i = 0; i < r->teams_len; i++) {
		if (!team_covers(&r->teams[i], a->project)) continue;
		if (team_member(&r->teams[i], p->user)) return false;
		covered = true;
	}
	return covered;
}

static bool is_requester(const struct ask *a, const struct principal *p)
{
	return a->kind == ASK_APPROVAL &&
	       ((a->token.len && str_eq(a->token, p->token)) ||
		       (a->requester.len && str_eq(a->requester, p->user)));
}

enum refusal entitled_to_settle(
	const struct ask *a, const struct principal *p, const struct roster *r)
{
	if (!role_may(p->role, MAY_SETTLE)) return REFUSED_ROLE;
	if (is_requester(a, p)) return REFUSED_SELF;
	return team_keeps_out(a, p, r) ? REFUSED_TEAM : REFUSED_NOT;
}

/* ---- who is away ---- */

struct str roster_delegate(
	const struct roster *r, const struct user *of, struct arena *arena)
{
	const struct user *u = of;
	struct away away;

	for (int i = 0; i < AWAY_CHAIN_MAX; i++) {
		if (!away_load(u, arena, &away) || !away_holds(&away, r->now_ms))
			return u == of ? STR_NONE : u->id;
		u = away.delegate.len ? roster_user(r, away.delegate) : NULL;
		if (!u || u == of || u->disabled) return STR_NONE;
	}
	return away_load(u, arena, &away) && away_holds(&away, r->now_ms) ? STR_NONE
									  : u->id;
}

bool roster_covers(const struct roster *r, const struct user *u, struct str pattern)
{
	if (role_may(u->role, MAY_ADMIN)) return true;
	for (size_t i = 0; i < r->teams_len; i++)
		if (team_member(&r->teams[i], u->id) &&
			team_covers(&r->teams[i], pattern))
			return true;
	return false;
}

/* Did this user appoint themselves as the delegate? Then they do not count for the other. */
static bool appointed_self(const struct roster *r, const struct user *of, struct str user,
	struct arena *arena)
{
	struct away away;

	for (int i = 0; of && i <= AWAY_CHAIN_MAX && away_load(of, arena, &away); i++) {
		if (str_eq(away.by, user)) return true;
		of = away.delegate.len ? roster_user(r, away.delegate) : NULL;
	}
	return false;
}

/* ---- voters ---- */

static bool is_starter(const struct ask *a, struct str user, struct arena *arena)
{
	const struct json *list;

	if (!a->starters.len || !user.len) return false;
	if (json_read(a->starters, NULL, arena, &list, NULL)) return true;
	for (uint32_t i = 0; i < list->count; i++)
		if (str_eq(json_text(&list->items[i]), user)) return true;
	return false;
}

static void voter_teams(
	const struct roster *r, struct str user, struct arena *arena, struct voter *v)
{
	struct str *names = ARENA_ARRAY(arena, struct str, r->teams_len);

	for (size_t i = 0; names && i < r->teams_len; i++)
		if (team_member(&r->teams[i], user))
			names[v->teams_len++] = r->teams[i].team->name;
	v->teams = names;
}

/* The users named by the requirement for whom this one stands in. */
static void voter_stands_in(const struct require *req, const struct roster *r,
	struct str user, struct arena *arena, struct voter *v)
{
	struct str *away = NULL;
	size_t room = 0;

	for (size_t i = 0; i < req->len; i++)
		room += req->parts[i].from_len;
	if (room) away = ARENA_ARRAY(arena, struct str, room);
	for (size_t i = 0; away && i < req->len; i++)
		for (size_t k = 0; k < req->parts[i].from_len; k++) {
			const struct require_from *from = &req->parts[i].from[k];
			const struct user *named = from->kind == REQUIRE_USER
							   ? roster_user(r, from->name)
							   : NULL;

			if (named && !named->disabled &&
				str_eq(roster_delegate(r, named, arena), user) &&
				!appointed_self(r, named, user, arena))
				away[v->away_len++] = named->id;
		}
	v->away = away;
}

/* This person as they are now, with at most this role. Only what may count is looked up. */
static struct voter voter_make(const struct ask *a, const struct require *req,
	const struct principal *p, const struct roster *r, struct arena *arena)
{
	const struct user *u = p->user.len ? roster_user(r, p->user) : NULL;
	struct principal now = *p;
	struct voter v = { .id = p->user };

	if (!u || u->disabled) return v;
	if (u->role < now.role) now.role = u->role;
	v.role = now.role;
	v.may_settle = entitled_to_settle(a, &now, r) == REFUSED_NOT;
	if (!v.may_settle) return v;
	v.starter = is_starter(a, p->user, arena);
	voter_teams(r, p->user, arena, &v);
	voter_stands_in(req, r, p->user, arena, &v);
	return v;
}

enum refusal entitled_to_approve(const struct ask *a, const struct require *req,
	const struct principal *p, const struct roster *r, struct arena *arena)
{
	enum refusal no = entitled_to_settle(a, p, r);
	struct voter v;

	if (no || !req->len) return no;
	v = voter_make(a, req, p, r, arena);
	return require_counts_any(req, &v) ? REFUSED_NOT : REFUSED_REQUIRE;
}

/* ---- counting ---- */

struct ballots {
	struct approval_vote *at;
	struct vote **of; /* at[i] is this vote */
	size_t len;
};

static bool ballots_make(const struct ask *a, const struct require *req,
	const struct roster *r, struct votes *votes, struct arena *arena,
	struct ballots *out)
{
	struct voter *voters = ARENA_ARRAY(arena, struct voter, votes->len + 1);

	out->at = ARENA_ARRAY(arena, struct approval_vote, votes->len + 1);
	out->of = ARENA_ARRAY(arena, struct vote *, votes->len + 1);
	out->len = 0;
	for (size_t i = 0; voters && out->at && out->of && i < votes->len; i++) {
		struct vote *vote = &votes->at[i];
		const struct principal p = { .role = vote->role, .user = vote->user };

		vote->counts = false;
		vote->stands_for = STR_NONE;
		if (vote->value != DECISION_APPROVE) continue;
		voters[i] = voter_make(a, req, &p, r, arena);
		out->at[out->len] = (struct approval_vote){ .voter = &voters[i],
			.digest = vote->digest };
		out->of[out->len++] = vote;
	}
	return !arena->failed;
}

static bool ballots_count(
	const struct require *req, struct ballots *b, struct str digest, int64_t *have)
{
	bool met = require_count(req, b->at, b->len, digest, have);

	for (size_t i = 0; i < b->len; i++) {
		if (!str_eq(b->at[i].digest, digest)) continue;
		b->of[i]->counts = b->at[i].counts;
		b->of[i]->stands_for = b->at[i].stands_for;
	}
	return met;
}

/* How many approvals are still missing. */
static int64_t missing(const struct require *req, const int64_t *have)
{
	int64_t n = 0;

	for (size_t i = 0; i < req->len; i++)
		if (have[i] < req->parts[i].approvals)
			n += req->parts[i].approvals - have[i];
	return n;
}

bool votes_count(const struct ask *a, const struct require *req, const struct roster *r,
	struct votes *votes, struct str *best, int64_t *have, struct arena *arena)
{
	int64_t *other = ARENA_ARRAY(arena, int64_t, req->len + 1);
	struct ballots b;
	int64_t least;

	if (!ballots_make(a, req, r, votes, arena, &b) || !other) return false;
	*best = a->digest;
	ballots_count(req, &b, a->digest, have);
	least = missing(req, have);
	for (size_t i = 0; i < b.len; i++) {
		ballots_count(req, &b, b.at[i].digest, other);
		if (missing(req, other) >= least) continue;
		least = missing(req, other);
		*best = b.at[i].digest;
		memcpy(have, other, req->len * sizeof *have);
	}
	return !arena->failed;
}

bool votes_meet(const struct ask *a, const struct require *req, const struct roster *r,
	struct votes *votes, struct str digest, int64_t *have, struct arena *arena)
{
	struct ballots b;

	return ballots_make(a, req, r, votes, arena, &b) &&
	       ballots_count(req, &b, digest, have) && !arena->failed;
}

int64_t require_reach(const struct ask *a, const struct require_part *part,
	const struct roster *r, struct arena *arena)
{
	struct require_part one = *part;
	const struct require only = { &one, 1 };
	struct str stands_for;
	int64_t n = 0;

	for (size_t i = 0; i < r->users_len; i++) {
		const struct principal p = { .role = r->users[i]->role,
			.user = r->users[i]->id };
		struct voter v = voter_make(a, &only, &p, r, arena);

		n += require_counts(part, &v, &stands_for) && !stands_for.len;
	}
	return n;
}

struct str require_reached(
	const struct ask *a, const struct roster *r, struct arena *arena)
{
	struct buf b = { .max = 262144 };
	struct json_writer w = { .out = &b };
	const struct json *kept;
	struct require req;

	if (!a->require.len || require_load(a->require, arena, &req, NULL) ||
		json_read(a->require, NULL, arena, &kept, NULL))
		return a->require;
	jw_array(&w);
	for (size_t i = 0; i < req.len && i < kept->count; i++) {
		int64_t reach = require_reach(a, &req.parts[i], r, arena);

		jw_object(&w);
		for (uint32_t k = 0; k < kept->items[i].count; k++) {
			jw_name(&w, kept->items[i].members[k].name);
			jw_json(&w, &kept->items[i].members[k].value);
		}
		if (reach < req.parts[i].approvals) jw_put_int(&w, "reach", reach);
		jw_object_end(&w);
	}
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}
