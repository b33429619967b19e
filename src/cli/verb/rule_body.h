/* rule_body.h - rules as bodies: from the options of a command, or from a file. */
#ifndef CLI_VERB_RULE_BODY_H
#define CLI_VERB_RULE_BODY_H

#include "cli/cli_call.h"

/* What is wrong is said, and ends the program. */

/* What --agent, --project, --argument, --require, --risk, --verify, --for, --shadow and --note say, or what
 * --file holds. `effect` and `pattern` may be empty. */
struct str rule_given(struct cli *, struct str effect, struct str pattern);
/* What a person can say of a rule, without what is only shown: effect, note, enabled, match, ask,
 * expires_at, uses_left, shadow; with `id` that, too. Values are borrowed. */
struct json rule_terms(const struct json *rule, bool id, struct arena *);
/* The JSON in this file, or on standard input for "-". */
const struct json *rule_file(struct cli *, struct str name);

#endif
