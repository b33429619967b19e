/* login.c - cookies, and passwords, whose hashes are made in the pool. */
#include "serve/inner.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"

enum { TRIES_A_MINUTE = 10, COOKIE_AGE_S = 30 * 24 * 3600, CLIENT_MAX = 300 };

static struct str cookie_line(struct request *r, const char *value, int age_s)
{
	return arena_print(&r->task.job.arena,
		"Set-Cookie: parley=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s\r\n" API_HEADERS,
		value, age_s,
		str_starts(str_of(r->serve->url), "https:") ? "; Secure" : "");
}

static void cookie_reply(struct request *r)
{
	struct task *t = &r->task;

	if (t->job.err || !t->secret[0])
		request_reply(r, STR_NONE);
	else
		request_reply(r, cookie_line(r, t->secret, COOKIE_AGE_S));
}

void route_me(struct request *r)
{
	request_put(r, r->route->use, cookie_reply);
}

/* Recheck before the reply, so that a revoked right is gone once the reply says so. */
static void revoked(struct request *r)
{
	if (!r->task.job.err) open_credentials_recheck(r->serve, r->task.job.who.ws);
	request_reply(r, STR_NONE);
}

void route_revoke(struct request *r)
{
	request_put(r, r->route->use, revoked);
}

static void logged_out(struct request *r)
{
	if (!r->task.job.err) open_credentials_recheck(r->serve, r->task.job.who.ws);
	request_reply(r, r->task.job.err ? STR_NONE : cookie_line(r, "", 0));
}

void route_logout(struct request *r)
{
	request_put(r, r->route->use, logged_out);
}

/* ---- login ---- */

/* Who came in, or tried to, for whoever reads the log (fail2ban, too). */
static void login_log(const struct request *r, const char *refused)
{
	struct str name = json_text_of(r->task.body, "name");
	char from[PEER_SIZE] = "";

	if (r->x) request_address(r, from);
	if (name.len == 0) name = STR("a link");
	if (refused)
		log_line(LOG_WARN, "login refused: %.*s from %s: %s", STR_ARGS(name),
			from, refused);
	else
		log_line(LOG_INFO, "login: %.*s from %s", STR_ARGS(name), from);
}

static void login_reply(struct request *r)
{
	login_log(r, r->task.job.err ? r->task.job.why.detail : NULL);
	cookie_reply(r);
}

/* One more try of this name's password; false, and replied to: too many. */
static bool try_take(struct request *r, struct str name)
{
	int64_t after_s = 0;

	if (!password_pool_room(r)) return false;
	if (rate_take(&r->serve->tries, str_first(name, 31), TRIES_A_MINUTE,
		    clock_now_ms(), &after_s))
		return true;
	r->task.job.why.retry_after_s = after_s;
	login_log(r, "too many tries for this name");
	request_refuse(r, ERR_RATE, "too many tries for this name");
	return false;
}

static void login_verified(struct request *r, const struct password_result *s)
{
	r->task.verified = s->ok;
	request_put(r, &use_login, login_reply);
}

static void login_found(struct request *r)
{
	struct task *t = &r->task;

	if (t->job.err || !r->x)
		request_reply(r, STR_NONE);
	else
		password_pool_verify(r, json_text_of(t->body, "password"),
			t->password_hash, login_verified);
}

/* What is kept of where a login comes from. Our own program says that it is one by the header that
 * all its requests have. */
static void login_place(struct request *r)
{
	const struct http_request *h = http_request(r->x);
	struct arena *arena = &r->task.job.arena;
	struct str client = http_header(h, "user-agent");
	char from[PEER_SIZE];

	request_address(r, from);
	if (http_header(h, "parley-via").len) client = STR("parley");
	client = str_first(client, CLIENT_MAX);
	if (utf8_valid(client)) r->task.client = arena_str(arena, client);
	if (utf8_valid(str_of(from))) r->task.origin = arena_str(arena, str_of(from));
}

void route_login(struct request *r)
{
	login_place(r);
	if (!json_get(r->task.body, "password"))
		request_put(r, &use_login, login_reply);
	else if (try_take(r, json_text_of(r->task.body, "name")))
		request_put(r, &use_login_find, login_found);
}

/* ---- users with a password ---- */

/* Creating a user revokes nothing; a change may. */
static void user_put(struct request *r)
{
	bool created = r->route->use == &use_user_create;

	request_put(r, r->route->use, created ? cookie_reply : revoked);
}

static void user_hashed(struct request *r, const struct password_result *s)
{
	if (!s->ok) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	r->task.password_hash = arena_str(&r->task.job.arena, str_of(s->hash));
	user_put(r);
}

static void user_hash(struct request *r)
{
	password_pool_hash(r, json_text_of(r->task.body, "password"), user_hashed);
}

static void user_verified(struct request *r, const struct password_result *s)
{
	r->task.verified = s->ok;
	if (s->ok)
		user_hash(r);
	else
		request_refuse(r, ERR_FORBIDDEN, "the old password is wrong");
}

/* The slow hash is computed only for callers who may set a password. */
static void user_admitted(struct request *r)
{
	struct task *t = &r->task;

	if (t->job.err || !r->x)
		request_reply(r, STR_NONE);
	else if (!t->old_hash.len)
		user_hash(r);
	else if (try_take(r, t->id))
		password_pool_verify(r, json_text_of(t->body, "old_password"),
			t->old_hash, user_verified);
}

void route_user(struct request *r)
{
	bool created = r->route->use == &use_user_create;

	if (json_get(r->task.body, "password"))
		request_put(r, created ? &use_user_create_admit : &use_user_patch_admit,
			user_admitted);
	else
		user_put(r);
}
