/* request_read.c - from what came over the wire to a task: who, which parameters, which
 * body. */
#include "serve/inner.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "core/shared/trace.h"

#include <stdio.h>

enum { PARAMS_MAX = 32, KEY_LEN_MAX = 255, WAIT_MAX_S = 300 };

static const struct json empty_object = { .type = JSON_OBJECT };

/* ---- who ---- */

struct str request_cookie(const struct http_request *h)
{
	struct str cookies = http_header(h, "cookie"), one;

	while (str_cut(&cookies, ';', &one)) {
		one = str_trim(one);
		if (str_starts(one, "parley=")) return str_from(one, 7);
	}
	return STR_NONE;
}

/* Clients of ours say what they are. It is shown, and a button of a push message may settle less
 * than its person; nobody may do more for it. */
static void request_read_via(struct request *r, const struct http_request *h)
{
	struct job *job = &r->task.job;
	struct str via = http_header(h, "parley-via");
	struct channel_limit *limit;

	if (!str_is(via, "cli") && !str_is(via, "terminal") && !str_is(via, "push"))
		return;
	job->who.via = arena_str(&job->arena, via);
	if (!str_is(via, "push")) return;
	limit = ARENA_NEW(&job->arena, struct channel_limit);
	if (!limit) return; /* the arena has failed, and with it the request */
	*limit = channel_limit_push;
	limit->digest = arena_str(&job->arena, http_header(h, "parley-digest"));
	r->task.limit = limit;
}

/* A gateway's own token, beside what its client sent. */
static struct str gateway_token(const struct request *r, const struct http_request *h)
{
	return r->route->flags & ROUTE_AUTHORIZES
		       ? str_trim(http_header(h, "parley-token"))
		       : STR_NONE;
}

static enum err request_read_who(
	struct request *r, const struct http_request *h, struct fault *why)
{
	struct job *job = &r->task.job;
	struct str auth = http_header(h, "authorization");
	struct str cookie = request_cookie(h);
	struct str token = gateway_token(r, h);

	if (r->route->flags & ROUTE_PEOPLE) {
		char from[PEER_SIZE];

		http_peer(r->x, from);
		job->from = arena_str(&job->arena, str_of(from));
	}
	if (r->route->flags & ROUTE_OPEN) return OK;
	if (token.len || (r->route->flags & ROUTE_ORIGINAL))
		cookie = STR_NONE;
	else if (auth.len > 7 && str_is_nocase(str_first(auth, 7), "bearer "))
		token = str_trim(str_from(auth, 7));
	else if (auth.len)
		return fail(why, ERR_NO_TOKEN, "Authorization: Bearer is needed");
	else if (r->listener->local_admin) {
		job->who.role = ROLE_LOCAL_ADMIN;
		job->credential.workspace =
			arena_str(&job->arena, http_header(h, "parley-workspace"));
		return OK;
	} else if (cookie.len) {
		token = cookie;
		r->cookie = true;
	}
	request_read_via(r, h);
	job->has_hash = token.len > 0;
	if (job->has_hash) sha256(token, job->hash);
	return r->cookie ? gate_check_cookie(r->serve, h, why) : OK;
}

/* ---- query ---- */

static bool params_know(const char *known, struct str name)
{
	struct str list = str_of(known), one;

	while (str_cut(&list, ' ', &one))
		if (str_eq(one, name)) return true;
	return false;
}

static enum err param_fail(struct fault *why, struct str name, const char *detail)
{
	char pointer[80];

	snprintf(pointer, sizeof pointer, "/%.*s", STR_ARGS(utf8_first(name, 40)));
	return fail_at(why, pointer, "%s", detail);
}

static enum err request_read_param(struct request *r, struct str pair, struct fault *why)
{
	struct task *t = &r->task;
	struct param *p = &t->params[t->params_len];
	int eq = str_find(pair, STR("="));
	struct str name = eq < 0 ? pair : str_first(pair, (size_t)eq);
	struct str value = eq < 0 ? STR_NONE : str_from(pair, (size_t)eq + 1);

	if (!http_decode(name, true, &t->job.arena, &p->name) ||
		!http_decode(value, true, &t->job.arena, &p->value))
		return fail(why, ERR_BAD_REQUEST,
			"the query is not percent-encoded correctly");
	for (size_t i = 0; i < t->params_len; i++)
		if (str_eq(t->params[i].name, p->name))
			return param_fail(why, p->name, "given twice");
	if (!params_know(r->route->params, p->name))
		return param_fail(why, p->name, "unknown query parameter");
	t->params_len++;
	return OK;
}

static enum err request_read_query(struct request *r, struct str query, struct fault *why)
{
	struct task *t = &r->task;
	struct str pair, wait;
	int64_t wait_s = 0;
	enum err e = OK;

	if (!r->route->params || !query.len) return OK;
	t->params = ARENA_ARRAY(&t->job.arena, struct param, PARAMS_MAX);
	if (!t->params) return fail(why, ERR_MEMORY, "out of memory");
	while (str_cut(&query, '&', &pair)) {
		if (!pair.len) continue;
		if (t->params_len == PARAMS_MAX)
			return fail(why, ERR_BAD_REQUEST, "too many query parameters");
		if (request_read_param(r, pair, why)) e = why->err;
		if (e == ERR_BAD_REQUEST) return e;
	}
	wait = task_param(t, "wait");
	if (wait.at && !str_to_int(wait, 0, WAIT_MAX_S, &wait_s))
		e = fail_at(why, "/wait", "must be from 0 to %d seconds", WAIT_MAX_S);
	r->wait_ms = wait_s * 1000;
	return e;
}

