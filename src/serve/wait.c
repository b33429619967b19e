/* wait.c - requests that wait for an ask to be settled.
 *
 * A hold parks first, then the ask is read, so that no wake-up is missed. What remains of
 * a request while it waits is the hold and the bare connection; the answer itself comes
 * with the event. Losing the connection changes nothing but that. Prefixes: hold_, holds_. */
#include "serve/inner.h"

#include "base/clock.h"
#include "base/mem.h"

/* The pool of holds of this size; NULL: it is too large for one and goes on the heap. */
static struct pool *hold_pool(struct serve *s, size_t size)
{
	size_t class = (size + HOLD_STEP - 1) / HOLD_STEP;

	if (class >= HOLD_CLASSES) return NULL;
	s->holds[class].size = class * HOLD_STEP;
	return &s->holds[class];
}

static struct hold *hold_alloc(struct serve *s, size_t size)
{
	struct pool *pool = hold_pool(s, size);
	struct hold *h = pool ? pool_get(pool) : mem_alloc(size);

	if (h) h->size = (uint32_t)size;
	return h;
}

static void hold_release(struct serve *s, struct hold *h)
{
	struct pool *pool = hold_pool(s, h->size);

	open_credential_drop(s, h->bearer);
	if (pool)
		pool_put(pool, h);
	else
		mem_free(h);
}

static void hold_free(struct hold *h)
{
	feed_unpark(&h->serve->feed, &h->waiter);
	tick_stop(h->serve->loop, &h->tick);
	if (h->kind->left) h->kind->left(h);
	/* A read that is out brings it back once more. */
	if (!h->reading) hold_release(h->serve, h);
}

static void hold_gone(void *ctx)
{
	struct hold *h = ctx;

	h->x = NULL;
	hold_free(h);
}

/* What becomes of the exchange is for the caller to say. */
static struct exchange *hold_let_go(struct hold *h)
{
	struct exchange *x = h->x;

	h->x = NULL;
	http_on_gone(x, NULL, NULL);
	return x;
}

void hold_drop(struct hold *h)
{
	http_end(hold_let_go(h));
	hold_free(h);
}

void hold_end(struct hold *h, const struct wait_result *out)
{
	h->kind->end(h, hold_let_go(h), out);
	hold_free(h);
}

/* Ends the wait with the outcome, and notes that the agent has it. */
static void hold_end_settled(struct hold *h, const struct wait_result *out, bool lone)
{
	if (h->role == ROLE_AGENT)
		desk_note_fetched(h->serve->desk, h->ws, str_of(h->waiter.ask), lone);
	hold_end(h, out);
}

/* The status line was sent as 200; the body can still be a problem. */
static void hold_cut(struct hold *h, enum err e, const struct fault *why)
{
	h->kind->cut(h, hold_let_go(h), e, why);
	hold_free(h);
}

static void hold_read(struct hold *);

static void hold_wake(struct waiter *w, const struct committed_event *told)
{
	struct hold *h = LINK_OF(w, struct hold, waiter);

	/* Show nothing before the first read has shown that they may see the ask. */
	if (!h->begun)
		h->again = true;
	else if (told && !h->kind->read && !open_credential_doubtful(h->bearer))
		hold_end_settled(
			h, &(struct wait_result){ .ask = told->ask }, told->lone);
	else
		hold_read(h);
}

static void hold_tick(struct tick *tick)
{
	struct hold *h = LINK_OF(tick, struct hold, tick);
	int64_t left = h->end_ms - loop_now_ms(h->serve->loop);

	if (left <= 0 || h->unread || open_credential_doubtful(h->bearer)) {
		hold_read(h);
		return;
	}
	tick_set(h->serve->loop, &h->tick, left < HEARTBEAT_MS ? left : HEARTBEAT_MS);
	h->kind->beat(h);
}

static void hold_rest(struct hold *h)
{
	int64_t left = h->end_ms - loop_now_ms(h->serve->loop);
	int64_t most = h->unread ? AGAIN_MS : HEARTBEAT_MS;

	tick_set(h->serve->loop, &h->tick, left < most ? left : most);
}

/* Again for the same ask. */
static bool hold_park(struct hold *h)
{
	return h->waiter.parked ||
	       feed_park(&h->serve->feed, &h->waiter, str_of(h->waiter.ask));
}

