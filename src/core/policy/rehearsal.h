/* rehearsal.h - what other rules would have made of operations that were, counted. Pure. */
#ifndef CORE_REHEARSAL_H
#define CORE_REHEARSAL_H

#include "core/policy/rule.h"

/* One operation: what became of it, what would. EFFECT_ASK: a person was or would be asked, whether
 * anybody answered or not. */
struct rehearsed {
	enum effect was, would;
	bool approved, rejected; /* by a person */
};

struct rehearsal {
	int64_t operations, was[EFFECT_DENY + 1], would[EFFECT_DENY + 1];
	int64_t ran_though_rejected;	 /* would be allowed; a person said no */
	int64_t stopped_though_approved; /* would be denied; a person said yes */
};

/* True: it differs. */
bool rehearsal_add(struct rehearsal *, const struct rehearsed *);
/* Its members but for the lists: operations, was, would, …. */
void rehearsal_write(struct json_writer *, const struct rehearsal *, bool truncated);

#endif
