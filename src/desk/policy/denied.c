/* denied.c - open approvals that a rule made since denies. */
#include "desk/policy/denied.h"

#include "base/keep.h"
#include "core/show.h"

struct denies_reading {
	struct denies *out;
	struct arena *arena;
	struct str policy;
};

static enum err deny_row(void *ctx, const struct row *row, struct fault *why)
{
	struct denies_reading *r = ctx;
	struct denies *d = r->out;
	struct denying_rule *rule;

	if (d->len == d->cap) {
		size_t cap = d->cap ? d->cap * 2 : 16;
		struct denying_rule *at = ARENA_ARRAY(r->arena, struct denying_rule, cap);

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
	struct denies_reading *r = ctx;
	struct policy_record p;
	enum err e = record_read(&records[RECORD_POLICIES], row, r->arena, &p, why);

	if (!e) r->policy = p.body;
	return e;
}

enum err denies_read(struct task *t, struct db *db, struct denies *out, struct fault *why)
{
	struct denies_reading r = { out, &t->job.arena, str_of(policy_default) };
	const struct val args[] = { val_int(t->job.who.ws) };
	enum err e;

	*out = (struct denies){ 0 };
	if (!t->job.credential.policy_version) return OK;
	e = db_one(db, SQL_RULES_DENYING, args, 1, deny_row, &r, why);
	if (e || !out->len) return e;
	e = db_one(db, SQL_OF(RECORD_POLICIES, RECORD_GET), args, 1, policy_row, &r, why);
	if (!e) e = policy_parse(r.policy, r.arena, &out->policy, why);
	for (size_t i = 0; !e && i < out->len; i++) {
		struct denying_rule *d = &out->at[i];
		struct rule_ask ask;

		d->unreadable =
			rule_parse(&d->rule, r.arena, &d->match, &ask, NULL) != OK;
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

struct str denied_by(
	const struct denies *d, const struct ask *a, int64_t now_ms, struct arena *arena)
{
	struct operation_view look;
	struct ask_parts parts;
	enum risk risk;

	if (!d->len || a->status != ASK_PENDING || a->kind != ASK_APPROVAL ||
		ask_parts(a, arena, &parts, NULL) || !parts.operation)
		return STR_NONE;
	ask_operation(&look, a, parts.operation, NULL, arena);
	risk = policy_risk(&d->policy, &look);
	for (size_t i = 0; i < d->len; i++) {
		const struct denying_rule *deny = &d->at[i];

		if (deny->rule.enabled && rule_holds(&deny->rule, now_ms) &&
			(deny->unreadable ||
				rule_fits(&deny->match, EFFECT_DENY, &look, risk, arena)))
			return denied_told(&deny->rule, arena);
	}
	return STR_NONE;
}
