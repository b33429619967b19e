/* team_rows.c - teams as rows of a batch: finding them, and removing a user from all of them. */
#include "desk/people/people.h"

enum err teams_fetch(
	struct rows *rows, int64_t ws, const struct credential *c, struct fault *why)
{
	if (!c->teams && !rows_next(rows, RECORD_TEAMS, NULL)) return OK;
	return rows_fetch(rows, RECORD_TEAMS, SQL_TEAMS_OF, ARGS(ws), why);
}

const struct team *teams_next(const struct rows *rows, int64_t ws, const struct team *at)
{
	do
		at = rows_next(rows, RECORD_TEAMS, at);
	while (at && at->ws != ws);
	return at;
}

enum err teams_load(struct rows *rows, int64_t ws, struct fault *why)
{
	return rows_fetch(rows, RECORD_TEAMS, SQL_TEAMS_OF, ARGS(ws), why);
}

static enum err team_missing(struct str id, struct fault *why)
{
	return desk_missing("team", id, why);
}

enum err team_fetch(struct rows *rows, int64_t ws, struct str id, const struct team **out,
	struct fault *why)
{
	enum err e = rows_get(rows, RECORD_TEAMS, KEY(ws, id), out, why);

	return e || *out ? e : team_missing(id, why);
}

/* ---- a user goes ---- */

static enum err team_drop(
	struct rows *rows, const struct team *was, struct str user, struct fault *why)
{
	struct team_parts parts;
	struct team *team;
	size_t n = 0;
	enum err e = team_parts(was, rows->arena, &parts, why);

	if (e || !team_member(&parts, user)) return e;
	for (size_t i = 0; i < parts.members_len; i++)
		if (!str_eq(parts.members[i].user, user))
			parts.members[n++] = parts.members[i];
	team = rows_change(rows, was);
	team->members = team_members_text(parts.members, n, rows->arena);
	if (str_eq(team->on_call, user)) team->on_call = STR_NONE;
	return OK;
}

enum err teams_drop_user(
	struct job *job, struct rows *rows, const struct user *u, struct fault *why)
{
	const struct team *t = NULL;
	enum err e = job->who.role == ROLE_LOCAL_ADMIN
			     ? teams_load(rows, u->ws, why)
			     : teams_fetch(rows, u->ws, &job->credential, why);

	while (!e && (t = teams_next(rows, u->ws, t)))
		e = team_drop(rows, t, u->id, why);
	return e;
}
