/* teams.c - teams: listed, made, changed, removed. Admins; a lead sets members and who is on
 * call. */
#include "base/utf8.h"
#include "desk/notify/contacts.h"
#include "desk/notify/notify_ask.h"
#include "desk/people/people.h"
#include "desk/people/projects.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/policy/require.h"

#include <stdio.h>

/* ---- list, get ---- */

static enum err team_listed(void *ctx, const struct row *row, struct fault *why)
{
	struct listed *l = ctx;
	struct team team = { 0 };
	enum err e;

	if (l->left-- == 0) {
		l->more = true;
		return OK;
	}
	e = team_from_row(row, &l->t->job.arena, &team, why);
	if (!e) team_write(l->w, &team);
	l->last = team.id;
	l->found = true;
	return e;
}

static enum err team_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	return page_list(task_of(job), rows, "teams", SQL_TEAM_LIST, team_listed, why);
}

const struct use use_team_list =
	READS("team_list", MAY_READ_ALL, 0, team_list_read, NULL);

static enum err team_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct listed l = { .t = t, .w = &w, .left = 1 };
	const struct val key[] = { val_int(job->who.ws), val_text(t->id) };
	enum err e = rows_query(
		rows, SQL_OF(RECORD_TEAMS, RECORD_GET), key, 2, team_listed, &l, why);

	return e || l.found ? e : team_missing(t->id, why);
}

const struct use use_team_get = READS("team_get", MAY_READ_ALL, 0, team_get_read, NULL);

/* ---- create, change ---- */

static enum err team_check(struct task *t, bool fresh, struct fault *why)
{
	struct team_body *b = TASK_CHECKED(t, struct team_body);

	return team_body_read(t->body, fresh, &t->job.arena, b, why);
}

static enum err team_create_check(struct task *t, struct fault *why)
{
	return team_check(t, true, why);
}

static enum err team_patch_check(struct task *t, struct fault *why)
{
	return team_check(t, false, why);
}

/* Everybody named is a user of the workspace. */
static enum err members_exist(
	struct rows *rows, int64_t ws, const struct team_body *b, struct fault *why)
{
	enum err e = OK;

	for (size_t i = 0; i < b->members_len; i++) {
		struct fault missing = { 0 };
		const struct user *u;
		char pointer[40];
		enum err found =
			rows_fetch_user(rows, ws, b->members[i].user, &u, &missing);

		if (found && found != ERR_NOT_FOUND) {
			*why = missing;
			return found;
		}
		snprintf(pointer, sizeof pointer, "/members/%zu/user", i);
		if (found) e = fail_at(why, pointer, "no such user");
	}
	return e;
}

static enum err team_name_free(
	struct rows *rows, int64_t ws, struct str name, struct str but, struct fault *why)
{
	const struct team *t = NULL;

	while ((t = teams_next(rows, ws, t)))
		if (str_eq(t->name, name) && !str_eq(t->id, but))
			return fail(why, ERR_CONFLICT,
				"a team with this name already exists");
	return OK;
}

/* No rule that holds requires approvals of it: they would never be met. */
static enum err team_not_required(
	struct task *t, struct rows *rows, const struct team *team, struct fault *why)
{
	enum { RULE_WORDS = 60 };
	struct buf rules = { .max = 200 };
	struct policy_snapshot *snapshot;
	enum err e = desk_book(t->desk, &t->job, rows, team->ws, &snapshot, why);

	for (size_t i = 0; !e && i < snapshot->rules_len; i++) {
		struct require require;

		if (!rule_holds(&snapshot->rules[i], rows->now_ms)) continue;
		e = rule_require(&snapshot->rules[i], rows->arena, &require, why);
		if (e || !require_names_team(&require, team->name)) continue;
		if (rules.len) buf_add_text(&rules, ", ");
		buf_print(&rules, "%.*s (%.*s)",
			STR_ARGS(utf8_first(rule_title(&snapshot->rules[i], rows->arena),
				RULE_WORDS)),
			STR_ARGS(snapshot->rules[i].id));
	}
	if (!e && rules.len)
		e = fail(why, ERR_CONFLICT, "rules require approvals of it: %.*s",
			STR_ARGS(buf_str(&rules)));
	buf_done(&rules);
	return e;
}

/* No route tells it: a step would tell nobody, and nobody would see why. */
static enum err team_not_told(
	struct rows *rows, const struct team *team, struct fault *why)
{
	struct buf routes = { .max = 160 };
	struct route_table table = { 0 };
	enum err e = route_table_load(rows, team->ws, &table, why);

	for (size_t i = 0; !e && i < table.len; i++) {
		if (!route_names_team(&table.rows[i], team->name)) continue;
		if (routes.len) buf_add_text(&routes, ", ");
		buf_add(&routes,
			table.rows[i].name.len ? table.rows[i].name : table.rows[i].id);
	}
	if (!e && routes.len)
		e = fail(why, ERR_CONFLICT, "routes name this team: %.*s",
			STR_ARGS(buf_str(&routes)));
	buf_done(&routes);
	return e;
}

static enum err team_unnamed(
	struct task *t, struct rows *rows, const struct team *team, struct fault *why)
{
	enum err e = team_not_required(t, rows, team, why);

	return e ? e : team_not_told(rows, team, why);
}

/* Applies the patch to the team. */
static enum err team_apply(
	struct task *t, struct rows *rows, struct team *team, struct fault *why)
{
	const struct team_body *b = t->checked;
	struct team_parts parts;
	enum err e;

