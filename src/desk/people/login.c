/* login.c - logging in by a single-use link or a password, logging out, and who the caller
 * is. A login is a cookie: a token of kind "cookie" that runs out. */
#include "desk/people/logins.h"
#include "desk/people/people.h"
#include "desk/people/people_log.h"
#include "desk/people/start.h"

#include "core/shared/show.h"

enum { ROTATE_MS = 24 * 3600 * 1000, OLD_COOKIE_MS = 60 * 1000 };

static const int64_t cookie_ms = (int64_t)COOKIE_DAYS * 24 * 3600 * 1000;

/* The caller, as /v1/me and login show it. */
static enum err me_write(struct job *job, struct rows *rows, struct fault *why)
{
	const struct principal *p = &job->who;
	const struct credential *c = &job->credential;
	struct json_writer *w = TO_REPLY(job);
	bool token = str_is(c->kind, "token");
	enum err e;

	jw_object(w);
	jw_key(w, "user");
	if (principal_person(p).len) {
		jw_object(w);
		jw_put_str(w, "id", p->user);
		jw_put_str(w, "name", p->name);
		jw_put_text(w, "role", role_name(p->role));
		jw_object_end(w);
	} else {
		jw_null(w);
	}
	jw_put_text(w, "role", role_name(p->role));
	jw_put_str(w, "name", p->name);
	jw_key(w, "token");
	if (token) {
		jw_object(w);
		jw_put_str(w, "id", p->token);
		jw_put_str(w, "name", p->name);
		jw_object_end(w);
	} else {
		jw_null(w);
	}
	show_text(w, "agent", p->role == ROLE_AGENT ? p->agent : STR_NONE);
	jw_key(w, "projects");
	project_bound_write(w, p->projects);
	jw_put_str(w, "workspace", c->workspace);
	show_text(w, "language", c->language);
	e = start_show(w, rows, p, why);
	jw_object_end(w);
	return e;
}

/* ---- login ---- */

static enum err login_check(struct task *t, struct fault *why)
{
	const struct json *code = json_get(t->body, "code"),
			  *name = json_get(t->body, "name");
	const struct json *password = json_get(t->body, "password");
	const struct json *workspace = json_get(t->body, "workspace");
	enum err e = MEMBERS_ONLY(t->body, why, "code", "name", "password", "workspace");

	if (e) return e;
	if (workspace && (code || !json_is(workspace, JSON_STRING)))
		return fail_at(why, "/workspace", "its name, beside name and password");
	if (code ? !json_is(code, JSON_STRING) || name || password
		 : !json_is(name, JSON_STRING) || !json_is(password, JSON_STRING))
		return fail_at(
			why, "", "{\"code\"} or {\"name\", \"password\"} is needed");
	return OK;
}

/* A code is used up by the same commit that makes the cookie; a second login in the same
 * batch finds it gone. */
static enum err login_by_code(struct rows *rows, struct str code, const struct user **u,
	struct str *maker, struct fault *why)
{
	uint8_t hash[SHA256_SIZE];
	const struct token *tok;
	enum err e;

	sha256(code, hash);
	e = rows_get(rows, RECORD_TOKENS, KEY(val_bytes(hash, SHA256_SIZE)), &tok, why);
	if (e) return e;
	if (!tok || tok->kind != TOKEN_CODE ||
		(tok->expires_ms && tok->expires_ms <= rows->now_ms))
		return fail(why, ERR_NO_TOKEN, "this login link was used or has expired");
	e = rows_fetch_user(rows, tok->ws, tok->user, u, why);
	if (e) return e == ERR_NOT_FOUND ? fail(why, ERR_NO_TOKEN, "no such user") : e;
	*maker = tok->maker;
	rows_delete(rows, tok);
	return OK;
}

/* What was verified is the hash that was found: it may have changed since. */
static enum err login_by_password(
	struct task *t, struct rows *rows, const struct user **out, struct fault *why)
{
	struct str name = json_text(json_get(t->body, "name"));
	const struct user *u = NULL;
	enum err e = rows_fetch(
		rows, RECORD_USERS, SQL_USER_BY_NAME, ARGS(name, t->found_ws), why);

	if (e) return e;
	while ((u = rows_next(rows, RECORD_USERS, u)))
		if (u->ws == t->found_ws && str_eq(u->name, name) && t->verified &&
			u->password.len && str_eq(u->password, t->password_hash))
			break;
	if (!u) return fail(why, ERR_NO_TOKEN, "wrong name or password");
	*out = u;
	return OK;
}

static const struct token *cookie_new(
	struct rows *rows, struct token cookie, char out[SECRET_SIZE])
{
	cookie.kind = TOKEN_COOKIE;
	cookie.name = STR("login");
	cookie.expires_ms = rows->now_ms + cookie_ms;
	return token_new(rows, &cookie, out);
}

/* `maker`: who made the link that it came from; empty: it came from none. */
static void login_cookie(
	struct task *t, struct rows *rows, const struct user *found, struct str maker)
{
	const struct token like = { .ws = found->ws,
		.user = found->id,
		.agent = found->name,
		.maker = maker,
		.origin = t->origin,
		.client = t->client };
	struct user *u = rows_change(rows, found);
	const struct token *cookie = cookie_new(rows, like, t->secret);

