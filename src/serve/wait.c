/* wait.c - requests that wait for an ask to be settled.
 *
 * A hold parks first, then the ask is read, so that no wake-up is missed. What remains of
 * a request while it waits is the hold and the bare connection; the answer itself comes
 * with the event. Losing the connection changes nothing but that. */
#include "serve/inner.h"

#include "base/mem.h"

struct hold {
	struct waiter waiter;
	struct tick tick; /* heartbeat, or the end of the wait */
	struct serve *serve;
	struct exchange *x; /* NULL: the peer has gone */
	int64_t end_ms;	    /* loop time */
	int64_t ws;
	const struct dialect *dialect; /* the reply's; NULL: our own */
	bool strict;
	bool begun;   /* the head of the reply is out */
	bool reading; /* a read of the ask is with a clerk */
	bool again;   /* news came meanwhile */
};

static void hold_free(struct hold *h)
{
	feed_unpark(&h->serve->feed, &h->waiter);
	tick_stop(h->serve->loop, &h->tick);
	/* A read that is out brings it back once more. */
	if (!h->reading) mem_free(h);
}

static void hold_gone(void *ctx)
{
	struct hold *h = ctx;

	h->x = NULL;
	hold_free(h);
}

static void hold_end(struct hold *h, struct str body)
{
	struct exchange *x = h->x;

	h->x = NULL;
	http_on_gone(x, NULL, NULL);
	if (h->begun) {
		http_end_with(x, body);
	} else {
		serve_count(h->serve, 200);
		http_reply(x, 200, "application/json", STR(API_HEADERS), body);
	}
	hold_free(h);
}

/* The head is out and says that all is well; the body can still say that it is not. */
static void hold_cut(struct hold *h, enum err e, const struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	problem_write(&w, e, why, STR_NONE);
	hold_end(h, buf_str(&b));
	buf_done(&b);
}

/* Ends the wait with the ask as it is. */
static void hold_tell(struct hold *h, struct str shown)
{
	struct fault why = { 0 };
	struct buf b = { 0 };
	enum err e;

	if (!h->dialect) {
		hold_end(h, shown);
		return;
	}
	e = reply_translate(h->dialect, h->strict, shown, &b, &why);
	if (e)
		hold_cut(h, e, &why);
	else
		hold_end(h, buf_str(&b));
	buf_done(&b);
}

static void hold_starve(struct hold *h)
{
	struct fault why = { 0 };

	fail(&why, ERR_MEMORY, "out of memory");
	hold_cut(h, ERR_MEMORY, &why);
}

static void hold_read(struct hold *);

static void hold_wake(struct waiter *w, struct str shown)
{
	struct hold *h = LINK_OF(w, struct hold, waiter);

	/* Not before the first read has said that they may see it. */
	if (!h->begun)
		h->again = true;
	else if (shown.len)
		hold_tell(h, shown);
	else
		hold_read(h);
}

static void hold_tick(struct tick *tick)
{
	struct hold *h = LINK_OF(tick, struct hold, tick);
	int64_t left = h->end_ms - loop_now_ms(h->serve->loop);

	if (left <= 0) {
		hold_read(h);
		return;
	}
	tick_set(h->serve->loop, &h->tick, left < HEARTBEAT_MS ? left : HEARTBEAT_MS);
	http_write(h->x, STR(" "));
}

static void hold_rest(struct hold *h)
{
	int64_t left = h->end_ms - loop_now_ms(h->serve->loop);

	tick_set(h->serve->loop, &h->tick, left < HEARTBEAT_MS ? left : HEARTBEAT_MS);
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
	bool over;

	h->reading = false;
	if (!h->x) {
		mem_free(h);
		request_free(r);
		return;
	}
	over = r->task.settled || h->end_ms <= loop_now_ms(h->serve->loop);
	if (job->err)
		hold_cut(h, job->err, &job->why);
	else if (over)
		hold_tell(h, buf_str(&job->out));
	else if (h->again || !hold_park(h))
		hold_read(h);
	else
		hold_rest(h);
	request_free(r);
}

