/* serve.c - a request from its listener to the desk, and its reply back. Prefix: request_. */
#include "serve/inner.h"
#include "serve/receiver.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/shared/trace.h"
#include "desk/operate.h"
#include "text/problem_words.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- replies ---- */

void serve_count(struct serve *s, int status)
{
	s->requests++;
	if (status >= 100 && status < 600) s->requests_by_class[status / 100]++;
}

static void retry_after(char out[48], const struct fault *why)
{
	out[0] = '\0';
	if (why->retry_after_s > 0)
		snprintf(out, 48, "Retry-After: %lld\r\n", (long long)why->retry_after_s);
}

static void problem_reply(struct serve *s, struct exchange *x, const struct route *route,
	enum err e, const struct fault *why, enum lang lang, struct str ask,
	struct str headers)
{
	struct fault said = *why;
	struct json_writer w = { .out = &(struct buf){ 0 } };
	char after[48], who[512] = "WWW-Authenticate: Bearer\r\n";
	char lines[1024];
	int status = problem_status(e);
	bool authorizes = route && (route->flags & ROUTE_AUTHORIZES);

	if (authorizes) e = authorize_error(route, e, &status);
	retry_after(after, why);
	if (e == ERR_NO_TOKEN && strlen(s->url) < 300)
		snprintf(who, sizeof who,
			"WWW-Authenticate: Bearer realm=\"parley\", resource_metadata=\"%s"
			"/.well-known/oauth-protected-resource/mcp\"\r\n",
			s->url);
	snprintf(lines, sizeof lines, API_HEADERS "Content-Language: %s\r\n%s%s%s%.*s",
		lang == LANG_FR ? "fr" : "en", after, e == ERR_NO_TOKEN ? who : "",
		authorizes ? "Parley-Decision: deny\r\n" : "", STR_ARGS(headers));
	problem_translate(&said, lang);
	if (authorizes) {
		problem_open(&w, e, status, &said);
		authorize_members(&w, NULL);
		jw_object_end(&w);
	} else {
		problem_write(&w, e, &said, ask);
	}
	log_line(status >= 500 ? LOG_WARN : LOG_DEBUG, "%d: %s", status, why->detail);
	serve_count(s, status);
	http_reply(x, status, "application/problem+json", str_of(lines), buf_str(w.out));
	buf_done(w.out);
}

void serve_problem(struct serve *s, struct exchange *x, const struct route *route,
	enum err e, const struct fault *why, enum lang lang, struct str headers)
{
	problem_reply(s, x, route, e, why, lang, STR_NONE, headers);
}

void request_send(struct request *r, int status, const char *type, struct str headers,
	struct str body)
{
	if (r->x) {
		http_on_gone(r->x, NULL, NULL);
		serve_count(r->serve, status);
		http_reply(r->x, status, type, headers, body);
	}
	request_free(r);
}

void request_reply(struct request *r, struct str headers)
{
	struct job *job = &r->task.job;

	if (!r->x || !job->err) {
		request_send(r, job->status,
			job->status == 204 ? NULL : "application/json",
			headers.len ? headers : STR(API_HEADERS), buf_str(&job->out));
		return;
	}
	log_about(trace_id(r->task.trace));
	if (job->err == ERR_NO_KEY) log_line(LOG_WARN, "%s", job->why.detail);
	http_on_gone(r->x, NULL, NULL);
	problem_reply(r->serve, r->x, r->route, job->err, &job->why, r->lang,
		job->conflict, headers);
	log_about(STR_NONE);
	request_free(r);
}

void request_refuse(struct request *r, enum err e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->task.job.why.detail, sizeof r->task.job.why.detail, format, args);
	va_end(args);
	r->task.job.err = r->task.job.why.err = e;
	request_reply(r, STR_NONE);
}

/* ---- requests ---- */

static void request_gone(void *ctx)
{
	((struct request *)ctx)->x = NULL;
}

/* Zeroed, but for the room of its reply. */
static struct request *spare_take(struct serve *s)
{
	struct request *r = s->spare;
	struct buf out = r->task.job.out;

	s->spare = r->next;
	s->spares--;
	*r = (struct request){ .task.job.out = out };
	return r;
}

static void spare_put(struct serve *s, struct request *r)
{
	buf_clear(&r->task.job.out);
	r->next = s->spare;
	s->spare = r;
	s->spares++;
}

static void request_drop(struct request *r)
{
	buf_done(&r->task.job.out);
	mem_free(r);
}

static void spares_drop(void *ctx)
{
	struct serve *s = ctx;

	while (s->spare)
		request_drop(spare_take(s));
}

