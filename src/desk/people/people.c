/* people.c - users: listed, made, changed, removed. Admins only; owners by owners
 * only. */
#include "desk/people/people.h"
#include "desk/notify/contacts.h"
#include "desk/people/holds.h"
#include "desk/shared/collection.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "core/shared/name.h"

void user_write(struct json_writer *w, const struct user *u, struct str login_code)
{
	char at[TIME_SIZE];

	time_write(u->created_ms, at);
	jw_object(w);
	jw_put_str(w, "id", u->id);
	jw_put_str(w, "name", u->name);
	jw_put_text(w, "role", role_name(u->role));
	jw_put_text(w, "created_at", at);
	jw_put_bool(w, "has_password", u->password.len > 0);
	jw_put_bool(w, "disabled", u->disabled);
	jw_put_int(w, "version", u->version);
	if (login_code.len) {
		jw_key(w, "login");
		buf_add(w->out, STR("\"/login#"));
		buf_add(w->out, login_code);
		buf_add_char(w->out, '"');
		w->more = true;
	}
	jw_object_end(w);
}

/* ---- list, get ---- */

static enum err user_show(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	(void)t, (void)rows, (void)why;
	user_write(w, record, STR_NONE);
	return OK;
}

static const struct collection users = {
	.noun = "user",
	.nouns = "users",
	.record = RECORD_USERS,
	.id_at = offsetof(struct user, id),
	.list = SQL_OF(RECORD_USERS, RECORD_PAGE),
	.paged = true,
	.show = user_show,
};

/* People see each other, to assign; agents do not. */
const struct use use_user_list = LISTS("user_list", MAY_READ_ALL, users);
const struct use use_user_get = GETS("user_get", MAY_READ_ALL, users);

/* ---- create, change ---- */

struct user_body {
	struct str name, language;
	bool has_name, has_role, has_password, has_old, has_disabled, disabled, login;
	enum role role;
	int64_t version; /* that is to be changed; 0: whichever */
};

static enum err name_read(const struct json *name, struct str *out, struct fault *why)
{
	struct str s = str_trim(json_text(name));

	if (!json_is(name, JSON_STRING)) return fail_at(why, "/name", "must be a string");
	if (!s.len || utf8_count(s) > NAME_MAX_LEN)
		return fail_at(why, "/name", "from 1 to %d characters", NAME_MAX_LEN);
	if (name_flaw(s)) return fail_at(why, "/name", "%s", name_flaw(s));
	*out = s;
	return OK;
}

static enum err user_body_read(
	const struct json *body, struct user_body *b, struct fault *why)
{
	const struct json *name = json_get(body, "name"), *role = json_get(body, "role");
	const struct json *password = json_get(body, "password");
	const struct json *disabled = json_get(body, "disabled");
	const struct json *language = json_get(body, "language");
	const struct json *login = json_get(body, "login");
	const struct json *old = json_get(body, "old_password");
	const struct json *version = json_get(body, "version");
	enum err e = MEMBERS_ONLY(body, why, "name", "role", "password", "disabled",
		"login", "language", "old_password", "version");

	b->has_name = name != NULL;
	b->has_role = role != NULL;
	b->has_password = password != NULL;
	b->has_old = old != NULL;
	b->has_disabled = disabled != NULL;
	b->disabled = json_is(disabled, JSON_TRUE);
	b->login = json_is(login, JSON_TRUE);
	if (login && !b->login) e = fail_at(why, "/login", "true, or nothing");
	b->language = json_text(language);
	if (name && name_read(name, &b->name, why)) e = why->err;
	if (role && (!role_read(json_text(role), &b->role) || b->role < ROLE_VIEWER ||
			    b->role > ROLE_OWNER))
		e = fail_at(why, "/role", "viewer, member, admin or owner");
	if (password &&
		(!json_is(password, JSON_STRING) || utf8_count(json_text(password)) < 8 ||
			password->text.len > 1024))
		e = fail_at(why, "/password", "at least 8 characters");
	if (old && !json_is(old, JSON_STRING))
		e = fail_at(why, "/old_password", "must be a string");
	else if (old && !password)
		e = fail_at(why, "/old_password", "comes with a password");
	if (version && (!version->is_int || version->integer < 1))
		e = fail_at(why, "/version", "is missing: give the one that was read");
	else if (version)
		b->version = version->integer;
	if (disabled && !json_is_bool(disabled))
		e = fail_at(why, "/disabled", "true or false");
	if (language && !str_is(b->language, "en") && !str_is(b->language, "fr"))
		e = fail_at(why, "/language", "en or fr");
	return e;
}

