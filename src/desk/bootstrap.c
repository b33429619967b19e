/* bootstrap.c - the first workspace, its owner, and the way in until somebody came. */
#include "desk/people.h"

static enum err id_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	*(int64_t *)ctx = row_int(row, 0);
	return OK;
}

static enum err workspace_add(
	struct rows *rows, struct str name, int64_t *ws, struct fault *why)
{
	static const uint8_t start[SHA256_SIZE];
	const struct val args[] = { val_text(name), val_int(rows->now_ms),
		val_bytes(start, SHA256_SIZE) };

	rows->wrote = true;
	return db_one(rows->db, SQL_WORKSPACE_ADD, args, 3, id_row, ws, why);
}

static enum err owner_add(
	struct rows *rows, int64_t ws, struct str *id, struct fault *why)
{
	char text[ID_SIZE];

	id_make(rows->ids, "usr", rows->now_ms, text);
	*id = arena_str(rows->arena, str_of(text));
	const struct val args[] = { val_int(ws), val_text(*id), val_text(STR("owner")),
		val_text(STR("owner")), val_text(STR_NONE), val_text(STR_NONE),
		val_int(0), val_int(0), val_int(rows->now_ms) };
	rows->wrote = true;
	return db_one(rows->db, SQL_USER_ADD, args, 9, NULL, NULL, why);
}

static enum err bootstrap_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct val first[] = { val_int(1) },
			 owner[] = { val_text(STR("owner")), val_int(1) };
	struct user u = { .arena = rows->arena };
	int64_t ws = 0, logins = 0;
	enum err e = db_one(rows->db, SQL_WORKSPACE_GET, first, 1, id_row, &ws, why);

	if (!e && !ws) {
		e = workspace_add(rows, STR("default"), &ws, why);
		if (!e) e = owner_add(rows, ws, &u.id, why);
	}
	if (!e) e = db_one(rows->db, SQL_USERS_LOGGED_IN, NULL, 0, id_row, &logins, why);
	t->as_of = logins;
	t->secret[0] = '\0';
	if (!e && !u.id.len)
		e = db_one(rows->db, SQL_USER_BY_NAME, owner, 2, user_from_row, &u, why);
	if (e || logins || !u.id.len || !task_has_param(t, "link")) return e;
	struct token code = { .kind = "code",
		.name = STR("login link"),
		.user = u.id,
		.agent = STR("owner"),
		.expires_ms = rows->now_ms + CODE_MS };
	if (!token_stage(rows, ws, &code, t->secret))
		return fail(why, ERR_MEMORY, "out of memory");
	return OK;
}

const struct use use_bootstrap = {
	.job = { .name = "bootstrap", .open = true, .decide = bootstrap_decide },
};

/* ---- keys that every node must know ---- */

static enum err key_row(void *ctx, const struct row *row, struct fault *why)
{
	struct buf *out = ctx;

	(void)why;
	buf_add(out, row_text(row, 0));
	return OK;
}

enum err desk_server_key(
	struct rows *rows, struct str name, struct buf *out, struct fault *why)
{
	uint8_t fresh[SERVER_KEY_SIZE];
	const struct val args[] = { val_text(name), val_bytes(fresh, sizeof fresh),
		val_int(rows->now_ms) };
	enum err e = db_one(rows->db, SQL_SERVER_KEY_GET, args, 1, key_row, out, why);

	if (e || out->len) return e;
	random_bytes(rows->ids, fresh, sizeof fresh);
	rows->wrote = true;
	e = db_one(rows->db, SQL_SERVER_KEY_ADD, args, 3, NULL, NULL, why);
	if (!e) e = db_one(rows->db, SQL_SERVER_KEY_GET, args, 1, key_row, out, why);
	return e;
}

static enum err server_key_decide(struct job *job, struct rows *rows, struct fault *why)
{
	return desk_server_key(rows, task_of(job)->id, &job->out, why);
}

const struct use use_server_key = {
	.job = { .name = "server_key", .open = true, .decide = server_key_decide },
};

/* ---- workspaces: the local admin's only ---- */

static enum err local_admin_only(struct job *job, struct fault *why)
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
	jw_key(w, "id");
	jw_int(w, row_int(row, 0));
	jw_key(w, "name");
	jw_str(w, row_text(row, 1));
	jw_key(w, "events");
	jw_int(w, row_int(row, 2));
	jw_object_end(w);
	return OK;
}

static enum err workspace_list_read(
	struct job *job, struct db *db, int64_t now_ms, struct fault *why)
{
	struct json_writer w = { .out = &job->out };
	enum err e = local_admin_only(job, why);

	(void)now_ms;
	if (e) return e;
	jw_object(&w);
	jw_key(&w, "items");
	jw_array(&w);
	e = db_one(db, SQL_WORKSPACE_LIST, NULL, 0, workspace_listed, &w, why);
	jw_array_end(&w);
	jw_object_end(&w);
	return e;
}

const struct use use_workspace_list = {
	.job = { .name = "workspace_list", .read = workspace_list_read },
};

static enum err workspace_check(struct task *t, struct fault *why)
{
	static const char *const names[] = { "name", NULL };
	struct str name;
	enum err e = members_only(t->body, names, why);

	return e ? e : note_read(t->body, "name", 100, true, &name, why);
}

static enum err workspace_create_decide(
	struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct str name = json_text(json_get(t->body, "name")), owner;
	const struct val args[] = { val_text(name) };
	struct json_writer w = { .out = &job->out };
	int64_t ws = 0;
	enum err e = local_admin_only(job, why);

	if (!e) e = db_one(rows->db, SQL_WORKSPACE_BY_NAME, args, 1, id_row, &ws, why);
	if (e) return e;
	if (ws) return fail(why, ERR_CONFLICT, "there is a workspace of this name");
	e = workspace_add(rows, name, &ws, why);
	if (!e) e = owner_add(rows, ws, &owner, why);
	if (e) return e;
	struct token code = { .kind = "code",
		.name = STR("login link"),
		.user = owner,
		.agent = STR("owner"),
		.expires_ms = rows->now_ms + CODE_MS };
	if (!token_stage(rows, ws, &code, t->secret))
		return fail(why, ERR_MEMORY, "out of memory");
	job->status = 201;
	jw_object(&w);
	jw_key(&w, "id");
	jw_int(&w, ws);
	jw_key(&w, "name");
	jw_str(&w, name);
	jw_key(&w, "login");
	buf_print(w.out, "\"/login#%s\"", t->secret);
	jw_object_end(&w);
	return OK;
}

const struct use use_workspace_create = {
	.job = { .name = "workspace_create", .decide = workspace_create_decide },
	.check = workspace_check,
};
