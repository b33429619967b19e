/* Decisions: what beats what, which rules count, how grave an operation is, what the mode says. */
#include "base/clock.h"
#include "base/mem.h"
#include "core/policy/rehearsal.h"

#include "rules_kit.h"

#include <stdlib.h>

static enum effect effect_from(
	const char *const *rules, const char *operation, struct kit_from from)
{
	return kit_decide(rules, operation, &from, RISK_MEDIUM, 0).effect;
}

#define NPM   "{'name':'Bash','arguments':{'command':'npm test'}}"
#define FORCE "{'name':'Bash','arguments':{'command':'git push --force'}}"

/* ---- what others got wrong ---- */

/* opencode #31540: "allow always" wrote a rule behind the project's deny, and the last rule
 * won: what was denied ran. Here no order exists, whoever wrote which and when. */
static void an_allow_always_never_beats_a_deny(void **state)
{
	const char *deny =
		"{'effect':'deny','match':{'tool':['Bash(git push *--force*)']}}";
	const char *always = "{'effect':'allow','match':{'tool':['Bash(git push*)']}}";
	const char *same = kit_print("{'effect':'allow','match':{'same':'%s'}}",
		"sha256:"
		"0000000000000000000000000000000000000000000000000000000000000000");

	(void)state;
	assert_string_equal(kit_ruled(RULES(deny, always), FORCE), "deny rul_0");
	assert_string_equal(kit_ruled(RULES(always, deny), FORCE), "deny rul_1");
	assert_string_equal(
		kit_ruled(RULES(always, same, deny, always), FORCE), "deny rul_2");
}

/* opencode #9554: a yes to one agent held for all of them, sub-agents included. Here what is
 * made from an answer is bound to that agent and project, letter by letter. */
static void an_allow_does_not_spread_over_agents(void **state)
{
	const char *rule =
		"{'effect':'allow','match':{'tool':['Bash(npm test*)'],'agent':"
		"'ci-bot','project':'web'}}";
	const char *none =
		"{'effect':'allow','match':{'tool':['Bash(npm test*)'],'agent':"
		"'ci-bot','project':null}}";

	(void)state;
	assert_int_equal(
		effect_from(RULES(rule), NPM,
			(struct kit_from){ .agent = "ci-bot", .project = "web" }),
		EFFECT_ALLOW);
	assert_int_equal(
		effect_from(RULES(rule), NPM,
			(struct kit_from){ .agent = "ci-bot/child", .project = "web" }),
		EFFECT_NONE);
	assert_int_equal(
		effect_from(RULES(rule), NPM,
			(struct kit_from){ .agent = "deployer", .project = "web" }),
		EFFECT_NONE);
	assert_int_equal(
		effect_from(RULES(rule), NPM,
			(struct kit_from){ .agent = "ci-bot", .project = "web2" }),
		EFFECT_NONE);
	assert_int_equal(
		effect_from(RULES(rule), NPM, (struct kit_from){ .agent = "ci-bot" }),
		EFFECT_NONE);
	assert_int_equal(
		effect_from(RULES(none), NPM, (struct kit_from){ .agent = "ci-bot" }),
		EFFECT_ALLOW);
	assert_int_equal(
		effect_from(RULES(none), NPM,
			(struct kit_from){ .agent = "ci-bot", .project = "web" }),
		EFFECT_NONE);
}

/* The rule of a scope names agent and project literally, whatever letters they have. */
static void what_was_made_from_an_answer_holds_no_patterns(void **state)
{
	struct rule_record rule = kit_rule("{'effect':'allow','match':{'tool':['Bash'],"
					   "'agent':'ci','project':'we*'}}",
		0);
	struct rule_match match;

	(void)state;
	assert_int_equal(rule_parse(&rule, &kit, &match, NULL, NULL), OK);
	assert_true(rule_match_where(&match, STR("ci"), STR("web"), STR_NONE));
	rule.made_from = STR("ask_00000000000000000000000000");
	assert_int_equal(rule_parse(&rule, &kit, &match, NULL, NULL), OK);
	assert_false(rule_match_where(&match, STR("ci"), STR("web"), STR_NONE));
	assert_true(rule_match_where(&match, STR("ci"), STR("we*"), STR_NONE));
}