static void hold_was_read(struct request *r)
{
	struct hold *h = r->ctx;
	struct job *job = &r->task.job;
	const struct wait_result out = { r->task.found, buf_str(&job->out),
		r->task.checked };
	bool over;

	h->reading = false;
	if (!h->x) {
		hold_release(r->serve, h);
		request_free(r);
		return;
	}
	over = r->task.settled || r->task.stopped.len ||
	       h->end_ms <= loop_now_ms(h->serve->loop);
	if (!job->err && h->kind->look) h->kind->look(h, &r->task);
	h->unread = job->err == ERR_UNAVAILABLE && !over && hold_park(h);
	if (h->unread)
		hold_rest(h);
	else if (job->err)
		hold_cut(h, job->err, &job->why);
	else if (r->task.settled)
		hold_end_settled(h, &out, false);
	else if (over)
		hold_end(h, &out);
	else if (h->again || !hold_park(h))
		hold_read(h);
	else
		hold_rest(h);
	request_free(r);
}

/* With the rights of whoever waits, as they are now. */
static void hold_read(struct hold *h)
{
	struct fault why = { 0 };
	struct request *r;

	h->again = h->reading;
	if (h->reading) return;
	tick_stop(h->serve->loop, &h->tick);
	r = hold_park(h) ? request_new(h->serve, NULL) : NULL;
	if (!r) {
		fail(&why, ERR_MEMORY, "out of memory");
		hold_cut(h, ERR_MEMORY, &why);
		return;
	}
	h->reading = true;
	r->ctx = h;
	r->task.id = arena_str(&r->task.job.arena, str_of(h->waiter.ask));
	r->task.wants_record = h->wants_record;
	if (h->kind->wants && !h->kind->wants(h, &r->task))
		r->task.job.arena.failed = true;
	open_credential_sign(h->bearer, h->role, h->ws, &r->task.job);
	request_put(r, h->kind->read ? h->kind->read : &use_ask_get, hold_was_read);
}

struct hold *hold_new(struct request *r, const struct hold_kind *kind, size_t size,
	struct str ask, int64_t wait_ms)
{
	struct hold *h = hold_alloc(r->serve, size);

	if (!h) return NULL;
	h->kind = kind;
	h->serve = r->serve;
	h->x = r->x;
	h->waiter.wake = hold_wake;
	h->tick.fn = hold_tick;
	h->end_ms = loop_now_ms(r->serve->loop) + wait_ms;
	if (open_credential_take(r->serve, &r->task.job, &h->bearer) &&
		feed_park(&r->serve->feed, &h->waiter, ask))
		return h;
	hold_release(r->serve, h);
	return NULL;
}

/* The ask is durable, and pending: the head goes out now, the rest when it is settled. An agent that was
 * stopped before it waited hears of it soon; at once, it would only ask again at once. */
static void hold_begin(struct hold *h, const struct request *r, int status)
{
	const struct job *job = &r->task.job;
	int64_t soon = loop_now_ms(h->serve->loop) + AGAIN_MS;

	h->ws = job->who.ws;
	h->role = job->who.role;
	open_credential_known(h->serve, h->bearer, job);
	if (status) serve_count(h->serve, status);
	http_on_gone(h->x, hold_gone, h);
	h->kind->begin(h, status);
	http_park(h->x);
	h->begun = true;
	if (r->task.stopped.len && h->end_ms > soon) h->end_ms = soon;
}

/* Was no batch told since the one that made the ask? Then no news of it was missed. */
static bool ask_is_news(const struct request *r)
{
	return r->task.unheard && r->task.job.batch == r->serve->feed.batch;
}

void hold_start(struct hold *h, struct request *r, int status)
{
	bool news = ask_is_news(r);

	hold_begin(h, r, status);
	r->x = NULL;
	request_free(r);
	if (news)
		hold_rest(h);
	else
		hold_read(h);
}

const struct open_credential *hold_bearer(const struct waiter *w)
{
	return LINK_OF(w, struct hold, waiter)->bearer;
}

size_t holds_of(const struct serve *s, int64_t ws)
{
	size_t n = 0;

	for (size_t i = 0; i < s->feed.buckets_len; i++)
		for (const struct waiter *w = s->feed.buckets[i]; w; w = w->next)
			n += LINK_OF(w, struct hold, waiter)->ws == ws;
	return n;
}

/* One that has not begun yet is refused when its first read comes back. */
void hold_expelled(struct waiter *w)
{
	struct hold *h = LINK_OF(w, struct hold, waiter);
	struct fault why = { 0 };

	if (h->begun) hold_cut(h, open_credential_refuse(&why), &why);
}

