/* policy_log.c - events about rules, stops, the policy, routes, templates, lists, agents and
 * providers, made from the rows that a job changed. */
#include "desk/policy/policy_log.h"

#include "base/keep.h"
#include "core/ask/preset.h"
#include "core/notify/notify_route.h"
#include "core/run/agent.h"
#include "core/run/mcp_server.h"
#include "core/run/own_tool.h"
#include "core/run/provider.h"
#include "core/shared/body.h"
#include "desk/people/people_log.h"

/* An ended record is kept for so long; `check` does not miss it afterwards. */
static int64_t kept_until(int64_t ended_ms)
{
	return ended_ms ? ended_ms + (int64_t)RULE_KEPT_DAYS * 24 * 3600 * 1000 : 0;
}

static struct str terms_text(const struct rule_record *r, bool whole, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	rule_show_terms(&w, r);
	if (whole) rule_show_from(&w, r);
	return buf_keep_done(&b, arena);
}

static void rule_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct rule_record *now = c->now, *before = c->before;
	const char *type = !before				? "rule.made"
			   : now->ended_ms && !before->ended_ms ? "rule.ended"
								: "rule.changed";
	struct str was = STR_NONE;
	char digest[SHORT_DIGEST_SIZE];

	rule_digest(now, digest);
	if (before && !now->ended_ms)
		was = arena_print(rows->arena, "{%.*s}",
			STR_ARGS(terms_text(before, false, rows->arena)));
	log_event(rows, job, now->ws, type, digest,
		FIELDS(field_text("rule", now->id),
			field_members(terms_text(now, true, rows->arena)),
			field_some(field_json(
				"ended", now->ended_ms ? now->ended : STR_NONE)),
			field_some(field_time("kept_until", kept_until(now->ended_ms))),
			field_some(field_json("before", was))));
}

static void stop_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct stop_record *now = c->now;
	char digest[SHORT_DIGEST_SIZE];

	stop_digest(now, digest);
	if (now->ended_ms) rows_go_on(rows, now->ws);
	log_event(rows, job, now->ws, c->before ? "stop.lifted" : "stop.set", digest,
		FIELDS(field_text("stop", now->id), field_json("match", now->match),
			field_str("reason", now->reason),
			field_time("until", now->until_ms),
			field_some(field_json(
				"ended", now->ended_ms ? now->ended : STR_NONE)),
			field_some(field_time("kept_until", kept_until(now->ended_ms)))));
}

static void policy_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct policy_record *now = c->now, *before = c->before;
	char digest[SHORT_DIGEST_SIZE];

	policy_digest(now, digest);
	log_event(rows, job, now->ws, "policy.changed", digest,
		FIELDS(field_word("policy", "policy"),
			field_json("before", before ? before->body : STR_NONE),
			field_json("after", now->body)));
}

static void routes_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct routes_record *now = c->now, *before = c->before;
	char digest[SHORT_DIGEST_SIZE];

	routes_digest(now, digest);
	/* The number that it is written under. */
	log_event(rows, job, now->ws, "routes.changed", digest,
		FIELDS(field_word("routes", "routes"),
			field_int("version", before ? before->version + 1 : 1)));
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

	preset_digest(p, digest);
	log_event(rows, job, p->ws, list ? "list.changed" : "template.changed",
		c->deleted ? "" : digest,
		FIELDS(field_text(list ? "list" : "template", p->name),
			field_word("change", change_word(c))));
}

static void agent_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct agent_record *a = c->now;
	char digest[SHORT_DIGEST_SIZE];

	agent_digest(a, digest);
	log_event(rows, job, a->ws, "agent.changed", c->deleted ? "" : digest,
		FIELDS(field_text("agent", a->id), field_text("name", a->name),
			field_word("change", change_word(c))));
}

