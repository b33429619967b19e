/* http_socket.c - the socket of a connection: bytes in, bytes out, and what waits because
 * it was not taken at once. */
#include "net/http_conn.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

/* What the socket did not take. */
struct rest {
	struct rest *next;
	struct frame *frame; /* holds the bytes; NULL: they are in `bytes` */
	struct str left;
	char bytes[];
};

/* Looks for what is wanted now, and for nothing when nothing is. */
static void socket_watch(struct conn *c)
{
	unsigned wanted = (c->reads ? WATCH_READ : 0u) | (c->out ? WATCH_WRITE : 0u);

	if (wanted == c->watch.wanted || c->phase == CONN_CLOSED) return;
	if (!watch_set(c->server->loop, &c->watch, wanted)) conn_cut(c);
}

void socket_read(struct conn *c, bool on)
{
	c->reads = on;
	socket_watch(c);
}

static void socket_ready(struct watch *, unsigned events);

void socket_open(struct conn *c, int fd)
{
	c->watch = (struct watch){ .fn = socket_ready, .fd = fd };
}

void socket_close(struct conn *c)
{
	watch_close(c->server->loop, &c->watch);
}

/* ---- what waits ---- */

static void rest_free(struct rest *rest)
{
	frame_drop(rest->frame);
	mem_free(rest);
}

/* Frees the first. */
static void rest_pop(struct conn *c)
{
	struct outflow *out = c->out;
	struct rest *rest = out->first;

	out->first = rest->next;
	out->rests--;
	rest_free(rest);
	if (out->first) return;
	mem_free(out);
	c->out = NULL;
}

void socket_drop(struct conn *c)
{
	while (c->out)
		rest_pop(c);
}

static bool rest_push(struct conn *c, struct rest *rest, struct str left)
{
	struct outflow *out = c->out;

	rest->left = left;
	if (out) {
		out->last->next = rest;
	} else {
		out = c->out = mem_alloc(sizeof *out);
		if (!out) {
			rest_free(rest);
			return false;
		}
		out->first = rest;
	}
	out->last = rest;
	out->len += left.len;
	if (out->rests++ == 0) conn_watch(c);
	socket_watch(c);
	return true;
}

static size_t parts_len(const struct str *parts, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += parts[i].len;
	return len;
}

/* Copies what is left of the parts after their first `sent` bytes. */
static bool rest_copy(struct conn *c, const struct str *parts, size_t n, size_t sent)
{
	size_t len = parts_len(parts, n) - sent, at = 0;
	struct rest *rest = mem_alloc(sizeof *rest + len);

	if (!rest) return false;
	for (size_t i = 0; i < n; i++) {
		struct str left = str_from(parts[i], sent);

		sent -= parts[i].len - left.len;
		if (left.len) memcpy(rest->bytes + at, left.at, left.len);
		at += left.len;
	}
	return rest_push(c, rest, str_make(rest->bytes, len));
}

size_t conn_backlog(const struct conn *c)
{
	return c->out ? c->out->len + c->out->rests * sizeof(struct rest) : 0;
}

size_t socket_waits(const struct conn *c)
{
	return c->out ? c->out->len : 0;
}

/* ---- out ---- */

static ssize_t socket_send(const struct conn *c, const struct msghdr *message)
{
	ssize_t sent;

	do {
		sent = sendmsg(c->watch.fd, message, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	if (sent < 0 && (errno == EAGAIN || errno == ENOBUFS)) return 0;
	return sent;
}

/* How many bytes the socket took at once; -1: the connection is lost. */
static ssize_t conn_try(struct conn *c, const struct str *parts, size_t n)
{
	struct iovec out[PARTS_MAX];
	struct msghdr message = { .msg_iov = out };

	if (c->out) return 0;
	for (size_t i = 0; i < n; i++)
		if (parts[i].len > 0)
			out[message.msg_iovlen++] =
				(struct iovec){ (void *)(uintptr_t)parts[i].at,
					parts[i].len };
	return message.msg_iovlen ? socket_send(c, &message) : 0;
}

bool conn_put(struct conn *c, const struct str *parts, size_t n)
{
	ssize_t sent = conn_try(c, parts, n);

	if (sent < 0) return false;
	return (size_t)sent == parts_len(parts, n) ||
	       rest_copy(c, parts, n, (size_t)sent);
}

bool conn_put_frame(struct conn *c, struct frame *f, struct str bytes)
{
	ssize_t sent = conn_try(c, &bytes, 1);
	struct rest *rest;

	if (sent < 0) return false;
	if ((size_t)sent == bytes.len) return true;
	rest = mem_alloc(sizeof *rest);
	if (!rest) return false;
	rest->frame = f;
	f->refs++;
	return rest_push(c, rest, str_from(bytes, (size_t)sent));
}

/* The socket takes bytes again. */
static void socket_flush(struct conn *c)
{
	while (c->out && c->phase != CONN_CLOSED) {
		struct rest *rest = c->out->first;
		struct iovec out = { (void *)(uintptr_t)rest->left.at, rest->left.len };
		struct msghdr message = { .msg_iov = &out, .msg_iovlen = 1 };
		ssize_t sent = socket_send(c, &message);

		if (sent < 0) {
			conn_cut(c);
			return;
		}
		c->out->len -= (size_t)sent;
		rest->left = str_from(rest->left, (size_t)sent);
		if (rest->left.len) break;
		rest_pop(c);
		conn_wrote(c);
	}
	socket_watch(c);
}

/* ---- in ---- */

static void socket_take(struct conn *c)
{
	char *bytes = c->server->hub->bytes;
	ssize_t n = read(c->watch.fd, bytes, READ_SIZE);

	if (n > 0)
		conn_came(c, str_make(bytes, (size_t)n));
	else if (n == 0)
		conn_ended(c);
	else if (errno != EAGAIN && errno != EINTR)
		conn_cut(c);
}

static void socket_ready(struct watch *w, unsigned events)
{
	struct conn *c = LINK_OF(w, struct conn, watch);

	if (!events) {
		conn_closed(c);
		return;
	}
	if (events & WATCH_BROKEN) {
		conn_cut(c);
		return;
	}
	if (events & WATCH_WRITE) socket_flush(c);
	if ((events & WATCH_READ) && c->reads && c->phase != CONN_CLOSED) socket_take(c);
}
