/* rule_try.c - dry runs: what would be decided of an operation and why; what a rule would have
 * done to past approvals; and rules that people could make, seen from what they approve. */
#include "base/clock.h"
#include "base/table.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/policy/rules.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRY_LOOK = 10000, DIFFERS_MAX = 200 };

struct try_body {
	const struct json *operation;
	struct rule_record rule;
	bool has_rule;
	struct past_filter filter;
};

/* ---- the body ---- */

static enum err try_text(
	const struct json *body, const char *name, struct str *out, struct fault *why)
{
	const struct json *text = json_get(body, name);

	*out = json_text(text);
	if (!text || text->type == JSON_NULL || json_is(text, JSON_STRING)) return OK;
	return fail_at(why, POINTER("/%s", name), "a text is needed");
}

static enum err try_time(
	const struct json *body, const char *name, int64_t *out, struct fault *why)
{
	const struct json *time = json_get(body, name);

	if (!time || time->type == JSON_NULL) return OK;
	return json_is(time, JSON_STRING) && time_read(time->text, out)
		       ? OK
		       : fail_at(why, POINTER("/%s", name),
				 "must be a time such as 2026-11-01T00:00:00Z");
}

static enum err try_check(struct task *t, struct fault *why)
{
	struct try_body *b = TASK_CHECKED(t, struct try_body);
	const struct json *rule = json_get(t->body, "rule");
	enum risk risk;
	enum err e;

	if (!t->body) return fail_at(why, "", "must be an object");
	e = MEMBERS_ONLY(
		t->body, why, "operation", "rule", "agent", "project", "from", "to");
	b->operation = json_get(t->body, "operation");
	b->has_rule = rule != NULL;
	if (b->has_rule == (b->operation != NULL))
		e = fail_at(why, "", "either an operation or a rule");
	else if (b->operation && !json_is(b->operation, JSON_OBJECT))
		e = fail_at(why, "/operation", "must be an object");
	else if (b->operation && operation_read(b->operation, "/operation", &risk, why))
		e = why->err;
	if (!e && rule) {
		e = rule_read_at(t, rule, "/rule", &b->rule, why);
		b->rule.shadow = false; /* what would it do? */
	}
	if (try_text(t->body, "agent", &b->filter.agent, why)) e = why->err;
	if (try_text(t->body, "project", &b->filter.project, why)) e = why->err;
	if (try_time(t->body, "from", &b->filter.from_ms, why)) e = why->err;
	if (try_time(t->body, "to", &b->filter.to_ms, why)) e = why->err;
	b->filter.limit = TRY_LOOK;
	return e;
}

/* ---- an operation ---- */

/* "fits, but …", for people. */
static const char *lost_detail(const struct rule_fit *f)
{
	switch (f->lost) {
	case LOST_NOT: return "decides";
	case LOST_TO_DENY: return "a deny is stronger";
	case LOST_TO_OTHER: return "also matches";
	case LOST_TO_ASK: return "an ask is stronger";
	case LOST_SOME_COMMANDS: return "it allows only some of the commands";
	case LOST_DOUBT: return "in doubt an allow does not match";
	case LOST_RISK: return "the risk is above what it allows";
	case LOST_REQUIRE: return "more is required than a rule can give";
	}
	return "";
}

static void fit_write(
	struct json_writer *w, const struct rule_fit *f, struct arena *arena)
{
	const char *doubt = f->lost == LOST_DOUBT ? doubt_name(f->doubt) : NULL;
	char detail[96];

	jw_object(w);
	show_text(w, "rule", f->rule->id);
	show_text(w, "effect", f->rule->effect);
	jw_put_str(w, "note", f->rule->note);
	show_text(w, "name", rule_title(f->rule, arena));
	show_text(w, "lost", str_of(rule_lost_name(f->lost)));
	snprintf(detail, sizeof detail, "%s%s%s", lost_detail(f), doubt ? ": " : "",
		doubt ? doubt : "");
	jw_put_text(w, "detail", detail);
	jw_object_end(w);
}

static void tried_write(struct json_writer *w, const struct policy_snapshot *snapshot,
	const struct operation_view *look, const struct rule_verdict *v,
	struct arena *arena)
{
	enum effect effect = v->ruling.effect;
	struct str by = v->ruling.rule ? v->ruling.rule->id : STR_NONE;

	if (effect != EFFECT_DENY && v->stop) {
		effect = EFFECT_DENY;
		by = v->stop->id;
	} else if (effect == EFFECT_NONE) {
		effect = policy_effect(&snapshot->policy, look->type, v->risk);
		by = STR("policy");
	}
	jw_object(w);
	show_text(w, "effect", str_of(effect_name(effect)));
	show_text(w, "risk", str_of(risk_name(v->risk)));
	show_text(w, "by", by);
	jw_put_array(w, "fits");
	for (size_t i = 0; i < v->ruling.fits_len; i++)
		fit_write(w, &v->ruling.fits[i], arena);
	jw_array_end(w);
	jw_object_end(w);
}

static void try_operation(
	struct task *t, const struct policy_snapshot *snapshot, int64_t now_ms)
{
	const struct try_body *b = t->checked;
	struct operation_view look;
	struct rule_verdict v;

