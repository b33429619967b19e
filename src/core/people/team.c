/* team.c - reads and writes teams; which projects one covers. */
#include "core/people/team.h"

#include "core/shared/glob.h"
#include "core/shared/shape.h"
#include "core/shared/show.h"

/* ---- projects ---- */

bool team_covers(const struct team_parts *t, struct str project)
{
	if (!project.len) return false;
	for (size_t i = 0; i < t->projects_len; i++)
		if (glob_fits(t->projects[i], project)) return true;
	return false;
}

/* ---- as JSON ---- */

bool team_name_valid(struct str name)
{
	return text_plain_name(name, "-", TEAM_NAME_MAX);
}

static const struct team_member *member_find(
	const struct team_member *at, size_t len, struct str user)
{
	for (size_t i = 0; i < len; i++)
		if (str_eq(at[i].user, user)) return &at[i];
	return NULL;
}

static bool pattern_valid(struct str pattern)
{
	return pattern.len && !text_longer(pattern, TEAM_PATTERN_MAX) &&
	       text_one_line(pattern);
}

static const struct shape_member member_members[] = {
	{ STR("user"), OF_NAME, AT(team_member, user), .flags = TEXT_NEEDED,
		.must = "must be a user's id", .prefix = "usr" },
	{ STR("lead"), OF_BOOL, AT(team_member, lead) },
};
static const struct shape member_shape = { SHAPE(member_members, team_member) };

static void members_once(const struct shape_reading *r)
{
	const struct team_body *b = r->out;
	struct json_place members = place_member(r->at, STR("members"));

	for (size_t i = 0; i < b->members_len; i++) {
		struct json_place item = place_item(&members, i);

		if (b->members[i].user.len &&
			member_find(b->members, i, b->members[i].user))
			wrong_member(r->check, &item, STR("user"), "is listed twice");
	}
}

static const struct shape_member team_members[] = {
	{ STR("name"), OF_NAME, AT(team_body, name), 1, TEAM_NAME_MAX,
		.must = "must be {least} to {most} of a-z, 0-9 and -",
		.fits = team_name_valid },
	{ STR("members"), OF_LIST, ALL(team_body, members), .most = TEAM_MEMBERS_MAX,
		.must = "must be an array of at most {most} members",
		.of = &member_shape },
	{ STR("on_call"), OF_NAME, AT(team_body, on_call),
		.must = "must be a user's id or null", .prefix = "usr" },
	{ STR("projects"), OF_TEXTS, ALL(team_body, projects), .most = TEAM_PROJECTS_MAX,
		.must = "must be an array of at most {most} patterns",
		.each = "must be one line of 1 to 200 characters",
		.fits = pattern_valid },
};
_Static_assert(TEAM_PATTERN_MAX == 200, "as the sentence says");
/* As TeamRequest in openapi.json; a new one needs name. */
static const struct shape team_shape = { SHAPE(team_members, team_body),
	.together = members_once };

enum err team_body_read(const struct json *body, const struct members *more,
	struct arena *arena, struct team_body *out, struct fault *why)
{
	enum err e = shape_take(&team_shape, body, more, arena, out, why);

	if (!e && !more && !out->name.len) e = fail_at(why, "/name", "required");
	return e;
}

struct str team_members_text(
	const struct team_member *members, size_t len, struct arena *arena)
{
	const struct team_body b = { .members = (struct team_member *)members,
		.members_len = len };

	return shape_text(&team_shape, STR("members"), &b, arena);
}

struct str team_projects_text(const struct team_body *b, struct arena *arena)
{
	return shape_text(&team_shape, STR("projects"), b, arena);
}

enum err team_parts(const struct team *t, struct arena *arena, struct team_parts *out,
	struct fault *why)
{
	struct str both = arena_print(arena, "{\"members\":%.*s,\"projects\":%.*s}",
		STR_ARGS(t->members), STR_ARGS(t->projects));
	struct team_body b;
	enum err e = shape_load(&team_shape, both, arena, &b,
		arena_print(arena, "team %.*s is unreadable", STR_ARGS(t->id)).at, why);

	if (!e)
		*out = (struct team_parts){ t, b.members, b.members_len, b.projects,
			b.projects_len };
	return e;
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

	digest_fields(fields, sizeof fields / sizeof *fields, out);
}