static enum err user_check(struct task *t, struct fault *why)
{
	struct user_body *b = TASK_CHECKED(t, struct user_body);

	return user_body_read(t->body, b, why);
}

static enum err user_patch_check(struct task *t, struct fault *why)
{
	enum err e = user_check(t, why);

	if (e) return e;
	return t->body->count > (json_get(t->body, "version") != NULL)
		       ? OK
		       : fail_at(why, "", "nothing to change");
}

static enum err user_create_check(struct task *t, struct fault *why)
{
	enum err e = user_check(t, why);
	struct user_body *b = t->checked;

	if (!e && !b->has_name) e = fail_at(why, "/name", "required");
	if (b && b->has_disabled) e = fail_at(why, "/disabled", "unknown member");
	if (b && b->login) e = fail_at(why, "/login", "unknown member");
	if (b && b->has_old) e = fail_at(why, "/old_password", "unknown member");
	if (b && b->version) e = fail_at(why, "/version", "unknown member");
	if (!e && !b->has_role) b->role = ROLE_MEMBER;
	return e;
}

/* Nobody makes, changes or lets in somebody above themselves. */
static enum err user_reach(const struct principal *p, enum role role, struct fault *why)
{
	return principal_reaches(p, role)
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "the role %s is above the role %s",
				 role_name(role), role_name(p->role));
}

enum err people_reached(struct rows *rows, const struct principal *p, struct str id,
	const struct user **out, struct fault *why)
{
	enum err e = rows_fetch_user(rows, p->ws, id, out, why);

	return e ? e : desk_reach(p, (*out)->role, why);
}

void code_new(
	struct rows *rows, const struct user *u, struct str maker, char out[SECRET_SIZE])
{
	const struct token code = { .ws = u->ws,
		.kind = TOKEN_CODE,
		.name = STR("login link"),
		.user = u->id,
		.agent = u->name,
		.maker = maker,
		.expires_ms = rows->now_ms + CODE_MS };

	token_new(rows, &code, out);
}

static enum err user_create_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct user_body *b = t->checked;
	char code[SECRET_SIZE];
	struct user *u;
	enum err e = user_reach(&job->who, b->role, why);

	if (!e) e = user_name_free(rows, job->who.ws, b->name, STR_NONE, why);
	if (e) return e;
	u = user_new(rows, job->who.ws, b->name, b->role);
	u->password = t->password_hash;
	u->language = b->language;
	code_new(rows, u, job->who.user, code);
	job->status = 201;
	job->key_of = u->id;
	if (job->key.len)
		job->key_result =
			arena_print(&job->arena, "{\"user\":\"%.*s\"}", STR_ARGS(u->id));
	user_write(TO_REPLY(job), u, str_of(code));
	return OK;
}

static enum err user_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	const struct user *u;
	const struct json *record;
	enum err e = json_read(k->result, NULL, &job->arena, &record, why);

	if (!e)
		e = rows_fetch_user(
			rows, job->who.ws, json_text(json_get(record, "user")), &u, why);
	if (!e) user_write(TO_REPLY(job), u, STR_NONE);
	return e;
}

static enum err user_create_admit_read(
	struct job *job, struct rows *rows, struct fault *why)
{
	const struct user_body *b = task_of(job)->checked;

	(void)rows;
	return user_reach(&job->who, b->role, why);
}