void request_watch(struct request *r)
{
	if (r->x) http_on_gone(r->x, request_gone, r);
}

struct request *request_new(struct serve *s, struct exchange *x)
{
	struct request *r = s->spare ? spare_take(s) : mem_alloc(sizeof *r);

	if (!r) return NULL;
	r->serve = s;
	r->x = x;
	r->task.desk = s->desk;
	request_watch(r);
	return r;
}

struct request *request_free(struct request *r)
{
	if (!r) return NULL;
	arena_done(&r->task.job.arena);
	if (r->serve->spares < SPARE_REQUESTS && r->task.job.out.cap <= SPARE_OUT)
		spare_put(r->serve, r);
	else
		request_drop(r);
	return NULL;
}

/* The desk may close once no clerk has a request. Requests whose peer has gone come back,
 * too. */
void serve_try_end(struct serve *s)
{
	void (*stopped)(void *) = s->stopped;

	if (!stopped || s->listeners_open > 0 || s->away > 0) return;
	s->stopped = NULL;
	tick_stop(s->loop, &s->away_tick);
	stopped(s->stopped_ctx);
}

/* ---- when tokens were last used ---- */

struct use_note {
	uint8_t hash[SHA256_SIZE];
};

static struct str note_key(const struct use_note *n)
{
	return str_make((const char *)n->hash, SHA256_SIZE);
}

static void use_noted(struct request *r)
{
	struct use_note *n = r->ctx;

	table_remove(&r->serve->noting, note_key(n));
	mem_free(n);
	request_free(r);
}

/* Beside the reply, which does not wait for it; and once at a time for a token. Without
 * memory the next request does it. */
static void use_note(struct serve *s, const struct job *job)
{
	struct use_note *n = mem_alloc(sizeof *n);
	struct request *r;

	if (!n) return;
	memcpy(n->hash, job->hash, SHA256_SIZE);
	r = table_get(&s->noting, note_key(n)) ? NULL : request_new(s, NULL);
	if (!r || !table_put(&s->noting, note_key(n), n)) {
		request_free(r);
		mem_free(n);
		return;
	}
	r->ctx = n;
	r->task.job.has_hash = true;
	memcpy(r->task.job.hash, job->hash, SHA256_SIZE);
	request_put(r, &use_token_used, use_noted);
}

/* ---- how long the store may take ---- */

enum { AWAY_LOOK_MS = 1000 };

static void away_add(struct request *r)
{
	struct serve *s = r->serve;

	r->put_ms = loop_now_ms(s->loop);
	TAILQ_INSERT_TAIL(&s->requests_away, r, away_list);
	if (!s->away_tick.next) tick_set(s->loop, &s->away_tick, AWAY_LOOK_MS);
}

static void away_remove(struct request *r)
{
	if (r->put_ms) TAILQ_REMOVE(&r->serve->requests_away, r, away_list);
	r->put_ms = 0;
}

static int64_t away_limit(const struct serve *s, const struct request *r)
{
	return r->route && r->route->use == &use_session_state ? s->set.state_timeout_ms
							       : s->set.store_timeout_ms;
}

/* Replies that the store takes too long. The clerk's result is dropped. */
static void away_give_up(struct request *r)
{
	bool reads = r->task.job.kind->read != NULL;
	struct fault why = { 0 };
	struct exchange *x = r->x;

	away_remove(r);
	r->x = NULL;
	if (!x) return;
	http_on_gone(x, NULL, NULL);
	fail(&why, reads ? ERR_UNAVAILABLE : ERR_UNKNOWN,
		"the store took too long to answer");
	serve_problem(r->serve, x, r->route, why.err, &why, r->lang, STR_NONE);
}

static void away_look(struct tick *tick)
{
	struct serve *s = LINK_OF(tick, struct serve, away_tick);
	int64_t now_ms = loop_now_ms(s->loop);

	for (struct request *r = TAILQ_FIRST(&s->requests_away), *next; r; r = next) {
		next = TAILQ_NEXT(r, away_list);
		if (now_ms - r->put_ms >= away_limit(s, r)) away_give_up(r);
	}
	if (!TAILQ_EMPTY(&s->requests_away))
		tick_set(s->loop, &s->away_tick, AWAY_LOOK_MS);
}

static void request_back(struct post *post)
{
	struct request *r = LINK_OF(post, struct request, post);
	struct serve *s = r->serve;

	s->away--;
	away_remove(r);
	if (r->task.job.credential.note_use && r->task.job.kind != &use_token_used.job)
		use_note(s, &r->task.job);
	r->task.job.credential.note_use = false;
	if (r->task.job.err && r->task.job.kind->flags & JOB_ASKS)
		tally_ask(s->desk, r->task.job.who.ws, r->task.job.err);
	if (r->task.job.err && r->task.job.kind == &use_approval_consume.job)
		tally_use_refused(s->desk, r->task.job.who.ws);
	r->then(r); /* may hand it over again */
	serve_try_end(s);
}

