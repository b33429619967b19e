/* pool.h - many things of one size that live long, kept side by side.
 *
 * On the heap they would come to lie between the short-lived memory of requests and keep
 * its pages from being used again. A page whose last thing is gone goes back. One
 * thread. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>
#include <sys/queue.h>

struct pool_page;

struct pool {
	size_t size;		     /* of a thing; set once, at most POOL_THING_MAX */
	LIST_HEAD(, pool_page) room; /* pages that have some */
	struct pool_page *spare; /* one that is empty, so that the last thing may come and
				  * go */
};

enum { POOL_THING_MAX = 2048 };

void *pool_get(struct pool *);	      /* zeroed; NULL: out of memory */
void pool_put(struct pool *, void *); /* NULL is fine */
void pool_done(struct pool *);	      /* when all things are back */

#endif
