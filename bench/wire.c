#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("load: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

/* ---- the socket ---- */

void wire_open(struct wire *w, enum speech speech, int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port) };
	int on = 1;

	*w = (struct wire){ .speech = speech, .fd = socket(AF_INET, SOCK_STREAM, 0) };
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (w->fd < 0 || connect(w->fd, (struct sockaddr *)&to, sizeof to) != 0)
		die("connecting to port %d: %s", port, strerror(errno));
	setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void wire_close(struct wire *w)
{
	close(w->fd);
	free(w->in);
}

void wire_nonblocking(struct wire *w)
{
	fcntl(w->fd, F_SETFL, fcntl(w->fd, F_GETFL) | O_NONBLOCK);
}

void wire_send(struct wire *w, const char *at, size_t len)
{
	while (len > 0) {
		ssize_t n = send(w->fd, at, len, MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
		if (n < 0) die("sending: %s", strerror(errno));
		at += n;
		len -= (size_t)n;
	}
}

void wire_print(struct wire *w, const char *format, ...)
{
	char text[8192];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof text) die("a request is too long");
	wire_send(w, text, (size_t)len);
}

bool wire_read(struct wire *w)
{
	ssize_t n;

	if (w->cap - w->len < 4096) {
		w->cap = w->cap ? w->cap * 2 : 4096;
		w->in = realloc(w->in, w->cap);
		if (!w->in || w->cap > 64 * 1024 * 1024) die("a reply is too long");
	}
	n = recv(w->fd, w->in + w->len, w->cap - w->len, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
	if (n <= 0) die("the server closed: %s", n < 0 ? strerror(errno) : "end");
	w->len += (size_t)n;
	return true;
}

/* ---- whole replies ---- */

size_t wire_head(const struct wire *w)
{
	const char *end = memmem(w->in, w->len, "\r\n\r\n", 4);

	return end ? (size_t)(end - w->in) + 4 : 0;
}

static size_t chunks_end(const struct wire *w, size_t at)
{
	for (;;) {
		const char *lf =
			at < w->len ? memchr(w->in + at, '\n', w->len - at) : NULL;
		size_t size;

		if (!lf) return 0;
		size = strtoul(w->in + at, NULL, 16);
		at = (size_t)(lf - w->in) + 1 + size + 2;
		if (at > w->len) return 0;
		if (size == 0) return at;
	}
}

static size_t http_whole(const struct wire *w)
{
	size_t head = wire_head(w);
	const char *length;

	if (!head) return 0;
	length = memmem(w->in, head, "Content-Length: ", 16);
	if (!length) return chunks_end(w, head);
	head += strtoul(length + 16, NULL, 10);
	return head <= w->len ? head : 0;
}

/* Where the reply that begins at `at` ends; 0: not here yet. */
static size_t redis_end(const struct wire *w, size_t at)
{
	const char *lf = at < w->len ? memchr(w->in + at, '\n', w->len - at) : NULL;
	size_t next;
	long n;

	if (!lf) return 0;
	n = strtol(w->in + at + 1, NULL, 10);
	next = (size_t)(lf - w->in) + 1;
	switch (w->in[at]) {
	case '-': die("redis: %.*s", (int)(next - at), w->in + at);
	case '$': next += n < 0 ? 0 : (size_t)n + 2; break;
	case '*':
		for (long i = 0; i < n && next; i++)
			next = redis_end(w, next);
		break;
	default: break;
	}
	return next <= w->len ? next : 0;
}

size_t wire_whole(const struct wire *w)
{
	if (w->len == 0) return 0;
	return w->speech == SPEAK_HTTP ? http_whole(w) : redis_end(w, 0);
}

void wire_drop(struct wire *w, size_t len)
{
	memmove(w->in, w->in + len, w->len - len);
	w->len -= len;
}

size_t wire_await(struct wire *w)
{
	size_t len;

	while ((len = wire_whole(w)) == 0)
		wire_read(w);
	return len;
}

size_t wire_await_head(struct wire *w)
{
	size_t len;

	while (w->len == 0 || (len = wire_head(w)) == 0)
		wire_read(w);
	return len;
}

void wire_expect(const struct wire *w, const char *begin)
{
	size_t len = strlen(begin);

	if (w->len < len || memcmp(w->in, begin, len) != 0)
		die("%s was expected, not: %.*s", begin,
			(int)(w->len < 400 ? w->len : 400), w->in);
}

bool wire_find(
	const struct wire *w, size_t len, const char *before, char *out, size_t size)
{
	const char *at = memmem(w->in, len, before, strlen(before)), *end;

	if (!at) return false;
	at += strlen(before);
	end = memchr(at, '"', len - (size_t)(at - w->in));
	if (!end || (size_t)(end - at) >= size) return false;
	memcpy(out, at, (size_t)(end - at));
	out[end - at] = '\0';
	return true;
}

/* ---- requests ---- */

void wire_http(struct wire *w, const char *method, const char *path, const char *token,
	const char *body)
{
	if (body[0])
		wire_print(w,
			"%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
			"Authorization: Bearer %s\r\n"
			"Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
			method, path, token, strlen(body), body);
	else
		wire_print(w,
			"%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
			"Authorization: Bearer %s\r\n\r\n",
			method, path, token);
}

void wire_redis(struct wire *w, const char *word, ...)
{
	char text[8192];
	size_t len = 0;
	int words = 0;
	va_list args;

	va_start(args, word);
	for (const char *at = word; at; at = va_arg(args, const char *))
		words++;
	va_end(args);
	len += (size_t)snprintf(text, sizeof text, "*%d\r\n", words);
	va_start(args, word);
	for (const char *at = word; at; at = va_arg(args, const char *)) {
		int n = snprintf(
			text + len, sizeof text - len, "$%zu\r\n%s\r\n", strlen(at), at);

		if (n < 0 || len + (size_t)n >= sizeof text) die("a command is too long");
		len += (size_t)n;
	}
	va_end(args);
	wire_send(w, text, len);
}
