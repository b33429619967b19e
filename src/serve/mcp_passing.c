/* mcp_passing.c - messages on their way to an MCP server and back, for a client whose connection is kept meanwhile.
 * Prefixes: passing_, gated_. */
#include "serve/mcp_gateway.h"

#include "base/json_pattern.h"
#include "base/keep.h"
#include "base/mem.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct passing {
	struct relay relay; /* first */
	struct post post;
	LIST_ENTRY(passing) others;
	struct serve *serve;
	struct request *request;
	mcp_fn *then;
	struct mcp_access access; /* of one that goes ahead of its commit, or listens */
	struct gated_listener
		*listener;  /* in place of a request; NULL: none, or it has left */
	struct arena texts; /* then all that it needs */
	bool ahead;	    /* it is under way, and its commit is not known to be kept */
	bool held; /* by its request, until that is known; then what came meanwhile is told */
	bool back; /* it came back meanwhile */
	struct passing_said *early, **last_early;
	bool streams, same; /* the client takes streams; it speaks as the server does */
	sem_t room; /* for what the server says before its reply: who says more waits */
	/* A question of the server to a client of the other family. Since 2026-07-28 its request is answered with it,
	 * and another one brings the answer; what the first one has is still in use here. */
	struct request *first; /* or NULL */
	char name[24];
	bool waits; /* for the answer */
	int answer_fd;
	pthread_mutex_t lock; /* over the answer */
	char *answer;	      /* JSON; or NULL */
};

enum {
	QUESTION_MS = 5 * 60 * 1000,
	SAID_AT_ONCE = 64,
};

/* Something that the server said before its reply. */
struct passing_said {
	struct post post;
	struct passing_said *next;
	struct passing *passing;
	bool spare; /* nobody waits for it */
	size_t len;
	char text[];
};

static void passing_cut(struct passing *p)
{
	const uint64_t one = 1;

	/* It can only fail when it is readable already. */
	if (write(p->relay.stop_fd, &one, sizeof one) < 0) return;
}

/* An allowed call whose client has gone is cancelled. */
static void passing_gone(void *ctx)
{
	struct passing *p = ctx;

	if (p->request) p->request->x = NULL;
	passing_cut(p);
}

static void passing_watch(struct passing *p)
{
	struct exchange *x = p->request->x;

	if (!x) return;
	http_on_gone(x, passing_gone, p);
	http_lasts(x, true);
}

static void passing_free(struct passing *p)
{
	LIST_REMOVE(p, others);
	request_free(p->first);
	close(p->relay.stop_fd);
	close(p->answer_fd);
	pthread_mutex_destroy(&p->lock);
	sem_destroy(&p->room);
	mem_free(p->answer);
	arena_done(&p->relay.arena);
	arena_done(&p->texts);
	mem_free(p);
}

static void passing_over(struct passing *p)
{
	struct serve *s = p->serve;
	struct request *r = p->request;

	s->away--;
	if (p->listener) gated_listener_over(p->listener);
	if (r) {
		request_watch(r);
		if (r->x) http_lasts(r->x, false);
		mcp_of(r)->relay = &p->relay;
		p->then(r);
	}
	passing_free(p);
	serve_try_end(s);
}

static void passing_back(struct post *post)
{
	struct passing *p = LINK_OF(post, struct passing, post);

	if (p->held)
		p->back = true;
	else
		passing_over(p);
}

static void passing_done(struct relay *relay)
{
	struct passing *p = (struct passing *)(void *)relay;

	loop_post(p->serve->loop, &p->post);
}

/* On the stream of the request. */
static void request_say(struct request *r, struct str message)
{
	struct mcp *m = mcp_of(r);
	struct buf b = { 0 };

	if (!m->begun) {
		serve_count(r->serve, 200);
		http_begin(r->x, 200, "text/event-stream",
			STR(API_HEADERS "X-Accel-Buffering: no\r\n"));
		m->begun = true;
	}
	sse_write(&b, STR_NONE, message);
	if (!b.failed) http_write(r->x, buf_str(&b));
	buf_done(&b);
}

/* Nothing is told before its commit is. */
static bool said_early(struct passing_said *said)
{
	struct passing *p = said->passing;

	if (!p->held) return false;
	said->next = NULL;
	*p->last_early = said;
	p->last_early = &said->next;
	return true;
}