/* PraisonAI #2710: approving one command always kept the tool's name alone, `bash:*`, and
 * from then on every command ran. Here the pattern is what fits, no more. */
static void allowing_a_command_does_not_become_allowing_the_shell(void **state)
{
	const char *rule = "{'effect':'allow','match':{'tool':['Bash(npm test:*)']}}";

	(void)state;
	assert_string_equal(kit_bash(RULES(rule), "npm test"), "allow");
	assert_string_equal(kit_bash(RULES(rule), "npm test -- --watch"), "allow");
	assert_string_equal(kit_bash(RULES(rule), "rm -rf /"), "none");
	assert_string_equal(kit_bash(RULES(rule), "npm publish"), "none");
	assert_string_equal(kit_bash(RULES(rule), "npm testing"), "none");
	assert_string_equal(kit_bash(RULES(rule), "npm test; rm -rf /"), "none");
}

/* claude-code #84969 and #56816: denies whose pattern could never fit ("Bash(:*)", a `:*` in
 * the middle) were kept without a word, and what they should have stopped ran. Here they are
 * refused with their place and the way out. */
static void a_deny_that_can_never_fit_is_not_kept(void **state)
{
	struct fault why =
		kit_rule_wrong("{'effect':'deny','match':{'tool':['Read','Bash(:*)']}}");

	(void)state;
	kit_item(":*", &why, "/match/tool/1", "write * instead");
	why = kit_rule_wrong(
		"{'effect':'deny','match':{'tool':['Bash(git:* --force)']}}");
	kit_item(":* x", &why, "/match/tool/0", "only possible at the end");
	why = kit_rule_wrong("{'effect':'deny','match':{'tool':['Bash(rm']}}");
	kit_item("(", &why, "/match/tool/0", "no closing bracket");
	why = kit_rule_wrong(
		"{'effect':'deny','match':{'risk':{'min':'high','max':'low'}}}");
	kit_item("min > max", &why, "/match/risk/min", "greater than max");
	why = kit_rule_wrong(
		"{'effect':'deny','match':{'arguments':{'/n':{'min':5,'max':4}}}}");
	kit_item("min > max", &why, "/match/arguments/~1n/min", "greater than max");
}

/* ---- deciding ---- */

static void deny_beats_ask_beats_allow(void **state)
{
	const char *allow = "{'effect':'allow','match':{'tool':['Bash']}}";
	const char *ask = "{'effect':'ask','match':{'tool':['Bash']}}";
	const char *deny = "{'effect':'deny','match':{}}";

	(void)state;
	assert_string_equal(kit_ruled(RULES(allow), NPM), "allow rul_0");
	assert_string_equal(kit_ruled(RULES(allow, ask), NPM), "ask rul_1");
	assert_string_equal(kit_ruled(RULES(ask, allow, ask), NPM), "ask rul_0 rul_2");
	assert_string_equal(kit_ruled(RULES(allow, ask, deny, deny), NPM), "deny rul_2");
	assert_string_equal(
		kit_ruled(RULES("{'effect':'allow','match':{'tool':['Read']}}"), NPM),
		"none");
}

static void of_several_commands_each_is_allowed_by_some_rule(void **state)
{
	const char *const *rules = RULES(
		"{'effect':'allow','match':{'tool':['Bash(ls *)']}}",
		"{'effect':'allow','match':{'tool':['Bash(npm test:*)']}}",
		"{'effect':'allow','match':{'tool':['Bash(npm *)'],'agent':'x'}}");

	(void)state;
	assert_string_equal(
		kit_ruled(rules,
			"{'name':'Bash','arguments':{'command':'npm test && ls'}}"),
		"allow rul_1 rul_0");
	assert_string_equal(
		kit_ruled(rules, "{'name':'Bash','arguments':{'command':'npm test && "
				 "ls && id'}}"),
		"none");
}