/* As if its time were up: it ends with the ask as it is. */
static void hold_hurry(struct waiter *w)
{
	struct hold *h = LINK_OF(w, struct hold, waiter);

	if (!h->begun || !h->x) return;
	h->end_ms = loop_now_ms(h->serve->loop);
	http_spare(h->x);
	hold_read(h);
}

void hold_over(struct hold *h)
{
	h->end_ms = loop_now_ms(h->serve->loop);
	hold_read(h);
}

static bool hold_any(const struct waiter *w, void *ctx)
{
	(void)w;
	(void)ctx;
	return true;
}

void holds_stop(struct serve *s)
{
	feed_expel(&s->feed, hold_any, NULL, hold_hurry);
}

/* ---- the ask itself as the reply: blanks, then JSON ---- */

struct plain_hold {
	struct hold hold;
	const struct dialect *dialect; /* the reply's; NULL: our own */
	bool strict;
};

static void plain_begin(struct hold *h, int status)
{
	http_begin(h->x, status, "application/json", STR(API_HEADERS));
}

static void plain_beat(struct hold *h)
{
	http_write(h->x, STR(" "));
}

static void plain_cut(
	struct hold *h, struct exchange *x, enum err e, const struct fault *why)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	(void)h;
	problem_write(&w, e, why, STR_NONE);
	http_end_with(x, buf_str(w.out));
	buf_done(w.out);
}

static void plain_end(struct hold *h, struct exchange *x, const struct wait_result *out)
{
	struct plain_hold *p = LINK_OF(h, struct plain_hold, hold);
	struct fault why = { 0 };
	struct json_writer w = { .out = &(struct buf){ 0 } };
	enum err e = OK;

	if (p->dialect)
		e = reply_translate(p->dialect, p->strict, out->ask, w.out, &why);
	else if (out->ask)
		ask_write(&w, &out->ask->ask, &out->ask->view, clock_now_ms());
	if (!e && w.out->failed) e = fail(&why, ERR_MEMORY, "out of memory");
	if (e)
		plain_cut(h, x, e, &why);
	else
		http_end_with(x, out->ask ? buf_str(w.out) : out->text);
	buf_done(w.out);
}

static const struct hold_kind plain = { plain_begin, plain_beat, plain_end, plain_cut,
	NULL };

static struct hold *plain_new(struct request *r, struct str ask)
{
	struct hold *h = hold_new(r, &plain, sizeof(struct plain_hold), ask, r->wait_ms);
	struct plain_hold *p = h ? LINK_OF(h, struct plain_hold, hold) : NULL;

	if (!p) return NULL;
	p->dialect = r->dialect;
	p->strict = r->strict;
	h->wants_record = r->dialect != NULL;
	return h;
}

/* What was read, in the dialect it was asked for. */
static void got_reply(struct request *r)
{
	struct job *job = &r->task.job;
	struct buf b = { 0 };

	if (r->task.found && !job->err) {
		job->err = reply_translate(
			r->dialect, r->strict, r->task.found, &b, &job->why);
		buf_done(&job->out);
		job->out = b;
	}
	request_reply(r, STR_NONE);
}

/* ---- POST with ?wait= ---- */

static void ask_made(struct request *r)
{
	struct hold *h = NULL;

	if (r->x && !r->task.job.err && !r->task.settled && r->wait_ms && !r->head)
		h = plain_new(r, r->task.ask);
	if (h)
		hold_start(h, r, r->task.job.status);
	else if (r->wait_ms)
		got_reply(r);
	else
		request_reply(r, STR_NONE);
}

void route_ask(struct request *r)
{
	r->task.wants_record = r->dialect && r->wait_ms;
	request_put(r, r->route->use, ask_made);
}

/* ---- GET with ?wait= : parked while it is read for the first time ---- */

static void ask_got(struct request *r)
{
	struct hold *h = r->ctx;
	struct job *job = &r->task.job;

	/* hold_gone has let go of both when the peer went. */
	h->reading = false;
	if (!h->x) {
		hold_release(r->serve, h);
		r->x = NULL;
		request_free(r);
		return;
	}
	r->x = h->x;
	if (!job->err && h->bearer && h->bearer->ended)
		job->err = open_credential_refuse(&job->why);
	if (job->err || r->task.settled) {
		h->x = NULL;
		hold_free(h);
		got_reply(r);
		return;
	}
	hold_begin(h, r, 200);
	r->x = NULL;
	request_free(r);
	if (h->again || !h->waiter.parked)
		hold_read(h);
	else
		hold_rest(h);
}

