/* policy_log.c - events about rules, stops, the policy, routes, templates, lists, agents and
 * providers, made from the rows that a job changed. */
#include "desk/policy/policy_log.h"

#include "base/keep.h"
#include "core/ask/preset.h"
#include "core/notify/notify_route.h"
#include "core/run/agent.h"
#include "core/run/provider.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/people/people_log.h"

enum { EVENT_BYTES = 1 << 20 };

struct policy_event {
	struct rows *rows;
	const struct job *job;
	struct buf data;
	struct json_writer w;
};

static void event_open(struct policy_event *e, struct rows *rows, const struct job *job)
{
	*e = (struct policy_event){
		.rows = rows, .job = job, .data = { .max = EVENT_BYTES }
	};
	e->w.out = &e->data;
	jw_object(&e->w);
}

static void event_stage(
	struct policy_event *e, int64_t ws, const char *type, const char *digest)
{
	show_text(&e->w, "record", str_of(digest));
	log_by_write(&e->w, e->job);
	show_text(&e->w, "from", e->job->from);
	jw_object_end(&e->w);
	struct str data = buf_keep_done(&e->data, e->rows->arena);
	rows_event_of(e->rows, ws, type, data);
}

/* An ended record is kept for so long; `check` does not miss it afterwards. */
static void kept_until(struct json_writer *w, int64_t ended_ms)
{
	show_time(w, "kept_until", ended_ms + (int64_t)RULE_KEPT_DAYS * 24 * 3600 * 1000);
}

static void rule_tell(struct json_writer *w, const struct rule_record *r)
{
	show_text(w, "rule", r->id);
	rule_show_terms(w, r);
	rule_show_from(w, r);
	if (!r->ended_ms) return;
	show_json(w, "ended", r->ended);
	kept_until(w, r->ended_ms);
}

static void rule_event(struct rows *rows, const struct job *job,
	const struct rule_record *now, const struct rule_record *before, int64_t *ws)
{
	char digest[SHORT_DIGEST_SIZE], was[SHORT_DIGEST_SIZE] = "";
	const char *type = !before				? "rule.made"
			   : now->ended_ms && !before->ended_ms ? "rule.ended"
								: "rule.changed";
	struct policy_event e;

	rule_digest(now, digest);
	if (before) rule_digest(before, was);
	if (strcmp(digest, was) == 0) return; /* only its use counter changed */
	*ws = now->ws;
	event_open(&e, rows, job);
	rule_tell(&e.w, now);
	if (before && !now->ended_ms) {
		jw_put_object(&e.w, "before");
		rule_show_terms(&e.w, before);
		jw_object_end(&e.w);
	}
	event_stage(&e, now->ws, type, digest);
}

static void stop_event(struct rows *rows, const struct job *job,
	const struct stop_record *now, const struct stop_record *before)
{
	char digest[SHORT_DIGEST_SIZE];
	struct policy_event e;

	stop_digest(now, digest);
	event_open(&e, rows, job);
	show_text(&e.w, "stop", now->id);
	show_json(&e.w, "match", now->match);
	jw_put_str(&e.w, "reason", now->reason);
	show_time(&e.w, "until", now->until_ms);
	if (now->ended_ms) {
		show_json(&e.w, "ended", now->ended);
		kept_until(&e.w, now->ended_ms);
		rows_go_on(rows, now->ws);
	}
	event_stage(&e, now->ws, before ? "stop.lifted" : "stop.set", digest);
}

static void policy_event(struct rows *rows, const struct job *job,
	const struct policy_record *now, const struct policy_record *before)
{
	char digest[SHORT_DIGEST_SIZE];
	struct policy_event e;

	policy_digest(now, digest);
	event_open(&e, rows, job);
	show_text(&e.w, "policy", STR("policy"));
	show_json(&e.w, "before", before ? before->body : STR_NONE);
	show_json(&e.w, "after", now->body);
	event_stage(&e, now->ws, "policy.changed", digest);
}

static void routes_event(struct rows *rows, const struct job *job,
	const struct routes_record *now, const struct routes_record *before)
{
	char digest[SHORT_DIGEST_SIZE];
	struct policy_event e;

	routes_digest(now, digest);
	event_open(&e, rows, job);
	show_text(&e.w, "routes", STR("routes"));
	jw_key(&e.w, "version");
	/* The number that it is written under. */
	jw_int(&e.w, before ? before->version + 1 : 1);
	event_stage(&e, now->ws, "routes.changed", digest);
}

static const char *change_word(const struct row_change *c)
{
	return c->deleted ? "deleted" : c->before ? "changed" : "created";
}

static void preset_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct preset_record *p = c->now;
	bool list = str_is(p->kind, preset_kind_name(PRESET_LIST));
	char digest[SHORT_DIGEST_SIZE];
	struct policy_event e;

	preset_digest(p, digest);
	event_open(&e, rows, job);
	show_text(&e.w, list ? "list" : "template", p->name);
	jw_put_text(&e.w, "change", change_word(c));
	event_stage(&e, p->ws, list ? "list.changed" : "template.changed",
		c->deleted ? "" : digest);
}

static void agent_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct agent_record *a = c->now;
	char digest[SHORT_DIGEST_SIZE];
	struct policy_event e;

	agent_digest(a, digest);
	event_open(&e, rows, job);
	show_text(&e.w, "agent", a->id);
	show_text(&e.w, "name", a->name);
	jw_put_text(&e.w, "change", change_word(c));
	event_stage(&e, a->ws, "agent.changed", c->deleted ? "" : digest);
}

/* A key that was set anew is told, never the key. */
static void provider_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct provider_record *p = c->now, *before = c->before;
	char digest[SHORT_DIGEST_SIZE];
	struct policy_event e;

	provider_digest(p, digest);
	event_open(&e, rows, job);
	show_text(&e.w, "provider", p->id);
	show_text(&e.w, "name", p->name);
	jw_put_text(&e.w, "change", change_word(c));
	jw_put_bool(&e.w, "key_changed",
		!c->deleted && !str_eq(p->sealed, before ? before->sealed : STR_NONE));
	event_stage(&e, p->ws, "provider.changed", c->deleted ? "" : digest);
}

static void change_event(
	struct rows *rows, const struct job *job, const struct row_change *c, int64_t *ws)
{
	switch (c->id) {
	case RECORD_PRESETS: preset_event(rows, job, c); return;
	case RECORD_AGENTS: agent_event(rows, job, c); return;
	case RECORD_PROVIDERS: provider_event(rows, job, c); return;
	case RECORD_ROUTES: routes_event(rows, job, c->now, c->before); return;
	default: break;
	}
	if (c->deleted) return;
	if (c->id == RECORD_RULES) rule_event(rows, job, c->now, c->before, ws);
	if (c->id == RECORD_STOPS) stop_event(rows, job, c->now, c->before);
	if (c->id == RECORD_POLICIES) policy_event(rows, job, c->now, c->before);
	if (c->id == RECORD_STOPS || c->id == RECORD_POLICIES)
		*ws = *(const int64_t *)c->now; /* the first member of each */
}

/* A request changes one workspace; the clock's job may end rules of several. */
void policy_logged(struct job *job, struct rows *rows)
{
	struct row_change c = { 0 };
	int64_t last = 0;

	while (rows_next_change(rows, &c)) {
		int64_t ws = 0;

		change_event(rows, job, &c, &ws);
		if (ws && ws != last) rows_raise_policy(rows, ws);
		if (ws) last = ws;
	}
}
