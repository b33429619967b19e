/* projects.c - the project of a request, the projects in use, and how many agents are free to name
 * any. */
#include "desk/people/projects.h"

#include "desk/shared/collection.h"

enum err projects_resolve(struct task *t, struct rows *rows, struct session *s,
	struct str named, struct str *out, struct fault *why)
{
	struct project_said said = t->project;
	enum err e;

	if (named.len) said.name = named;
	e = project_choose(
		&said, t->job.who.projects, s ? s->project : STR_NONE, out, why);
	if (e || !s || str_eq(s->project, *out)) return e;
	s->project = *out;
	rows_touch_session(rows, s);
	session_stage_changed(rows, s);
	return OK;
}

enum err projects_unbound_read(
	struct rows *rows, int64_t ws, int64_t now_ms, int64_t *out, struct fault *why)
{
	return rows_int(rows, SQL_TOKENS_UNBOUND, ARGS(ws, now_ms), out, why);
}

struct str projects_unbound_detail(int64_t tokens, struct arena *arena)
{
	return arena_print(arena,
		"agents name their project themselves unless their token is bound to "
		"projects; not bound: %lld",
		(long long)tokens);
}

enum err projects_unbound_warn(
	struct task *t, struct rows *rows, bool by_project, struct fault *why)
{
	struct json_writer w;
	int64_t tokens = 0;
	enum err e = by_project ? rows_int(rows, SQL_TOKENS_UNBOUND,
					  ARGS(t->job.who.ws, rows->now_ms), &tokens, why)
				: OK;

	if (e || !desk_reply_reopen(t, &w)) return e;
	jw_put_array(&w, "warnings");
	if (tokens) {
		jw_object(&w);
		jw_put_text(&w, "kind", "unbound");
		jw_put_int(&w, "tokens", tokens);
		jw_put_str(&w, "detail",
			task_words(t, projects_unbound_detail(tokens, rows->arena),
				rows->arena));
		jw_object_end(&w);
	}
	jw_array_end(&w);
	jw_object_end(&w);
	return OK;
}

/* ---- GET /v1/projects ---- */

struct project_row {
	struct str name;
	int64_t sessions, pending, last_ms;
};

static const struct shape_member project_members[] = {
	{ STR("name"), OF_TEXT, AT(project_row, name), 1, PROJECT_MAX, TEXT_NEEDED },
	{ STR("sessions"), OF_NUMBER, AT(project_row, sessions), 1, INT64_MAX,
		TEXT_NEEDED },
	{ STR("pending"), OF_NUMBER, AT(project_row, pending), 0, INT64_MAX,
		TEXT_NEEDED },
	{ STR("last_at"), OF_TIME, AT(project_row, last_ms), .flags = TEXT_NEEDED },
};
/* As ProjectList.items in openapi.json. */
static const struct shape project_shape = { SHAPE(project_members, project_row) };

static enum err unbound_write(
	struct task *t, struct rows *rows, struct json_writer *w, struct fault *why)
{
	int64_t unbound = 0;
	enum err e =
		projects_unbound_read(rows, t->job.who.ws, rows->now_ms, &unbound, why);

	if (!e) jw_put_int(w, "unbound", unbound);
	return e;
}

static const struct collection projects = {
	.noun = "project",
	.nouns = "projects",
	.list = SQL_PROJECTS,
	.view = &project_shape,
	.tail = unbound_write,
};

const struct use use_project_list = {
	.job = { "project_list", .may = MAY_READ_ALL, .flags = JOB_SLOW,
		.read = collection_list },
	.of = &projects,
};
