/* roster.c - makes rosters from the rows of a batch, and for readers from the store. */
#include "desk/people/roster.h"

#include "desk/people/people.h"

/* ---- while deciding ---- */

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
	if (!parts) return fail(why, ERR_MEMORY, "out of memory");
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
	struct fault missing = { 0 };
	const struct user *u;
	enum err e;

	if (!id.len || roster_user(out, id)) return OK;
	e = rows_fetch_user(rows, ws, id, &u, &missing);
	if (e == ERR_NOT_FOUND) return OK;
	if (e)
		*why = missing;
	else
		out->users[out->users_len++] = u;
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
		if (!b.roster.users) return fail(why, ERR_MEMORY, "out of memory");
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
	const struct val args[] = { val_int(ws) };
	struct roster r = { .now_ms = rows->now_ms };
	const struct user *u = NULL;
	size_t len = 0;
	enum err e = rows_fetch(rows, RECORD_USERS, SQL_USERS_OF, args, 1, why);

	while (!e && (u = rows_next(rows, RECORD_USERS, u)))
		len++;
	if (!e) r.users = ARENA_ARRAY(rows->arena, const struct user *, len + 1);
	if (!e && !r.users) e = fail(why, ERR_MEMORY, "out of memory");
	while (!e && (u = rows_next(rows, RECORD_USERS, u)))
		if (u->ws == ws) r.users[r.users_len++] = u;
	if (!e) *out = r;
	return e;
}

enum err roster_all(
	struct task *t, struct rows *rows, struct roster *out, struct fault *why)
{
	struct roster r;
	enum err e = roster_users(rows, t->job.who.ws, &r, why);

	if (!e) e = roster_of_teams(t, rows, &r, why);
	if (!e) *out = r;
	return e;
}

enum err roster_everybody(
	struct rows *rows, int64_t ws, struct roster *out, struct fault *why)
{
	const struct val args[] = { val_int(ws) };
	struct roster r;
	enum err e = roster_users(rows, ws, &r, why);

	if (!e) e = rows_fetch(rows, RECORD_TEAMS, SQL_TEAMS_OF, args, 1, why);
	if (!e) e = roster_take_teams(rows, ws, &r, why);
	if (!e) *out = r;
	return e;
}

/* ---- for readers ---- */

struct found_list {
	struct arena *arena;
	void **at;
	size_t len, cap;
	size_t size; /* of a record */
	enum record_id id;
};

static enum err found_row(void *ctx, const struct row *row, struct fault *why)
{
	struct found_list *l = ctx;
	void *record;

	if (l->len == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		void **at = ARENA_ARRAY(l->arena, void *, cap);

		if (!at) return fail(why, ERR_MEMORY, "out of memory");
		if (l->len) memcpy(at, l->at, l->len * sizeof *at);
		l->at = at;
		l->cap = cap;
	}
	record = arena_alloc(l->arena, l->size);
	if (!record) return fail(why, ERR_MEMORY, "out of memory");
	l->at[l->len++] = record;
	return record_read(&records[l->id], row, l->arena, record, why);
}

enum err reading_roster_teams(struct reading_roster *r, struct fault *why)
{
	struct arena *arena = &r->task->job.arena;
	const struct val args[] = { val_int(r->task->job.who.ws) };
	struct found_list l = {
		.arena = arena, .size = sizeof(struct team), .id = RECORD_TEAMS
	};
	struct team_parts *parts;
	enum err e;

	r->roster.now_ms = r->now_ms;
	if (r->teams || !r->task->job.credential.teams) return OK;
	e = rows_query(r->rows, SQL_TEAMS_OF, args, 1, found_row, &l, why);
	if (e) return e;
	parts = ARENA_ARRAY(arena, struct team_parts, l.len + 1);
	if (!parts) return fail(why, ERR_MEMORY, "out of memory");
	for (size_t i = 0; !e && i < l.len; i++)
		e = team_parts(l.at[i], arena, &parts[i], why);
	if (e) return e;
	r->roster.teams = parts;
	r->roster.teams_len = l.len;
	r->teams = true;
	return OK;
}

enum err reading_roster_users(struct reading_roster *r, struct fault *why)
{
	struct arena *arena = &r->task->job.arena;
	const struct val args[] = { val_int(r->task->job.who.ws) };
	struct found_list l = {
		.arena = arena, .size = sizeof(struct user), .id = RECORD_USERS
	};
	enum err e = reading_roster_teams(r, why);

	if (e || r->users) return e;
	e = rows_query(r->rows, SQL_USERS_OF, args, 1, found_row, &l, why);
	if (e) return e;
	r->roster.users = ARENA_ARRAY(arena, const struct user *, l.len + 1);
	if (!r->roster.users) return fail(why, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < l.len; i++)
		r->roster.users[i] = l.at[i];
	r->roster.users_len = l.len;
	r->users = true;
	return OK;
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
		return fail(why, ERR_MEMORY, "out of memory");
	out->require = require_text(&require, have, arena);
	out->votes = votes_text(&votes, arena);
	return arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
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