static void an_allow_reaches_up_to_medium_unless_it_says_high(void **state)
{
	const char *plain = "{'effect':'allow','match':{'tool':['Bash']}}";
	const char *high =
		"{'effect':'allow','match':{'tool':['Bash'],'risk':{'max':'critical'}}}";
	struct kit_from from = { 0 };

	(void)state;
	for (enum risk r = RISK_LOW; r <= RISK_CRITICAL; r++) {
		assert_int_equal(kit_decide(RULES(plain), NPM, &from, r, 0).effect,
			r <= RISK_MEDIUM ? EFFECT_ALLOW : EFFECT_NONE);
		assert_int_equal(kit_decide(RULES(high), NPM, &from, r, 0).effect,
			r <= RISK_HIGH ? EFFECT_ALLOW : EFFECT_NONE);
	}
}

static void what_brings_its_own_requirement_is_only_denied(void **state)
{
	const char *allow = "{'effect':'allow','match':{'tool':['Bash']}}";
	const char *deny = "{'effect':'deny','match':{'tool':['Bash(git push*)']}}";
	struct kit_from from = { 0 };

	(void)state;
	assert_int_equal(
		kit_decide(RULES(allow, deny), NPM, &from, RISK_LOW, DECIDE_NO_ALLOW)
			.effect,
		EFFECT_NONE);
	assert_int_equal(
		kit_decide(RULES(allow, deny), FORCE, &from, RISK_LOW, DECIDE_NO_ALLOW)
			.effect,
		EFFECT_DENY);
}

static void what_ask_rules_require_adds_up(void **state)
{
	struct ruling r = kit_decide(
		RULES("{'effect':'ask','match':{'tool':['Bash']},'ask':{'require':[{'approvals':2,"
		      "'from':['team:ops']}],'timeout':'1h','verify':'scan'}}",
			"{'effect':'ask','match':{'tool':['Bash']},'ask':{'require':[{'approvals':"
			"1,'from':['role:admin']}],'timeout':'15m','risk':'high','verify':'scan'}}",
			"{'effect':'ask','match':{'tool':['Read']},'ask':{'risk':'critical'}}"),
		NPM, NULL, RISK_MEDIUM, 0);

	(void)state;
	assert_int_equal(r.effect, EFFECT_ASK);
	assert_int_equal(r.hits_len, 2);
	assert_int_equal(r.require.len, 2);
	assert_int_equal(r.timeout_ms, 15 * 60 * 1000);
	assert_int_equal(r.risk, RISK_HIGH);
	assert_int_equal(r.verify_len, 1);
}

static void a_rule_ends_with_its_time_its_uses_and_its_switch(void **state)
{
	struct rule_record rule =
		kit_rule("{'effect':'allow','match':{'tool':['Bash']},"
			 "'expires_at':'1970-01-01T01:00:00Z','uses_left':2}",
			0);
	struct rule_set *set = rule_set_new();
	struct operation_view look;
	struct ruling out;

	(void)state;
	assert_int_equal(rule_set_add(set, &rule, NULL), OK);
	assert_int_equal(rule_set_seal(set, NULL), OK);
	operation_view(&look, kit_json(NPM), NULL, STR_NONE, STR_NONE, STR_NONE, &kit);
	rule_set_decide(set, &look, RISK_LOW, 3599999, 0, &kit, &out);
	assert_int_equal(out.effect, EFFECT_ALLOW);
	rule_set_decide(set, &look, RISK_LOW, 3600000, 0, &kit, &out);
	assert_int_equal(out.effect, EFFECT_NONE);
	rule.uses_left = 0; /* between two decisions */
	rule_set_decide(set, &look, RISK_LOW, 5000, 0, &kit, &out);
	assert_int_equal(out.effect, EFFECT_NONE);
	rule.uses_left = 1, rule.enabled = false;
	rule_set_decide(set, &look, RISK_LOW, 5000, 0, &kit, &out);
	assert_int_equal(out.effect, EFFECT_NONE);
	rule.enabled = true, rule.ended_ms = 4000;
	rule_set_decide(set, &look, RISK_LOW, 5000, 0, &kit, &out);
	assert_int_equal(out.effect, EFFECT_NONE);
	rule_set_free(set);
}