/* ---- project ---- */

/* What a client says about itself; ignored if it cannot be a name. */
static struct str request_read_guess(
	struct task *t, const struct http_request *h, const char *header)
{
	struct str said = str_trim(http_header(h, header));

	return said.len && project_check(said, "", NULL) == OK
		       ? arena_str(&t->job.arena, said)
		       : STR_NONE;
}

/* Takes the project from the header or the query, unless the body names one. */
static enum err request_read_project(
	struct request *r, const struct http_request *h, struct fault *why)
{
	struct task *t = &r->task;
	struct str name;

	if (h->method != HTTP_M_POST && !(r->route->flags & ROUTE_ORIGINAL)) return OK;
	name = str_trim(http_header(h, "parley-project"));
	if (!name.len) name = task_param(t, "project");
	t->project.name = arena_str(&t->job.arena, name);
	t->project.work_tree = request_read_guess(t, h, "parley-work-tree");
	t->program = request_read_guess(t, h, "parley-program");
	t->machine_user = request_read_guess(t, h, "parley-machine-user");
	t->trace = trace_read(http_header(h, "traceparent"), http_header(h, "tracestate"),
		&t->job.arena);
	return name.len ? project_check(name, "/project", why) : OK;
}

/* ---- body ---- */

enum body_kind { BODY_IS_JSON, BODY_IS_TEXT, BODY_IS_OTHER };

static enum body_kind body_kind(struct str type)
{
	int semicolon = str_find(type, STR(";"));
	struct str name =
		str_trim(semicolon < 0 ? type : str_first(type, (size_t)semicolon));

	if (str_is_nocase(name, "application/json")) return BODY_IS_JSON;
	if (str_is_nocase(name, "text/plain") ||
		str_is_nocase(name, "application/x-www-form-urlencoded"))
		return BODY_IS_TEXT;
	return BODY_IS_OTHER;
}

static enum err request_read_text(struct request *r, struct str body, struct fault *why)
{
	struct task *t = &r->task;

	if (r->cookie)
		return fail(why, ERR_MEDIA_TYPE,
			"plain text is taken with a Bearer token only");
	if (!utf8_valid(body)) return fail(why, ERR_BAD_REQUEST, "the text is not UTF-8");
	if (body.len && memchr(body.at, 0, body.len))
		return fail_at(why, "", "U+0000 is refused");
	t->plain = arena_str(&t->job.arena, body);
	t->body = NULL;
	return OK;
}

static bool body_plain(struct str encoding)
{
	return !encoding.len || str_is_nocase(encoding, "identity");
}

static enum err request_read_body(
	struct request *r, const struct http_request *h, struct fault *why)
{
	struct task *t = &r->task;
	struct str type = http_header(h, "content-type"), body;
	enum body_kind kind = body_kind(type);

	t->body = &empty_object;
	if (r->route->flags & ROUTE_ORIGINAL) return OK;
	if (h->body.len && !body_plain(http_header(h, "content-encoding")))
		return fail(
			why, ERR_MEDIA_TYPE, "a body is taken without Content-Encoding");
	if (!(r->route->flags & (BODY_JSON | BODY_TEXT)) || (!h->body.len && !type.len))
		return OK;
	if (kind == BODY_IS_TEXT && (r->route->flags & BODY_TEXT))
		return request_read_text(r, h->body, why);
	if (kind != BODY_IS_JSON)
		return fail(
			why, ERR_MEDIA_TYPE, "Content-Type: application/json is needed");
	if (!h->body.len) return OK;
	body = arena_str(&t->job.arena, h->body);
	return json_read(body, NULL, &t->job.arena, &t->body, why);
}

/* ---- idempotency ---- */

static enum err request_read_key(
	struct request *r, const struct http_request *h, struct fault *why)
{
	struct job *job = &r->task.job;
	struct str key = http_header(h, "idempotency-key");
	struct buf b = { 0 };

	if (!key.at || !(r->route->flags & ROUTE_KEYED)) return OK;
	if (!key.len || key.len > KEY_LEN_MAX || !utf8_valid(key))
		return fail(why, ERR_INVALID, "an Idempotency-Key has 1 to %d characters",
			KEY_LEN_MAX);
	job->key = arena_str(&job->arena, key);
	job->path = arena_str(&job->arena, h->path);
	if (r->task.body)
		json_canonical(&b, r->task.body);
	else
		buf_add(&b, r->task.plain);
	if (b.failed) job->arena.failed = true;
	sha256(buf_str(&b), job->body);
	buf_done(&b);
	return OK;
}

enum err request_enter(struct request *r, struct fault *why)
{
	const struct http_request *h = http_request(r->x);
	struct task *t = &r->task;
	enum err e = request_read_who(r, h, why);

	if (e) return e;
	t->id = arena_str(&t->job.arena, t->id);
	/* Faults of the rest are replied only when the credential has been checked. */
	e = request_read_query(r, h->query, why);
	if (!e) e = request_read_project(r, h, why);
	if (!e) e = request_read_body(r, h, why);
	if (!e) e = request_read_key(r, h, why);
	if (!e) e = request_translate(r, why);
	if (t->job.arena.failed) return fail(why, ERR_MEMORY, "out of memory");
	return e;
}
