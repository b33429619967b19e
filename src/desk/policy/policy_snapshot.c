/* policy_snapshot.c - rules, stops and policy of a workspace: loaded, kept by version, asked. */
#include "desk/policy/policy_snapshot.h"

#include "base/keep.h"
#include "base/mem.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/shared/workspace.h"

struct policy_snapshot *snapshot_free(struct policy_snapshot *b)
{
	while (b) {
		struct policy_snapshot *before = b->before;

		rule_set_free(b->set);
		arena_done(&b->arena);
		mem_free(b);
		b = before;
	}
	return NULL;
}

/* ---- loading ---- */

/* A record whose texts are the snapshot's own. */
static void record_own(enum record_id id, void *record, struct arena *arena)
{
	const struct record *r = &records[id];

	for (int i = 0; i < r->columns_len; i++) {
		struct str *text = (void *)((char *)record + r->columns[i].offset);

		if (r->columns[i].type == COLUMN_TEXT) *text = arena_str(arena, *text);
	}
}

static bool change_ends(const struct snapshot_change *change, struct str rule)
{
	for (size_t i = 0; change && i < change->end_len; i++)
		if (str_eq(change->end[i], rule)) return true;
	return false;
}

static bool record_over(
	enum record_id id, const void *record, const struct snapshot_change *change)
{
	const struct rule_record *rule = record;

	if (id == RECORD_RULES)
		return rule->ended_ms > 0 || change_ends(change, rule->id);
	if (id == RECORD_MANDATES)
		return !str_is(((const struct mandate_record *)record)->status, "live");
	return id == RECORD_STOPS && ((const struct stop_record *)record)->ended_ms > 0;
}

/* What this statement finds and is not over, as rows have it, in an array of the snapshot's own; rules
 * of a change behind it. */
static enum err own_load(struct policy_snapshot *b, struct rows *rows, enum record_id id,
	enum sql sql, const struct snapshot_change *change, void *out, size_t *len,
	struct fault *why)
{
	size_t size = records[id].size, n, more = change ? change->add_len : 0;
	enum err e = rows_fetch(rows, id, sql, ARGS(b->ws), why);
	const void **all;
	char *own;

	if (e) return e;
	all = rows_all(rows, id, b->ws, &n);
	own = arena_alloc(&b->arena, (n + more + 1) * size);
	if (!own) return fail_memory(why);
	*len = 0;
	for (size_t i = 0; i < n + more; i++) {
		const void *from = i < n ? all[i] : (const void *)&change->add[i - n];

		if (record_over(id, from, change)) continue;
		memcpy(own + *len * size, from, size);
		record_own(id, own + (*len)++ * size, &b->arena);
	}
	memcpy(out, &own, sizeof own);
	return OK;
}

static enum err rules_take(struct policy_snapshot *b, struct fault *why)
{
	enum err e = OK;

	b->set = rule_set_new();
	b->counted = ARENA_ARRAY(&b->arena, struct counted_rule, b->rules_len + 1);
	if (!b->set || !b->counted) return fail_memory(why);
	for (size_t i = 0; !e && i < b->rules_len; i++) {
		struct rule_record *r = &b->rules[i];

		e = rule_set_add(b->set, r, why);
		if (r->uses_left >= 0)
			b->counted[b->counted_len++] =
				(struct counted_rule){ r, r->uses_left };
	}
	return e ? e : rule_set_seal(b->set, why);
}

/* A stop whose match cannot be read stops everything: in doubt nothing goes on. */
static enum err stops_take(struct policy_snapshot *b, struct fault *why)
{
	b->stop_matches = ARENA_ARRAY(&b->arena, struct rule_match, b->stops_len + 1);
	if (!b->stop_matches) return fail_memory(why);
	for (size_t i = 0; i < b->stops_len; i++) {
		const struct json *match;
		enum err e = json_read(b->stops[i].match, NULL, &b->arena, &match, why);

		if (!e) e = rule_where_read(match, "", &b->stop_matches[i], why);

		if (e == ERR_MEMORY) return e;
		if (e) b->stop_matches[i] = (struct rule_match){ 0 };
	}
	return b->arena.failed ? fail_memory(why) : OK;
}

static enum err stops_load(
	struct policy_snapshot *b, struct rows *rows, struct fault *why)
{
	enum err e = own_load(b, rows, RECORD_STOPS, SQL_STOPS_LIVE, NULL, &b->stops,
		&b->stops_len, why);

	return e ? e : stops_take(b, why);
}

/* One that cannot be read allows nothing. */
static enum err mandates_load(
	struct policy_snapshot *b, struct rows *rows, struct fault *why)
{
	enum err e = own_load(b, rows, RECORD_MANDATES, SQL_MANDATES_LIVE, NULL,
		&b->mandates, &b->mandates_len, why);

	if (e || !b->mandates_len) return e;
	b->mandate_lines = ARENA_ARRAY(&b->arena, struct mandate_lines, b->mandates_len);
	for (size_t i = 0; b->mandate_lines && i < b->mandates_len; i++)
		if (!mandate_lines_load(
			    b->mandates[i].lines, &b->arena, &b->mandate_lines[i]))
			b->mandate_lines[i].len = 0;
	return b->arena.failed ? fail_memory(why) : OK;
}

