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
/* "90s", "30m" or seconds, in [min, max] ms; 0 when it is wrong. */
int64_t duration_check(struct check *, const struct json_place *at, struct str name,
	const struct json *, int64_t min_ms, int64_t max_ms);

#endif