	operation_view(&look, b->operation, NULL, b->filter.agent, b->filter.project,
		STR_NONE, &t->job.arena);
	snapshot_rule(snapshot, &look, now_ms, DECIDE_EXPLAIN, &t->job.arena, &v);
	tried_write(TO_REPLY(&t->job), snapshot, &look, &v, &t->job.arena);
}

/* ---- a rule ---- */

struct try_pass {
	const struct policy_snapshot *snapshot; /* with the rule in it */
	struct rule_match match;
	enum effect effect;
	int64_t now_ms, looked, fits, beyond, open, by[EFFECT_DENY + 1];
	struct json_writer *differs;
	int64_t differs_len;
};

static const char *past_ended(const struct past_operation *p)
{
	if (p->status == ASK_PENDING) return "open";
	return p->approved   ? "approved"
	       : p->rejected ? "rejected"
			     : ask_status_name(p->status);
}

/* What a rule allowed, and a person would be asked now, differs as well. */
static void differs_write(struct try_pass *p, const struct past_operation *past,
	enum effect would, struct arena *arena)
{
	bool differs =
		past->status != ASK_PENDING &&
		((would == EFFECT_ALLOW && !past->approved) ||
			(would == EFFECT_ASK && past->approved && !past->by_person) ||
			(would == EFFECT_DENY && past->approved));
	struct rule_record call = { 0 };

	if (!differs || p->differs_len++ >= DIFFERS_MAX) return;
	rule_from(&call, past->id, &past->look, past->sensitive, arena);
	jw_object(p->differs);
	show_text(p->differs, "ask", past->id);
	show_text(p->differs, "was", str_of(past_ended(past)));
	show_text(p->differs, "would", str_of(effect_name(would)));
	show_text(p->differs, "agent", past->agent);
	show_text(p->differs, "call", rule_title(&call, arena));
	show_time(p->differs, "at", past->created_ms);
	jw_object_end(p->differs);
}

/* Its pattern matches, but an allow does not cover the risk, or is in doubt about what is run. */
static bool is_beyond(const struct try_pass *p, const struct past_operation *past,
	enum risk risk, struct arena *arena)
{
	struct rule_match any_risk = p->match;

	any_risk.max = RISK_CRITICAL;
	return p->effect == EFFECT_ALLOW &&
	       rule_fits(&any_risk, EFFECT_ASK, &past->look, risk, arena);
}

static enum err try_past(void *ctx, const struct past_operation *past,
	struct arena *arena, struct fault *why)
{
	struct try_pass *p = ctx;
	struct rule_verdict v;
	enum effect would;
	enum risk risk = policy_risk(&p->snapshot->policy, &past->look);

	p->looked++;
	if (!rule_fits(&p->match, p->effect, &past->look, risk, arena)) {
		p->beyond += is_beyond(p, past, risk, arena);
		return OK;
	}
	would = past_would(p->snapshot, past, p->now_ms, arena, &v);
	if (arena->failed) return fail_memory(why);
	p->fits++;
	p->open += past->status == ASK_PENDING;
	p->by[would]++;
	differs_write(p, past, would, arena);
	return OK;
}

static enum err try_rule(struct task *t, struct rows *rows,
	const struct policy_snapshot *snapshot, int64_t now_ms, struct fault *why)
{
	const struct try_body *b = t->checked;
	struct buf list = { 0 };
	struct json_writer w = { .out = &t->job.out }, differs = { .out = &list };
	struct try_pass p = {
		.snapshot = snapshot, .now_ms = now_ms, .differs = &differs
	};
	struct rule_ask ask;
	enum err e = rule_parse(&b->rule, &t->job.arena, &p.match, &ask, why);

	if (!e && !effect_read(b->rule.effect, &p.effect))
		e = fail(why, ERR_INTERNAL, "a rule without an effect");
	jw_array(&differs);
	if (!e) e = past_each(rows, t->job.who.ws, &b->filter, try_past, &p, why);
	jw_array_end(&differs);
	if (list.failed) t->job.arena.failed = true;
	if (!e) {
		jw_object(&w);
		jw_put_int(&w, "looked", p.looked);
		jw_put_int(&w, "fits", p.fits);
		jw_put_int(&w, "beyond", p.beyond);
		jw_put_int(&w, "allow", p.by[EFFECT_ALLOW]);
		jw_put_int(&w, "ask", p.by[EFFECT_ASK]);
		jw_put_int(&w, "deny", p.by[EFFECT_DENY]);
		show_json(&w, "differs", buf_str(&list));
		jw_put_int(&w, "open", p.open);
		jw_object_end(&w);
	}
	buf_done(&list);
	return e;
}

static enum err try_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct try_body *b = t->checked;
	const struct snapshot_change change = { .add = &b->rule, .add_len = b->has_rule };
	struct policy_snapshot *snapshot = NULL;
	enum err e = snapshot_load(rows, job->who.ws, &change, &snapshot, why);

	if (e) return e;
	if (b->has_rule)
		e = try_rule(t, rows, snapshot, rows->now_ms, why);
	else
		try_operation(t, snapshot, rows->now_ms);
	snapshot_free(snapshot);
	return e;
}

