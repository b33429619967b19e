/* authorize.c - calls that pass through somebody else's gateway: allowed with 200, else 403. A gateway takes
 * 5xx for a fault of ours, which some let pass: so whatever is wrong here is 403, and nothing is sent
 * before it is known. Prefixes: route_, authorize_. */
#include "serve/inner.h"

#include "core/policy/original_request.h"
#include "core/shared/show.h"
#include "text/problem_words.h"

#include <stdio.h>

enum { AUTHORIZE_WAIT_MAX_S = 300, PENDING_AGAIN_S = 5 };

/* ---- replies ---- */

void authorize_members(struct json_writer *w, const struct authorized *a)
{
	static const struct authorized none = { .decision = "deny" };

	if (!a) a = &none;
	jw_put_text(w, "decision", a->decision);
	show_text(w, "by", str_of(a->by ? a->by : ""));
	show_text(w, "rule", a->rule);
	show_text(w, "ask", a->ask);
	show_text(w, "digest", a->digest);
	show_text(w, "reason", a->reason);
	if (a->stop.len) show_text(w, "stop", a->stop);
}

const struct http_decides authorize_unread = { "/v1/authorize",
	"Retry-After: 1\r\nParley-Decision: deny\r\n",
	",\"decision\":\"deny\",\"by\":null,\"rule\":null,\"ask\":null,"
	"\"digest\":null,\"reason\":null" };

enum err authorize_error(const struct route *route, enum err e, int *status)
{
	bool original = route->flags & ROUTE_ORIGINAL;
	bool told = e == ERR_INVALID || e == ERR_BAD_REQUEST;
	bool ours = e == ERR_NOT_FOUND || e == ERR_METHOD || e == ERR_TOO_BIG ||
		    e == ERR_MEDIA_TYPE;

	if (told) e = original ? ERR_DENIED_ANSWER : ERR_INVALID;
	*status = problem_status(e);
	if (e == ERR_NO_TOKEN || told || e == ERR_DENIED_ANSWER || (ours && !original))
		return e;
	*status = 403;
	return ERR_UNAVAILABLE;
}

static void authorize_reply(struct request *r, const struct authorized *a)
{
	struct fault why = { .err = a->err };
	struct json_writer w = { .out = &r->task.job.out };
	char lines[512], after[32] = "", ask[80] = "", digest[128] = "";
	bool allow = !a->err;

	snprintf(why.detail, sizeof why.detail, "%.*s", STR_ARGS(a->detail));
	if (a->err == ERR_APPROVAL_PENDING)
		snprintf(after, sizeof after, "Retry-After: %d\r\n", PENDING_AGAIN_S);
	if (a->ask.len)
		snprintf(ask, sizeof ask, "Parley-Ask: %.*s\r\n", STR_ARGS(a->ask));
	if (a->digest.len)
		snprintf(digest, sizeof digest, "Parley-Digest: %.*s\r\n",
			STR_ARGS(a->digest));
	snprintf(lines, sizeof lines,
		API_HEADERS "Content-Language: %s\r\nParley-Decision: %s\r\n%s%s%s",
		r->lang == LANG_FR ? "fr" : "en", a->decision, ask, digest, after);
	buf_clear(&r->task.job.out);
	if (allow) {
		jw_object(&w);
	} else {
		problem_translate(&why, r->lang);
		problem_open(&w, a->err, 403, &why);
	}
	authorize_members(&w, a);
	jw_object_end(&w);
	if (r->task.job.out.failed) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	request_send(r, allow ? 200 : 403,
		allow ? "application/json" : "application/problem+json", str_of(lines),
		buf_str(&r->task.job.out));
}

/* Who is no agent has no token here; an error that is not theirs is told as it is. */
static void authorize_refuse(struct request *r)
{
	struct job *job = &r->task.job;

	if (job->err == ERR_FORBIDDEN && job->who.role != ROLE_AGENT)
		job->err = fail(&job->why, ERR_NO_TOKEN, "an agent's token is needed");
	request_reply(r, STR_NONE);
}

static void authorize_over(struct request *r)
{
	if (r->task.job.err || !r->task.authorized)
		authorize_refuse(r);
	else
		authorize_reply(r, r->task.authorized);
}

/* ---- waiting: the status is known at the end only ---- */

struct authorize_hold {
	struct hold hold;
	const struct route *route;
	enum lang lang;
};

static void hold_begins(struct hold *h, int status)
{
	(void)h;
	(void)status;
}

static void hold_beats(struct hold *h)
{
	(void)h;
}

static void hold_cuts(
	struct hold *h, struct exchange *x, enum err e, const struct fault *why)
{
	struct authorize_hold *p = LINK_OF(h, struct authorize_hold, hold);

	serve_problem(h->serve, x, p->route, e, why, p->lang, STR_NONE);
}

