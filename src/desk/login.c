/* login.c - how a person comes in: by a single-use link or a password, out again, and who
 * they are. A login is a cookie: a token of kind "cookie" that runs out. */
#include "desk/people.h"

#include "base/clock.h"

enum { ROTATE_MS = 24 * 3600 * 1000, OLD_COOKIE_MS = 60 * 1000 };

static const int64_t cookie_ms = (int64_t)COOKIE_DAYS * 24 * 3600 * 1000;

static void null_or(struct json_writer *w, const char *key, struct str s)
{
	jw_key(w, key);
	if (s.len)
		jw_str(w, s);
	else
		jw_null(w);
}

/* Who is at the door, as /v1/me and login say it. */
static void me_write(
	struct json_writer *w, const struct principal *p, const struct credential *c)
{
	bool token = str_is(c->kind, "token");

	jw_object(w);
	jw_key(w, "user");
	if (p->user.len) {
		jw_object(w);
		jw_key(w, "id");
		jw_str(w, p->user);
		jw_key(w, "name");
		jw_str(w, p->name);
		jw_key(w, "role");
		jw_text(w, role_name(p->role));
		jw_object_end(w);
	} else {
		jw_null(w);
	}
	jw_key(w, "role");
	jw_text(w, role_name(p->role));
	jw_key(w, "name");
	jw_str(w, p->name);
	jw_key(w, "token");
	if (token) {
		jw_object(w);
		jw_key(w, "id");
		jw_str(w, p->token);
		jw_key(w, "name");
		jw_str(w, p->name);
		jw_object_end(w);
	} else {
		jw_null(w);
	}
	null_or(w, "agent", p->role == ROLE_AGENT ? p->agent : STR_NONE);
	jw_key(w, "workspace");
	jw_str(w, c->workspace);
	null_or(w, "language", c->language);
	jw_object_end(w);
}

/* ---- login ---- */

static enum err login_check(struct task *t, struct fault *why)
{
	static const char *const names[] = { "code", "name", "password", NULL };
	const struct json *code = json_get(t->body, "code"),
			  *name = json_get(t->body, "name");
	const struct json *password = json_get(t->body, "password");
	enum err e = members_only(t->body, names, why);

	if (e) return e;
	if (code ? !json_is(code, JSON_STRING) || name || password
		 : !json_is(name, JSON_STRING) || !json_is(password, JSON_STRING))
		return fail_at(
			why, "", "{\"code\"} or {\"name\", \"password\"} is needed");
	return OK;
}

struct code {
	struct arena *arena;
	int64_t ws;
	struct str user;
	bool found;
	int64_t now_ms;
};

static enum err code_row(void *ctx, const struct row *row, struct fault *why)
{
	struct code *c = ctx;
	int64_t expires_ms = row_int(row, 9);

	(void)why;
	if (!str_is(row_text(row, 2), "code") || (expires_ms && expires_ms <= c->now_ms))
		return OK;
	c->ws = row_int(row, 0);
	c->user = arena_str(c->arena, row_text(row, 6));
	c->found = true;
	return OK;
}

/* A code is used up by the same commit that makes the cookie. */
static enum err login_by_code(struct task *t, struct rows *rows, struct str code,
	struct user *u, struct fault *why)
{
	uint8_t *hash = arena_alloc(rows->arena, SHA256_SIZE);
	struct code c = { .arena = rows->arena, .now_ms = rows->now_ms };
	enum err e;

	(void)t;
	if (!hash) return fail(why, ERR_MEMORY, "out of memory");
	sha256(code, hash);
	const struct val args[] = { val_bytes(hash, SHA256_SIZE) };
	e = db_one(rows->db, SQL_CREDENTIAL, args, 1, code_row, &c, why);
	if (e) return e;
	if (!c.found)
		return fail(why, ERR_NO_TOKEN, "this login link was used or has run out");
	e = user_find(rows->db, c.ws, c.user, u, why);
	if (e) return e == ERR_NOT_FOUND ? fail(why, ERR_NO_TOKEN, "no such user") : e;
	/* At once, so that a second login in the same batch finds it gone. */
	rows->wrote = true;
	return db_one(rows->db, SQL_TOKEN_DELETE_HASH, args, 1, NULL, NULL, why);
}

static enum err login_by_password(
	struct task *t, struct rows *rows, struct user *u, struct fault *why)
{
	const struct val args[] = { val_text(json_text(json_get(t->body, "name"))),
		val_int(0) };
	enum err e = db_one(rows->db, SQL_USER_BY_NAME, args, 2, user_from_row, u, why);

