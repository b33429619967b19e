/* rules_kit.c - sets of rules written as JSON, and what they say. */
#include "rules_kit.h"

static const int64_t NOW_MS = 1000000;

struct rule_record kit_rule(const char *body, int n)
{
	struct rule_record rule = { 0 };
	struct fault why = { 0 };
	enum err e = rule_read(kit_json(body), NULL, NULL, NOW_MS, &kit, &rule, &why);

	if (e) fail_msg("%s: %s %s", body, why.items[0].pointer, why.detail);
	rule.id = arena_print(&kit, "rul_%d", n);
	return rule;
}

struct fault kit_rule_wrong(const char *body)
{
	struct rule_record rule = { 0 };
	struct fault why = { 0 };

	if (!rule_read(kit_json(body), NULL, NULL, NOW_MS, &kit, &rule, &why))
		fail_msg("%s was accepted", body);
	return why;
}

struct ruling kit_decide(const char *const *rules, const char *operation,
	const struct kit_from *from, enum risk risk, unsigned flags)
{
	static struct rule_record kept[KIT_RULES_MAX];
	struct rule_set *set = rule_set_new();
	struct operation_view look;
	struct ruling out;
	struct fault why = { 0 };

	for (int i = 0; rules[i]; i++) {
		kept[i] = kit_rule(rules[i], i);
		assert_int_equal(rule_set_add(set, &kept[i], &why), OK);
	}
	assert_int_equal(rule_set_seal(set, &why), OK);
	operation_view(&look, kit_json(operation), NULL,
		str_of(from ? from->agent : NULL), str_of(from ? from->project : NULL),
		str_of(from ? from->session : NULL), &kit);
	rule_set_decide(set, &look, risk, NOW_MS, flags, &kit, &out);
	assert_false(kit.failed);
	rule_set_free(set);
	return out;
}

const char *kit_ruled(const char *const *rules, const char *operation)
{
	struct ruling r = kit_decide(rules, operation, NULL, RISK_MEDIUM, 0);
	struct buf b = { 0 };

	buf_add_text(&b, effect_name(r.effect) ? effect_name(r.effect) : "none");
	for (size_t i = 0; i < r.hits_len; i++)
		buf_print(&b, " %.*s", STR_ARGS(r.hits[i]->id));
	const char *out = arena_copy(&kit, buf_str(&b));
	buf_done(&b);
	return out;
}

const char *kit_bash_operation(const char *command)
{
	struct buf b = { 0 };

	buf_add_text(&b, "{\"name\":\"Bash\",\"arguments\":{\"command\":");
	json_write_str(&b, str_of(command));
	buf_add_text(&b, "}}");
	const char *out = arena_copy(&kit, buf_str(&b));
	buf_done(&b);
	return out;
}

const char *kit_bash(const char *const *rules, const char *command)
{
	struct rule_record kept[KIT_RULES_MAX];
	struct rule_set *set = rule_set_new();
	struct operation_view look;
	struct ruling out;
	const struct json *operation;
	struct fault why = { 0 };

	for (int i = 0; rules[i]; i++) {
		kept[i] = kit_rule(rules[i], i);
		assert_int_equal(rule_set_add(set, &kept[i], &why), OK);
	}
	assert_int_equal(rule_set_seal(set, &why), OK);
	assert_int_equal(json_read(str_of(kit_bash_operation(command)), NULL, &kit,
				 &operation, &why),
		OK);
	operation_view(&look, operation, NULL, STR_NONE, STR_NONE, STR_NONE, &kit);
	rule_set_decide(set, &look, RISK_MEDIUM, NOW_MS, 0, &kit, &out);
	rule_set_free(set);
	return out.effect ? effect_name(out.effect) : "none";
}
