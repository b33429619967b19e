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
typedef void desk_hint_fn(void *ctx, const struct transient *);
void desk_on_hint(struct desk *, desk_hint_fn *, void *ctx);
/* So many more, or with a negative number fewer, read what it is told; without any it is not
 * called. */
void desk_hint_readers(struct desk *, int more);
bool desk_hint_wanted(struct desk *); /* does anybody read, here or on another node? */

/* Text of the answer: shown, and kept until the turn ends. */
void desk_hint_text(struct desk *, int64_t ws, struct str session, struct str run,
	const char *type, struct str text);
void desk_hint(struct desk *, const struct transient *);
/* The turn of this run is over, or begins anew: nothing of it is kept. */
void desk_hint_over(struct desk *, struct str run);
/* Every turn of this session that is under way is told from its beginning (run.partial). Who
 * hears that replaces what it has: so nothing is missing and nothing comes twice. */
void desk_hint_again(struct desk *, int64_t ws, struct str session);

#endif
