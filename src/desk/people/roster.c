/* roster.c - makes rosters from rows. */
#include "desk/people/roster.h"

#include "desk/people/people.h"

static enum err roster_take_teams(
	struct rows *rows, int64_t ws, struct roster *out, struct fault *why)
{
	const struct team *team = NULL;
	struct team_parts *parts;
	size_t len = 0;
	enum err e = OK;

	while ((team = teams_next(rows, ws, team)))
		len++;
	if (!len) return OK;
	parts = ARENA_ARRAY(rows->arena, struct team_parts, len);
	if (!parts) return fail_memory(why);
	out->teams = parts;
	while (!e && (team = teams_next(rows, ws, team)))
		e = team_parts(team, rows->arena, &parts[out->teams_len++], why);
	return e;
}

enum err roster_of_teams(
	struct task *t, struct rows *rows, struct roster *out, struct fault *why)
{
	enum err e = teams_fetch(rows, t->job.who.ws, &t->job.credential, why);

	return e ? e : roster_take_teams(rows, t->job.who.ws, out, why);
}

/* Somebody who is gone is in no roster. */
static enum err roster_add(struct rows *rows, int64_t ws, struct str id,
	struct roster *out, struct fault *why)
{
	const struct user *u;
	enum err e;

	if (!id.len || roster_user(out, id)) return OK;
	e = rows_get(rows, RECORD_USERS, KEY(ws, id), &u, why);
	if (!e && u) out->users[out->users_len++] = u;
	return e;
}

/* Who is asked for by name, and who stands in for them. */
static enum err roster_named(struct rows *rows, const struct ask *a,
	const struct require *req, struct roster *out, struct fault *why)
{
	enum err e = OK;

	for (size_t i = 0; !e && i < req->len; i++)
		for (size_t k = 0; !e && k < req->parts[i].from_len; k++)
			if (req->parts[i].from[k].kind == REQUIRE_USER)
				e = roster_add(rows, a->ws, req->parts[i].from[k].name,
					out, why);
	for (int hop = 0; !e && hop < AWAY_CHAIN_MAX; hop++)
		for (size_t i = 0, len = out->users_len; !e && i < len; i++) {
			struct away away;

			if (away_load(out->users[i], rows->arena, &away))
				e = roster_add(rows, a->ws, away.delegate, out, why);
		}
	return e;
}

static size_t roster_room(const struct ballot *b)
{
	size_t n = b->votes.len + 1;

	for (size_t i = 0; i < b->require.len; i++)
		n += b->require.parts[i].from_len;
	return n * (AWAY_CHAIN_MAX + 1);
}

enum err ballot_open(struct task *t, struct rows *rows, const struct ask *a,
	struct ballot *out, struct fault *why)
{
	struct ballot b = { .roster.now_ms = rows->now_ms };
	enum err e = roster_of_teams(t, rows, &b.roster, why);

	if (!e) rows_guard_people(rows, a->ws, t->job.credential.revocations);
	if (!e && a->require.len) {
		e = require_load(a->require, rows->arena, &b.require, why);
		if (!e) e = votes_load(a, rows->arena, &b.votes, why);
		if (e) return e;
		b.roster.users =
			ARENA_ARRAY(rows->arena, const struct user *, roster_room(&b));
		if (!b.roster.users) return fail_memory(why);
		e = roster_add(rows, a->ws, t->job.who.user, &b.roster, why);
		for (size_t i = 0; !e && i < b.votes.len; i++)
			e = roster_add(rows, a->ws, b.votes.at[i].user, &b.roster, why);
		if (!e) e = roster_named(rows, a, &b.require, &b.roster, why);
	}
	if (!e) *out = b;
	return e;
}

static enum err roster_users(
	struct rows *rows, int64_t ws, struct roster *out, struct fault *why)
{
	enum err e = rows_fetch(rows, RECORD_USERS, SQL_USERS_OF, ARGS(ws), why);

	out->now_ms = rows->now_ms;
	if (!e)
		out->users = (const struct user **)rows_all(
			rows, RECORD_USERS, ws, &out->users_len);
	return e;
}

enum err roster_all(
	struct task *t, struct rows *rows, struct roster *out, struct fault *why)
{
	struct roster r = { 0 };
	enum err e = roster_users(rows, t->job.who.ws, &r, why);

	if (!e) e = roster_of_teams(t, rows, &r, why);
	if (!e) *out = r;
	return e;
}

enum err roster_everybody(
	struct rows *rows, int64_t ws, struct roster *out, struct fault *why)
{
	struct roster r = { 0 };
	enum err e = roster_users(rows, ws, &r, why);

	if (!e) e = teams_load(rows, ws, why);
	if (!e) e = roster_take_teams(rows, ws, &r, why);
	if (!e) *out = r;
	return e;
}

/* ---- for readers ---- */

enum err reading_roster_teams(struct reading_roster *r, struct fault *why)
{
	enum err e = OK;

	r->roster.now_ms = r->rows->now_ms;
	if (!r->teams) e = roster_of_teams(r->task, r->rows, &r->roster, why);
	r->teams = !e;
	return e;
}

enum err reading_roster_users(struct reading_roster *r, struct fault *why)
{
	enum err e = reading_roster_teams(r, why);

	if (e || r->users) return e;
	e = roster_users(r->rows, r->task->job.who.ws, &r->roster, why);
	r->users = !e;
	return e;
}

/* ---- shown ---- */

enum err ask_fresh(const struct ask *a, const struct roster *r, struct arena *arena,
	struct ask *out, struct fault *why)
{
	struct require require;
	struct votes votes;
	struct str best;
	int64_t *have;
	enum err e;

	*out = *a;
	if (!a->require.len || a->status != ASK_PENDING) return OK;
	e = require_load(a->require, arena, &require, why);
	if (!e) e = votes_load(a, arena, &votes, why);
	if (e) return e;
	have = ARENA_ARRAY(arena, int64_t, require.len);
	if (!have || !votes_count(a, &require, r, &votes, &best, have, arena))
		return fail_memory(why);
	out->require = require_text(&require, have, arena);
	out->votes = votes_text(&votes, arena);
	return arena->failed ? fail_memory(why) : OK;
}

enum err ask_fresh_for(struct task *t, struct rows *rows, const struct ask *a,
	struct ask *out, const char **reason, struct fault *why)
{
	const struct principal *p = &t->job.who;
	struct ballot b;
	enum err e;

	*out = *a;
	*reason = NULL;
	if (a->status != ASK_PENDING || !role_may(p->role, MAY_SETTLE)) return OK;
	e = ballot_open(t, rows, a, &b, why);
	if (!e) e = ask_fresh(a, &b.roster, rows->arena, out, why);
	if (!e)
		*reason = refusal_name(
			entitled_to_approve(a, &b.require, p, &b.roster, rows->arena));
	return e;
}
