/* http_conn.c - the life of a connection: read, hand over, reuse, close. */
#include "net/http_conn.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

/* ---- the hub ---- */

static void hub_drop_spares(struct hub *hub)
{
	while (hub->spare) {
		struct http_reading *r = hub->spare;

		hub->spare = r->next;
		reading_done(r);
		mem_free(r);
	}
	hub->spares = 0;
}

static void hub_free(void *thing)
{
	struct hub *hub = thing;

	hub_drop_spares(hub);
	pool_done(&hub->conns);
	sealing_free(hub->sealing);
	mem_free(hub);
}

/* Many connections wait now: free the spare buffers of their requests. */
static void hub_tidy(struct tick *tick)
{
	struct hub *hub = LINK_OF(tick, struct hub, tidy);

	hub->parked = 0;
	hub_drop_spares(hub);
	if (hub->tidied) hub->tidied(hub->tidied_ctx);
	arena_tidy();
	mem_tidy();
}

void http_on_tidy(struct loop *loop, void (*fn)(void *ctx), void *ctx)
{
	struct hub *hub = hub_of(loop);

	if (!hub) return;
	hub->tidied = fn;
	hub->tidied_ctx = ctx;
}

/* One more exchange is parked. */
static void hub_parked(struct hub *hub)
{
	if (++hub->parked >= MANY_PARKED) tick_set(hub->loop, &hub->tidy, TIDY_MS);
}

struct hub *hub_of(struct loop *loop)
{
	struct hub *hub = loop_attached(loop);

	if (hub) return hub;
	hub = mem_alloc(sizeof *hub);
	if (hub) {
		hub->loop = loop;
		hub->tidy.fn = hub_tidy;
		hub->conns.size = sizeof(struct conn);
		hub->date_turn_ms = -1;
		loop_attach(loop, hub, hub_free);
	}
	return hub;
}

static struct http_reading *hub_reading(struct hub *hub)
{
	struct http_reading *r = hub->spare;

	if (!r) return mem_alloc(sizeof *r);
	hub->spare = r->next;
	hub->spares--;
	return r;
}

/* Counts the bytes that are held of bodies that are not complete yet. */
static void body_count(struct hub *hub, struct http_reading *r, size_t len)
{
	hub->bodies += len - r->counted;
	r->counted = len;
}

/* Small ones have room of their own: a few that send much do not keep the others out. */
static bool body_fits(const struct conn *c)
{
	const struct http_server *s = c->server;
	size_t len = c->exchange.reading->body.len;

	return s->path || s->hub->bodies <= s->limits.bodies_max ||
	       (len <= SMALL_BODY && s->hub->bodies <= 2 * s->limits.bodies_max);
}

/* The reading stops. */
static void conn_release(struct conn *c)
{
	struct hub *hub = c->server->hub;
	struct http_reading *r = c->exchange.reading;

	if (!r) return;
	body_count(hub, r, 0);
	c->exchange.reading = NULL;
	if (hub->spares >= SPARE_READINGS) {
		reading_done(r);
		mem_free(r);
		return;
	}
	reading_clear(r);
	r->next = hub->spare;
	hub->spare = r;
	hub->spares++;
}

/* ---- the end ---- */

static void kept_drop(struct conn *c)
{
	if (!c->kept) return;
	buf_done(c->kept);
	mem_free(c->kept);
	c->kept = NULL;
}

void conn_closed(struct conn *c)
{
	struct http_server *server = c->server;

	if (c->exchange.open && c->exchange.gone) c->exchange.gone(c->exchange.gone_ctx);
	conn_release(c);
	kept_drop(c);
	socket_drop(c);
	tls_free(c->tls);
	LIST_REMOVE(c, others);
	pool_put(&server->hub->conns, c);
	server_lost_conn(server);
}

void conn_cut(struct conn *c)
{
	if (c->phase == CONN_CLOSED) return;
	c->phase = CONN_CLOSED;
	tick_stop(c->server->loop, &c->tick);
	socket_close(c);
}

void conn_leave(struct conn *c)
{
	if (c->tls && c->phase != CONN_CLOSED) conn_bid_farewell(c);
	conn_cut(c);
}

static void conn_resume(struct conn *c)
{
	c->paused = false;
	socket_read(c, true);
}

/* The peer is to get the end of our reply: closing with bytes unread would reset the
 * connection. */
static void conn_linger(struct conn *c)
{
	kept_drop(c);
	/* If close_notify cannot be sent at once, this runs again when it was. */
	if (c->tls && conn_bid_farewell(c) && c->out) return;
	if (c->phase == CONN_CLOSED) return;
	if (c->ended || shutdown(c->watch.fd, SHUT_WR)) {
		conn_cut(c);
		return;
	}
	c->phase = CONN_LINGERING;
	tick_set(c->server->loop, &c->tick, LINGER_MS);
	conn_resume(c);
}

