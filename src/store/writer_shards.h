/* writer_shards.h - the writing clerks of a shared store. Jobs wait in lanes, one for each shard of
 * workspaces; a clerk that is free takes all that wait in a lane that no other works at. So
 * workspaces of different shards do not wait for each other, and those of one are worked in
 * batches. What has no workspace of its own is the first clerk's, and so is the nap hook.
 *
 * Which workspace a credential is of is remembered here. It only says which jobs make a batch:
 * whose turn that is the batch finds out by itself. */
#ifndef STORE_WRITER_SHARDS_H
#define STORE_WRITER_SHARDS_H

#include "store/clerk.h"

struct writer_shards;

/* The clerks are borrowed and have no thread; hooks may be NULL. NULL: out of memory. */
struct writer_shards *writer_shards_new(
	struct clerk *const *, size_t len, const struct clerk_hooks *, struct fault *why);
enum err writer_shards_start(struct writer_shards *, struct fault *why);
/* A list of jobs by their links. Any thread; false: stopping, the jobs are yours. */
bool writer_shards_put(struct writer_shards *, struct link *jobs);
void writer_shards_wake(struct writer_shards *); /* the first clerk is to nap anew */
void writer_shards_stop(
	struct writer_shards *); /* works what is there, joins the threads */
struct writer_shards *writer_shards_free(
	struct writer_shards *); /* NULL is fine; returns NULL */

#endif
