/* http_server.c - listens, accepts within the limit of descriptors, stops with a grace
 * period. */
#include "net/http_conn.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

enum { ACCEPTS_A_TURN = 256, ACCEPT_AGAIN_MS = 100, SPARE_FDS = 64 };

/* ---- accepting ---- */

static void server_listen(struct http_server *s)
{
	if (s->listening || s->stopping) return;
	s->listening = watch_set(s->loop, &s->listener, WATCH_READ);
}

/* Whoever comes now waits in the kernel's queue. */
static void server_pause(struct http_server *s)
{
	s->listening = false;
	watch_set(s->loop, &s->listener, 0);
}

/* Out of descriptors or memory: polling on would spin. */
static void server_accept_failed(struct http_server *s, int error)
{
	if (error == EAGAIN || error == EINTR || error == ECONNABORTED) return;
	server_pause(s);
	tick_set(s->loop, &s->tick, ACCEPT_AGAIN_MS);
}

static void server_accept(struct http_server *s)
{
	for (int i = 0; i < ACCEPTS_A_TURN; i++) {
		int fd;

		if (s->conns_len >= s->limits.connections) {
			server_pause(s);
			return;
		}
		fd = accept4(s->listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0) {
			server_accept_failed(s, errno);
			return;
		}
		conn_open(s, fd);
	}
}

/* ---- the end ---- */

static void server_free(struct http_server *s)
{
	mem_free(s->path);
	mem_free(s);
}

static void server_try_end(struct http_server *s)
{
	void (*stopped)(void *) = s->stopped;
	void *ctx = s->stopped_ctx;

	if (!s->listener_closed || s->conns_len > 0) return;
	tick_stop(s->loop, &s->tick);
	if (stopped) stopped(ctx);
	server_free(s);
}

void server_lost_conn(struct http_server *s)
{
	s->conns_len--;
	if (s->stopping)
		server_try_end(s);
	else if (!s->listening && !s->tick.next)
		server_listen(s);
}

static void listener_ready(struct watch *listener, unsigned events)
{
	struct http_server *s = LINK_OF(listener, struct http_server, listener);

	if (events) {
		server_accept(s);
		return;
	}
	s->listener_closed = true;
	server_try_end(s);
}

static void server_ticked(struct tick *tick)
{
	struct http_server *s = LINK_OF(tick, struct http_server, tick);

	if (!s->stopping) {
		server_listen(s);
		return;
	}
	for (struct conn *c = LIST_FIRST(&s->conns); c; c = LIST_NEXT(c, others))
		conn_cut(c);
}

/* Ends connections that only wait; a request that is being answered may finish. */
static void conn_stop(struct conn *c)
{
	switch (c->phase) {
	case CONN_SHAKING:
	case CONN_IDLE: conn_leave(c); break;
	case CONN_OPEN:
		if ((c->exchange.parked || c->exchange.begun) && !c->exchange.spared)
			conn_cut(c);
		break;
	default: break;
	}
	c->keep_alive = false;
}

void http_stop(struct http_server *s, int64_t grace_ms, void (*done)(void *), void *ctx)
{
	s->stopping = true;
	s->stopped = done;
	s->stopped_ctx = ctx;
	tick_stop(s->loop, &s->tick);
	tick_set(s->loop, &s->tick, grace_ms);
	if (s->path) unlink(s->path);
	watch_close(s->loop, &s->listener);
	for (struct conn *c = LIST_FIRST(&s->conns); c; c = LIST_NEXT(c, others))
		conn_stop(c);
}

/* ---- the beginning ---- */

static size_t connections_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur <= 2 * SPARE_FDS)
		return SPARE_FDS;
	return (size_t)limit.rlim_cur - SPARE_FDS;
}

static struct http_limits limits_of(const struct http_limits *l)
{
	struct http_limits m = l ? *l : (struct http_limits){ 0 };

	if (!m.header_max) m.header_max = 32 * 1024;
	if (!m.body_max) m.body_max = 1024 * 1024;
	if (!m.bodies_max) m.bodies_max = 16 * 1024 * 1024;
	if (!m.backlog_max) m.backlog_max = 256 * 1024;
	if (!m.idle_ms) m.idle_ms = 75 * 1000;
	if (!m.send_ms) m.send_ms = 30 * 1000;
	if (!m.write_ms) m.write_ms = 30 * 1000;
	if (!m.connections) m.connections = connections_max();
	return m;
}

static enum err server_start(struct http_server *s, struct str address, struct fault *why)
{
	struct listening l;
	enum err e = address_listen(address, &l, why);

	if (e) return e;
	s->listener = (struct watch){ .fn = listener_ready, .fd = l.fd };
	s->port = l.port;
	s->path = l.path;
	server_listen(s);
	if (s->listening) return OK;
	close(l.fd);
	if (s->path) unlink(s->path);
	return fail(why, ERR_UNAVAILABLE, "cannot watch %.*s", STR_ARGS(address));
}

struct http_server *http_listen(struct loop *loop, struct str address,
	const struct http_limits *limits, http_handler *handler, void *ctx,
	struct fault *why)
{
	struct http_server *s = mem_alloc(sizeof *s);
	struct hub *hub = hub_of(loop);

	if (!s || !hub) {
		mem_free(s);
		fail(why, ERR_MEMORY, "out of memory");
		return NULL;
	}
	s->loop = loop;
	s->hub = hub;
	s->limits = limits_of(limits);
	s->handler = handler;
	s->ctx = ctx;
	s->tick.fn = server_ticked;
	if (server_start(s, address, why)) {
		server_free(s);
		return NULL;
	}
	return s;
}

bool http_secure(struct http_server *s, struct tls_context *tls)
{
	if (!s->hub->sealing) s->hub->sealing = sealing_new();
	if (!s->hub->sealing) return false;
	s->tls = tls;
	return true;
}

void http_decides(struct http_server *s, const struct http_decides *decides)
{
	s->decides = decides;
}

void http_always(struct http_server *s, const char *line)
{
	s->always = line;
}

int http_port(const struct http_server *s)
{
	return s->port;
}

size_t http_connections(const struct http_server *s)
{
	return s->conns_len;
}