/* ---- requests ---- */

void conn_ready(struct conn *c)
{
	c->phase = CONN_IDLE;
	tick_set(c->server->loop, &c->tick, c->server->limits.idle_ms);
}

static void conn_handle(struct conn *c)
{
	struct exchange *x = &c->exchange;

	c->phase = CONN_OPEN;
	body_count(c->server->hub, x->reading, 0);
	c->keep_alive = x->reading->keep_alive && !c->server->stopping;
	x->open = true;
	x->begun = x->parked = x->spared = x->lasts = false;
	x->is_head = x->reading->request.method == HTTP_M_HEAD;
	x->http_1_0 = x->reading->request.http_1_0;
	c->server->handler(c->server->ctx, x);
}

static bool conn_begin_reading(struct conn *c)
{
	struct http_server *s = c->server;

	c->exchange.reading = hub_reading(s->hub);
	if (!c->exchange.reading) return false;
	reading_begin(c->exchange.reading, s->limits.header_max, s->limits.body_max);
	c->exchange.reading->body_more = s->limits.body_more;
	return true;
}

/* The clock of a slow sender starts with a request's first bytes, once. */
static void conn_await(struct conn *c)
{
	if (c->phase == CONN_READING) return;
	c->phase = CONN_READING;
	tick_set(c->server->loop, &c->tick, c->server->limits.send_ms);
}

static void conn_keep(struct conn *c, struct str bytes)
{
	if (!c->kept) c->kept = mem_alloc(sizeof *c->kept);
	if (!c->kept) {
		conn_cut(c);
		return;
	}
	buf_add(c->kept, bytes);
	if (c->kept->failed) {
		conn_cut(c);
	} else if (c->kept->len >= KEPT_MAX) {
		c->paused = true;
		socket_read(c, false);
	}
}

/* One step; returns how many bytes it took. */
static size_t conn_step(struct conn *c, struct str bytes)
{
	enum parse_step step;
	size_t n;

	if (!c->exchange.reading && !conn_begin_reading(c)) {
		conn_refuse_full(c, bytes, "out of memory");
		return bytes.len;
	}
	n = reading_feed(c->exchange.reading, bytes, &step);
	if (step == PARSE_MORE || step == PARSE_CONTINUE) {
		body_count(c->server->hub, c->exchange.reading,
			c->exchange.reading->body.len);
		if (!body_fits(c)) {
			conn_refuse_full(c, bytes, "too many bodies are being received");
			return bytes.len;
		}
	}
	switch (step) {
	case PARSE_MORE: conn_await(c); break;
	case PARSE_CONTINUE:
		conn_await(c);
		if (n == bytes.len) conn_continue(c);
		break;
	case PARSE_DONE: conn_handle(c); break;
	case PARSE_REFUSED:
		if (c->exchange.reading->status == 503)
			conn_refuse_full(c, bytes, c->exchange.reading->detail);
		else
			conn_refuse(c, c->exchange.reading->status,
				c->exchange.reading->detail);
		break;
	}
	return n;
}

/* Works off requests for as long as they are answered at once. The rest is kept. */
static void conn_take(struct conn *c, struct str bytes)
{
	c->taking = true;
	while (bytes.len > 0 && c->phase <= CONN_READING)
		bytes = str_from(bytes, conn_step(c, bytes));
	c->taking = false;
	if (bytes.len > 0 &&
		(c->phase == CONN_OPEN || (c->phase == CONN_FLUSHING && c->keep_alive)))
		conn_keep(c, bytes);
}

/* All is written: the next request, or the end. */
static void conn_next(struct conn *c)
{
	struct buf *kept = c->kept;

	if (!c->keep_alive || (c->ended && !kept)) {
		conn_linger(c);
		return;
	}
	conn_ready(c);
	if (c->taking) return;
	if (kept) {
		c->kept = NULL;
		conn_take(c, buf_str(kept));
		buf_done(kept);
		mem_free(kept);
	}
	if (c->ended && c->phase <= CONN_READING)
		conn_leave(c);
	else if (c->paused && !c->ended && (!c->kept || c->kept->len < KEPT_MAX))
		conn_resume(c);
}

void conn_over(struct conn *c)
{
	c->exchange.open = false;
	c->exchange.gone = c->exchange.drained = NULL;
	conn_release(c);
	if (c->phase == CONN_CLOSED) return;
	c->phase = CONN_FLUSHING;
	if (c->server->stopping) c->keep_alive = false;
	if (!c->out) conn_next(c);
}

/* ---- time ---- */

/* Starts with the first that waits: a reader that takes nothing is not saved by more
 * being written to it. */
void conn_watch(struct conn *c)
{
	c->out->seen = c->out->len;
	if (c->phase == CONN_OPEN || c->phase == CONN_FLUSHING)
		tick_set(c->server->loop, &c->tick, c->server->limits.write_ms);
}

