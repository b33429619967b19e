/* rule.c - the body of a rule up to the first line end, and behind it an operation: what is
 * accepted is read back as the same bytes, covers itself and loosens nothing by itself; with a
 * deny of the same match an allow never wins; the index says what one rule alone says. */
#include "core/policy/policy.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int64_t NOW_MS = 1000000;

static struct ruling decide(const struct rule_record *const *rules, size_t len,
	const struct operation_view *look, unsigned flags, struct arena *arena)
{
	struct rule_set *set = rule_set_new();
	struct ruling out;

	for (size_t i = 0; i < len; i++)
		assert(rule_set_add(set, rules[i], NULL) == OK);
	assert(rule_set_seal(set, NULL) == OK);
	rule_set_decide(set, look, RISK_MEDIUM, NOW_MS, flags, arena, &out);
	rule_set_free(set);
	return out;
}

static void decisions_check(const struct rule_record *rule,
	const struct rule_match *match, const struct json *operation, struct arena *arena)
{
	struct rule_record deny = *rule;
	struct operation_view look;
	struct ruling one, both;
	enum effect effect;

	assert(effect_read(rule->effect, &effect));
	operation_view(&look, operation, NULL, STR("ci"), STR_NONE,
		STR("ses_00000000000000000000000000"), arena);
	one = decide(&rule, 1, &look, DECIDE_EXPLAIN, arena);
	if (arena->failed) return;
	bool fits = rule->enabled && rule_fits(match, effect, &look, RISK_MEDIUM, arena);
	assert((one.effect == effect) == fits);
	deny.effect = STR("deny");
	deny.ask = STR_NONE;
	if (rule_parse(&deny, arena, &(struct rule_match){ 0 }, NULL, NULL)) return;
	both = decide((const struct rule_record *[]){ rule, &deny }, 2, &look, 0, arena);
	assert(!fits || both.effect == EFFECT_DENY);
}

static void rule_check(struct str body, struct str operation, struct arena *arena)
{
	struct rule_record rule = { .id = STR("rul_a") }, again = { .id = STR("rul_a") };
	struct rule_match match;
	const struct json *json, *op;
	struct fault why = { 0 };

	if (json_read(body, NULL, arena, &json, NULL) ||
		rule_read(json, NULL, NULL, NOW_MS, arena, &rule, &why))
		return;
	assert(rule_parse(&rule, arena, &match, NULL, &why) == OK);
	assert(rule_match_covers(&match, &match));
	assert(!rule_loosens(&rule, &rule));
	assert(json_read(STR("{}"), NULL, arena, &json, NULL) == OK);
	assert(rule_read(json, &rule, NULL, NOW_MS, arena, &again, &why) == OK);
	assert(str_eq(rule.match, again.match) && str_eq(rule.ask, again.ask));
	if (json_read(operation, NULL, arena, &op, NULL) == OK &&
		operation_read(op, "", &(enum risk){ 0 }, NULL) == OK)
		decisions_check(&rule, &match, op, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_make((const char *)data, size), line = STR_NONE, whole;
	struct arena arena = { .max = 1 << 28 };
	struct policy policy;
	const struct json *json;

	str_cut(&rest, '\n', &line);
	rule_check(line, rest, &arena);
	/* As a policy, too: what is accepted is accepted again. */
	if (json_read(line, NULL, &arena, &json, NULL) == OK &&
		policy_read(json, str_of(policy_default), NULL, &arena, &whole, &policy,
			NULL) == OK)
		assert(policy_parse(whole, &arena, &policy, NULL) == OK);
	arena_done(&arena);
	return 0;
}