/* A key that was set anew is told, never the key. */
static void provider_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct provider_record *p = c->now, *before = c->before;
	char digest[SHORT_DIGEST_SIZE];

	provider_digest(p, digest);
	log_event(rows, job, p->ws, "provider.changed", c->deleted ? "" : digest,
		FIELDS(field_text("provider", p->id), field_text("name", p->name),
			field_word("change", change_word(c)),
			field_bool("key_changed",
				!c->deleted && !str_eq(p->sealed, before ? before->sealed
									 : STR_NONE))));
}

static void tool_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct tool_record *r = c->now, *before = c->before;
	char digest[SHORT_DIGEST_SIZE];

	own_tool_digest(r, digest);
	log_event(rows, job, r->ws, "tool.changed", c->deleted ? "" : digest,
		FIELDS(field_text("tool", r->id), field_text("name", r->name),
			field_word("change", change_word(c)),
			field_bool("key_changed",
				!c->deleted && !str_eq(r->sealed, before ? before->sealed
									 : STR_NONE))));
}

static void key_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct signing_key *k = c->now;
	char digest[SHORT_DIGEST_SIZE];

	signing_key_digest(k, digest);
	log_event(rows, job, k->ws, k->revoked_ms ? "key.revoked" : "key.made", digest,
		FIELDS(field_text("kid", k->kid),
			field_some(field_text("reason", k->reason))));
}

static void hold_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct legal_hold *h = c->now;
	char digest[SHORT_DIGEST_SIZE];

	legal_hold_digest(h, digest);
	log_event(rows, job, h->ws, h->lifted.len ? "hold.lifted" : "hold.set", digest,
		FIELDS(field_text("hold", h->id),
			field_some(field_text("project", h->project)),
			field_some(field_text("session", h->session)),
			field_some(field_text("agent", h->agent)),
			field_some(field_text("user", h->user)),
			field_str("reason", h->reason)));
}

static void mcp_server_event(
	struct rows *rows, const struct job *job, const struct row_change *c)
{
	const struct mcp_server_record *r = c->now;
	char digest[SHORT_DIGEST_SIZE];

	mcp_server_digest(r, digest);
	log_event(rows, job, r->ws,
		c->deleted  ? "mcp.removed"
		: c->before ? "mcp.changed"
			    : "mcp.added",
		c->deleted ? "" : digest,
		FIELDS(field_text("server", r->name), field_text("id", r->id),
			field_some(field_json(
				"tools", c->before && !c->deleted
						 ? STR("{\"new\":0,\"changed\":0}")
						 : STR_NONE))));
}

/* What is logged, and how. */
static const struct {
	void (*event)(struct rows *, const struct job *, const struct row_change *);
	bool decides; /* decisions are made by it; its rows are deleted when they are long over */
} logged[RECORD_COUNT] = {
	[RECORD_PRESETS] = { preset_event },
	[RECORD_AGENTS] = { agent_event },
	[RECORD_PROVIDERS] = { provider_event },
	[RECORD_TOOLS] = { tool_event },
	[RECORD_SIGNING_KEYS] = { key_event },
	[RECORD_HOLDS] = { hold_event },
	[RECORD_MCP_SERVERS] = { mcp_server_event },
	[RECORD_ROUTES] = { routes_event },
	[RECORD_RULES] = { rule_event, true },
	[RECORD_STOPS] = { stop_event, true },
	[RECORD_POLICIES] = { policy_event, true },
};

/* A request changes one workspace; the clock's job may end rules of several. */
void policy_logged(struct job *job, struct rows *rows)
{
	struct row_change c = { 0 };
	int64_t last = 0;

	while (rows_next_change(rows, &c)) {
		int64_t ws = *(const int64_t *)c.now; /* the first member of each */

		if (!logged[c.id].event || (logged[c.id].decides && c.deleted)) continue;
		/* Of a rule that was used only its counter changed. */
		if (c.id == RECORD_RULES && log_unchanged(&c)) continue;
		logged[c.id].event(rows, job, &c);
		if (!logged[c.id].decides) continue;
		if (ws != last) rows_raise_policy(rows, ws);
		last = ws;
	}
}