/* A record that this version cannot read still stops, and never allows. */
static void what_cannot_be_read_stops(void **state)
{
	static const char *const effects[] = { "deny", "ask", "allow" };
	static const enum effect expected[] = { EFFECT_DENY, EFFECT_ASK, EFFECT_NONE };
	struct operation_view look;

	(void)state;
	operation_view(&look, kit_json(NPM), NULL, STR_NONE, STR_NONE, STR_NONE, &kit);
	for (int i = 0; i < 3; i++) {
		struct rule_record rule = { .id = STR("rul_x"),
			.effect = str_of(effects[i]),
			.enabled = true,
			.match = STR("{\"planet\":\"mars\"}"),
			.uses_left = -1 };
		struct rule_set *set = rule_set_new();
		struct ruling out;

		assert_int_equal(rule_set_add(set, &rule, NULL), OK);
		assert_int_equal(rule_set_seal(set, NULL), OK);
		rule_set_decide(set, &look, RISK_LOW, 1, 0, &kit, &out);
		assert_int_equal(out.effect, expected[i]);
		rule_set_free(set);
	}
}

static const char *why_lost(const struct ruling *r, size_t i)
{
	const char *lost = rule_lost_name(r->fits[i].lost);

	return lost ? lost : "decides";
}

static void the_explanation_says_why_each_rule_lost(void **state)
{
	const char *const *rules = RULES(
		"{'effect':'allow','match':{'tool':['Bash(npm test *)']}}",
		"{'effect':'deny','match':{'tool':['Bash(git push *--force*)']}}",
		"{'effect':'ask','match':{'tool':['Bash(git *)']}}",
		"{'effect':'allow','match':{'tool':['Bash'],'risk':{'max':'low'}}}",
		"{'effect':'allow','match':{'tool':['Read']}}");
	struct ruling r = kit_decide(rules,
		"{'name':'Bash','arguments':{'command':'npm test && git push --force'}}",
		NULL, RISK_MEDIUM, DECIDE_EXPLAIN);

	(void)state;
	assert_int_equal(r.effect, EFFECT_DENY);
	assert_int_equal(r.fits_len, 4);
	assert_string_equal(why_lost(&r, 0), "some_commands");
	assert_int_equal(r.fits[0].commands, 1);
	assert_string_equal(why_lost(&r, 1), "decides");
	assert_string_equal(why_lost(&r, 2), "deny");
	assert_string_equal(why_lost(&r, 3), "risk");
	r = kit_decide(rules, "{'name':'Bash','arguments':{'command':'npm test > x'}}",
		NULL, RISK_LOW, DECIDE_EXPLAIN);
	assert_int_equal(r.effect, EFFECT_NONE);
	assert_int_equal(r.fits_len, 2);
	assert_string_equal(why_lost(&r, 0), "doubt");
	assert_string_equal(doubt_name(r.fits[0].doubt), "a redirection");
}

/* A command line of gate is a call of Bash to those who write rules. */
static void commands_of_gate_are_seen_as_commands(void **state)
{
	const char *op =
		"{'type':'command','name':'git','arguments':{'argv':['git','push',"
		"'--force'],'cwd':'/x'}}";

	(void)state;
	assert_string_equal(
		kit_ruled(
			RULES("{'effect':'deny','match':{'tool':['Bash(git push *--force*)']}}"),
			op),
		"deny rul_0");
	assert_string_equal(
		kit_ruled(RULES("{'effect':'allow','match':{'tool':['git(git push*)']}}"),
			op),
		"allow rul_0");
	assert_string_equal(
		kit_ruled(RULES("{'effect':'allow','match':{'tool':['Bash(git:*)']}}"),
			"{'type':'command','name':'git','arguments':{'argv':['git','log',';rm']}}"),
		"none");
}

/* ---- risk and mode ---- */

static enum risk risk_of(const char *operation)
{
	struct policy policy;
	struct operation_view look;

