/* rule_inner.h - what the readers of rules and of the policy share. Private to core. */
#ifndef CORE_RULE_INNER_H
#define CORE_RULE_INNER_H

#include "core/policy/rule.h"
#include "core/shared/body.h"

void rule_match_check(struct check *, const struct json_place *, const struct json *,
	enum effect, bool literal, struct arena *, struct rule_match *out);
/* In its normal form. */
void rule_match_write(struct json_writer *, const struct json *);
bool rule_match_empty(const struct json *);
/* An array of patterns. */
void tools_check(struct check *, const struct json_place *, const struct json *,
	bool allows, struct arena *, struct tool_pattern **out, size_t *len);

#endif