/* Settled, or the time is up: what holds now is decided in a commit of its own. */
static void hold_ends(struct hold *h, struct exchange *x, const struct wait_result *out)
{
	struct authorize_hold *p = LINK_OF(h, struct authorize_hold, hold);
	struct request *r = request_new(h->serve, x);
	struct fault why = { 0 };

	(void)out;
	if (!r) {
		hold_cuts(h, x, fail_memory(&why), &why);
		return;
	}
	r->route = p->route;
	r->lang = p->lang;
	r->task.id = arena_str(&r->task.job.arena, str_of(h->waiter.ask));
	open_credential_sign(h->bearer, h->role, h->ws, &r->task.job);
	request_put(r, &use_authorize_asked, authorize_over);
}

static const struct hold_kind of_call = { hold_begins, hold_beats, hold_ends, hold_cuts,
	NULL, NULL };

static void authorize_decided(struct request *r)
{
	const struct authorized *a = r->task.authorized;
	struct authorize_hold *p;
	struct hold *h = NULL;

	if (!r->task.job.err && a && a->err == ERR_APPROVAL_PENDING && r->x && r->wait_ms)
		h = hold_new(r, &of_call, sizeof *p, a->ask, r->wait_ms);
	if (!h) {
		authorize_over(r);
		return;
	}
	p = LINK_OF(h, struct authorize_hold, hold);
	p->route = r->route;
	p->lang = r->lang;
	hold_start(h, r, 0);
}

/* ---- routes ---- */

static void authorize_put(struct request *r, enum err e, struct fault *why)
{
	if (r->task.job.arena.failed) e = fail_memory(why);
	if (e) clerk_job_refuse(&r->task.job, why);
	request_put(r, &use_authorize, authorize_decided);
}

void route_authorize(struct request *r)
{
	const struct json *wait = json_get(r->task.body, "wait");
	struct fault why = { 0 };
	enum err e = OK;

	if (wait && wait->type != JSON_NULL &&
		(!wait->is_int || wait->integer < 0 ||
			wait->integer > AUTHORIZE_WAIT_MAX_S))
		e = fail_at(&why, "/wait", "must be from 0 to %d seconds",
			AUTHORIZE_WAIT_MAX_S);
	else if (wait && wait->is_int)
		r->wait_ms = wait->integer * 1000;
	authorize_put(r, e, &why);
}

static struct original_request original_of(const struct http_request *h)
{
	return (struct original_request){ .method = h->method_name,
		.target = str_from(h->target, strlen("/v1/authorize")),
		.host = http_header(h, "host"),
		.original_uri = http_header(h, "x-original-uri"),
		.original_method = http_header(h, "x-original-method"),
		.forwarded_uri = http_header(h, "x-forwarded-uri"),
		.forwarded_method = http_header(h, "x-forwarded-method"),
		.forwarded_host = http_header(h, "x-forwarded-host"),
		.forwarded_proto = http_header(h, "x-forwarded-proto"),
		.server = http_header(h, "parley-server"),
		.partial = http_header(h, "x-envoy-auth-partial-body"),
		.body = h->body };
}

/* {"operation", "session"?} of what came. */
static enum err original_body(
	struct request *r, const struct http_request *h, bool *pass, struct fault *why)
{
	struct arena *arena = &r->task.job.arena;
	struct original_request from = original_of(h);
	struct str session = str_trim(http_header(h, "parley-session")), operation;
	struct json_member *m = ARENA_ARRAY(arena, struct json_member, 2);
	struct json *body = ARENA_NEW(arena, struct json);
	const struct json *read;
	enum err e = original_read(&from, arena, &operation, why);

	*pass = !e && !operation.len;
	if (e || *pass) return e;
	if (!m || !body) return fail_memory(why);
	e = json_read(operation, NULL, arena, &read, why);
	if (e) return e;
	*body = (struct json){ .type = JSON_OBJECT, .members = m };
	m[body->count++] = (struct json_member){ STR("operation"), *read };
	if (session.len)
		m[body->count++] = (struct json_member){ STR("session"),
			{ .type = JSON_STRING, .text = arena_str(arena, session) } };
	r->task.body = body;
	return OK;
}

/* Nothing has to be decided, but whose token it is. */
static void authorize_passes(struct request *r)
{
	static const struct authorized pass = { .decision = "allow",
		.by = "policy",
		.reason = STR("Only tools/call is decided.") };

	if (r->task.job.err)
		authorize_refuse(r);
	else if (r->task.job.who.role != ROLE_AGENT)
		request_refuse(r, ERR_NO_TOKEN, "an agent's token is needed");
	else
		authorize_reply(r, &pass);
}

void route_authorize_original(struct request *r)
{
	const struct http_request *h = http_request(r->x);
	struct str wait = http_header(h, "parley-wait");
	struct fault why = { 0 };
	int64_t wait_s = 0;
	bool pass = false;
	enum err e = original_body(r, h, &pass, &why);

	if (!e && wait.at &&
		!str_to_int(str_trim(wait), 0, AUTHORIZE_WAIT_MAX_S, &wait_s))
		e = fail(&why, ERR_DENIED_ANSWER, "Parley-Wait must be from 0 to %d",
			AUTHORIZE_WAIT_MAX_S);
	r->wait_ms = wait_s * 1000;
	if (!e && pass)
		request_put(r, &use_me, authorize_passes);
	else
		authorize_put(r, e, &why);
}
