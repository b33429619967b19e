/* because.h - why a person is asked, as it is kept with the ask: ids and values, no words. */
#ifndef CORE_BECAUSE_H
#define CORE_BECAUSE_H

#include "core/ask/ask.h"
#include "core/policy/rulebook.h"

enum because {
	BECAUSE_AGENT,	  /* it asked by itself */
	BECAUSE_POLICY,	  /* the policy wants a person: hooks, gate, our own agents */
	BECAUSE_RULE,	  /* ask rules do */
	BECAUSE_STOP,	  /* a rule allows it, but not while a stop holds */
	BECAUSE_VERIFIER, /* one raised the risk so that people are needed */
	BECAUSE_RUN,	  /* an error, a limit or an interrupted call */
};

/* {"by": …, "rules": [{"id", "note"}]}, in the arena. `rules` may be NULL. */
struct str because_keep(
	enum because, const struct rule_record *const *rules, size_t len, struct arena *);
/* What its event says: {"by": …, "rules": [ids]}; null where nothing is kept. */
void because_event(struct json_writer *, const struct ask *);
/* "a rule requires a person: its note"; empty where nothing is kept. The sentence is English, as
 * all of them that the catalogue translates. */
struct str because_sentence(const struct ask *, struct arena *);

#endif
