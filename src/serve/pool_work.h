/* pool_work.h - work that takes its time, such as a call to somebody outside: done by a thread of the
 * pool while the loop goes on. The server does not end before it is back. Prefixes: pool_work_, probe_. */
#ifndef SERVE_POOL_WORK_H
#define SERVE_POOL_WORK_H

#include <stdbool.h>
#include <uv.h>

struct serve;

/* The head of what the work needs. */
struct pool_work {
	uv_work_t uv;
	struct serve *serve;
	void (*run)(struct pool_work *); /* in the pool */
	void (*back)(
		struct pool_work *, bool ran); /* on the loop; it may free the work */
};

/* Without a thread for it, it is back at once. */
void pool_work_start(struct serve *, struct pool_work *);

/* Tries of what others offer (a provider, a tool, an MCP server) are few at once. With `serve->probes` as
 * their count: is there room for one more? */
struct request;
bool probe_room(const struct serve *);
/* The desk has looked up what is tried. False: there is no room, or nothing to try; the request is over. */
bool probe_begins(struct request *, bool room, const char *what);

#endif