	u->last_login_ms = rows->now_ms;
	t->job.who = (struct principal){ .ws = u->ws,
		.role = u->role,
		.token = cookie->id,
		.user = u->id,
		.name = u->name,
		.agent = u->id };
	t->job.credential.kind = STR("cookie");
	t->job.credential.language = u->language;
}

/* The user whose login failed; NULL if the name is unknown, or in several workspaces. */
static const struct user *login_refused(const struct task *t, struct rows *rows)
{
	struct str name = json_text(json_get(t->body, "name"));
	const struct user *u = NULL, *found = NULL;

	if (!t->found_ws && json_get(t->body, "workspace")) return NULL;
	while ((u = rows_next(rows, RECORD_USERS, u))) {
		if (!str_eq(u->name, name) || (t->found_ws && u->ws != t->found_ws))
			continue;
		if (found) return NULL;
		found = u;
	}
	return found;
}

static enum err login_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct workspace *ws;
	const struct user *u = NULL;
	const struct json *code = json_get(t->body, "code");
	struct str maker = STR_NONE;
	enum err e = code ? login_by_code(rows, json_text(code), &u, &maker, why)
			  : login_by_password(t, rows, &u, why);

	if (!e && u->disabled) e = fail(why, ERR_NO_TOKEN, "this user is disabled");
	if (e == ERR_NO_TOKEN) {
		rows_rollback(rows); /* the link stays usable */
		if (!u) u = login_refused(t, rows);
		people_refused(t, rows, u, str_of(why->detail));
	}
	if (e) return e;
	e = rows_get(rows, RECORD_WORKSPACES, KEY(u->ws), &ws, why);
	if (!e && ws) job->credential.workspace = arena_str(&job->arena, ws->name);
	if (!e) login_cookie(t, rows, u, maker);
	if (!e) e = me_write(job, rows, why);
	job->who = (struct principal){ 0 };
	return e;
}

const struct use use_login =
	WRITES("login", 0, JOB_OPEN, NULL, login_decide, NULL, login_check);

/* An unknown workspace or name is answered like a wrong password, and takes as long. */
static enum err login_find_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct json *workspace = json_get(t->body, "workspace");
	const struct user *u = NULL;
	int64_t users = 0;
	int64_t ws = workspace ? -1 : 0;
	enum err e = OK;

	if (workspace)
		e = rows_int(rows, SQL_WORKSPACE_BY_NAME, ARGS(json_text(workspace)), &ws,
			why);
	if (!e)
		e = rows_fetch(rows, RECORD_USERS, SQL_USER_BY_NAME,
			ARGS(json_text(json_get(t->body, "name")), ws), why);
	/* Users without a password are skipped: another of that name may have one. */
	while (!e && (u = rows_next(rows, RECORD_USERS, u)))
		if (u->password.len) {
			users++;
			t->password_hash = u->password;
			t->found_ws = u->ws;
		}
	if (!e && users > 1)
		return fail_at(why, "/workspace",
			"needed: more than one workspace has a user of this name");
	return e;
}

const struct use use_login_find =
	READS("login_find", 0, JOB_OPEN, login_find_read, login_check);

/* ---- logout, me ---- */

static enum err logout_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct token *cookie;
	size_t ended = 0;
	enum err e;

	if (!str_is(job->credential.kind, "cookie"))
		return fail(why, ERR_FORBIDDEN, "only a login can log out");
	e = token_shown(job, rows, &cookie, why);
	if (!e)
		e = login_end(
			rows, cookie->ws, cookie->user, token_login(cookie), &ended, why);
	if (e) return e;
	rows_raise_revocations(rows, job->who.ws);
	job->status = 204;
	return OK;
}

const struct use use_logout = WRITES("logout", 0, 0, NULL, logout_decide, NULL, NULL);

/* A cookie older than a day is replaced; the old one lives a minute more, for requests
 * that are under way. */
static enum err cookie_rotate(struct job *job, struct rows *rows, struct fault *why)
{
	const struct token *was;
	struct token *old;
	enum err e = token_shown(job, rows, &was, why);

	if (e) return e;
	const struct token like = { .ws = was->ws,
		.user = was->user,
		.agent = was->agent,
		.maker = was->maker,
		.login = token_login(was),
		.begun_ms = was->begun_ms ? was->begun_ms : was->created_ms,
		.origin = was->origin,
		.client = was->client };
	old = rows_change(rows, was);
	cookie_new(rows, like, task_of(job)->secret);
	if (!old->expires_ms || old->expires_ms > rows->now_ms + OLD_COOKIE_MS)
		old->expires_ms = rows->now_ms + OLD_COOKIE_MS;
	return OK;
}

static enum err me_decide(struct job *job, struct rows *rows, struct fault *why)
{
	enum err e = OK;

	task_of(job)->secret[0] = '\0';
	if (str_is(job->credential.kind, "cookie") &&
		job->credential.created_ms + ROTATE_MS < rows->now_ms)
		e = cookie_rotate(job, rows, why);
	return e ? e : me_write(job, rows, why);
}

const struct use use_me = WRITES("me", 0, 0, NULL, me_decide, NULL, NULL);
