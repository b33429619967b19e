/* projects.c - the project of a request, the projects in use, and how many agents are free to name
 * any. */
#include "desk/people/projects.h"

#include "core/shared/show.h"

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

enum err unbound_read(
	struct rows *rows, int64_t ws, int64_t now_ms, int64_t *out, struct fault *why)
{
	const struct val args[] = { val_int(ws), val_int(now_ms) };

	return rows_int(rows, SQL_TOKENS_UNBOUND, args, 2, out, why);
}

struct str unbound_detail(int64_t tokens, struct arena *arena)
{
	return arena_print(arena,
		"agents name their project themselves unless their token is bound to "
		"projects; not bound: %lld",
		(long long)tokens);
}

enum err unbound_warn(
	struct task *t, struct rows *rows, bool by_project, struct fault *why)
{
	const struct val args[] = { val_int(t->job.who.ws), val_int(rows->now_ms) };
	struct buf *out = &t->job.out;
	struct json_writer w = { .out = out };
	int64_t tokens = 0;
	enum err e = by_project
			     ? rows_int(rows, SQL_TOKENS_UNBOUND, args, 2, &tokens, why)
			     : OK;

	if (e || !out->len) return e;
	out->len--; /* opens the object again */
	buf_add_text(out, ",\"warnings\":");
	jw_array(&w);
	if (tokens) {
		jw_object(&w);
		jw_put_text(&w, "kind", "unbound");
		jw_put_int(&w, "tokens", tokens);
		jw_put_str(&w, "detail",
			task_words(t, unbound_detail(tokens, rows->arena), rows->arena));
		jw_object_end(&w);
	}
	jw_array_end(&w);
	buf_add_char(out, '}');
	return OK;
}

/* ---- GET /v1/projects ---- */

static enum err project_row(void *ctx, const struct row *row, struct fault *why)
{
	struct json_writer *w = ctx;

	(void)why;
	jw_object(w);
	jw_put_str(w, "name", row_text(row, 0));
	jw_put_int(w, "sessions", row_int(row, 1));
	jw_put_int(w, "pending", row_int(row, 2));
	show_time(w, "last_at", row_int(row, 3));
	jw_object_end(w);
	return OK;
}

static enum err project_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	const struct val args[] = { val_int(job->who.ws) };
	struct json_writer w = { .out = &job->out };
	int64_t unbound = 0;
	enum err e = unbound_read(rows, job->who.ws, rows->now_ms, &unbound, why);

	if (e) return e;
	jw_object(&w);
	jw_put_array(&w, "items");
	e = rows_query(rows, SQL_PROJECTS, args, 1, project_row, &w, why);
	jw_array_end(&w);
	jw_put_int(&w, "unbound", unbound);
	jw_object_end(&w);
	return e;
}

const struct use use_project_list =
	READS("project_list", MAY_READ_ALL, JOB_SLOW, project_list_read, NULL);
