/* away.c - who is away, until when, and who stands in for them. One's own; admins anybody's. */
#include "desk/people/people.h"

#include "base/keep.h"

#include "core/people/people.h"
#include "core/shared/show.h"
#include "desk/people/roster.h"

/* ---- people named in a body ---- */

enum err away_check_assignees(struct rows *rows, int64_t ws, const struct str *ids,
	size_t len, struct fault *why)
{
	enum err e = OK;

	for (size_t i = 0; i < len; i++) {
		bool is_team = str_starts(ids[i], "team_");
		const void *found;
		enum err missed = rows_get(rows, is_team ? RECORD_TEAMS : RECORD_USERS,
			KEY(ws, ids[i]), &found, why);

		if (missed) return missed;
		if (!found)
			e = fail_at(why, POINTER("/assignees/%zu", i),
				is_team ? "no such team" : "no such user");
	}
	return e;
}

struct str away_assignees_json(const struct str *ids, size_t len, struct arena *arena)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };

	if (!len) return STR("[]");
	jw_array(&w);
	for (size_t i = 0; i < len; i++)
		jw_str(&w, ids[i]);
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

/* ---- who is away ---- */

/* Whose: the one in the path, or the caller. */
static struct str away_whose(const struct task *t)
{
	return t->id.len ? t->id : principal_person(&t->job.who);
}

static enum err away_person(const struct task *t, struct fault *why)
{
	return away_whose(t).len ? OK
				 : fail(why, ERR_FORBIDDEN, "only a person can be away");
}

static void away_write(struct buf *out, const struct user *u)
{
	buf_add(out, u->away.len ? u->away : STR("null"));
}

static enum err away_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct user *u;
	enum err e = away_person(t, why);

	if (!e) e = rows_fetch_user(rows, job->who.ws, away_whose(t), &u, why);
	if (!e) away_write(&job->out, u);
	return e;
}

const struct use use_away = READS("away", MAY_READ_ALL, 0, away_get_read, NULL);

/* Oneself, or an admin for somebody else; nobody for somebody above them, and no token that may less
 * than its person: who is away says who decides in their place. */
static enum err away_admit(
	struct task *t, struct rows *rows, const struct user **out, struct fault *why)
{
	const struct principal *p = &t->job.who;
	struct str whose = away_whose(t);
	enum err e = away_person(t, why);

	if (!e && !str_eq(principal_person(p), whose) && !role_may(p->role, MAY_ADMIN))
		e = fail(why, ERR_FORBIDDEN, "only an admin can do this for others");
	if (!e) e = people_reached(rows, p, whose, out, why);
	return e ? e : desk_refused(t, why);
}

/* Somebody else, who may settle. */
static enum err delegate_fits(
	struct rows *rows, const struct user *of, struct str id, struct fault *why)
{
	const struct user *u;
	enum err e;

	if (!id.len) return OK;
	if (str_eq(of->id, id)) return fail_at(why, "/delegate", "must be somebody else");
	e = rows_get(rows, RECORD_USERS, KEY(of->ws, id), &u, why);
	if (e) return e;
	if (!u) return fail_at(why, "/delegate", "no such user");
	if (u->disabled || !role_may(u->role, MAY_SETTLE))
		return fail_at(why, "/delegate", "%.*s may not answer: %s",
			STR_ARGS(str_first(u->name, 100)),
			u->disabled ? "they are disabled" : role_name(u->role));
	return OK;
}

/* Projects of the person's teams that the delegate may not answer in: for those the question stays
 * with the team. None that they may: they are no delegate. */
static enum err delegate_covers(struct task *t, struct rows *rows, const struct user *of,
	struct str delegate, struct json_writer *w, struct fault *why)
{
	struct roster r = { .now_ms = rows->now_ms };
	const struct user *u;
	size_t all = 0, open = 0;
	enum err e = delegate.len ? rows_fetch_user(rows, of->ws, delegate, &u, why) : OK;

	jw_put_array(w, "warnings");
	if (!e && delegate.len) e = roster_of_teams(t, rows, &r, why);
	for (size_t i = 0; !e && i < r.teams_len; i++) {
		const struct team_parts *team = &r.teams[i];
		bool theirs = team_member(team, of->id);

		for (size_t k = 0; theirs && k < team->projects_len; k++) {
			struct str text;

			all++;
			if (roster_covers(&r, u, team->projects[k])) continue;
			open++;
			text = arena_print(rows->arena,
				"%.*s cannot answer in %.*s: it stays with the team %.*s",
				STR_ARGS(u->name), STR_ARGS(team->projects[k]),
				STR_ARGS(team->team->name));
			jw_object(w);
			jw_put_text(w, "kind", "uncovered");
			jw_put_str(w, "project", team->projects[k]);
			jw_put_str(w, "detail", task_words(t, text, rows->arena));
			jw_object_end(w);
		}
	}
	jw_array_end(w);
	if (e || !all || open < all) return e;
	return fail_at(why, "/delegate", "%.*s cannot answer in any project of theirs",
		STR_ARGS(str_first(u->name, 100)));
}

