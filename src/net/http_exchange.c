#include "net/http_conn.h"

const struct http_request *http_request(const struct exchange *x)
{
	return x->reading ? &x->reading->request : NULL;
}

struct arena *http_arena(struct exchange *x)
{
	return &x->reading->arena;
}

struct loop *http_loop(const struct exchange *x)
{
	return conn_of(x)->server->loop;
}

void *http_server_ctx(const struct exchange *x)
{
	return conn_of(x)->server->ctx;
}

void http_on_gone(struct exchange *x, void (*fn)(void *ctx), void *ctx)
{
	x->gone = fn;
	x->gone_ctx = ctx;
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

bool http_parked(const struct exchange *x)
{
	return x->parked;
}