/* Reads the ask for somebody who was found entitled to it when the wait began. */
static void hold_read(struct hold *h)
{
	struct request *r;

	h->again = h->reading;
	if (h->reading) return;
	tick_stop(h->serve->loop, &h->tick);
	if (!hold_park(h)) {
		hold_starve(h);
		return;
	}
	r = request_new(h->serve, NULL);
	if (!r) {
		hold_starve(h);
		return;
	}
	h->reading = true;
	r->ctx = h;
	r->task.id = arena_str(&r->task.job.arena, str_of(h->waiter.ask));
	r->task.job.who.role = ROLE_KEEPER;
	r->task.job.who.ws = h->ws;
	request_put(r, &use_ask_get, hold_was_read);
}

/* Takes the exchange over from the request. */
static struct hold *hold_new(struct request *r, struct str ask)
{
	struct hold *h = mem_alloc(sizeof *h);

	if (!h) return NULL;
	h->serve = r->serve;
	h->x = r->x;
	h->waiter.wake = hold_wake;
	h->tick.fn = hold_tick;
	h->end_ms = loop_now_ms(r->serve->loop) + r->wait_ms;
	if (feed_park(&r->serve->feed, &h->waiter, ask)) return h;
	mem_free(h);
	return NULL;
}

/* The ask is durable, and pending: the head goes out now, the rest when it is settled. */
static void hold_begin(struct hold *h, int status)
{
	serve_count(h->serve, status);
	http_on_gone(h->x, hold_gone, h);
	http_begin(h->x, status, "application/json", STR(API_HEADERS));
	http_park(h->x);
	h->begun = true;
}

/* Nothing was told since the batch that made it: all news of it are still to come. */
static bool ask_is_news(const struct request *r)
{
	return r->task.unheard && r->task.job.batch == r->serve->feed.batch;
}

static void ask_made(struct request *r)
{
	struct hold *h;
	bool news;

	if (!r->x || r->task.job.err || r->task.settled || !r->wait_ms || r->head) {
		request_reply(r, STR_NONE);
		return;
	}
	h = hold_new(r, r->task.ask);
	if (!h) {
		request_reply(r, STR_NONE);
		return;
	}
	h->ws = r->task.job.who.ws;
	hold_begin(h, r->task.job.status);
	news = ask_is_news(r);
	r->x = NULL;
	request_free(r);
	if (news)
		hold_rest(h);
	else
		hold_read(h);
}

/* What was read, in the dialect it was asked for. */
static void got_reply(struct request *r)
{
	struct job *job = &r->task.job;
	struct buf b = { 0 };

	if (r->dialect && !job->err) {
		job->err = reply_translate(
			r->dialect, r->strict, buf_str(&job->out), &b, &job->why);
		buf_done(&job->out);
		job->out = b;
	}
	request_reply(r, STR_NONE);
}

void route_ask(struct request *r)
{
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
		mem_free(h);
		r->x = NULL;
		request_free(r);
		return;
	}
	r->x = h->x;
	if (job->err || r->task.settled) {
		h->x = NULL;
		hold_free(h);
		got_reply(r);
		return;
	}
	h->ws = job->who.ws;
	hold_begin(h, 200);
	r->x = NULL;
	request_free(r);
	if (h->again || !h->waiter.parked)
		hold_read(h);
	else
		hold_rest(h);
}

void route_ask_get(struct request *r)
{
	struct hold *h = r->wait_ms && !r->head ? hold_new(r, r->task.id) : NULL;

	if (!h) {
		request_put(r, r->route->use, got_reply);
		return;
	}
	h->dialect = r->dialect;
	h->strict = r->strict;
	/* News before the first read has come back only make it read again. */
	h->reading = true;
	http_on_gone(h->x, hold_gone, h);
	r->x = NULL;
	r->ctx = h;
	request_put(r, r->route->use, ask_got);
}
