/* decided.h - what is decided about an operation without asking anybody: the word of a rule, or the
 * policy's where no rule fits. Composed here alone, for /v1/decide, hooks, gate and runs. */
#ifndef CORE_DECIDED_H
#define CORE_DECIDED_H

#include "core/policy/policy.h"
#include "core/policy/rule_set.h"

/* Texts are borrowed, or in the arena. */
struct decided {
	enum effect effect;
	enum risk risk;
	struct str rule;   /* rul_…, "policy", or empty */
	struct str stop;   /* stp_…: it is denied while that holds */
	struct str reason; /* a clause: "a rule denies it: its note" */
	bool by_default;   /* by a mode that nobody has set */
};

/* `risk`: as far as known without the ruling, which may raise it. */
void decided_make(struct decided *, const struct policy *, enum operation_type,
	const struct ruling *, enum risk, struct arena *);
/* The reason as a sentence. */
struct str decided_sentence(const struct decided *, struct arena *);

#endif
