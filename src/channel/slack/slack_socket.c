/* slack_socket.c - keeps a connection to Slack open.
 *
 * 1. There is one connection that counts; another is opened before Slack ends it, so for a moment there
 *    are two. What was called over one is acknowledged over the same.
 * 2. A connection is opened in the pool: apps.connections.open says where, then it is connected.
 * 3. None is opened within a second of the last; what fails is tried again after 1, 2, 4 … 60 s, and
 *    logged once.
 * 4. A connection over which nothing came for a while, in spite of pings, is dropped.
 * Every node may have one: Slack calls over any of them. */
#include "channel/slack/slack_socket.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "channel/slack/slack_call.h"
#include "channel/slack/slack_payload.h"
#include "net/websocket.h"

enum {
	OPEN_MS = 10 * 1000,
	PING_MS = 15 * 1000,
	SILENT_MS = 45 * 1000,
	PAUSE_MIN_MS = 1000,
	PAUSE_MAX_MS = 60 * 1000,
};

struct slack_link {
	struct slack_link *next;
	struct slack_socket *socket;
	struct websocket *ws;
	uint64_t number;
	bool greeted; /* Slack said hello */
	bool leaving; /* Slack ends it soon */
};

struct slack_socket {
	struct serve *serve;
	struct str api, token;
	struct slack_link *links;
	uint64_t numbers;
	bool opening, stopping, troubled;
	int fails;	   /* in a row */
	int64_t opened_ms; /* the last time; loop_now_ms */
	int stop_fd;
	struct tick again, beat;
};

static void socket_open_soon(struct slack_socket *s, int64_t after_ms);

/* ---- opening, in the pool ---- */

struct slack_opening {
	struct pool_work work; /* first */
	struct slack_socket *socket;
	struct websocket *ws; /* NULL: why says */
	struct fault why;
};

static void opening_run(struct pool_work *work)
{
	struct slack_opening *o = (struct slack_opening *)work;
	const struct slack_socket *s = o->socket;
	struct arena arena = { 0 };
	const struct slack_call call = {
		.url = slack_method_url(s->api, STR("apps.connections.open"), &arena).at,
		.token = s->token,
		.form = true,
		.timeout_ms = OPEN_MS,
		.stop_fd = s->stop_fd,
	};
	const struct json *said;

	if (slack_call(&call, &arena, &said, &o->why) == OK)
		websocket_open(arena_copy(&arena, json_text_of(said, "url")), OPEN_MS,
			s->stop_fd, &o->ws, &o->why);
	arena_done(&arena);
}

/* ---- a connection ---- */

/* The connection that stays when Slack asks us to reconnect. */
static struct slack_link *link_lasting(const struct slack_socket *s)
{
	for (struct slack_link *l = s->links; l; l = l->next)
		if (!l->leaving) return l;
	return NULL;
}

bool slack_socket_open(const struct slack_socket *s)
{
	for (const struct slack_link *l = s->links; l; l = l->next)
		if (l->greeted) return true;
	return false;
}

static void link_free(struct slack_link *l)
{
	struct slack_link **at = &l->socket->links;

	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	websocket_free(l->ws);
	mem_free(l);
}

static void link_trouble(struct slack_socket *s, const char *why)
{
	if (!s->troubled && !s->stopping)
		log_line(LOG_WARN, "Slack's socket cannot be opened: %s", why);
	s->troubled = true;
	s->fails++;
}

static int64_t pause_ms(const struct slack_socket *s)
{
	int64_t ms = PAUSE_MIN_MS;

	for (int i = 1; i < s->fails && ms < PAUSE_MAX_MS; i++)
		ms *= 2;
	return ms < PAUSE_MAX_MS ? ms : PAUSE_MAX_MS;
}

static void link_over(struct slack_link *l, const char *why)
{
	struct slack_socket *s = l->socket;

	if (!l->greeted) link_trouble(s, why);
	link_free(l);
	if (!link_lasting(s)) socket_open_soon(s, s->fails ? pause_ms(s) : 0);
}

static void link_ended(void *ctx, const char *why)
{
	link_over(ctx, why);
}

static void link_greeted(struct slack_link *l)
{
	struct slack_socket *s = l->socket;

	l->greeted = true;
	s->fails = 0;
	if (s->troubled) log_line(LOG_INFO, "Slack's socket is open again");
	s->troubled = false;
}

