/* lanes.h - the writing clerks of a shared store. Jobs wait in lanes, one for each shard of
 * workspaces; a clerk that is free takes all that wait in a lane that no other works at. So
 * workspaces of different shards do not wait for each other, and those of one are worked in
 * batches. What has no workspace of its own is the first clerk's, and so is the nap hook.
 *
 * Which workspace a credential is of is remembered here. It only says which jobs make a batch:
 * whose turn that is the batch finds out by itself. */
#ifndef STORE_LANES_H
#define STORE_LANES_H

#include "store/clerk.h"

struct lanes;

/* The clerks are borrowed and have no thread; hooks may be NULL. NULL: out of memory. */
struct lanes *lanes_new(
	struct clerk *const *, size_t len, const struct clerk_hooks *, struct fault *why);
enum err lanes_start(struct lanes *, struct fault *why);
/* A list of jobs by their links. Any thread; false: stopping, the jobs are yours. */
bool lanes_put(struct lanes *, struct link *jobs);
void lanes_wake(struct lanes *);	  /* the first clerk is to nap anew */
void lanes_stop(struct lanes *);	  /* works what is there, joins the threads */
struct lanes *lanes_free(struct lanes *); /* NULL is fine; returns NULL */

#endif