static void passing_say(struct post *post)
{
	struct passing_said *said = LINK_OF(post, struct passing_said, post);
	struct request *r = said->passing->request;

	if (said_early(said)) return;
	if (said->passing->listener)
		gated_listener_say(said->passing->listener,
			str_make(said->text, said->len), said->spare);
	if (r && r->x &&
		!(said->spare && mcp_of(r)->begun && http_backlog(r->x) > BEHIND_MAX))
		request_say(r, str_make(said->text, said->len));
	sem_post(&said->passing->room);
	mem_free(said);
}

static struct passing_said *said_new(
	struct passing *p, struct str text, void (*fn)(struct post *))
{
	struct passing_said *said = mem_alloc(sizeof *said + text.len);

	if (!said) return NULL;
	*said = (struct passing_said){ .post.fn = fn, .passing = p, .len = text.len };
	memcpy(said->text, text.at, text.len);
	return said;
}

/* ---- what the server wants to know ---- */

/* Empty: nothing came. */
static void passing_answered(struct passing *p, struct str answer)
{
	const uint64_t one = 1;

	p->waits = false;
	pthread_mutex_lock(&p->lock);
	p->answer = answer.len ? mem_alloc(answer.len + 1) : NULL;
	if (p->answer) {
		memcpy(p->answer, answer.at, answer.len);
		p->answer[answer.len] = '\0';
	}
	pthread_mutex_unlock(&p->lock);
	if (write(p->answer_fd, &one, sizeof one) < 0) return;
}

/* The result asks, and the request that brings the answer goes on in place of this one. */
static void question_result(struct passing *p, struct request *r, struct str params)
{
	struct mcp *m = mcp_of(r);
	struct arena *arena = &r->task.job.arena;

	m->w = (struct json_writer){ .out = &m->out };
	rpc_result(&m->w, m->rpc.id);
	JW(&m->w,
		"'resultType':'input_required','inputRequests':{'question':{'method':'elicitation/create','params':%j}},'requestState':%s",
		params,
		gated_state(
			r, &(struct ticket_call){ .question = str_of(p->name) }, arena));
	m->kept = !p->first;
	if (!p->first) p->first = r;
	p->request = NULL;
	mcp_send(r);
}

static void question_tell(struct post *post)
{
	struct passing_said *said = LINK_OF(post, struct passing_said, post);
	struct passing *p = said->passing;
	struct request *r = p->request;
	struct str params = str_make(said->text, said->len);
	struct json_writer w = { .out = &(struct buf){ 0 } };

	if (said_early(said)) return;
	p->waits = true;
	if (!r || !r->x) {
		passing_answered(p, STR_NONE);
	} else if (p->relay.client >= REV_2026_07_28) {
		question_result(p, r, arena_str(&r->task.job.arena, params));
	} else {
		JW(&w, "{'jsonrpc':'2.0','id':%s,'method':'elicitation/create','params':%j}",
			str_of(p->name), params);
		request_say(r, buf_str(w.out));
		buf_done(w.out);
	}
	mem_free(said);
}

static bool passing_offers(
	const struct relay *r, struct str method, const struct json *params)
{
	bool url = str_is(json_text_of(params, "mode"), "url");

	return str_is(method, "elicitation/create") && json_is(params, JSON_OBJECT) &&
	       (r->can & (url ? CAN_URL : CAN_FORM));
}

/* On the relay's thread. What nobody answers in time is put away. */
static bool passing_ask(struct relay *relay, struct str method, const struct json *params,
	struct str *answer)
{
	struct passing *p = (struct passing *)(void *)relay;
	struct pollfd fds[] = { { .fd = p->answer_fd, .events = POLLIN },
		{ .fd = relay->stop_fd, .events = POLLIN } };
	struct passing_said *said;
	uint64_t came;

	if (!passing_offers(relay, method, params)) return false;
	said = said_new(p, json_keep(params, &relay->arena), question_tell);
	if (!said) return false;
	loop_post(p->serve->loop, &said->post);
	*answer = STR("{\"action\":\"cancel\"}");
	if (poll(fds, 2, QUESTION_MS) <= 0 || !(fds[0].revents & POLLIN)) return true;
	if (read(p->answer_fd, &came, sizeof came) < 0) return true;
	pthread_mutex_lock(&p->lock);
	if (p->answer) *answer = arena_str(&relay->arena, str_of(p->answer));
	mem_free(p->answer);
	p->answer = NULL;
	pthread_mutex_unlock(&p->lock);
	return true;
}

