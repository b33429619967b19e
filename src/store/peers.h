/* peers.h - what other nodes commit. One for a process whose store is shared: a thread
 * with a connection of its own.
 *
 * It knows up to which number each workspace's events were told here, and everything that
 * is told goes through it: a commit of ours at once when it follows, and otherwise, as
 * what others committed, from the log. So whoever listens gets every event once and in
 * order, whichever node it happened on. */
#ifndef STORE_PEERS_H
#define STORE_PEERS_H

#include "store/committed.h"

struct peers;

struct peers_hooks {
	void *ctx;
	/* Events, in order and without a gap; borrowed. NULL: memory was short. Never two
	 * calls at once. */
	void (*told)(void *ctx, struct committed *);
	/* Somebody in this workspace lost a right. False: say it again with the next
	 * poll. */
	bool (*revoked)(void *ctx, int64_t ws);
	/* The store cannot be reached, or (NULL) it can again. On the peers thread. */
	void (*trouble)(void *ctx, const struct fault *);
	/* A line that another node said. On the peers thread. */
	void (*said)(void *ctx, struct str line);
	/* The log of this workspace ends there, and events up to `told` were told: the store went back. From
	 * then on what follows `end` is told. On the peers thread. */
	void (*back)(void *ctx, int64_t ws, int64_t told, int64_t end);
};

/* Looks where the log stands; from then on all is told. NULL: why tells. The hooks are
 * borrowed. */
struct peers *peers_new(struct str url, const struct peers_hooks *, struct fault *why);
enum err peers_start(struct peers *, struct fault *why); /* its thread */
struct peers *peers_free(struct peers *); /* ends it; NULL is fine; returns NULL */

/* A commit of this process: told at once or soon, and the others are hinted at it. NULL:
 * there may be one. */
void peers_pass(struct peers *, struct committed *);

bool peers_synced(struct peers *); /* db_synced, at most a few seconds ago */

/* A line of text for the other nodes, which does not begin with a digit and holds no line end. They hear it
 * within a second, in the order it was said, and not at all when it is longer than PEERS_LINE_MAX, when too much
 * waits, or while there is trouble: nothing may depend on it. Any thread. */
enum { PEERS_LINE_MAX = 7900 };
void peers_say(struct peers *, struct str line);

#endif
