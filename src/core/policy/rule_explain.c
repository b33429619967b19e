/* rule_explain.c - every rule that fits an operation or almost does, and why it is not what
 * decided. Goes through all rules: for people who try, not for every decision. */
#include "core/policy/rule_set_inner.h"

static const char *const lost_names[] = {
	[LOST_TO_DENY] = "deny",
	[LOST_TO_ASK] = "ask",
	[LOST_SOME_COMMANDS] = "some_commands",
	[LOST_DOUBT] = "doubt",
	[LOST_RISK] = "risk",
	[LOST_REQUIRE] = "require",
	[LOST_TO_OTHER] = "other",
};

const char *rule_lost_name(enum lost l)
{
	return lost_names[l];
}

struct explaining {
	const struct operation_view *op;
	enum risk risk;
	struct arena *arena;
	const struct ruling *ruling;
	unsigned flags;
};

static bool decides(const struct ruling *ruling, const struct rule_record *rule)
{
	for (size_t i = 0; i < ruling->hits_len; i++)
		if (ruling->hits[i] == rule) return true;
	return false;
}

/* Of a rule that fits as far as it goes. */
static enum lost lost_of(const struct explaining *x, const struct set_rule *r)
{
	if (decides(x->ruling, r->kept)) return LOST_NOT;
	if (x->ruling->effect == EFFECT_DENY)
		return r->effect == EFFECT_DENY ? LOST_TO_OTHER : LOST_TO_DENY;
	if (x->ruling->effect == EFFECT_ASK) return LOST_TO_ASK;
	if (r->effect == EFFECT_ALLOW && (x->flags & DECIDE_NO_ALLOW))
		return LOST_REQUIRE;
	return LOST_TO_OTHER;
}

static bool stop_explain(
	struct explaining *x, const struct set_rule *r, struct rule_fit *out)
{
	const struct rule_match *m = &r->match;
	enum fit tools = FIT_YES, rest = FIT_DOUBT;

	if (!r->broken) {
		rest = rule_match_rest(m, x->op, x->risk, x->arena, &out->doubt);
		if (m->tools_len) tools = tools_stop(m->tools, m->tools_len, x->op);
		if (tools == FIT_DOUBT) out->doubt = x->op->subjects[0].vague;
	}
	if (rest == FIT_NO || tools == FIT_NO) return false;
	if (rest == FIT_YES && tools == FIT_YES) out->doubt = DOUBT_NONE;
	out->lost = lost_of(x, r);
	return true;
}

/* How its patterns would fit if the line were clear. */
static uint64_t commands_of(const struct explaining *x, const struct rule_match *m)
{
	struct operation_view clear = *x->op;
	uint64_t mask = 0;

	clear.subjects[0].unclear = DOUBT_NONE;
	for (size_t i = 0; i < operation_parts(&clear) && i < 64; i++)
		if (rule_match_allows_part(m, &clear, i)) mask |= 1ull << i;
	return mask;
}

static bool allow_explain(
	struct explaining *x, const struct set_rule *r, struct rule_fit *out)
{
	const struct rule_match *m = &r->match;
	struct rule_match any_risk = *m;
	size_t parts = operation_parts(x->op);
	uint64_t all = parts >= 64 ? UINT64_MAX : (1ull << parts) - 1;
	enum fit rest;

	if (r->broken) return false;
	any_risk.max = RISK_CRITICAL;
	rest = rule_match_rest(&any_risk, x->op, x->risk, x->arena, &out->doubt);
	out->commands = commands_of(x, m);
	if (rest == FIT_NO || out->commands == 0) return false;
	if (decides(x->ruling, r->kept))
		out->lost = LOST_NOT;
	else if (x->risk > m->max || x->risk == RISK_CRITICAL)
		out->lost = LOST_RISK;
	else if (rest == FIT_DOUBT)
		out->lost = LOST_DOUBT;
	else if (x->op->subjects[0].unclear && !m->same.len)
		out->lost = LOST_DOUBT, out->doubt = x->op->subjects[0].unclear;
	else if (out->commands != all)
		out->lost = LOST_SOME_COMMANDS;
	else
		out->lost = lost_of(x, r);
	if (out->lost != LOST_DOUBT) out->doubt = DOUBT_NONE;
	return true;
}

void rule_set_explain(const struct rule_set *set, const struct operation_view *op,
	enum risk risk, int64_t now_ms, unsigned flags, struct arena *arena,
	struct ruling *out)
{
	struct explaining x = { op, risk, arena, out, flags };

	out->fits = ARENA_ARRAY(arena, struct rule_fit, set->len + 1);
	for (size_t i = 0; out->fits && i < set->len; i++) {
		const struct set_rule *r = &set->rules[i];
		struct rule_fit fit = { .rule = r->kept };
		bool told = set_rule_live(r, now_ms) &&
			    (r->effect == EFFECT_ALLOW ? allow_explain(&x, r, &fit)
						       : stop_explain(&x, r, &fit));

		if (told) out->fits[out->fits_len++] = fit;
	}
}
