/* team.c - reads and writes teams; which projects one covers. */
#include "core/people/team.h"

#include "base/id.h"
#include "base/keep.h"
#include "core/people/project.h"
#include "core/shared/show.h"

/* ---- projects ---- */

bool team_covers(const struct team_parts *t, struct str project)
{
	if (!project.len) return false;
	for (size_t i = 0; i < t->projects_len; i++)
		if (project_fits(t->projects[i], project)) return true;
	return false;
}

/* ---- bodies ---- */

enum { T_NAME, T_MEMBERS, T_ON_CALL, T_PROJECTS, T_VERSION, T_LEN };

static const struct str names[T_LEN] = {
	[T_NAME] = STR("name"),
	[T_MEMBERS] = STR("members"),
	[T_ON_CALL] = STR("on_call"),
	[T_PROJECTS] = STR("projects"),
	[T_VERSION] = STR("version"),
};
static const struct members fresh_members = { names, T_VERSION };
static const struct members patch_members = { names, T_LEN };

enum { M_USER, M_LEAD, M_LEN };

static const struct str member_names[M_LEN] = {
	[M_USER] = STR("user"),
	[M_LEAD] = STR("lead"),
};
static const struct members member_members = { member_names, M_LEN };

bool team_name_valid(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!((name.at[i] >= 'a' && name.at[i] <= 'z') ||
			    (name.at[i] >= '0' && name.at[i] <= '9') ||
			    name.at[i] == '-'))
			return false;
	return name.len && name.len <= TEAM_NAME_MAX;
}

static const struct team_member *member_find(
	const struct team_member *at, size_t len, struct str user)
{
	for (size_t i = 0; i < len; i++)
		if (str_eq(at[i].user, user)) return &at[i];
	return NULL;
}

static void read_member(struct check *c, const struct json_place *at,
	const struct json *json, struct team_member *out)
{
	const struct json *m[M_LEN];

	if (!members_read(c, at, json, &member_members, NULL, m)) return;
	out->user = json_text(m[M_USER]);
	if (!id_valid(out->user, "usr"))
		wrong_member(c, at, member_names[M_USER], "must be a user's id");
	out->lead = flag_read(c, at, member_names[M_LEAD], m[M_LEAD], false);
}

static void read_members(struct check *c, const struct json_place *at,
	const struct json *list, struct arena *arena, struct team_body *out)
{
	if (list->type != JSON_ARRAY || list->count > TEAM_MEMBERS_MAX) {
		wrong(c, at, "must be an array of at most %d members", TEAM_MEMBERS_MAX);
		return;
	}
	out->members = ARENA_ARRAY(arena, struct team_member, list->count);
	for (uint32_t i = 0; out->members && i < list->count; i++) {
		struct json_place item = place_item(at, i);
		struct team_member *m = &out->members[out->members_len];

		read_member(c, &item, &list->items[i], m);
		if (m->user.len && member_find(out->members, out->members_len, m->user))
			wrong_member(c, &item, member_names[M_USER], "is listed twice");
		out->members_len++;
	}
}

static void read_projects(struct check *c, const struct json_place *at,
	const struct json *list, struct arena *arena, struct team_body *out)
{
	if (list->type != JSON_ARRAY || list->count > TEAM_PROJECTS_MAX) {
		wrong(c, at, "must be an array of at most %d patterns",
			TEAM_PROJECTS_MAX);
		return;
	}
	out->projects = ARENA_ARRAY(arena, struct str, list->count);
	for (uint32_t i = 0; out->projects && i < list->count; i++) {
		struct json_place item = place_item(at, i);
		struct str pattern = json_text(&list->items[i]);

		if (!pattern.len || text_longer(pattern, TEAM_PATTERN_MAX) ||
			!text_one_line(pattern))
			wrong(c, &item, "must be one line of 1 to %d characters",
				TEAM_PATTERN_MAX);
		out->projects[out->projects_len++] = pattern;
	}
}

static void read_on_call(struct check *c, const struct json_place *root,
	const struct json *json, struct team_body *b)
{
	b->on_call = json->type == JSON_NULL ? STR_NONE : json_text(json);
	if (json->type != JSON_NULL && !id_valid(b->on_call, "usr"))
		wrong_member(c, root, names[T_ON_CALL], "must be a user's id or null");
}