const struct use use_rule_try =
	READS("rule_try", MAY_READ_ALL, JOB_SLOW, try_read, try_check);

/* ---- suggestions ---- */

enum { SUGGEST_DAYS = 14, SUGGEST_COUNT = 5, SUGGEST_MAX = 20 };

struct suggested {
	struct rule_record from; /* of the newest */
	struct str same, agent, project, operation;
	int64_t approved, rejected, last_ms;
	enum risk risk;
	bool allowed; /* a rule does already */
};

struct suggest_pass {
	const struct policy_snapshot *snapshot;
	struct arena *arena;
	struct table found; /* same, agent and project → struct suggested */
	struct suggested **list;
	size_t len;
	int64_t now_ms;
};

static struct suggested *suggested_of(
	struct suggest_pass *p, const struct past_operation *past)
{
	const struct operation_view *look = &past->look;
	struct str key = arena_print(p->arena, "%s %zu:%.*s%.*s", look->same,
		past->agent.len, STR_ARGS(past->agent), STR_ARGS(look->project));
	struct suggested *s = key.len ? table_get(&p->found, key) : NULL;

	if (s || !key.len) return s;
	s = ARENA_NEW(p->arena, struct suggested);
	if (!s || !table_put(&p->found, key, s)) return NULL;
	s->same = arena_str(p->arena, str_of(look->same));
	s->agent = arena_str(p->arena, past->agent);
	s->project = arena_str(p->arena, look->project);
	rule_from(
		&s->from, arena_str(p->arena, past->id), look, past->sensitive, p->arena);
	s->operation = json_keep(past->operation, p->arena);
	p->list[p->len++] = s;
	return s;
}

static enum err suggest_past(void *ctx, const struct past_operation *past,
	struct arena *arena, struct fault *why)
{
	struct suggest_pass *p = ctx;
	struct suggested *s;
	struct rule_verdict v;

	if (past->requires) return OK;
	s = suggested_of(p, past);
	if (!s || p->arena->failed) return fail_memory(why);
	s->approved += past->approved && past->by_person;
	s->rejected += past->rejected;
	if (past->created_ms > s->last_ms) s->last_ms = past->created_ms;
	if (s->approved != SUGGEST_COUNT || s->risk) return OK;
	snapshot_rule(p->snapshot, &past->look, p->now_ms, 0, arena, &v);
	s->risk = v.risk;
	s->allowed = v.ruling.effect != EFFECT_NONE;
	return OK;
}

static int suggested_order(const void *a, const void *b)
{
	const struct suggested *x = *(struct suggested *const *)a;
	const struct suggested *y = *(struct suggested *const *)b;

	if (x->approved != y->approved) return x->approved < y->approved ? 1 : -1;
	return str_cmp(x->same, y->same);
}

static void suggested_write(struct json_writer *w, const struct suggested *s)
{
	jw_object(w);
	jw_put_object(w, "rule");
	show_text(w, "effect", STR("allow"));
	jw_put_object(w, "match");
	show_text(w, "same", s->same);
	show_text(w, "agent", s->agent);
	show_text(w, "project", s->project);
	jw_object_end(w);
	rule_show_from(w, &s->from);
	jw_object_end(w);
	show_json(w, "operation", s->operation);
	show_text(w, "risk", str_of(risk_name(s->risk)));
	jw_put_int(w, "count", s->approved);
	show_time(w, "last_at", s->last_ms);
	jw_object_end(w);
}

static enum err suggest_read(struct job *job, struct rows *rows, struct fault *why)
{
	const struct past_filter filter = { .limit = TRY_LOOK,
		.from_ms = rows->now_ms - (int64_t)SUGGEST_DAYS * 24 * 3600 * 1000 };
	struct json_writer w = { .out = &job->out };
	struct policy_snapshot *snapshot = NULL;
	struct suggest_pass p = { .arena = &job->arena, .now_ms = rows->now_ms };
	size_t shown = 0;
	enum err e = snapshot_load(rows, job->who.ws, NULL, &snapshot, why);

	p.snapshot = snapshot;
	p.list = ARENA_ARRAY(p.arena, struct suggested *, TRY_LOOK);
	if (!e && !p.list) e = fail_memory(why);
	if (!e) e = past_each(rows, job->who.ws, &filter, suggest_past, &p, why);
	if (!e && p.len) qsort(p.list, p.len, sizeof *p.list, suggested_order);
	page_begin(&w);
	for (size_t i = 0; !e && i < p.len && shown < SUGGEST_MAX; i++) {
		const struct suggested *s = p.list[i];

		if (s->approved < SUGGEST_COUNT || s->rejected || s->allowed ||
			s->risk > RISK_MEDIUM)
			continue;
		suggested_write(&w, s);
		shown++;
	}
	jw_array_end(&w);
	jw_object_end(&w);
	table_done(&p.found);
	snapshot_free(snapshot);
	return e;
}

const struct use use_rule_suggest =
	READS("rule_suggest", MAY_READ_ALL, JOB_SLOW, suggest_read, NULL);
