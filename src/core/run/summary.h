/* summary.h - a message that stands for earlier ones of its thread: said by a model, or only that they were left
 * out. It is kept as a user's message, {"type": "summary", "text", "messages"}; `seen` is the number of the last that
 * it stands for, `kept` the one behind which they begin. Pure. */
#ifndef CORE_SUMMARY_H
#define CORE_SUMMARY_H

#include "core/run/message.h"

enum { SUMMARY_TOKENS = 4000 }; /* the longest one */

static inline bool summary_is(const struct run_message *m)
{
	return m->role == MESSAGE_USER && m->seen > 0;
}

/* Its content; without a text they were left out. */
struct str summary_content(struct str text, int64_t messages, struct arena *);
struct str summary_kept(int64_t after, struct arena *);
/* For how many messages it stands. */
int64_t summary_count(const struct run_message *, struct arena *);
/* The number up to which messages of this thread have others that stand for them; 0: none. */
int64_t summary_upto(const struct run_message *const *all, size_t len);

/* A message as a model gets it. */
struct sent {
	const struct run_message *m;
	struct str content; /* of it, or in its place */
};

/* A thread, by numbers, in the order in which a model reads it: summaries stand behind the run's first message, in
 * place of what they are for. Returns how many; `out` has room for `len`. */
size_t summary_apply(const struct run_message *const *all, size_t len, struct str first,
	struct sent *out, struct arena *);
/* What a model is asked that has to make one of these messages, as the content of a message: results of at most so
 * many bytes. Summaries of what is not behind `after` stay, and are not in it. */
struct str summary_request(const struct sent *all, size_t len, struct str first,
	int64_t after, size_t most, struct arena *);

#endif
