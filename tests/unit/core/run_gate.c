/* Every operation of our tools by every mode, category, setting, override, raised risk and rule, against the table of
 * the manual written down once more. */
#include "base/keep.h"
#include "core/run/run_tool.h"

#include "kit.h"

#include <stdio.h>

static const char *const modes[] = { "auto", "manual", "selective" };
static const char *const risks[] = { "low", "medium", "high", "critical" };

struct setting {
	int mode;
	bool on, low, high; /* its category, auto_approve_low, always_confirm_high */
};

/* ---- the oracle ---- */

/* Two tables of words: a row for who asks, a column a risk. */
static bool oracle_asks(const struct setting *s, int risk)
{
	bool gated = s->mode == 1 || (s->mode == 2 && s->on);

	switch (risk) {
	case 0: return gated && !s->low;
	case 1: return gated;
	case 2: return gated || s->high;
	default: return true;
	}
}

/* category, risk and whether it is never gated, by the name of an operation. */
static const struct {
	const char *name;
	int risk; /* -1: never gated */
	const char *category;
} table[] = {
	{ "ask_user_question", -1, "" },
	{ "report", -1, "" },
	{ "memory/list", 0, "tools" },
	{ "memory/get", 0, "tools" },
	{ "memory/search", 0, "tools" },
	{ "todo/list", 0, "tools" },
	{ "memory/add", 1, "tools" },
	{ "memory/delete", 1, "tools" },
	{ "todo/create", 1, "tools" },
	{ "todo/update", 1, "tools" },
	{ "todo/complete", 1, "tools" },
	{ "todo/delete", 1, "tools" },
	{ "delegate_task", 1, "sub_agents" },
	{ "spawn_agent", 2, "sub_agents" },
	{ "parallel_tasks", 2, "sub_agents" },
	{ "test_append", 2, "tools" },
};

static size_t row_of(const struct run_operation *op, struct arena *arena)
{
	struct str name = run_operation_name(op, arena);

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (str_is(name, table[i].name)) return i;
	fail_msg("%.*s is not in the table", STR_ARGS(name));
	return 0;
}

/* ---- the product ---- */

static struct str setting_text(const struct setting *s, const char *category, int raised,
	const char *name, struct arena *arena)
{
	static const char *const all[] = { "tools", "sub_agents", "mcp", "file_ops",
		"db_ops" };
	struct buf b = { 0 };

	buf_print(&b,
		"{\"mode\":\"%s\",\"auto_approve_low\":%s,\"always_confirm_high\":%s,"
		"\"selective\":{",
		modes[s->mode], s->low ? "true" : "false", s->high ? "true" : "false");
	/* The other categories say the opposite. */
	for (size_t i = 0; i < 5; i++)
		buf_print(&b, "%s\"%s\":%s", i ? "," : "", all[i],
			(strcmp(all[i], category) == 0) == s->on ? "true" : "false");
	buf_add_text(&b, "}");
	if (raised >= 0)
		buf_print(&b, ",\"risks\":[{\"tool\":[\"%s\"],\"risk\":\"%s\"}]", name,
			risks[raised]);
	buf_add_text(&b, "}");
	return buf_keep_done(&b, arena);
}

static struct str policy_over(
	struct str body, struct str before, struct arena *arena, struct policy *out)
{
	struct fault why = { 0 };
	const struct json *json;
	struct str text;

	assert_int_equal(json_read(body, NULL, arena, &json, &why), OK);
	if (policy_read(json, before, NULL, arena, &text, out, &why))
		fail_msg("%.*s: %s", STR_ARGS(body), why.detail);
	return text;
}

/* ---- the two ---- */

static void judged(const struct run_operation *op, size_t row, const struct setting *s,
	const struct policy *policy, const struct operation_view *look, int raised,
	struct arena *arena)
{
	static const enum effect rulings[] = { EFFECT_NONE, EFFECT_ALLOW, EFFECT_ASK,
		EFFECT_DENY };
	int base = table[row].risk;
	int risk = raised > base && raised > 0 ? raised : base;

	for (size_t i = 0; i < 4; i++)
		for (int by = -1; by < 4; by++) { /* the risk that an ask rule wants */
			struct ruling ruling = { .effect = rulings[i],
				.risk = by < 0 ? RISK_NONE : (enum risk)(RISK_LOW + by) };
			enum effect want = rulings[i] != EFFECT_NONE ? rulings[i]
					   : oracle_asks(s, risk)    ? EFFECT_ASK
								     : EFFECT_ALLOW;
			int shown = rulings[i] == EFFECT_ASK && by > risk ? by : risk;
			struct run_verdict v;

			run_gate(policy, op, look, &ruling, arena, &v);
			if (base < 0) {
				assert_int_equal(v.effect, EFFECT_ALLOW);
				continue;
			}
			if (v.effect != want || v.risk != (enum risk)(RISK_LOW + shown))
				fail_msg(
					"%s: mode %s, category %d, low %d, high %d, raised "
					"to %d, rule %d: effect %d, not %d, risk %d",
					table[row].name, modes[s->mode], s->on, s->low,
					s->high, raised, (int)rulings[i], (int)v.effect,
					(int)want, (int)v.risk);
		}
}

static void the_gate_is_the_table(void **state)
{
	size_t seen = 0;

	(void)state;
	for (size_t k = 0; k < run_operations_len; k++)
		for (int bits = 0; bits < 3 * 8; bits++)
			for (int raised = -1; raised < 4; raised++)
				for (int own = 0; own < 2; own++) {
					const struct run_operation *op =
						&run_operations[k];
					const char *name = run_tools[op->tool].name;
					struct arena arena = { 0 };
					size_t row = row_of(op, &arena);
					const struct setting s = { bits / 8, bits & 1,
						bits & 2, bits & 4 };
					const struct setting other = { (s.mode + 1) % 3,
						!s.on, !s.low, !s.high };
					const struct json *operation;
					struct operation_view look;
					struct policy policy;
					struct str before = str_of(policy_default);
					char text[200];

					/* The workspace's; or the agent's own, over a
					 * workspace that has the opposite. */
					if (own)
						before = policy_over(
							setting_text(&other,
								table[row].category, -1,
								name, &arena),
							before, &arena, &policy);
					policy_over(setting_text(&s, table[row].category,
							    raised, name, &arena),
						before, &arena, &policy);
					snprintf(text, sizeof text,
						"{\"type\":\"tool\",\"name\":\"%s\","
						"\"arguments\":{},\"risk\":\"low\"}",
						name);
					assert_int_equal(
						json_read(str_of(text), NULL, &arena,
							&operation, NULL),
						OK);
					operation_view(&look, operation, NULL,
						STR("helper"), STR_NONE, STR("ses_1"),
						&arena);
					judged(op, row, &s, &policy, &look, raised,
						&arena);
					arena_done(&arena);
					seen++;
				}
	assert_int_equal(seen, run_operations_len * 24 * 5 * 2);
	assert_int_equal(run_operations_len, sizeof table / sizeof *table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_gate_is_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