/* `rows` is NULL of a workspace that never had a rule, a stop or a policy. */
static enum err snapshot_fill(struct policy_snapshot *b, struct rows *rows,
	const struct snapshot_change *change, struct fault *why)
{
	const struct policy_record *kept = NULL;
	enum err e = OK;

	if (rows) e = rows_get(rows, RECORD_POLICIES, KEY(b->ws), &kept, why);
	if (kept) {
		b->kept = *kept;
		record_own(RECORD_POLICIES, &b->kept, &b->arena);
	}
	if (change && change->policy.len)
		b->kept.body = arena_str(&b->arena, change->policy);
	if (!b->kept.body.len) b->kept.body = str_of(policy_default);
	if (!e && rows)
		e = own_load(b, rows, RECORD_RULES, SQL_RULES_LIVE, change, &b->rules,
			&b->rules_len, why);
	if (!e) e = rules_take(b, why);
	if (!e && rows) e = stops_load(b, rows, why);
	if (!e && rows) e = mandates_load(b, rows, why);
	return e ? e : policy_parse(b->kept.body, &b->arena, &b->policy, why);
}

static struct policy_snapshot *snapshot_new(int64_t ws)
{
	struct policy_snapshot *b = mem_alloc(sizeof *b);

	if (b) *b = (struct policy_snapshot){ .ws = ws };
	return b;
}

enum err snapshot_load(struct rows *rows, int64_t ws,
	const struct snapshot_change *change, struct policy_snapshot **out,
	struct fault *why)
{
	struct policy_snapshot *b = snapshot_new(ws);
	enum err e = b ? snapshot_fill(b, rows, change, why) : fail_memory(why);

	if (e)
		snapshot_free(b);
	else
		*out = b;
	return e;
}

enum err stop_load(
	struct rows *rows, const struct ask *a, struct str *out, struct fault *why)
{
	struct policy_snapshot *b = snapshot_new(a->ws);
	enum err e = b ? stops_load(b, rows, why) : fail_memory(why);

	if (!e)
		*out = stop_told(snapshot_stop(b, agent_known(a->agent, a->agent_name),
					 a->project, a->session, rows->now_ms),
			rows->arena);
	snapshot_free(b);
	return e;
}

/* ---- in a batch ---- */

static struct policy_snapshot **snapshots_place(
	struct policy_snapshot **snapshots, int64_t ws)
{
	for (size_t i = 0; i < SNAPSHOTS_MAX; i++) /* they are filled in order */
		if (!snapshots[i] || snapshots[i]->ws == ws) return &snapshots[i];
	return &snapshots[(uint64_t)ws % SNAPSHOTS_MAX];
}

void snapshots_done(struct desk *d)
{
	for (size_t i = 0; i < (size_t)WRITERS * SNAPSHOTS_MAX; i++)
		d->snapshots[i / SNAPSHOTS_MAX][i % SNAPSHOTS_MAX] =
			snapshot_free(d->snapshots[i / SNAPSHOTS_MAX][i % SNAPSHOTS_MAX]);
}

enum err snapshot_of(struct task *t, struct rows *rows, int64_t ws,
	struct policy_snapshot **out, struct fault *why)
{
	int64_t version, raised = rows_policy_raised(rows, ws);
	uint64_t batch = raised ? t->job.batch : 0;
	struct policy_snapshot **place = snapshots_place(
				       t->desk->snapshots[rows->clerk], ws),
			       *fresh;
	struct workspace_facts facts;
	enum err e = workspace_facts(&t->job, rows, ws, &facts, why);

	if (e) return e;
	rows_policy_seen(rows, ws, facts.policy_version);
	version = facts.policy_version + raised;
	if (*place && (*place)->since != t->job.batch)
		(*place)->before = snapshot_free((*place)->before);
	if (*place && (*place)->ws == ws && (*place)->version == version &&
		(*place)->batch == batch) {
		*out = *place;
		return OK;
	}
	e = snapshot_load(version ? rows : NULL, ws, NULL, &fresh, why);
	if (e) return e;
	fresh->version = version;
	fresh->batch = batch;
	fresh->before = *place;
	fresh->since = t->job.batch;
	*out = *place = fresh;
	return OK;
}

/* ---- deciding ---- */

const struct stop_record *snapshot_stop(const struct policy_snapshot *b, struct str agent,
	struct str project, struct str session, int64_t now_ms)
{
	for (size_t i = 0; i < b->stops_len; i++)
		if (stop_holds(&b->stops[i], now_ms) &&
			rule_match_where(&b->stop_matches[i], agent, project, session))
			return &b->stops[i];
	return NULL;
}

enum err policy_stop(struct task *t, struct rows *rows, const struct session *s,
	struct str agent, const struct stop_record **out, struct fault *why)
{
	struct policy_snapshot *snapshot;
	enum err e = snapshot_of(t, rows, s->ws, &snapshot, why);

	*out = e || !snapshot->version
		       ? NULL
		       : snapshot_stop(snapshot, agent, s->project, s->id, rows->now_ms);
	return e;
}

