/* wire.h - connections to the server that is measured: HTTP/1.1 and Redis' protocol.
 *
 * A connection keeps what it has read until a whole reply is there. Whatever goes wrong
 * ends the program: a benchmark with errors has no numbers. */
#ifndef BENCH_WIRE_H
#define BENCH_WIRE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

enum { WIRE_IN = 64 * 1024 };

enum speech { SPEAK_HTTP, SPEAK_REDIS };

struct wire {
	int fd;
	enum speech speech;
	size_t len, cap;
	char *in;
	int lane; /* the owner's */
};

void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

void wire_open(struct wire *, enum speech, int port); /* 127.0.0.1 */
void wire_close(struct wire *);
void wire_nonblocking(struct wire *);
void wire_send(struct wire *, const char *at, size_t len); /* all of it */
void wire_print(struct wire *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Reads what is there. False: nothing, on a non-blocking connection. */
bool wire_read(struct wire *);
/* The length of the first whole reply read so far; 0: there is none yet. */
size_t wire_whole(const struct wire *);
/* The length of its head, for a reply whose body comes later; 0: not yet. */
size_t wire_head(const struct wire *);
void wire_drop(struct wire *, size_t len);
/* Blocks until a whole reply (a head) is there; its length. */
size_t wire_await(struct wire *);
size_t wire_await_head(struct wire *);
/* Dies unless the reply begins with this: "HTTP/1.1 201", ":1". */
void wire_expect(const struct wire *, const char *begin);
/* Copies what stands between `before` and the next quote; false: it is not there. */
bool wire_find(
	const struct wire *, size_t len, const char *before, char *out, size_t size);

/* A request to our server; body may be "". */
void wire_http(struct wire *, const char *method, const char *path, const char *token,
	const char *body);
/* A command of Redis, its words as C strings, NULL at the end. */
void wire_redis(struct wire *, const char *word, ...) __attribute__((sentinel));

#endif