	assert_int_equal(policy_parse(str_of(policy_default), &kit, &policy, NULL), OK);
	operation_view(
		&look, kit_json(operation), NULL, STR_NONE, STR_NONE, STR_NONE, &kit);
	return policy_risk(&policy, &look);
}

static void the_gravest_row_counts_and_a_claim_only_raises(void **state)
{
	(void)state;
	assert_int_equal(
		risk_of("{'name':'Read','arguments':{'file_path':'/a'}}"), RISK_LOW);
	assert_int_equal(
		risk_of("{'name':'Read','risk':'high','arguments':{'file_path':'/a'}}"),
		RISK_HIGH);
	assert_int_equal(risk_of("{'name':'Deploy'}"), RISK_MEDIUM);
	assert_int_equal(risk_of("{'name':'Deploy','risk':'low'}"), RISK_MEDIUM);
	assert_int_equal(risk_of("{'name':'spawn_agent'}"), RISK_HIGH);
	assert_int_equal(
		risk_of("{'name':'Bash','risk':'low','arguments':{'command':'ls; rm x'}}"),
		RISK_CRITICAL);
	assert_int_equal(
		risk_of("{'type':'command','name':'rm','arguments':{'argv':['rm','x']}}"),
		RISK_CRITICAL);
	/* Below medium a row fits as an allow does: not in doubt. */
	assert_int_equal(risk_of("{'name':'Read','arguments':{'file_path':'/a/../b'}}"),
		RISK_MEDIUM);
}

static void the_mode_says_what_its_table_says(void **state)
{
	struct policy p = { .mode = MODE_SELECTIVE, .selective = { [TYPE_MCP] = true } };

	(void)state;
	for (int mode = MODE_AUTO; mode <= MODE_SELECTIVE; mode++)
		for (int type = TYPE_TOOL; type <= TYPE_DB_OP; type++)
			for (int flags = 0; flags < 4; flags++) {
				bool on = mode == MODE_MANUAL ||
					  (mode == MODE_SELECTIVE && type == TYPE_MCP);

				p.mode = (enum policy_mode)mode;
				p.auto_approve_low = flags & 1;
				p.always_confirm_high = flags & 2;
				enum effect said[RISK_CRITICAL + 1];
				for (int r = RISK_LOW; r <= RISK_CRITICAL; r++)
					said[r] = policy_effect(&p,
						(enum operation_type)type, (enum risk)r);
				assert_int_equal(said[RISK_LOW],
					on && !(flags & 1) ? EFFECT_ASK : EFFECT_ALLOW);
				assert_int_equal(said[RISK_MEDIUM],
					on ? EFFECT_ASK : EFFECT_ALLOW);
				assert_int_equal(said[RISK_HIGH],
					on || (flags & 2) ? EFFECT_ASK : EFFECT_ALLOW);
				assert_int_equal(said[RISK_CRITICAL], EFFECT_ASK);
			}
}

static void a_policy_takes_over_what_it_is_sent(void **state)
{
	struct policy p;
	struct str json;
	struct fault why = { 0 };

	(void)state;
	assert_int_equal(policy_read(kit_json("{'mode':'auto','selective':{'tools':true},"
					      "'timeout':'10m','risks':[]}"),
				 str_of(policy_default), NULL, &kit, &json, &p, &why),
		OK);
	assert_int_equal(p.mode, MODE_AUTO);
	assert_true(p.selective[TYPE_TOOL] && p.selective[TYPE_MCP]);
	assert_int_equal(p.timeout_ms, 600000);
	assert_int_equal(p.risks_len, 0);
	assert_int_equal(p.scope_member_ms, 8 * 3600 * 1000);
	assert_int_equal(p.at_once[MODE_AUTO], 8);
	assert_int_equal(p.at_once[MODE_SELECTIVE], 8);
	assert_int_equal(policy_read(kit_json("{'timeout':null}"), json, NULL, &kit,
				 &json, &p, &why),
		OK);
	assert_int_equal(p.timeout_ms, 0);
	assert_int_equal(p.mode, MODE_AUTO);
	assert_int_equal(
		policy_read(kit_json("{'mode':'sure','risks':[{'tool':['Bash(:*)'],"
				     "'risk':'low'}],'at_once':{'auto':0},'x':1}"),
			json, NULL, &kit, &json, &p, &why),
		ERR_INVALID);
	kit_item("unknown", &why, "/x", "unknown member");
	kit_item("mode", &why, "/mode", "auto, manual or selective");
	kit_item("row", &why, "/risks/0/tool/0", "matches nothing");
	kit_item("at once", &why, "/at_once/auto", "1 to");
}