/* On the clerk's thread: over to the loop. */
static void request_done(struct job *job)
{
	struct request *r = (struct request *)(void *)job;

	packing_write(r);
	loop_post(r->serve->loop, &r->post);
}

void request_renew(struct request *r)
{
	struct job old = r->task.job;

	buf_clear(&old.out);
	r->task = (struct task){ .desk = r->serve->desk,
		.job = { .arena = old.arena,
			.out = old.out,
			.has_hash = old.has_hash,
			.who = { .via = old.who.via } } };
	memcpy(r->task.job.hash, old.hash, SHA256_SIZE);
	if (!old.has_hash) r->task.job.who.role = old.who.role;
}

void request_put(struct request *r, const struct use *use, void (*then)(struct request *))
{
	r->then = then;
	r->packing = (struct packing){ 0 };
	if (then == request_finish) packing_choose(r);
	r->post.fn = request_back;
	r->task.job.done = request_done;
	r->serve->away++;
	if (r->x) away_add(r);
	desk_put_in_turn(r->serve->desk, &r->serve->turn, use, &r->task);
	/* With others under way it cannot be lone: the clerk begins while the turn goes on. */
	if (r->serve->away > 1) desk_end_turn(r->serve->desk, &r->serve->turn, false);
}

static void turn_ends(void *ctx)
{
	struct serve *s = ctx;

	desk_end_turn(s->desk, &s->turn, s->away == 1);
}

void request_finish(struct request *r)
{
	char lines[PACKING_LINES];

	request_reply(r, r->task.job.err ? STR_NONE : packing_lines(r, lines));
}

static struct str french_words(struct str english, struct arena *arena)
{
	return problem_words(english, LANG_FR, arena);
}

/* By its route, as a path may have a secret in it. */
static void request_log(
	const char *method, const struct route *route, const struct exchange *x)
{
	struct arena arena = { 0 };
	char from[PEER_SIZE];

	http_peer(x, from);
	log_about(trace_id(trace_read(
		http_header(http_request(x), "traceparent"), STR_NONE, &arena)));
	log_line(LOG_DEBUG, "%s %s from %s", method,
		route ? route->path : "a path that is not there",
		from[0] ? from : "this machine");
	log_about(STR_NONE);
	arena_done(&arena);
}

static void handle(void *ctx, struct exchange *x)
{
	struct listener *listener = ctx;
	struct serve *s = listener->serve;
	const struct http_request *h = http_request(x);
	static const char *const methods[] = { "GET", "HEAD", "POST", "PUT", "PATCH",
		"DELETE", "OPTIONS", "OTHER" };
	struct route_search at = { .method = str_of(methods[h->method]),
		.path = h->path };
	struct fault why = { 0 };
	struct request *r;
	enum lang lang = problem_lang(http_header(h, "accept-language"));
	char line[96] = "";
	const struct route *route = route_find(s, &at);
	enum err e;

	if (log_wants(LOG_DEBUG)) request_log(methods[h->method], route, x);
	if (!route && at.status == 404 && route_is_for_people(h)) route = &route_lost;
	e = gate_check(s, listener, h, route, &why);

	if (!e && !route) {
		e = fail(&why, at.status == 405 ? ERR_METHOD : ERR_NOT_FOUND, "%s",
			at.status == 405 ? "this path has other methods"
					 : "there is nothing here");
		if (at.status == 405)
			snprintf(line, sizeof line, "Allow: %s\r\n", at.allow);
	}
	r = e ? NULL : request_new(s, x);
	if (!e && !r) e = fail(&why, ERR_MEMORY, "out of memory");
	if (e) {
		serve_problem(s, x, route, e, &why, lang, str_of(line));
		return;
	}
	r->listener = listener;
	r->route = route;
	r->lang = lang;
	if (lang == LANG_FR) r->task.words = french_words;
	r->head = h->method == HTTP_M_HEAD;
	r->task.id = at.id;
	r->task.within = at.of;
	if (!(route->flags & ROUTE_PAGE)) e = request_enter(r, &why);
	if (e == ERR_NO_TOKEN || e == ERR_FORBIDDEN || e == ERR_MEMORY ||
		(e && (route->flags & ROUTE_OPEN))) {
		r->task.job.err = e;
		r->task.job.why = why;
		request_reply(r, STR_NONE);
		return;
	}
	if (e) {
		clerk_job_refuse(&r->task.job, &why);
		request_put(r, route->use, request_finish);
		return;
	}
	if (route->run)
		route->run(r);
	else
		request_put(r, route->use, request_finish);
}

