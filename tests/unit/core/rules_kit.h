/* rules_kit.h - sets of rules written as JSON, and what they say. */
#ifndef TESTS_UNIT_CORE_RULES_KIT_H
#define TESTS_UNIT_CORE_RULES_KIT_H

#include "core/policy/policy.h"

#include "kit.h"

enum { KIT_RULES_MAX = 64 };

/* Where the operation comes from. Zeroed: nobody, no project. */
struct kit_from {
	const char *agent, *project, *session;
};

/* A record made from a body written with '; must be right. Its id is rul_N. */
struct rule_record kit_rule(const char *body, int n);
/* The fault of a body that must be wrong. */
struct fault kit_rule_wrong(const char *body);

/* `rules` ends with NULL. The ruling lies in the kit's arena. */
struct ruling kit_decide(const char *const *rules, const char *operation,
	const struct kit_from *, enum risk, unsigned flags);
/* "allow rul_0 rul_2", "ask rul_1", "none": the effect and those that decided. */
const char *kit_ruled(const char *const *rules, const char *operation);
/* The effect alone, for a command line that Bash would run. */
const char *kit_bash(const char *const *rules, const char *command);
/* {'name':'Bash','arguments':{'command':…}} */
const char *kit_bash_operation(const char *command);

#define RULES(...) ((const char *const[]){ __VA_ARGS__, NULL })

#endif
