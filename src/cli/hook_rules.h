/* hook_rules.h - rules about tool calls, as Claude Code writes them: "Read",
 * "mcp__github__*", "Bash(git *)". Pure.
 *
 * What stands in parentheses is compared with what the call is about: a command, a path,
 * an address; other tools' input as JSON. `*`, `?` and `[…]` as in a shell, and `*` takes
 * in slashes; a pattern that ends in ":*" is the beginning of a command.
 *
 * A command line may hold several commands. A rule that grants must fit every one, and
 * never fits what hides others or writes to files: $(…), `…`, < and >. A rule that stops
 * need fit only one. */
#ifndef CLI_HOOK_RULES_H
#define CLI_HOOK_RULES_H

#include "base/json.h"

enum rule_effect { RULE_GRANTS, RULE_STOPS };

/* `rules` have commas between; those within parentheses belong to the pattern. */
bool rules_fit(
	struct str rules, enum rule_effect, struct str tool, const struct json *input);

#endif
