/* ask_filter.h - which asks a list is of: what its address says, as parameters of the statements.
 * Private to desk. */
#ifndef DESK_ASK_FILTER_H
#define DESK_ASK_FILTER_H

#include "desk/shared/inner.h"

enum { ASK_FILTER_LEN = 11, SETTLED_FILTER_LEN = 8 };

/* $1 … $11 of every list but for $2, its limit. `person`: it is one who looks. */
enum err ask_filter_read(struct task *, struct rows *, bool person,
	struct val out[ASK_FILTER_LEN], struct fault *);

/* The history: what is settled, newest first. */
struct settled_filter {
	bool settled;	    /* it is asked for */
	struct str status;  /* of asks; empty: any */
	struct str session; /* likewise */
	struct str by;	    /* who settled it */
	struct str pattern; /* of the answer */
	int64_t from_ms, to_ms, approvals, by_rules;
};

/* `status` is as the address has it. */
enum err ask_filter_settled(struct task *, struct settled_filter *, struct fault *);
/* $14 … $21 of SQL_ASKS_SETTLED and SQL_ASKS_COUNTED. */
void ask_filter_put(const struct settled_filter *, struct val out[SETTLED_FILTER_LEN]);

#endif