const struct use use_user_create_admit = READS(
	"user_create_admit", MAY_ADMIN, 0, user_create_admit_read, user_create_check);

const struct use use_user_create = WRITES("user_create", MAY_ADMIN, 0, NULL,
	user_create_decide, user_again, user_create_check);

/* Somebody must be left who can let the others in: another owner, as they are in this batch. */
static enum err owner_left(struct rows *rows, const struct user *u, struct fault *why)
{
	const struct user *other = NULL;
	enum err e;

	if (u->role != ROLE_OWNER || u->disabled) return OK;
	e = rows_fetch(rows, RECORD_USERS, SQL_OWNERS, ARGS(u->ws), why);
	if (e) return e;
	while ((other = rows_next(rows, RECORD_USERS, other)))
		if (other != u && other->ws == u->ws && other->role == ROLE_OWNER &&
			!other->disabled)
			return OK;
	return fail(why, ERR_CONFLICT,
		"%.*s is the only owner: make somebody else an owner first",
		STR_ARGS(u->name));
}

static bool is_self(const struct principal *p, struct str user)
{
	struct str person = principal_person(p);

	return person.len && str_eq(person, user);
}

/* People may change their own name, password and language; the rest is an admin's. A token
 * that may less than its person does not change the person. */
static enum err user_patch_admit(
	const struct task *t, const struct user *u, struct fault *why)
{
	const struct user_body *b = t->checked;
	const struct principal *p = &t->job.who;
	enum err e = user_reach(p, u->role, why);

	if (!e && b->has_role) e = user_reach(p, b->role, why);
	if (e) return e;
	if (b->version && b->version != u->version)
		return fail(why, ERR_CONFLICT,
			"the user has changed since: version %lld now",
			(long long)u->version);
	if (b->has_password && !b->has_old && is_self(p, u->id) && u->password.len)
		return fail_at(why, "/old_password", "required to change your own");
	/* Otherwise whoever stole a token could set a password and stay after its
	 * revocation. */
	if (b->has_password && is_self(p, u->id) && !u->password.len &&
		str_is(t->job.credential.kind, token_kind_name(TOKEN_BEARER)))
		return fail(why, ERR_FORBIDDEN,
			"a token cannot set the first password of its own user: log in, or "
			"have an admin set it");
	return OK;
}

/* Checked before the user is looked up, so that it tells nothing about who exists. */
static enum err user_patch_may(const struct task *t, struct fault *why)
{
	const struct user_body *b = t->checked;
	const struct principal *p = &t->job.who;

	return role_may(p->role, MAY_ADMIN) || (is_self(p, t->id) && !b->has_role &&
						       !b->has_disabled && !b->login)
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "only an admin can do this");
}

static enum err user_patch_admit_read(
	struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct user *u;
	enum err e = user_patch_may(t, why);

	if (!e) e = rows_fetch_user(rows, job->who.ws, t->id, &u, why);
	if (!e) e = user_patch_admit(t, u, why);
	if (!e && is_self(&job->who, u->id)) t->old_hash = u->password;
	return e;
}

const struct use use_user_patch_admit =
	READS("user_patch_admit", 0, 0, user_patch_admit_read, user_patch_check);

/* Was the login, or the link it came from, made by somebody below this role? */
static enum err login_outgrown(struct rows *rows, const struct token *tok, enum role role,
	bool *out, struct fault *why)
{
	const struct user *maker;
	enum err e;

	*out = false;
	if (!tok->maker.len || str_eq(tok->maker, tok->user)) return OK;
	e = rows_get(rows, RECORD_USERS, KEY(tok->ws, tok->maker), &maker, why);
	*out = !e && (!maker || maker->role < role);
	return e;
}

/* A changed password ends logins and links, but for the login that changed it. A higher role ends
 * those that somebody below it could use: whoever made the link may have kept it, or logged in. */
static enum err logins_end(
	struct task *t, struct rows *rows, const struct user *u, struct fault *why)
{
	const struct user_body *b = t->checked;
	const struct token *tok = NULL;
	enum err e = tokens_fetch(rows, u->ws, u->id, why);