static struct passing *passing_named(struct serve *s, struct str name)
{
	struct passing *p;

	LIST_FOREACH(p, &s->passings, others)
	if (p->waits && str_is(name, p->name)) return p;
	return NULL;
}

bool passing_answer(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct str id = m->rpc.id;
	struct passing *p = NULL;

	if (id.len > 2 && id.at[0] == '"')
		p = passing_named(r->serve, str_make(id.at + 1, id.len - 2));
	if (!p || !p->request || !str_eq(mcp_of(p->request)->nonce, m->nonce))
		return false;
	passing_answered(p, json_is(m->rpc.result, JSON_OBJECT)
				    ? json_keep(m->rpc.result, &r->task.job.arena)
				    : STR_NONE);
	mcp_accept(r);
	return true;
}

bool passing_join(struct request *r)
{
	const struct mcp *m = mcp_of(r);
	struct passing *p = passing_named(r->serve, m->came.question);
	const struct json *answer = json_get(mcp_param(r, "inputResponses"), "question");

	if (!p || p->request || !str_eq(p->relay.agent, r->task.job.who.agent))
		return false;
	p->request = r;
	passing_watch(p);
	passing_answered(p, json_is(answer, JSON_OBJECT)
				    ? json_keep(answer, &r->task.job.arena)
				    : STR_NONE);
	return true;
}

/* ---- passed on ---- */

/* On the relay's thread. */
static bool passing_other(struct relay *relay, const struct rpc *rpc, struct str message)
{
	struct passing *p = (struct passing *)(void *)relay;
	struct passing_said *said;

	if (!p->streams || (!p->same && rpc->kind == RPC_REQUEST)) return false;
	said = said_new(p, message, passing_say);
	if (!said) return false;
	said->spare = str_is(rpc->method, "notifications/progress") ||
		      str_is(rpc->method, "notifications/message");
	while (sem_wait(&p->room) < 0) /* interrupted */
		continue;
	loop_post(p->serve->loop, &said->post);
	return true;
}

static struct passing *passing_new(struct request *r, enum relay_kind kind)
{
	struct mcp *m = mcp_of(r);
	struct serve *s = r->serve;
	struct passing *p = s->relay ? mem_alloc(sizeof *p) : NULL;
	struct gateway_task *g = m->gateway;
	bool now = m->client.revision >= REV_2026_07_28;

	if (!p) return NULL;
	*p = (struct passing){ .serve = s,
		.request = r,
		.post.fn = passing_back,
		.streams = m->streams && !m->batch,
		.same = m->behind.len > 0,
		.answer_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.relay = { .kind = kind,
			.access = &g->access,
			.agent = r->task.job.who.agent,
			.client = m->client.revision,
			.can = (now || (m->streams && !m->batch && !m->behind.len))
				       ? m->client.can & (CAN_FORM | CAN_URL)
				       : 0,
			.ask = passing_ask,
			.known = m->behind.len > 0,
			.revision = m->speaks,
			.lasts = kind == RELAY_PASS && m->rpc.kind == RPC_REQUEST &&
				 str_is(m->rpc.method, "subscriptions/listen"),
			.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
			.method = m->rpc.method,
			.id = m->rpc.id,
			.arguments = g->arguments,
			.other = passing_other,
			.done = passing_done } };
	p->last_early = &p->early;
	snprintf(p->relay.session, sizeof p->relay.session, "%.*s", STR_ARGS(m->behind));
	pthread_mutex_init(&p->lock, NULL);
	sem_init(&p->room, 0, SAID_AT_ONCE);
	snprintf(p->name, sizeof p->name, "q-%016llx",
		(unsigned long long)random_u64(NULL));
	if (m->rpc.params)
		p->relay.params = json_keep(gated_params(r), &r->task.job.arena);
	if (m->rpc.kind == RPC_RESPONSE) {
		p->relay.id = STR_NONE;
		p->relay.body = arena_str(&r->task.job.arena, http_request(r->x)->body);
	}
	if (kind == RELAY_GREET) {
		p->relay.known = false;
		if (!now) p->relay.greeting = p->relay.params;
	}
	LIST_INSERT_HEAD(&s->passings, p, others);
	return p;
}

/* ---- ahead of the commit that allows it ---- */