	if (e) return e;
	/* What was verified is the hash that was found: it may have changed since. */
	if (!u->found || !t->verified || !u->password.len ||
		!str_eq(u->password, t->password_hash))
		return fail(why, ERR_NO_TOKEN, "name or password is wrong");
	return OK;
}

static enum err name_of_workspace(void *ctx, const struct row *row, struct fault *why)
{
	struct job *job = ctx;

	(void)why;
	job->credential.workspace = arena_str(&job->arena, row_text(row, 1));
	return OK;
}

static enum err login_cookie(
	struct task *t, struct rows *rows, const struct user *u, struct fault *why)
{
	struct token cookie = { .kind = "cookie",
		.name = STR("login"),
		.user = u->id,
		.agent = u->name,
		.expires_ms = rows->now_ms + cookie_ms };
	const struct val logged[] = { val_int(u->ws), val_text(u->id),
		val_int(rows->now_ms) };
	const struct val purge[] = { val_int(rows->now_ms) };

	if (!token_stage(rows, u->ws, &cookie, t->secret) ||
		!rows_extra(rows, SQL_USER_LOGGED_IN, logged, 3, false) ||
		!rows_extra(rows, SQL_TOKENS_PURGE, purge, 1, false))
		return fail(why, ERR_MEMORY, "out of memory");
	t->job.who = (struct principal){ .ws = u->ws,
		.role = u->role,
		.token = cookie.id,
		.user = u->id,
		.name = u->name,
		.agent = u->name };
	t->job.credential.kind = STR("cookie");
	t->job.credential.language = u->language;
	return OK;
}

static enum err login_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct user u = { .arena = rows->arena };
	const struct json *code = json_get(t->body, "code");
	enum err e = code ? login_by_code(t, rows, json_text(code), &u, why)
			  : login_by_password(t, rows, &u, why);

	if (!e && u.disabled) e = fail(why, ERR_NO_TOKEN, "this user is disabled");
	if (e) return e;
	const struct val args[] = { val_int(u.ws) };
	e = db_one(rows->db, SQL_WORKSPACE_GET, args, 1, name_of_workspace, job, why);
	if (!e) e = login_cookie(t, rows, &u, why);
	if (!e) me_write(&w, &job->who, &job->credential);
	job->who = (struct principal){ 0 };
	return e;
}

const struct use use_login = {
	.job = { .name = "login", .open = true, .decide = login_decide },
	.check = login_check,
};

static enum err login_find_read(
	struct job *job, struct db *db, int64_t now_ms, struct fault *why)
{
	struct task *t = task_of(job);
	struct user u = { .arena = &job->arena };
	const struct val args[] = { val_text(json_text(json_get(t->body, "name"))),
		val_int(0) };
	enum err e = db_one(db, SQL_USER_BY_NAME, args, 2, user_from_row, &u, why);

	(void)now_ms;
	t->password_hash = u.found ? u.password : STR_NONE;
	return e;
}

const struct use use_login_find = {
	.job = { .name = "login_find", .open = true, .read = login_find_read },
	.check = login_check,
};

/* ---- logout, me ---- */

static enum err logout_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct val args[] = { val_bytes(job->hash, SHA256_SIZE) };

	if (!str_is(job->credential.kind, "cookie"))
		return fail(why, ERR_FORBIDDEN, "only a login can log out");
	if (!rows_extra(rows, SQL_TOKEN_DELETE_HASH, args, 1, false) ||
		!revocations_raise(rows, job->who.ws))
		return fail(why, ERR_MEMORY, "out of memory");
	job->status = 204;
	return OK;
}

const struct use use_logout = { .job = { .name = "logout", .decide = logout_decide } };

/* A cookie older than a day is replaced; the old one lives a minute more, for requests
 * that are under way. */
static enum err me_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };

	t->secret[0] = '\0';
	if (str_is(job->credential.kind, "cookie") &&
		job->credential.created_ms + ROTATE_MS < rows->now_ms) {
		struct token cookie = { .kind = "cookie",
			.name = STR("login"),
			.user = job->who.user,
			.agent = job->who.agent,
			.expires_ms = rows->now_ms + cookie_ms };
		const struct val old[] = { val_bytes(job->hash, SHA256_SIZE),
			val_int(rows->now_ms + OLD_COOKIE_MS) };

		if (!token_stage(rows, job->who.ws, &cookie, t->secret) ||
			!rows_extra(rows, SQL_TOKEN_EXPIRE_HASH, old, 2, false))
			return fail(why, ERR_MEMORY, "out of memory");
	}
	me_write(&w, &job->who, &job->credential);
	return OK;
}

const struct use use_me = { .job = { .name = "me", .decide = me_decide } };
