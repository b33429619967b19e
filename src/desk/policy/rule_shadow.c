/* rule_shadow.c - rules that decide nothing yet: what people said where they fit. Prefixes: shadow_,
 * shadows_. */
#include "core/shared/body.h"
#include "desk/policy/rules.h"

enum { SHADOW_LOOK = 10000, SHADOW_ASKS = 20 };

struct shadow_count {
	struct shadow_count *next;
	struct str rule;
	struct rule_match match;
	enum effect effect;
	int64_t since_ms;
	int64_t hits, approved, rejected;
	struct str asks[SHADOW_ASKS]; /* the newest */
	size_t asks_len;
};

struct shadow_pass {
	struct rule_shadows *of;
	struct policy policy;
};

static enum err shadow_past(void *ctx, const struct past_operation *past,
	struct arena *arena, struct fault *why)
{
	struct shadow_pass *p = ctx;
	enum risk risk = policy_risk(&p->policy, &past->look);

	for (struct shadow_count *c = p->of->first; c; c = c->next) {
		if (past->created_ms < c->since_ms ||
			!rule_fits(&c->match, c->effect, &past->look, risk, arena))
			continue;
		c->hits++;
		c->approved += past->by_person && past->approved;
		c->rejected += past->by_person && past->rejected;
		if (c->asks_len < SHADOW_ASKS)
			c->asks[c->asks_len++] = arena_str(p->of->arena, past->id);
	}
	return arena->failed ? fail_memory(why) : OK;
}

/* Those of them that are shadows; *since_ms: when the oldest was made. */
static enum err shadows_find(struct rule_shadows *s,
	const struct rule_record *const *rules, size_t len, int64_t *since_ms,
	struct fault *why)
{
	*since_ms = INT64_MAX;
	for (size_t i = 0; i < len; i++) {
		const struct rule_record *r = rules[i];
		struct shadow_count *c;

		if (!r->shadow) continue;
		c = ARENA_NEW(s->arena, struct shadow_count);
		if (!c) return fail_memory(why);
		if (rule_parse(r, s->arena, &c->match, NULL, NULL) ||
			!effect_read(r->effect, &c->effect))
			continue;
		c->rule = r->id;
		c->since_ms = r->created_ms;
		c->next = s->first;
		s->first = c;
		if (c->since_ms < *since_ms) *since_ms = c->since_ms;
	}
	return OK;
}

enum err shadows_count(struct task *t, struct rows *rows, struct rule_shadows *s,
	const struct rule_record *const *rules, size_t len, struct fault *why)
{
	struct shadow_pass p = { .of = s };
	struct past_filter filter = { .limit = SHADOW_LOOK };
	const struct policy_record *kept = NULL;
	enum err e;

	*s = (struct rule_shadows){ .arena = &t->job.arena };
	e = shadows_find(s, rules, len, &filter.from_ms, why);
	if (e || !s->first) return e;
	e = rows_get(rows, RECORD_POLICIES, KEY(t->job.who.ws), &kept, why);
	if (!e)
		e = policy_parse(kept ? kept->body : str_of(policy_default), s->arena,
			&p.policy, why);
	return e ? e : past_each(rows, t->job.who.ws, &filter, shadow_past, &p, why);
}

void shadow_show(
	struct json_writer *w, const struct rule_shadows *s, const struct rule_record *r)
{
	const struct shadow_count *c = s->first, none = { 0 };

	while (c && !str_eq(c->rule, r->id))
		c = c->next;
	if (!c) c = &none;
	jw_key(w, "shadow");
	if (!r->shadow) {
		jw_null(w);
		return;
	}
	jw_object(w);
	jw_put_int(w, "hits", c->hits);
	jw_put_int(w, "approved", c->approved);
	jw_put_int(w, "rejected", c->rejected);
	jw_put_array(w, "asks");
	for (size_t i = 0; i < c->asks_len; i++)
		jw_str(w, c->asks[i]);
	jw_array_end(w);
	jw_object_end(w);
}
