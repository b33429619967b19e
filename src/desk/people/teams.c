/* teams.c - teams: listed, made, changed, removed. Admins; a lead sets members and who is on
 * call. */
#include "base/utf8.h"
#include "desk/notify/contacts.h"
#include "desk/notify/notify_ask.h"
#include "desk/people/people.h"
#include "desk/people/projects.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/policy/require.h"
#include "desk/shared/collection.h"

/* ---- bodies ---- */

static bool brings(const struct task *t, const char *name)
{
	const struct json *said = json_get(t->body, name);

	return said && said->type != JSON_NULL;
}

static enum err team_create_check(struct task *t, struct fault *why)
{
	struct team_body *b = TASK_CHECKED(t, struct team_body);

	return team_body_read(t->body, NULL, &t->job.arena, b, why);
}

static enum err team_patch_check(struct task *t, struct fault *why)
{
	struct team_body *b = TASK_CHECKED(t, struct team_body);
	struct check c = { .why = why };
	struct json_place root = place_root("");
	enum err e = team_body_read(t->body, &version_also, &t->job.arena, b, why);

	if (brings(t, "version"))
		count_read(&c, &root, STR("version"), json_get(t->body, "version"), 1,
			INT64_MAX);
	if (!e && !brings(t, "name") && !brings(t, "members") && !brings(t, "projects") &&
		!json_get(t->body, "on_call"))
		wrong(&c, &root, "nothing to change");
	return e ? e : check_end(&c, NULL);
}

/* ---- what has to be true of a team ---- */

/* Everybody named is a user of the workspace. */
static enum err members_exist(
	struct rows *rows, int64_t ws, const struct team_body *b, struct fault *why)
{
	enum err e = OK;

	for (size_t i = 0; i < b->members_len; i++) {
		const struct user *u;
		enum err missed = rows_get(
			rows, RECORD_USERS, KEY(ws, b->members[i].user), &u, why);

		if (missed) return missed;
		if (!u) e = fail_at(why, POINTER("/members/%zu/user", i), "no such user");
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
	enum err e = snapshot_of(t, rows, team->ws, &snapshot, why);

	for (size_t i = 0; !e && i < snapshot->rules_len; i++) {
		struct require require;

		if (!rule_holds(&snapshot->rules[i], rows->now_ms)) continue;
		e = require_of_rule(&snapshot->rules[i], rows->arena, &require, why);
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

/* An admin may all; a lead of it says who is in it and who is on call. */
static enum err team_may(const struct task *t, const struct team *team,
	struct arena *arena, struct fault *why)
{
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
	return brings(t, "name") || brings(t, "projects")
		       ? fail(why, ERR_FORBIDDEN,
				 "a lead may set members and on_call; the rest is an admin's")
		       : OK;
}

/* Applies the body to the team. */
static enum err team_apply(
	struct task *t, struct rows *rows, struct team *team, struct fault *why)
{
	const struct team_body *b = t->checked;
	bool on_call = json_get(t->body, "on_call") != NULL;
	struct team_parts parts;
	enum err e;

	if (brings(t, "name")) team->name = b->name;
	if (brings(t, "members"))
		team->members =
			team_members_text(b->members, b->members_len, rows->arena);
	if (brings(t, "projects")) team->projects = team_projects_text(b, rows->arena);
	if (on_call) team->on_call = b->on_call;
	e = team_parts(team, rows->arena, &parts, why);
	if (e) return e;
	if (!team->on_call.len || team_member(&parts, team->on_call)) return OK;
	if (on_call) return fail_at(why, "/on_call", "must be one of the members");
	team->on_call = STR_NONE; /* they left the team */
	return OK;
}

/* ---- the collection ---- */

static enum err team_admit(struct task *t, struct rows *rows, struct fault *why)
{
	(void)rows;
	return desk_may(&t->job.who, role_may(t->job.who.role, MAY_READ_ALL), why);
}

static enum err team_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	(void)t, (void)rows, (void)why;
	team_write(w, record);
	return OK;
}

static enum err team_new(
	struct task *t, struct rows *rows, struct team *team, struct fault *why)
{
	const struct team_body *b = t->checked;
	const struct team *at = NULL;
	size_t count = 0;
	enum err e = team_name_free(rows, team->ws, b->name, STR_NONE, why);

	while ((at = teams_next(rows, team->ws, at)))
		count++;
	if (!e && count >= TEAMS_MAX)
		e = fail(why, ERR_CONFLICT, "there are %d teams already", TEAMS_MAX);
	team->id = rows_new_id(rows, "team");
	team->members = team->projects = STR("[]");
	team->created_ms = rows->now_ms;
	return e;
}

static enum err team_renamed(
	struct task *t, struct rows *rows, const struct team *was, struct fault *why)
{
	const struct team_body *b = t->checked;
	enum err e = team_may(t, was, rows->arena, why);

	if (!e) e = desk_refused(t, why);
	if (!e && brings(t, "version"))
		e = version_match("the team has", json_get(t->body, "version")->integer,
			was->version, why);
	if (e || !brings(t, "name")) return e;
	e = team_name_free(rows, was->ws, b->name, was->id, why);
	return e || str_eq(b->name, was->name) ? e : team_unnamed(t, rows, was, why);
}

static enum err team_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	struct team *team = record;
	enum err e = teams_load(rows, team->ws, why);

	if (!e) e = was ? team_renamed(t, rows, was, why) : team_new(t, rows, team, why);
	if (!e) e = members_exist(rows, team->ws, t->checked, why);
	return e ? e : team_apply(t, rows, team, why);
}

static enum err team_written(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	const struct team_body *b = t->checked;
	int64_t ws = ((const struct team *)record)->ws;

	rows_raise_revocations(rows, ws);
	if (!was) rows_count_teams(rows, ws, 1);
	return projects_unbound_warn(t, rows, b->projects_len > 0, why);
}

static enum err team_before_delete(
	struct task *t, struct rows *rows, const void *record, struct fault *why)
{
	const struct team *team = record;
	enum err e = team_unnamed(t, rows, team, why);

	if (!e) e = contacts_drop(rows, team->ws, STR_NONE, team->id, why);
	if (e) return e;
	rows_raise_revocations(rows, team->ws);
	rows_count_teams(rows, team->ws, -1);
	return OK;
}

static const struct collection teams = {
	.noun = "team",
	.nouns = "teams",
	.record = RECORD_TEAMS,
	.id_at = offsetof(struct team, id),
	.list = SQL_OF(RECORD_TEAMS, RECORD_PAGE),
	.paged = true,
	.admit = team_admit,
	.show = team_shown,
	.fill = team_fill,
	.written = team_written,
	.before_delete = team_before_delete,
};

const struct use use_team_list = LISTS("team_list", MAY_READ_ALL, teams);
const struct use use_team_get = GETS("team_get", MAY_READ_ALL, teams);
const struct use use_team_create =
	CREATES("team_create", MAY_ADMIN, 0, teams, team_create_check);
const struct use use_team_patch =
	PATCHES("team_patch", 0, JOB_LATE, teams, team_patch_check);
const struct use use_team_delete = DELETES("team_delete", MAY_ADMIN, 0, teams);