static void link_text(void *ctx, struct str text)
{
	struct slack_link *l = ctx;
	struct slack_socket *s = l->socket;
	struct arena arena = { 0 };
	struct slack_envelope e;

	if (slack_envelope_read(text, &arena, &e, NULL) != OK)
		e = (struct slack_envelope){ 0 };
	if (e.kind == ENVELOPE_HELLO) {
		link_greeted(l);
	} else if (e.kind == ENVELOPE_GOODBYE) {
		/* Socket Mode was turned off: Slack opens none until it is on again. */
		if (str_is(e.reason, "link_disabled"))
			link_trouble(s, "Socket Mode is turned off for the app");
		l->leaving = true;
		if (!link_lasting(s)) socket_open_soon(s, s->fails ? pause_ms(s) : 0);
	} else if (e.kind == ENVELOPE_CALL) {
		slack_take(s->serve, l->number, text);
	}
	arena_done(&arena);
}

void slack_socket_acknowledge(
	struct slack_socket *s, uint64_t link, struct str envelope, struct str reply)
{
	struct buf out = { .max = 1 << 20 };

	for (struct slack_link *l = s->links; l; l = l->next)
		if (l->number == link) {
			slack_envelope_acknowledge(&out, envelope, reply);
			if (!out.failed) websocket_say(l->ws, buf_str(&out));
		}
	buf_done(&out);
}

/* ---- back on the loop ---- */

static void link_start(struct slack_socket *s, struct websocket *ws)
{
	struct slack_link *l = mem_alloc(sizeof *l);

	if (!l) {
		websocket_free(ws);
		link_trouble(s, "out of memory");
		socket_open_soon(s, pause_ms(s));
		return;
	}
	*l = (struct slack_link){ s->links, s, ws, ++s->numbers };
	s->links = l;
	websocket_start(ws, s->serve->loop,
		&(struct websocket_events){ link_text, link_ended, l });
	tick_set(s->serve->loop, &s->beat, PING_MS);
}

static void opening_back(struct pool_work *work, bool ran)
{
	struct slack_opening *o = (struct slack_opening *)work;
	struct slack_socket *s = o->socket;
	int64_t told_ms = o->why.retry_after_s * 1000;

	s->opening = false;
	if (s->stopping) {
		websocket_free(o->ws);
	} else if (o->ws) {
		link_start(s, o->ws);
	} else {
		link_trouble(s, ran ? o->why.detail : "no thread");
		socket_open_soon(s, told_ms > pause_ms(s) ? told_ms : pause_ms(s));
	}
	mem_free(o);
}

static void socket_open_now(struct tick *tick)
{
	struct slack_socket *s = LINK_OF(tick, struct slack_socket, again);
	struct slack_opening *o;

	if (s->opening || s->stopping) return;
	o = mem_alloc(sizeof *o);
	if (!o) {
		socket_open_soon(s, PAUSE_MAX_MS);
		return;
	}
	o->work.run = opening_run;
	o->work.back = opening_back;
	o->socket = s;
	s->opening = true;
	s->opened_ms = loop_now_ms(s->serve->loop);
	pool_work_start(s->serve, &o->work);
}

static void socket_open_soon(struct slack_socket *s, int64_t after_ms)
{
	int64_t rest = s->opened_ms + PAUSE_MIN_MS - loop_now_ms(s->serve->loop);

	if (s->stopping || s->opening) return;
	if (s->opened_ms && after_ms < rest) after_ms = rest;
	if (after_ms)
		tick_set(s->serve->loop, &s->again, after_ms);
	else
		socket_open_now(&s->again);
}

/* Pings what is alive, and drops what is not. */
static void socket_beat(struct tick *tick)
{
	struct slack_socket *s = LINK_OF(tick, struct slack_socket, beat);
	int64_t now = loop_now_ms(s->serve->loop);

	for (struct slack_link *l = s->links, *next; l; l = next) {
		next = l->next;
		if (now - websocket_heard_ms(l->ws) >= SILENT_MS)
			link_over(l, "nothing came over it");
		else
			websocket_ping(l->ws);
	}
	if (s->links) tick_set(s->serve->loop, &s->beat, PING_MS);
}

/* ---- the whole ---- */

struct slack_socket *slack_socket_new(
	struct serve *serve, struct str api, struct str app_token)
{
	struct slack_socket *s = mem_alloc(sizeof *s);

	if (!s) return NULL;
	s->serve = serve;
	s->again.fn = socket_open_now;
	s->beat.fn = socket_beat;
	s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->api = api;
	s->token = app_token;
	return s->stop_fd >= 0 ? s : slack_socket_free(s);
}

struct slack_socket *slack_socket_free(struct slack_socket *s)
{
	if (!s) return NULL;
	if (s->stop_fd >= 0) close(s->stop_fd);
	mem_free(s);
	return NULL;
}

void slack_socket_start(struct slack_socket *s)
{
	if (s) socket_open_soon(s, 0);
}

void slack_socket_stop(struct slack_socket *s)
{
	if (!s) return;
	s->stopping = true;
	eventfd_write(s->stop_fd, 1);
	tick_stop(s->serve->loop, &s->again);
	tick_stop(s->serve->loop, &s->beat);
	while (s->links)
		link_free(s->links);
}
