/* pool_work.h - work that takes its time, such as a call to somebody outside: done by a thread of the
 * pool while the loop goes on. The server does not end before it is back. */
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

#endif
