/* http_exchange.c - what a handler may ask of its exchange: request, peer, arena,
 * parking. */
#include "net/http_conn.h"

#include <arpa/inet.h>
#include <sys/socket.h>

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