void snapshot_rule(const struct policy_snapshot *b, const struct operation_view *look,
	int64_t now_ms, unsigned flags, struct arena *arena, struct rule_verdict *out)
{
	enum risk risk = policy_risk(&b->policy, look);
	const struct stop_record *stop =
		snapshot_stop(b, look->agent, look->project, look->session, now_ms);

	*out = (struct rule_verdict){ .risk = risk, .stop = stop };
	out->ruling.risk = risk;
	if (!b->rules_len) return;
	rule_set_decide(b->set, look, risk, now_ms,
		(flags & ~RULE_ASK_UNCOUNTED) | (stop ? DECIDE_NO_ALLOW : 0), arena,
		&out->ruling);
	if (out->ruling.risk > out->risk) out->risk = out->ruling.risk;
}

/* Uses as this batch has left them. */
static void counted_refresh(struct policy_snapshot *b, const struct rows *rows)
{
	for (size_t i = 0; i < b->counted_len; i++) {
		struct counted_rule *c = &b->counted[i];
		const struct rule_record *now =
			rows_find(rows, RECORD_RULES, c->rule->id);

		c->rule->uses_left = !now	     ? c->uses_left
				     : now->ended_ms ? 0
						     : now->uses_left;
	}
}

/* The rule as this batch has it. *stale: it has no use left, which the snapshot did not
 * know. */
static enum err use_look(struct rows *rows, const struct rule_record *rule,
	const struct rule_record **out, bool *stale, struct fault *why)
{
	enum err e = rows_get(rows, RECORD_RULES, KEY(rule->ws, rule->id), out, why);

	if (e) return e;
	*stale |= !*out || (*out)->ended_ms || (*out)->uses_left == 0;
	return OK;
}

static enum err use_take(
	struct rows *rows, const struct rule_record *rule, struct fault *why)
{
	const struct rule_record *found = NULL;
	struct rule_record *r;
	bool stale = false;
	enum err e = use_look(rows, rule, &found, &stale, why);

	if (e || stale)
		return e; /* twice in one line of commands, and that was the last */
	r = rows_change(rows, found);
	if (--r->uses_left > 0) return OK;
	r->ended_ms = rows->now_ms;
	r->ended = ended_write(NULL, rows->now_ms, "used", rows->arena);
	return OK;
}

static enum err hits_count(
	struct rows *rows, const struct ruling *r, bool *stale, struct fault *why)
{
	const struct rule_record *found;
	enum err e = OK;

	*stale = false;
	for (size_t i = 0; !e && i < r->hits_len; i++)
		if (r->hits[i]->uses_left >= 0)
			e = use_look(rows, r->hits[i], &found, stale, why);
	for (size_t i = 0; !e && !*stale && i < r->hits_len; i++) {
		if (r->hits[i]->uses_left >= 0) e = use_take(rows, r->hits[i], why);
		if (!e) rows_rule_hit(rows, r->hits[i]->ws, r->hits[i]->id);
	}
	return e;
}

enum err snapshot_decide(struct policy_snapshot *b, struct rows *rows,
	const struct operation_view *look, unsigned flags, struct rule_verdict *out,
	struct fault *why)
{
	bool stale = false;
	enum err e;

	do {
		counted_refresh(b, rows);
		snapshot_rule(b, look, rows->now_ms, flags, rows->arena, out);
		if (rows->arena->failed) return fail_memory(why);
		if ((flags & RULE_ASK_UNCOUNTED) && out->ruling.effect == EFFECT_ASK)
			return OK;
		e = hits_count(rows, &out->ruling, &stale, why);
	} while (!e && stale);
	return e;
}

/* ---- saying so ---- */

static struct str stopper(const struct stop_record *s, struct arena *arena)
{
	const struct json *by;

	if (json_read(s->made_by, NULL, arena, &by, NULL)) return STR_NONE;
	return json_text(json_get(by, "name"));
}

enum err stop_fail(const struct stop_record *s, struct fault *why)
{
	struct arena arena = { 0 };
	struct str name = stopper(s, &arena);

	fail(why, ERR_STOPPED, "stopped by %.*s: %.*s",
		STR_ARGS(name.len ? name : STR("an admin")), STR_ARGS(s->reason));
	fail_member(why, "stop", s->id);
	arena_done(&arena);
	return ERR_STOPPED;
}

struct str stop_told(const struct stop_record *s, struct arena *arena)
{
	struct buf b = { .max = 16384 };
	struct json_writer w = { .out = &b };

	if (!s) return STR_NONE;
	jw_object(&w);
	show_text(&w, "id", s->id);
	jw_put_str(&w, "reason", s->reason);
	show_json(&w, "by", s->made_by);
	show_time(&w, "at", s->created_ms);
	show_time(&w, "until", s->until_ms);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

enum err rule_fail(const struct rule_record *r, enum err e, struct fault *why)
{
	struct str note = r ? r->note : STR_NONE;

	fail(why, e, "denied by a rule%s%.*s", note.len ? ": " : "", STR_ARGS(note));
	if (r) fail_member(why, "rule", r->id);
	return e;
}