static void only_setting_the_mode_ends_its_default(void **state)
{
	static const struct {
		const char *before, *put;
		bool unset;
	} cases[] = {
		{ NULL, "{}", true },
		{ NULL, "{'mode':'selective'}", true },
		{ NULL, "{'timeout':'10m','default':true}", true },
		{ NULL, "{'mode':'manual','default':true}", false },
		{ NULL, "{'default':false}", false },
		/* As they were kept before it was. */
		{ "{'mode':'selective','timeout':'5m'}", "{'timeout':'10m'}", true },
		{ "{'mode':'auto'}", "{}", false },
		{ "{'mode':'auto'}", "{'mode':'selective'}", false },
		{ "{'mode':'auto','default':false}", "{'default':true}", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf kept = { 0 };
		struct fault why = { 0 };
		struct policy p;
		struct str json;

		if (cases[i].before) json_write(&kept, kit_json(cases[i].before));
		assert_int_equal(
			policy_read(kit_json(cases[i].put),
				cases[i].before ? buf_str(&kept) : str_of(policy_default),
				NULL, &kit, &json, &p, &why),
			OK);
		if (p.mode_unset != cases[i].unset) fail_msg("case %zu", i);
		buf_done(&kept);
	}
}

static unsigned looser_by(const char *put)
{
	struct policy before, after;
	struct fault why = { 0 };
	struct str json;

	assert_int_equal(policy_parse(str_of(policy_default), &kit, &before, &why), OK);
	assert_int_equal(policy_read(kit_json(put), str_of(policy_default), NULL, &kit,
				 &json, &after, &why),
		OK);
	return policy_looser(&before, &after);
}

static void a_policy_that_loosens_says_in_what(void **state)
{
	(void)state;
	assert_int_equal(looser_by("{'timeout':'10m','auto_approve_low':false}"), 0);
	assert_int_equal(looser_by("{'selective':{'tools':true}}"), 0);
	assert_int_equal(looser_by("{'selective':{'mcp':false}}"), LOOSER_MODE);
	assert_int_equal(looser_by("{'mode':'manual'}"), LOOSER_UNASKED);
	assert_int_equal(looser_by("{'mode':'manual','auto_approve_low':false}"), 0);
	assert_int_equal(looser_by("{'mode':'auto'}"), LOOSER_UNASKED | LOOSER_MODE);
	assert_int_equal(looser_by("{'always_confirm_high':false}"), LOOSER_MODE);
	assert_int_equal(looser_by("{'risks':[]}"), LOOSER_RISKS);
	assert_int_equal(looser_by("{'scopes':{'high':'2h'}}"), LOOSER_SCOPES);
}

/* ---- memory ---- */

/* Let the nth allocation fail, for every n: nothing is allowed that way, and what would have
 * been denied is. */
static void without_memory_nothing_is_allowed(void **state)
{
	struct rule_record allow =
		kit_rule("{'effect':'allow','match':{'tool':['Bash(ls *)']}}", 0);
	struct rule_record deny =
		kit_rule("{'effect':'deny','match':{'tool':['Bash(rm *)']}}", 1);
	const struct json *ls =
		kit_json("{'name':'Bash','arguments':{'command':'ls \\'a\\' | ls'}}");
	const struct json *rm =
		kit_json("{'name':'Bash','arguments':{'command':'ls; \\'rm\\' x'}}");
	struct rule_set *set = rule_set_new();
	bool failed = true;

	(void)state;
	assert_int_equal(rule_set_add(set, &allow, NULL), OK);
	assert_int_equal(rule_set_add(set, &deny, NULL), OK);
	assert_int_equal(rule_set_seal(set, NULL), OK);
	for (uint64_t n = 1; failed; n++) {
		struct arena arena = { 0 };
		struct operation_view look;
		struct ruling out;

		mem_fail_at(n, 1);
		operation_view(&look, ls, NULL, STR_NONE, STR_NONE, STR_NONE, &arena);
		rule_set_decide(set, &look, RISK_LOW, 1, DECIDE_EXPLAIN, &arena, &out);
		failed = arena.failed || look.failed;
		mem_fail_at(0, 0);
		assert_true(
			failed ? out.effect != EFFECT_ALLOW : out.effect == EFFECT_ALLOW);
		arena_done(&arena);
		mem_fail_at(n, 1);
		operation_view(&look, rm, NULL, STR_NONE, STR_NONE, STR_NONE, &arena);
		rule_set_decide(set, &look, RISK_LOW, 1, 0, &arena, &out);
		mem_fail_at(0, 0);
		assert_int_equal(out.effect, EFFECT_DENY);
		arena_done(&arena);
	}
	rule_set_free(set);
}

static void a_rehearsal_counts_what_would_have_been(void **state)
{
	static const struct rehearsed all[] = {
		{ EFFECT_ASK, EFFECT_ASK, .approved = true },
		{ EFFECT_ASK, EFFECT_ALLOW, .rejected = true },
		{ EFFECT_ASK, EFFECT_DENY, .approved = true },
		{ EFFECT_ALLOW, EFFECT_DENY },
	};
	struct rehearsal r = { 0 };
	size_t differs = 0;

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		differs += rehearsal_add(&r, &all[i]);
	assert_int_equal(differs, 3);
	assert_int_equal(r.operations, 4);
	assert_int_equal(r.was[EFFECT_ASK], 3);
	assert_int_equal(r.would[EFFECT_DENY], 2);
	assert_int_equal(r.ran_though_rejected, 1);
	assert_int_equal(r.stopped_though_approved, 1);
}

static void a_shadow_decides_nothing(void **state)
{
	(void)state;
	assert_string_equal(
		kit_ruled(RULES("{'effect':'deny','shadow':true,'match':{'tool':['*']}}",
				  "{'effect':'allow','match':{'tool':['Bash(npm *)']}}"),
			NPM),
		"allow rul_1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(an_allow_always_never_beats_a_deny),
		KIT_TEST(an_allow_does_not_spread_over_agents),
		KIT_TEST(what_was_made_from_an_answer_holds_no_patterns),
		KIT_TEST(allowing_a_command_does_not_become_allowing_the_shell),
		KIT_TEST(a_deny_that_can_never_fit_is_not_kept),
		KIT_TEST(deny_beats_ask_beats_allow),
		KIT_TEST(of_several_commands_each_is_allowed_by_some_rule),
		KIT_TEST(an_allow_reaches_up_to_medium_unless_it_says_high),
		KIT_TEST(what_brings_its_own_requirement_is_only_denied),
		KIT_TEST(what_ask_rules_require_adds_up),
		KIT_TEST(a_rule_ends_with_its_time_its_uses_and_its_switch),
		KIT_TEST(what_cannot_be_read_stops),
		KIT_TEST(the_explanation_says_why_each_rule_lost),
		KIT_TEST(commands_of_gate_are_seen_as_commands),
		KIT_TEST(the_gravest_row_counts_and_a_claim_only_raises),
		KIT_TEST(the_mode_says_what_its_table_says),
		KIT_TEST(a_policy_takes_over_what_it_is_sent),
		KIT_TEST(only_setting_the_mode_ends_its_default),
		KIT_TEST(a_policy_that_loosens_says_in_what),
		KIT_TEST(a_rehearsal_counts_what_would_have_been),
		KIT_TEST(a_shadow_decides_nothing),
		KIT_TEST(without_memory_nothing_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