/* On the thread that commits, perhaps twice. */
static void passing_ahead(struct job *job)
{
	struct request *r = (struct request *)(void *)job;
	const struct gateway_task *g = mcp_of(r)->gateway;
	struct passing *p = mcp_of(r)->early;

	if (p->ahead || g->what != GATEWAY_PASS || g->counts) return;
	p->ahead = true;
	p->access = g->access; /* which is another's if it is decided anew */
	p->relay.access = &p->access;
	p->relay.agent = job->who.agent;
	p->relay.timeout_ms = g->access.timeout_ms;
	p->serve->relay->pass(p->serve->relay->ctx, &p->relay);
}

void passing_prepare(struct request *r)
{
	struct mcp *m = mcp_of(r);

	/* What a question of the server's came with is another's until its agent is known. */
	if (m->beside || m->came.state.len || m->batch) return;
	passing_drop(m);
	m->early = passing_new(r, RELAY_PASS);
	if (!m->early) return;
	m->early->held = true;
	r->task.job.ahead = passing_ahead;
}

/* Its commit is known: what came meanwhile is told. */
static void passing_release(struct passing *p)
{
	struct passing_said *said = p->early, *next;

	p->serve->away++;
	p->held = false;
	for (; said; said = next) {
		next = said->next;
		said->post.fn(&said->post);
	}
	if (p->back) passing_over(p);
}

void passing_drop(struct mcp *m)
{
	struct passing *p = m->early;

	m->early = NULL;
	if (!p) return;
	p->request = NULL;
	if (!p->ahead) {
		passing_free(p);
		return;
	}
	passing_cut(p);
	passing_release(p);
}

void passing_begin(struct request *r, enum relay_kind kind, mcp_fn *then)
{
	struct mcp *m = mcp_of(r);
	struct passing *p = m->early ? m->early : passing_new(r, kind);

	m->early = NULL;
	if (!p) {
		mcp_refuse_as(r, 200, RPC_INTERNAL, "out of memory");
		return;
	}
	p->then = then;
	passing_watch(p);
	if (!r->x && kind == RELAY_PASS) passing_cut(p); /* its client went meanwhile */
	if (p->ahead) {
		passing_release(p);
		return;
	}
	p->held = false;
	p->relay.agent = r->task.job.who.agent;
	p->relay.timeout_ms = m->gateway->access.timeout_ms;
	r->serve->away++;
	r->serve->relay->pass(r->serve->relay->ctx, &p->relay);
}

/* ---- beside calls ---- */

/* The request is gone long before: what is borrowed of it is kept. */
static void access_keep(
	const struct mcp_access *from, struct arena *arena, struct mcp_access *to)
{
	*to = *from;
	to->said = NULL;
	to->name = arena_str(arena, from->name);
	to->url = arena_str(arena, from->url);
	to->command = arena_str(arena, from->command);
	to->env = arena_str(arena, from->env);
	to->agent = arena_str(arena, from->agent);
	to->headers = arena_str(arena, from->headers);
	to->tool = arena_str(arena, from->tool);
	to->reach = arena_str(arena, from->reach);
	to->revision = arena_str(arena, from->revision);
	to->wrong = arena_str(arena, from->wrong);
}

struct passing *passing_listen(struct request *r, struct gated_listener *listener)
{
	struct passing *p = passing_new(r, RELAY_LISTEN);

	if (!p) return NULL;
	access_keep(&mcp_of(r)->gateway->access, &p->texts, &p->access);
	p->request = NULL;
	p->listener = listener;
	p->streams = true;
	p->relay.access = &p->access;
	p->relay.agent = p->access.agent;
	p->relay.lasts = true;
	p->relay.ask = NULL;
	p->relay.arguments = NULL;
	p->relay.method = p->relay.id = p->relay.params = STR_NONE;
	r->serve->away++;
	r->serve->relay->pass(r->serve->relay->ctx, &p->relay);
	return p;
}

void passing_leave(struct passing *p)
{
	p->listener = NULL;
	passing_cut(p);
}

bool passing_cancel(struct serve *s, struct str nonce, struct str id)
{
	struct passing *p;

	LIST_FOREACH(p, &s->passings, others)
	if (nonce.len && p->request && p->request->x &&
		str_eq(mcp_of(p->request)->nonce, nonce) &&
		str_eq(mcp_of(p->request)->rpc.id, id)) {
		passing_cut(p);
		return true;
	}
	return false;
}

void gated_stop(struct serve *s)
{
	struct passing *p;

	LIST_FOREACH(p, &s->passings, others)
	passing_cut(p);
}