/* `h` NULL: nothing is waited for. */
static void first_read(struct request *r, struct hold *h)
{
	if (!h) {
		request_put(r, r->route->use, r->dialect ? got_reply : request_finish);
		return;
	}
	/* Until the first read is back, news only cause another read. */
	h->reading = true;
	http_on_gone(h->x, hold_gone, h);
	r->x = NULL;
	r->ctx = h;
	request_put(r, r->route->use, ask_got);
}

void route_ask_get(struct request *r)
{
	r->task.wants_record = r->dialect != NULL;
	first_read(r, r->wait_ms && !r->head ? plain_new(r, r->task.id) : NULL);
}

/* ---- a run: as it is once it has ended, or waits for a person ---- */

/* What stands around the run in the reply: the message that it answers, or its session. */
struct run_hold {
	struct hold hold;
	size_t before_len, len;
	char around[];
};

static void run_end(struct hold *h, struct exchange *x, const struct wait_result *out)
{
	struct run_hold *p = LINK_OF(h, struct run_hold, hold);
	struct buf b = { 0 };

	buf_add(&b, str_make(p->around, p->before_len));
	buf_add(&b, out->text);
	buf_add(&b, str_make(p->around + p->before_len, p->len - p->before_len));
	http_end_with(x, buf_str(&b));
	buf_done(&b);
}

static const struct hold_kind of_run = { plain_begin, plain_beat, run_end, plain_cut,
	NULL, &use_run_get };

static struct hold *run_hold_new(
	struct request *r, struct str run, struct str before, struct str behind)
{
	size_t len = before.len + behind.len;
	struct hold *h =
		hold_new(r, &of_run, sizeof(struct run_hold) + len, run, r->wait_ms);
	struct run_hold *p = h ? LINK_OF(h, struct run_hold, hold) : NULL;

	if (!p) return NULL;
	p->before_len = before.len;
	p->len = len;
	if (before.len) memcpy(p->around, before.at, before.len);
	if (behind.len) memcpy(p->around + before.len, behind.at, behind.len);
	return h;
}

/* The reply up to the run itself. */
static struct str before_run(struct str reply)
{
	int at = -1;
	struct str rest = reply;

	/* The last one: the message before it may hold the same words. */
	for (int found; (found = str_find(rest, STR(",\"run\":{"))) >= 0;) {
		at = (int)(rest.at - reply.at) + found;
		rest = str_from(rest, (size_t)found + 1);
	}
	return at < 0 ? STR_NONE : str_first(reply, (size_t)at + strlen(",\"run\":"));
}

static void message_sent(struct request *r)
{
	struct str before = before_run(buf_str(&r->task.job.out));
	struct hold *h = NULL;

	if (r->x && !r->task.job.err && r->wait_ms && !r->head && before.len)
		h = run_hold_new(r, r->task.run, before, STR("}"));
	if (h)
		hold_start(h, r, r->task.job.status);
	else
		request_reply(r, STR_NONE);
}

void route_message(struct request *r)
{
	request_put(r, r->route->use, message_sent);
}

/* `"run":"run_…"` in the reply: the run itself takes the place of its id. */
static void session_made(struct request *r)
{
	static const struct str name = STR(",\"run\":\"run_");
	struct str reply = buf_str(&r->task.job.out), rest = STR_NONE, run = STR_NONE;
	int at = str_find(reply, name);
	struct hold *h = NULL;

	if (at >= 0) rest = str_from(reply, (size_t)at + name.len - strlen("\"run_"));
	for (size_t i = 1; i < rest.len && !run.len; i++)
		if (rest.at[i] == '"') run = str_make(rest.at + 1, i - 1);
	if (r->x && !r->task.job.err && r->wait_ms && !r->head && run.len)
		h = run_hold_new(r, run, str_make(reply.at, (size_t)(rest.at - reply.at)),
			str_from(rest, run.len + 2));
	if (h)
		hold_start(h, r, r->task.job.status);
	else
		request_reply(r, STR_NONE);
}

void route_session(struct request *r)
{
	request_put(r, r->route->use, session_made);
}

void route_run_get(struct request *r)
{
	first_read(r, r->wait_ms && !r->head
			      ? run_hold_new(r, r->task.id, STR_NONE, STR_NONE)
			      : NULL);
}
