/* workspace.h - what a batch has to know of a workspace before it decides. Private to desk. */
#ifndef DESK_WORKSPACE_H
#define DESK_WORKSPACE_H

#include "store/clerk.h"

struct workspace_facts {
	int64_t policy_version;
	int64_t contacts; /* how many there are; 0: nobody can be notified */
};

/* As the store has it in this batch, changes of its own policy apart (rows_policy_raised). */
enum err workspace_facts(const struct job *, struct rows *, int64_t ws,
	struct workspace_facts *out, struct fault *);

#endif
