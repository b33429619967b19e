/* transient.h - what a run shows while it works: tokens, thoughts, retries. Never stored, and nothing
 * depends on it: the message follows. The text of the turn so far is kept for readers who come
 * late. Nodes that share a store tell each other. Any thread. */
#ifndef DESK_TRANSIENT_H
#define DESK_TRANSIENT_H

#include "desk/desk.h"

struct transient {
	int64_t ws;
	struct str session, run;
	const char *type; /* "run.token" */
	struct str data;  /* a JSON object */
};

/* Called on the thread that hints; borrowed for the call. With NULL it is never called
 * again. */
typedef void transient_told_fn(void *ctx, const struct transient *);
void transient_listen(struct desk *, transient_told_fn *, void *ctx);
/* So many more, or with a negative number fewer, read what it is told; without any it is not
 * called. */
void transient_readers(struct desk *, int more);
bool transient_wanted(struct desk *); /* does anybody read, here or on another node? */

/* Text of the answer, which is the data: shown, and kept until the turn ends. `tokens`: of all that came so
 * far. */
void transient_text(struct desk *, const struct transient *, int64_t tokens);
void transient_tell(struct desk *, const struct transient *);
/* The turn of this run is over, or begins anew: nothing of it is kept. */
void transient_over(struct desk *, struct str run);
/* Every turn of this session that is under way is told from its beginning (run.partial). Who
 * hears that replaces what it has: so nothing is missing and nothing comes twice. */
void transient_replay(struct desk *, int64_t ws, struct str session);

#endif