/* ---- what was committed ---- */

/* From another thread to the loop. */
struct loop_news {
	struct post post;
	struct serve *serve;
	struct committed *told; /* one of these: what was committed, */
	int64_t ws;		/* where a right was taken away, */
	int64_t end;		/* where the log of a store that went back ends, */
	const char *type;	/* or a hint of a run */
	char session[ID_SIZE];
	size_t len;
	char frame[];
};

/* NULL: no memory. */
static struct loop_news *news_new(struct serve *s, size_t more, void (*fn)(struct post *))
{
	struct loop_news *n = mem_alloc(sizeof *n + more);

	if (!n) return NULL;
	n->post.fn = fn;
	n->serve = s;
	return n;
}

static void told_on_loop(struct post *post)
{
	struct loop_news *n = LINK_OF(post, struct loop_news, post);

	told_arrived(n->serve, n->told);
	committed_drop(n->told);
	mem_free(n);
}

/* On the clerk's thread. When there is no memory even for this, the next batch's number
 * shows the gap. */
static void told_from_clerk(void *ctx, struct committed *told)
{
	struct serve *s = ctx;
	struct loop_news *n = news_new(s, 0, told_on_loop);

	if (!n) return;
	n->told = told ? committed_hold(told) : NULL;
	loop_post(s->loop, &n->post);
}

static void revoked_on_loop(struct post *post)
{
	struct loop_news *n = LINK_OF(post, struct loop_news, post);

	open_credentials_recheck(n->serve, n->ws);
	mem_free(n);
}

/* On the thread that hears of other nodes. */
static bool revoked_elsewhere(void *ctx, int64_t ws)
{
	struct serve *s = ctx;
	struct loop_news *n = news_new(s, 0, revoked_on_loop);

	if (!n) return false;
	n->ws = ws;
	loop_post(s->loop, &n->post);
	return true;
}

static void back_on_loop(struct post *post)
{
	struct loop_news *n = LINK_OF(post, struct loop_news, post);

	streams_back(n->serve, n->ws, n->end);
	mem_free(n);
}

/* Likewise. Without memory streams go on, and end when they next read the log. */
static void back_elsewhere(void *ctx, int64_t ws, int64_t end)
{
	struct serve *s = ctx;
	struct loop_news *n = news_new(s, 0, back_on_loop);

	if (!n) return;
	n->ws = ws;
	n->end = end;
	loop_post(s->loop, &n->post);
}

static void transient_on_loop(struct post *post)
{
	struct loop_news *n = LINK_OF(post, struct loop_news, post);

	streams_hint(
		n->serve, n->ws, str_of(n->session), n->type, str_make(n->frame, n->len));
	mem_free(n);
}

/* On a runner's thread. Without memory it is lost, and nothing depends on it. */
static void transient_from_runner(void *ctx, const struct transient *hint)
{
	struct serve *s = ctx;
	struct buf b = { 0 };
	struct loop_news *n = NULL;

	transient_write(&b, hint, clock_now_ms());
	if (!b.failed && hint->session.len < ID_SIZE)
		n = news_new(s, b.len, transient_on_loop);
	if (n) {
		n->ws = hint->ws;
		n->type = hint->type;
		memcpy(n->session, hint->session.at, hint->session.len);
		n->len = b.len;
		memcpy(n->frame, b.at, b.len);
		loop_post(s->loop, &n->post);
	}
	buf_done(&b);
}

/* ---- the whole ---- */

static bool receivers_open(struct serve *s, const struct receiver *const *all)
{
	s->receivers = all;
	for (size_t i = 0; all && all[i]; i++)
		if (!all[i]->open(s, &s->states[i])) return false;
	return true;
}

/* One that is set up, from `i` on; NULL: there is none. */
static const struct receiver *receiver_next(const struct serve *s, size_t *i)
{
	while (s->receivers && s->receivers[*i])
		if (s->states[(*i)++]) return s->receivers[*i - 1];
	return NULL;
}

void *serve_state(const struct serve *s, const struct receiver *r)
{
	for (size_t i = 0; s->receivers && s->receivers[i]; i++)
		if (s->receivers[i] == r) return s->states[i];
	return NULL;
}