	if (b->has_name) team->name = b->name;
	if (b->has_members)
		team->members =
			team_members_text(b->members, b->members_len, rows->arena);
	if (b->has_projects)
		team->projects =
			team_projects_text(b->projects, b->projects_len, rows->arena);
	if (b->has_on_call) team->on_call = b->on_call;
	e = team_parts(team, rows->arena, &parts, why);
	if (e) return e;
	if (!team->on_call.len || team_member(&parts, team->on_call)) return OK;
	if (b->has_on_call) return fail_at(why, "/on_call", "must be one of the members");
	team->on_call = STR_NONE; /* they left the team */
	return OK;
}

static void teams_changed(struct rows *rows, int64_t ws)
{
	rows_raise_revocations(rows, ws);
}

static enum err team_create_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct team_body *b = t->checked;
	struct team fresh = { .ws = job->who.ws,
		.members = STR("[]"),
		.projects = STR("[]"),
		.created_ms = rows->now_ms };
	struct json_writer w = { .out = &job->out };
	const struct team *team = NULL;
	size_t count = 0;
	enum err e = teams_load(rows, fresh.ws, why);

	while (!e && (team = teams_next(rows, fresh.ws, team)))
		count++;
	if (!e) e = team_name_free(rows, fresh.ws, b->name, STR_NONE, why);
	if (!e && count >= TEAMS_MAX)
		e = fail(why, ERR_CONFLICT, "there are %d teams already", TEAMS_MAX);
	if (!e) e = members_exist(rows, fresh.ws, b, why);
	if (!e) e = team_apply(t, rows, &fresh, why);
	if (!e) teams_changed(rows, fresh.ws);
	if (e) return e;
	fresh.id = rows_new_id(rows, "team");
	team = rows_new(rows, RECORD_TEAMS, &fresh);
	rows_count_teams(rows, fresh.ws, 1);
	job->status = 201;
	job->key_of = team->id;
	if (job->key.len)
		job->key_result = arena_print(
			&job->arena, "{\"team\":\"%.*s\"}", STR_ARGS(team->id));
	team_write(&w, team);
	return unbound_warn(t, rows, b->projects_len > 0, why);
}

static enum err team_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct json_writer w = { .out = &job->out };
	const struct json *record;
	const struct team *team;
	enum err e = json_read(k->result, NULL, &job->arena, &record, why);

	if (!e)
		e = team_fetch(rows, job->who.ws, json_text(json_get(record, "team")),
			&team, why);
	if (!e) team_write(&w, team);
	return e;
}

const struct use use_team_create = WRITES("team_create", MAY_ADMIN, 0, NULL,
	team_create_decide, team_again, team_create_check);

/* An admin may all; a lead of it says who is in it and who is on call. */
static enum err team_may(const struct task *t, const struct team *team,
	struct arena *arena, struct fault *why)
{
	const struct team_body *b = t->checked;
	const struct principal *p = &t->job.who;
	const struct team_member *m;
	struct team_parts parts;
	enum err e;

	if (role_may(p->role, MAY_ADMIN)) return OK;
	if (!role_may(p->role, MAY_SETTLE))
		return fail(
			why, ERR_FORBIDDEN, "an admin or a lead of the team may do this");
	e = team_parts(team, arena, &parts, why);
	if (e) return e;
	m = team_member(&parts, p->user);
	if (!m || !m->lead)
		return fail(
			why, ERR_FORBIDDEN, "an admin or a lead of the team may do this");
	return b->has_name || b->has_projects
		       ? fail(why, ERR_FORBIDDEN,
				 "a lead may set members and on_call; the rest is an admin's")
		       : OK;
}

static enum err team_patch_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct team_body *b = t->checked;
	struct json_writer w = { .out = &job->out };
	const struct team *was;
	struct team changed, *team;
	enum err e = role_may(job->who.role, MAY_READ_ALL)
			     ? teams_load(rows, job->who.ws, why)
			     : fail(why, ERR_FORBIDDEN, "the role %s may not do this",
				       role_name(job->who.role));

	if (!e) e = team_fetch(rows, job->who.ws, t->id, &was, why);
	if (!e) e = team_may(t, was, rows->arena, why);
	if (!e) e = desk_refused(t, why);
	if (!e && b->version && b->version != was->version)
		e = fail(why, ERR_CONFLICT,
			"the team has changed since: version %lld now",
			(long long)was->version);
	if (!e && b->has_name) e = team_name_free(rows, was->ws, b->name, was->id, why);
	if (!e && b->has_name && !str_eq(b->name, was->name))
		e = team_unnamed(t, rows, was, why);
	if (!e) e = members_exist(rows, was->ws, b, why);
	if (e) return e;
	changed = *was;
	e = team_apply(t, rows, &changed, why);
	if (!e) teams_changed(rows, was->ws);
	if (e) return e;
	team = rows_change(rows, was);
	team->name = changed.name;
	team->members = changed.members;
	team->on_call = changed.on_call;
	team->projects = changed.projects;
	team_write(&w, team);
	return unbound_warn(t, rows, b->projects_len > 0, why);
}

const struct use use_team_patch = WRITES(
	"team_patch", 0, JOB_LATE, NULL, team_patch_decide, NULL, team_patch_check);

/* ---- delete ---- */

static enum err team_delete_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct team *team;
	enum err e = team_fetch(rows, job->who.ws, task_of(job)->id, &team, why);

	if (!e) e = team_unnamed(task_of(job), rows, team, why);
	if (!e) e = contacts_drop(rows, team->ws, STR_NONE, team->id, why);
	if (!e) teams_changed(rows, job->who.ws);
	if (e) return e;
	rows_delete(rows, team);
	rows_count_teams(rows, job->who.ws, -1);
	job->status = 204;
	return OK;
}

const struct use use_team_delete =
	WRITES("team_delete", MAY_ADMIN, 0, NULL, team_delete_decide, NULL, NULL);
