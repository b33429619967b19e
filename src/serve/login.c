/* login.c - cookies, and passwords, whose sums are done in the pool. */
#include "serve/inner.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/password.h"

#include <stdio.h>
#include <uv.h>

enum { TRIES_A_MINUTE = 10, COOKIE_AGE_S = 30 * 24 * 3600 };

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

/* Before the reply: who was told that a right is gone finds it gone. */
static void revoked(struct request *r)
{
	if (!r->task.job.err) bearers_recheck(r->serve, r->task.job.who.ws);
	request_reply(r, STR_NONE);
}

void route_revoke(struct request *r)
{
	request_put(r, r->route->use, revoked);
}

static void logged_out(struct request *r)
{
	if (!r->task.job.err) bearers_recheck(r->serve, r->task.job.who.ws);
	request_reply(r, r->task.job.err ? STR_NONE : cookie_line(r, "", 0));
}

void route_logout(struct request *r)
{
	request_put(r, r->route->use, logged_out);
}

/* ---- the pool ---- */

struct password_sum {
	uv_work_t work;
	struct request *request;
	struct str password;
	char hash[PASSWORD_HASH_SIZE];
	bool ok;
	void (*then)(struct request *, struct password_sum *);
};

static void sum_verify(uv_work_t *work)
{
	struct password_sum *s = work->data;

	s->ok = password_fits(s->password, s->request->task.password_hash);
}

static void sum_hash(uv_work_t *work)
{
	struct password_sum *s = work->data;

	s->ok = password_hash(s->password, s->hash);
}

static void sum_done(uv_work_t *work, int status)
{
	struct password_sum *s = work->data;

	if (status) s->ok = false;
	s->then(s->request, s);
	mem_free(s);
}

static void sum_put(struct request *r, uv_work_cb work,
	void (*then)(struct request *, struct password_sum *))
{
	struct password_sum *s = mem_alloc(sizeof *s);

	if (!s) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	s->work.data = s;
	s->request = r;
	s->password = json_text(json_get(r->task.body, "password"));
	s->then = then;
	if (uv_queue_work(loop_uv(r->serve->loop), &s->work, work, sum_done) == 0) return;
	mem_free(s);
	request_refuse(r, ERR_UNAVAILABLE, "try again");
}

/* ---- login ---- */

static void login_verified(struct request *r, struct password_sum *s)
{
	r->task.verified = s->ok;
	request_put(r, &use_login, cookie_reply);
}

static void login_found(struct request *r)
{
	struct task *t = &r->task;

	if (t->job.err || !r->x) {
		request_reply(r, STR_NONE);
		return;
	}
	sum_put(r, sum_verify, login_verified);
}

void route_login(struct request *r)
{
	struct str name = json_text(json_get(r->task.body, "name"));
	int64_t after_s = 0;

	if (!json_get(r->task.body, "password")) {
		request_put(r, &use_login, cookie_reply);
		return;
	}
	if (!rate_take(&r->serve->logins, str_first(name, 31), TRIES_A_MINUTE,
		    clock_now_ms(), &after_s)) {
		r->task.job.why.retry_after_s = after_s;
		request_refuse(r, ERR_RATE, "too many tries for this name");
		return;
	}
	request_put(r, &use_login_find, login_found);
}

/* ---- users with a password ---- */

/* A new user has lost no right. */
static void user_put(struct request *r)
{
	bool created = r->route->use == &use_user_create;

	request_put(r, r->route->use, created ? cookie_reply : revoked);
}

static void user_hashed(struct request *r, struct password_sum *s)
{
	if (!s->ok) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	r->task.password_hash = arena_str(&r->task.job.arena, str_of(s->hash));
	user_put(r);
}

void route_user(struct request *r)
{
	bool known = r->task.job.has_hash || r->task.job.who.role == ROLE_LOCAL_ADMIN;

	/* Nobody makes the server sweat without showing anything at the door. */
	if (known && json_is(json_get(r->task.body, "password"), JSON_STRING))
		sum_put(r, sum_hash, user_hashed);
	else
		user_put(r);
}
