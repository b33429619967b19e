/* bootstrap.c - the first workspace, its owner, and the login link until somebody used it. */
#include "base/mem.h"
#include "desk/people/people.h"
#include "desk/people/people_log.h"

/* The workspace, and its owner. */
static enum err workspace_new(struct rows *rows, struct str name, int64_t *ws,
	const struct user **owner, struct fault *why)
{
	struct workspace fresh = { .name = name, .created_ms = rows->now_ms };
	const struct workspace *other = NULL;
	enum err e = rows_int(rows, SQL_WORKSPACES_LAST, NULL, 0, &fresh.id, why);

	if (e) return e;
	while ((other = rows_next(rows, RECORD_WORKSPACES, other)))
		if (other->id > fresh.id) fresh.id = other->id;
	*ws = ++fresh.id;
	rows_new(rows, RECORD_WORKSPACES, &fresh);
	*owner = user_new(rows, *ws, STR("owner"), ROLE_OWNER);
	return OK;
}

static enum err bootstrap_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct user *owner = NULL;
	int64_t ws = 0, logins = 0;
	enum err e = rows_int(rows, SQL_WORKSPACE_GET, ARGS(1), &ws, why);

	if (!e) e = people_record(rows, !ws, why);
	if (!e && !ws) e = workspace_new(rows, STR("default"), &ws, &owner, why);
	if (!e) e = rows_int(rows, SQL_USERS_LOGGED_IN, NULL, 0, &logins, why);
	t->as_of = logins;
	t->secret[0] = '\0';
	if (!e && !owner) e = user_by_name(rows, 1, STR("owner"), &owner, why);
	if (e || logins || !owner || !task_has_param(t, "link")) return e;
	code_new(rows, owner, STR_NONE, t->secret);
	return OK;
}

const struct use use_bootstrap =
	WRITES("bootstrap", 0, JOB_OPEN, NULL, bootstrap_decide, NULL, NULL);

/* ---- keys that every node must know ---- */

enum err desk_find_key(struct rows *rows, struct str name, const struct server_key **out,
	struct fault *why)
{
	return rows_get(rows, RECORD_SERVER_KEYS, KEY(name), out, why);
}

enum err desk_server_key(struct rows *rows, struct str name,
	const struct server_key **out, struct fault *why)
{
	const struct server_key *found = NULL;
	uint8_t *fresh;
	enum err e = desk_find_key(rows, name, &found, why);

	if (e) return e;
	if (!found) {
		fresh = arena_alloc(rows->arena, SERVER_KEY_SIZE);
		if (!fresh) return fail_memory(why);
		random_bytes(rows->ids, fresh, SERVER_KEY_SIZE);
		found = rows_new(rows, RECORD_SERVER_KEYS,
			&(struct server_key){ .name = name,
				.value = str_make((const char *)fresh, SERVER_KEY_SIZE),
				.created_ms = rows->now_ms });
	}
	*out = found;
	return OK;
}

enum err desk_set_server_key(
	struct rows *rows, struct str name, struct str value, struct fault *why)
{
	const struct server_key fresh = { .name = name };
	struct server_key *k;
	enum err e = rows_open(rows, RECORD_SERVER_KEYS, KEY(name), &fresh, &k, why);

	if (e) return e;
	k->value = value;
	k->created_ms = rows->now_ms;
	return OK;
}

static enum err server_key_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct server_key *key;
	enum err e = desk_server_key(rows, task_of(job)->id, &key, why);

	if (!e) buf_add(&job->out, key->value);
	return e;
}

const struct use use_server_key =
	WRITES("server_key", 0, JOB_OPEN, NULL, server_key_decide, NULL, NULL);

enum err desk_key_make(
	struct desk *d, const char *name, uint8_t out[SERVER_KEY_SIZE], struct fault *why)
{
	struct task *t = mem_alloc(sizeof *t);
	enum err e;

	if (!t) return fail_memory(why);
	t->id = str_of(name);
	desk_wait(d, &use_server_key, t);
	e = t->job.err;
	if (e)
		*why = t->job.why;
	else if (t->job.out.len != SERVER_KEY_SIZE)
		e = fail(why, ERR_INTERNAL, "the server's key is spoilt");
	else
		memcpy(out, t->job.out.at, SERVER_KEY_SIZE);
	buf_done(&t->job.out);
	arena_done(&t->job.arena);
	mem_free(t);
	return e;
}

/* ---- workspaces: the local admin's only ---- */

enum err desk_local_admin(const struct job *job, struct fault *why)
{
	return job->who.role == ROLE_LOCAL_ADMIN
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "only on the server's own machine");
}

static enum err workspace_listed(void *ctx, const struct row *row, struct fault *why)
{
	struct json_writer *w = ctx;

	(void)why;
	jw_object(w);
	jw_put_int(w, "id", row_int(row, 0));
	jw_put_str(w, "name", row_text(row, 1));
	jw_put_int(w, "events", row_int(row, 2));
	jw_object_end(w);
	return OK;
}

static enum err workspace_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct json_writer w = { .out = &job->out };
	enum err e = desk_local_admin(job, why);

	if (e) return e;
	page_begin(&w);
	e = rows_query(rows, SQL_WORKSPACE_LIST, NULL, 0, workspace_listed, &w, why);
	jw_array_end(&w);
	jw_object_end(&w);
	return e;
}

const struct use use_workspace_list =
	READS("workspace_list", 0, 0, workspace_list_read, NULL);

static enum err workspace_check(struct task *t, struct fault *why)
{
	struct str name;
	enum err e = MEMBERS_ONLY(t->body, why, "name");

	return e ? e : note_read(t->body, "name", 100, true, &name, why);
}

static enum err workspace_create_decide(
	struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct str name = json_text(json_get(t->body, "name"));
	const struct workspace *other = NULL;
	const struct user *owner;
	struct json_writer w = { .out = &job->out };
	int64_t ws = 0;
	enum err e = desk_local_admin(job, why);

	if (!e) e = rows_int(rows, SQL_WORKSPACE_BY_NAME, ARGS(name), &ws, why);
	if (e) return e;
	while (!ws && (other = rows_next(rows, RECORD_WORKSPACES, other)))
		if (str_eq(other->name, name)) ws = other->id;
	if (ws)
		return fail(
			why, ERR_CONFLICT, "a workspace with this name already exists");
	e = workspace_new(rows, name, &ws, &owner, why);
	if (e) return e;
	code_new(rows, owner, STR_NONE, t->secret);
	job->status = 201;
	jw_object(&w);
	jw_put_int(&w, "id", ws);
	jw_put_str(&w, "name", name);
	jw_key(&w, "login");
	buf_print(w.out, "\"/login#%s\"", t->secret);
	jw_object_end(&w);
	return OK;
}

const struct use use_workspace_create = WRITES(
	"workspace_create", 0, 0, NULL, workspace_create_decide, NULL, workspace_check);
