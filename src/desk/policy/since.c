/* since.c - what rules made since say of open approvals. */
#include "desk/policy/since.h"

#include "base/keep.h"
#include "core/shared/show.h"

struct since_reading {
	struct rules_since *out;
	struct arena *arena;
	struct str policy;
};

static enum err since_row(void *ctx, const struct row *row, struct fault *why)
{
	struct since_reading *r = ctx;
	struct rules_since *d = r->out;
	struct since_rule *rule;

	if (d->len == d->cap) {
		size_t cap = d->cap ? d->cap * 2 : 16;
		struct since_rule *at = ARENA_ARRAY(r->arena, struct since_rule, cap);

		if (!at) return fail(why, ERR_MEMORY, "out of memory");
		if (d->len) memcpy(at, d->at, d->len * sizeof *at);
		d->at = at;
		d->cap = cap;
	}
	rule = &d->at[d->len++];
	rule->unreadable = false;
	return record_read(&records[RECORD_RULES], row, r->arena, &rule->rule, why);
}

static enum err policy_row(void *ctx, const struct row *row, struct fault *why)
{
	struct since_reading *r = ctx;
	struct policy_record p;
	enum err e = record_read(&records[RECORD_POLICIES], row, r->arena, &p, why);

	if (!e) r->policy = p.body;
	return e;
}

enum err since_read(
	struct task *t, struct rows *rows, struct rules_since *out, struct fault *why)
{
	struct since_reading r = { out, &t->job.arena, str_of(policy_default) };
	const struct val args[] = { val_int(t->job.who.ws) };
	enum err e;

	*out = (struct rules_since){ 0 };
	if (!t->job.credential.policy_version) return OK;
	e = rows_query(rows, SQL_RULES_SINCE, args, 1, since_row, &r, why);
	if (e || !out->len) return e;
	e = rows_query(
		rows, SQL_OF(RECORD_POLICIES, RECORD_GET), args, 1, policy_row, &r, why);
	if (!e) e = policy_parse(r.policy, r.arena, &out->policy, why);
	for (size_t i = 0; !e && i < out->len; i++) {
		struct since_rule *d = &out->at[i];

		d->unreadable =
			rule_parse(&d->rule, r.arena, &d->match, &d->ask, NULL) != OK;
	}
	return e || !r.arena->failed ? e : fail(why, ERR_MEMORY, "out of memory");
}

struct str denied_told(const struct rule_record *r, struct arena *arena)
{
	struct buf b = { .max = 4096 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	show_text(&w, "rule", r->id);
	jw_put_str(&w, "note", r->note);
	show_time(&w, "at", r->created_ms);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

static bool since_fits(const struct since_rule *s, enum effect effect,
	const struct operation_view *look, enum risk risk, int64_t now_ms,
	struct arena *arena)
{
	return str_is(s->rule.effect, effect_name(effect)) && s->rule.enabled &&
	       rule_holds(&s->rule, now_ms) &&
	       (s->unreadable || rule_fits(&s->match, effect, look, risk, arena));
}

struct since_said since_say(const struct rules_since *rules, const struct ask *a,
	int64_t now_ms, struct arena *arena)
{
	struct since_said out = { .require = a->require };
	struct operation_view look;
	struct ask_parts parts;
	enum risk risk;

	if (!rules->len || a->status != ASK_PENDING || a->kind != ASK_APPROVAL ||
		ask_parts(a, arena, &parts, NULL) || !parts.operation)
		return out;
	ask_operation(&look, a, parts.operation, NULL, arena);
	risk = policy_risk(&rules->policy, &look);
	for (size_t i = 0; i < rules->len; i++) {
		const struct since_rule *s = &rules->at[i];

		if (!out.denied.len &&
			since_fits(s, EFFECT_DENY, &look, risk, now_ms, arena))
			out.denied = denied_told(&s->rule, arena);
		if (since_fits(s, EFFECT_ASK, &look, risk, now_ms, arena))
			require_add(&out.require, &s->ask.require, arena, NULL);
	}
	if (out.denied.len) out.require = a->require;
	return out;
}