enum err team_body_read(const struct json *body, bool fresh, struct arena *arena,
	struct team_body *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	struct json_place members = place_member(&root, names[T_MEMBERS]);
	struct json_place projects = place_member(&root, names[T_PROJECTS]);
	const struct json *m[T_LEN] = { 0 };
	const struct json *on_call = json_get(body, "on_call");
	struct team_body b = { 0 };

	if (!members_read(
		    &c, &root, body, fresh ? &fresh_members : &patch_members, NULL, m))
		return check_end(&c, arena);
	b.has_name = m[T_NAME] != NULL;
	b.has_members = m[T_MEMBERS] != NULL;
	b.has_on_call = on_call != NULL;
	b.has_projects = m[T_PROJECTS] != NULL;
	b.name = json_text(m[T_NAME]);
	if (fresh && !b.has_name)
		wrong_member(&c, &root, names[T_NAME], "required");
	else if (b.has_name && !team_name_valid(b.name))
		wrong_member(&c, &root, names[T_NAME],
			"must be 1 to %d of a-z, 0-9 and -", TEAM_NAME_MAX);
	if (m[T_MEMBERS]) read_members(&c, &members, m[T_MEMBERS], arena, &b);
	if (on_call) read_on_call(&c, &root, on_call, &b);
	if (m[T_PROJECTS]) read_projects(&c, &projects, m[T_PROJECTS], arena, &b);
	if (!fresh && m[T_VERSION] &&
		count_read(&c, &root, names[T_VERSION], m[T_VERSION], 1, INT64_MAX))
		b.version = m[T_VERSION]->integer;
	if (!fresh && !b.has_name && !b.has_members && !b.has_on_call && !b.has_projects)
		wrong(&c, &root, "nothing to change");
	enum err e = check_end(&c, arena);
	if (!e) *out = b;
	return e;
}

/* ---- stored ---- */

struct str team_members_text(
	const struct team_member *members, size_t len, struct arena *arena)
{
	struct buf b = { .max = 262144 };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	for (size_t i = 0; i < len; i++) {
		jw_object(&w);
		jw_put_str(&w, "user", members[i].user);
		jw_put_bool(&w, "lead", members[i].lead);
		jw_object_end(&w);
	}
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

struct str team_projects_text(const struct str *projects, size_t len, struct arena *arena)
{
	struct buf b = { .max = 262144 };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	for (size_t i = 0; i < len; i++)
		jw_str(&w, projects[i]);
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

enum err team_parts(const struct team *t, struct arena *arena, struct team_parts *out,
	struct fault *why)
{
	struct check c = { 0 };
	struct json_place root = place_root("");
	const struct json *members, *projects;
	struct team_body b = { 0 };
	enum err e = json_read(t->members, NULL, arena, &members, NULL);

	if (!e) e = json_read(t->projects, NULL, arena, &projects, NULL);
	if (!e) {
		read_members(&c, &root, members, arena, &b);
		read_projects(&c, &root, projects, arena, &b);
		e = check_end(&c, arena);
	}
	if (e == ERR_MEMORY || arena->failed)
		return fail(why, ERR_MEMORY, "out of memory");
	if (e) return fail(why, ERR_INTERNAL, "team %.*s is unreadable", STR_ARGS(t->id));
	*out = (struct team_parts){ t, b.members, b.members_len, b.projects,
		b.projects_len };
	return OK;
}

const struct team_member *team_member(const struct team_parts *t, struct str user)
{
	return user.len ? member_find(t->members, t->members_len, user) : NULL;
}

void team_write(struct json_writer *w, const struct team *t)
{
	jw_object(w);
	jw_put_str(w, "id", t->id);
	jw_put_str(w, "name", t->name);
	show_json(w, "members", t->members);
	show_text(w, "on_call", t->on_call);
	show_json(w, "projects", t->projects);
	show_time(w, "created_at", t->created_ms);
	jw_put_int(w, "version", t->version);
	jw_object_end(w);
}

void team_digest(const struct team *t, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE];
	const struct str fields[] = { t->id, t->name, t->members, t->on_call, t->projects,
		digest_number(t->created_ms, created) };

	fields_digest(fields, sizeof fields / sizeof *fields, out);
}
