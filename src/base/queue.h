/* queue.h - many threads put, one takes all: how work reaches a thread. */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct link {
	struct link *next;
};

/* The container of a link member. */
#define LINK_OF(link, type, member)                                                      \
	((type *)(void *)((char *)(link) - __builtin_offsetof(type, member)))

struct queue;

struct queue *queue_new(void);		  /* NULL when out of memory */
struct queue *queue_free(struct queue *); /* must be empty; returns NULL */
/* False when the queue is closed; the links stay the caller's then. */
bool queue_put(struct queue *, struct link *);
bool queue_put_all(
	struct queue *, struct link *first); /* a list of them, with one wake-up */
/* Everything that waits, oldest first; sleeps until there is something, `timeout_ms` has
 * passed (-1: for ever), queue_wake was called, or the queue is closed. NULL: nothing. */
struct link *queue_take(struct queue *, int64_t timeout_ms);
void queue_wake(struct queue *);  /* lets a sleeping taker return NULL */
void queue_close(struct queue *); /* nothing more goes in; what is there comes out */
bool queue_closed(struct queue *);
bool queue_idle(struct queue *); /* empty and open, and the taker sleeps */

#endif