void conn_wrote(struct conn *c)
{
	if (c->phase == CONN_CLOSED) return;
	if (c->out)
		conn_watch(c);
	else if (c->phase == CONN_FLUSHING)
		conn_next(c);
	else if (c->phase == CONN_OPEN && c->exchange.drained)
		c->exchange.drained(c->exchange.drained_ctx);
}

static void conn_write_tick(struct conn *c)
{
	if (!c->out) return;
	if (c->out->len < c->out->seen)
		conn_watch(c);
	else
		conn_cut(c);
}

static void conn_ticked(struct tick *tick)
{
	struct conn *c = LINK_OF(tick, struct conn, tick);

	switch (c->phase) {
	case CONN_READING:
		conn_refuse(c, 408, "the request took too long to arrive");
		break;
	case CONN_OPEN:
	case CONN_FLUSHING: conn_write_tick(c); break;
	case CONN_IDLE: conn_leave(c); break;
	case CONN_SHAKING:
	case CONN_LINGERING: conn_cut(c); break;
	case CONN_CLOSED: break;
	}
}

/* ---- the socket ---- */

/* A peer that half-closes still gets the reply that is on its way; one that is parked, or
 * whose reply takes long, is taken for gone. */
void conn_ended(struct conn *c)
{
	c->ended = true;
	socket_read(c, false);
	switch (c->phase) {
	case CONN_OPEN:
		if (c->exchange.parked || c->exchange.lasts) conn_cut(c);
		break;
	case CONN_FLUSHING: break;
	default: conn_leave(c); break;
	}
}

void conn_got(struct conn *c, struct str text)
{
	switch (c->phase) {
	case CONN_IDLE:
	case CONN_READING: conn_take(c, text); break;
	case CONN_OPEN: conn_keep(c, text); break;
	case CONN_FLUSHING:
		if (c->keep_alive) conn_keep(c, text);
		break;
	case CONN_LINGERING:
		c->thrown += (uint32_t)text.len;
		if (c->thrown > LINGER_MAX) conn_cut(c);
		break;
	case CONN_SHAKING:
	case CONN_CLOSED: break;
	}
}

void conn_came(struct conn *c, struct str bytes)
{
	if (c->tls && c->phase != CONN_LINGERING)
		conn_unseal(c, bytes);
	else
		conn_got(c, bytes);
}

bool conn_open(struct http_server *server, int fd)
{
	struct conn *c = pool_get(&server->hub->conns);
	int on = 1;

	if (!c) {
		close(fd);
		return false;
	}
	c->server = server;
	c->tick.fn = conn_ticked;
	socket_open(c, fd);
	LIST_INSERT_HEAD(&server->conns, c, others);
	server->conns_len++;
	if (!server->path) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (!server->tls) {
		conn_ready(c);
	} else if (!conn_secure(c)) {
		conn_cut(c);
		return false;
	}
	conn_resume(c);
	return true;
}

/* ---- what a handler may ask of its exchange ---- */

const struct http_request *http_request(const struct exchange *x)
{
	return x->reading ? &x->reading->request : NULL;
}

void http_peer(const struct exchange *x, char out[PEER_SIZE])
{
	struct sockaddr_storage at = { 0 };
	socklen_t len = sizeof at;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)(void *)&at;
	const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)&at;

	out[0] = '\0';
	if (getpeername(conn_of(x)->watch.fd, (struct sockaddr *)&at, &len)) return;
	if (at.ss_family == AF_INET) {
		inet_ntop(AF_INET, &four->sin_addr, out, PEER_SIZE);
	} else if (at.ss_family == AF_INET6) {
		if (!IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
			memset(&six->sin6_addr.s6_addr[8], 0, 8);
		inet_ntop(AF_INET6, &six->sin6_addr, out, PEER_SIZE);
	}
}

void http_on_gone(struct exchange *x, void (*fn)(void *ctx), void *ctx)
{
	x->gone = fn;
	x->gone_ctx = ctx;
}

void http_lasts(struct exchange *x, bool lasts)
{
	struct conn *c = conn_of(x);

	x->lasts = lasts;
	if (lasts && c->ended && c->phase == CONN_OPEN) conn_cut(c);
}

void http_on_drained(struct exchange *x, void (*fn)(void *ctx), void *ctx)
{
	x->drained = fn;
	x->drained_ctx = ctx;
}

size_t http_backlog(const struct exchange *x)
{
	return socket_waits(conn_of(x));
}

void http_park(struct exchange *x)
{
	struct conn *c = conn_of(x);

	x->parked = true;
	conn_release(c);
	hub_parked(c->server->hub);
	if (c->ended || c->server->stopping) conn_cut(c);
}

void http_spare(struct exchange *x)
{
	x->spared = true;
}