	while (!e && (tok = tokens_next(rows, u->ws, u->id, tok))) {
		bool ends = b->has_password && !token_is_own(&t->job, tok);

		if (tok->kind == TOKEN_BEARER) continue;
		if (!ends && b->has_role && b->role > u->role)
			e = login_outgrown(rows, tok, b->role, &ends, why);
		if (!e && ends) rows_delete(rows, tok);
	}
	return e;
}

static enum err user_apply(
	struct task *t, struct rows *rows, const struct user *was, struct fault *why)
{
	const struct user_body *b = t->checked;
	struct user *u;
	enum err e = OK;

	if ((b->has_role && b->role != ROLE_OWNER) || b->disabled)
		e = owner_left(rows, was, why);
	if (!e && b->has_name) e = user_name_free(rows, was->ws, b->name, was->id, why);
	if (!e && (b->has_password || b->has_role)) e = logins_end(t, rows, was, why);
	if (e) return e;
	u = rows_change(rows, was);
	if (b->has_name) u->name = b->name;
	if (b->has_role) u->role = b->role;
	if (b->has_password) u->password = t->password_hash;
	if (b->has_disabled) u->disabled = b->disabled;
	if (b->language.len) u->language = b->language;
	if (b->has_role || b->has_disabled || b->has_password)
		rows_raise_revocations(rows, u->ws);
	return OK;
}

/* What was verified is the old hash that was found: it may have changed since. */
static enum err old_password_holds(
	const struct task *t, const struct user *u, struct fault *why)
{
	const struct user_body *b = t->checked;

	if (!b->has_password || !is_self(&t->job.who, u->id) || !u->password.len)
		return OK;
	return t->verified && str_eq(u->password, t->old_hash)
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "the old password is wrong");
}

static enum err user_patch_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct user_body *b = t->checked;
	const struct user *u;
	char code[SECRET_SIZE] = "";
	enum err e = user_patch_may(t, why);

	if (!e) e = rows_fetch_user(rows, job->who.ws, t->id, &u, why);
	if (!e) e = user_patch_admit(t, u, why);
	if (!e) e = old_password_holds(t, u, why);
	if (!e) e = user_apply(t, rows, u, why);
	if (e) return e;
	if (b->login) code_new(rows, u, job->who.user, code);
	user_write(TO_REPLY(job), u, str_of(code));
	return OK;
}

const struct use use_user_patch =
	WRITES("user_patch", 0, 0, NULL, user_patch_decide, NULL, user_patch_check);

/* Every way in that a user has. */
static enum err tokens_end(struct rows *rows, const struct user *u, struct fault *why)
{
	const struct token *tok = NULL;
	enum err e = tokens_fetch(rows, u->ws, u->id, why);

	while (!e && (tok = tokens_next(rows, u->ws, u->id, tok)))
		rows_delete(rows, tok);
	return e;
}

static enum err user_delete_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct user *u;
	enum err e = rows_fetch_user(rows, job->who.ws, task_of(job)->id, &u, why);

	if (!e) e = user_reach(&job->who, u->role, why);
	if (!e) e = owner_left(rows, u, why);
	if (!e) e = holds_on_user(task_of(job), rows, u, why);
	if (!e) e = tokens_end(rows, u, why);
	if (!e) e = teams_drop_user(job, rows, u, why);
	if (!e) e = away_drop_delegate(rows, u, why);
	if (!e) e = contacts_drop(rows, u->ws, u->id, STR_NONE, why);
	if (e) return e;
	rows_purge(rows, SQL_MARKS_DROP, ARGS(job->who.ws, task_of(job)->id));
	rows_delete(rows, u);
	rows_raise_revocations(rows, job->who.ws);
	job->status = 204;
	return OK;
}

const struct use use_user_delete =
	WRITES("user_delete", MAY_ADMIN, 0, NULL, user_delete_decide, NULL, NULL);