static void away_set(struct rows *rows, const struct user *was, struct str away)
{
	struct user *u = rows_change(rows, was);

	rows_raise_revocations(rows, was->ws);
	u->away = away;
}

static enum err away_put_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct user *u;
	struct json_writer w = { .out = &job->out };
	struct away away;
	struct str text;
	enum err e = away_admit(t, rows, &u, why);

	if (!e) e = away_read(t->body, rows->now_ms, &away, why);
	if (!e) e = delegate_fits(rows, u, away.delegate, why);
	if (e) return e;
	if (!str_eq(job->who.user, u->id)) away.by = job->who.user;
	text = away_text(&away, rows->arena);
	away_set(rows, u, text);
	jw_object(&w);
	show_members(&w, text);
	e = delegate_covers(t, rows, u, away.delegate, &w, why);
	jw_object_end(&w);
	return e;
}

const struct use use_away_put =
	WRITES("away_put", 0, JOB_LATE, NULL, away_put_decide, NULL, NULL);

static enum err away_delete_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct user *u;
	enum err e = away_admit(task_of(job), rows, &u, why);

	if (!e && u->away.len) away_set(rows, u, STR_NONE);
	if (!e) job->status = 204;
	return e;
}

const struct use use_away_delete =
	WRITES("away_delete", 0, JOB_LATE, NULL, away_delete_decide, NULL, NULL);

/* ---- a user goes ---- */

enum err away_drop_delegate(struct rows *rows, const struct user *gone, struct fault *why)
{
	const struct user *u = NULL;
	enum err e = rows_fetch(rows, RECORD_USERS, SQL_USERS_DELEGATING,
		ARGS(gone->ws,
			arena_print(rows->arena, "%%\"%.*s\"%%", STR_ARGS(gone->id))),
		why);

	while (!e && (u = rows_next(rows, RECORD_USERS, u))) {
		struct away away;

		if (u->ws != gone->ws || !away_load(u, rows->arena, &away) ||
			!str_eq(away.delegate, gone->id))
			continue;
		away.delegate = STR_NONE;
		away_set(rows, u, away_text(&away, rows->arena));
	}
	return e;
}

/* ---- assignments ---- */

enum { CHAIN_ROOM = AWAY_CHAIN_MAX + 2 };

/* Where the delegate may not answer in this project, it is the person's team's that covers
 * it. */
static enum err stand_in_may(struct task *t, struct rows *rows, const struct ask *a,
	const struct user *of, const struct user *delegate, struct str *id,
	struct fault *why)
{
	const struct principal p = {
		.ws = a->ws, .user = delegate->id, .role = delegate->role
	};
	const struct ask any = { .ws = a->ws, .project = a->project };
	struct roster r = { .now_ms = rows->now_ms };
	enum err e = roster_of_teams(t, rows, &r, why);

	*id = delegate->id;
	if (e || entitled_to_settle(&any, &p, &r) != REFUSED_TEAM) return e;
	*id = of->id;
	for (size_t i = 0; i < r.teams_len; i++)
		if (team_covers(&r.teams[i], a->project) &&
			team_member(&r.teams[i], of->id))
			*id = r.teams[i].team->id;
	return OK;
}

/* Who is asked in their place: the first of the chain who is here. */
static enum err stand_in(struct task *t, struct rows *rows, const struct ask *a,
	struct str *id, struct fault *why)
{
	const struct user *chain[CHAIN_ROOM];
	struct roster r = { .users = chain, .now_ms = rows->now_ms };
	struct str next = *id;
	enum err e = OK;

	while (!e && next.len && r.users_len < CHAIN_ROOM && !roster_user(&r, next)) {
		struct away away;

		e = rows_get(
			rows, RECORD_USERS, KEY(a->ws, next), &chain[r.users_len], why);
		if (e || !chain[r.users_len]) break;
		next = away_load(chain[r.users_len++], rows->arena, &away) ? away.delegate
									   : STR_NONE;
	}
	if (e || !r.users_len) return e;
	next = roster_delegate(&r, chain[0], rows->arena);
	return next.len ? stand_in_may(
				  t, rows, a, chain[0], roster_user(&r, next), id, why)
			: OK;
}

enum err away_assignees(struct task *t, struct rows *rows, const struct ask *a,
	const struct str *ids, size_t len, struct str *out, struct fault *why)
{
	struct str *who = len ? ARENA_ARRAY(rows->arena, struct str, len) : NULL;
	size_t n = 0;
	enum err e = OK;

	for (size_t i = 0; who && !e && i < len; i++) {
		struct str id = ids[i];
		bool twice = false;

		if (str_starts(id, "usr_")) e = stand_in(t, rows, a, &id, why);
		for (size_t k = 0; k < n; k++)
			twice |= str_eq(who[k], id);
		if (!twice) who[n++] = id;
	}
	if (!e) *out = away_assignees_json(who, n, rows->arena);
	return e;
}