struct serve *serve_new(struct loop *loop, struct desk *desk,
	const struct serve_settings *set, struct fault *why)
{
	struct serve *s = mem_alloc(sizeof *s);

	if (!s) {
		fail(why, ERR_MEMORY, "out of memory");
		return NULL;
	}
	s->loop = loop;
	s->desk = desk;
	s->started_ms = clock_now_ms();
	s->tls = set->tls;
	s->set = set->set;
	s->tool_try = set->tool_try;
	s->mcp_try = set->mcp_try;
	s->relay = set->relay;
	gated_open(s);
	s->away_tick.fn = away_look;
	TAILQ_INIT(&s->requests_away);
	TAILQ_INIT(&s->passwords.queues);
	s->mcp = set->mcp;
	memcpy(s->key, set->key, SERVER_KEY_SIZE);
	serve_set_url(s, set->url);
	s->coder = coder_new();
	if (!s->url || !s->coder || !receivers_open(s, set->receivers)) {
		fail(why, ERR_MEMORY, "out of memory");
		return serve_free(s);
	}
	desk_listen(desk, told_from_clerk, revoked_elsewhere, back_elsewhere, s);
	transient_listen(desk, transient_from_runner, s);
	loop_after_turns(loop, turn_ends, s);
	http_on_tidy(loop, spares_drop, s);
	return s;
}

void serve_start(struct serve *s)
{
	const struct receiver *r;

	for (size_t i = 0; (r = receiver_next(s, &i));)
		if (r->start) r->start(s->states[i - 1]);
}

void serve_set_guest(struct serve *s, struct str token)
{
	sha256(token, s->guest);
}

struct str serve_key(const struct serve *s)
{
	return str_make((const char *)s->key, sizeof s->key);
}

/* Browsers are to come by TLS alone: to a name that is ours. Localhost is everybody's, and
 * addresses cannot be told so. */
static void serve_tell_tls(struct serve *s)
{
	bool tell = s->tls && s->url && gate_url_is_named(s);

	for (int i = 0; i < s->listeners_len; i++)
		http_always(s->listeners[i].http,
			tell ? "Strict-Transport-Security: max-age=31536000\r\n" : NULL);
}

void serve_set_url(struct serve *s, struct str url)
{
	mem_free(s->url);
	s->url = mem_copy(url.at, url.len);
	serve_tell_tls(s);
}

int serve_listen(struct serve *s, struct str address, bool local_admin, struct fault *why)
{
	struct listener *listener = &s->listeners[s->listeners_len];

	if (s->listeners_len == LISTENERS_MAX) {
		fail(why, ERR_INVALID, "at most %d addresses to listen on",
			LISTENERS_MAX);
		return -1;
	}
	*listener = (struct listener){ .serve = s, .local_admin = local_admin };
	/* A whole mail comes by the local one, in base64. */
	listener->http = http_listen(s->loop, address,
		&(struct http_limits){ .body_max = local_admin ? 2 << 20 : 0,
			.body_more = mcp_body_max },
		handle, listener, why);
	if (!listener->http) return -1;
	http_decides(listener->http, &authorize_unread);
	s->listeners_len++;
	s->listeners_open++;
	if (s->tls && !str_starts(address, "unix:") &&
		!http_secure(listener->http, s->tls)) {
		fail(why, ERR_MEMORY, "out of memory");
		return -1;
	}
	return http_port(listener->http);
}

static void listener_closed(void *ctx)
{
	struct serve *s = ((struct listener *)ctx)->serve;

	s->listeners_open--;
	serve_try_end(s);
}

void serve_stop(struct serve *s, int64_t grace_ms, void (*done)(void *), void *ctx)
{
	const struct receiver *r;

	s->stopped = done;
	s->stopped_ctx = ctx;
	mcp_stop(s);
	gated_stop(s);
	holds_stop(s);
	for (size_t i = 0; (r = receiver_next(s, &i));)
		if (r->stop) r->stop(s->states[i - 1]);
	for (int i = 0; i < s->listeners_len; i++)
		http_stop(s->listeners[i].http, grace_ms, listener_closed,
			&s->listeners[i]);
	serve_try_end(s); /* there may be none */
}

struct serve *serve_free(struct serve *s)
{
	const struct receiver *r;

	if (!s) return NULL;
	feed_done(&s->feed);
	open_credentials_done(s);
	table_done(&s->noting);
	spares_drop(s);
	for (int i = 0; i < HOLD_CLASSES; i++)
		pool_done(&s->holds[i]);
	rate_done(&s->tries);
	frame_drop(s->frame);
	mem_free(s->url);
	coder_free(s->coder);
	for (size_t i = 0; (r = receiver_next(s, &i));)
		r->free(s->states[i - 1]);
	mem_free(s);
	return NULL;
}
