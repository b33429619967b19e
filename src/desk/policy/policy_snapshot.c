/* policy_snapshot.c - snapshots: loaded, kept by version, asked. */
#include "desk/policy/policy_snapshot.h"

#include "base/keep.h"
#include "base/mem.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/shared/workspace.h"

struct policy_snapshot *snapshot_free(struct policy_snapshot *b)
{
	if (!b) return NULL;
	rule_set_free(b->set);
	arena_done(&b->arena);
	mem_free(b);
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

static enum err out_of_memory(struct fault *why)
{
	return fail(why, ERR_MEMORY, "out of memory");
}

/* Records as they come: an array that doubles. */
struct gathered {
	struct arena *arena;
	enum record_id id;
	char *at;
	size_t len, cap;
};

static bool gather(struct gathered *g, const void *record)
{
	size_t size = records[g->id].size;

	if (g->len == g->cap) {
		size_t cap = g->cap ? g->cap * 2 : 16;
		char *at = arena_alloc(g->arena, cap * size);

		if (!at) return false;
		if (g->len) memcpy(at, g->at, g->len * size);
		g->at = at;
		g->cap = cap;
	}
	memcpy(g->at + g->len * size, record, size);
	record_own(g->id, g->at + g->len++ * size, g->arena);
	return !g->arena->failed;
}

static const struct {
	enum record_id id;
	enum sql sql;
} sources[] = {
	{ RECORD_RULES, SQL_RULES_LIVE },
	{ RECORD_STOPS, SQL_STOPS_LIVE },
	{ RECORD_POLICIES, SQL_OF(RECORD_POLICIES, RECORD_GET) },
};
enum { FROM_RULES, FROM_STOPS, FROM_POLICIES, SOURCES };

static bool record_over(enum record_id id, const void *record)
{
	if (id == RECORD_RULES) return ((const struct rule_record *)record)->ended_ms > 0;
	return id == RECORD_STOPS && ((const struct stop_record *)record)->ended_ms > 0;
}

/* As the jobs of this batch have left them. */
static enum err gather_rows(struct gathered *g, struct rows *rows, enum sql sql,
	int64_t ws, struct fault *why)
{
	const struct val args[] = { val_int(ws) };
	const void *at = NULL;
	enum err e = rows_fetch(rows, g->id, sql, args, 1, why);

	while (!e && (at = rows_next(rows, g->id, at)))
		if (*(const int64_t *)at == ws && !record_over(g->id, at) &&
			!gather(g, at))
			e = out_of_memory(why);
	return e;
}

static enum err rules_take(struct policy_snapshot *b, struct fault *why)
{
	enum err e = OK;

	b->set = rule_set_new();
	b->counted = ARENA_ARRAY(&b->arena, struct counted_rule, b->rules_len + 1);
	if (!b->set || !b->counted) return out_of_memory(why);
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
	if (!b->stop_matches) return out_of_memory(why);
	for (size_t i = 0; i < b->stops_len; i++) {
		const struct json *match;
		enum err e = json_read(b->stops[i].match, NULL, &b->arena, &match, why);

		if (!e) e = rule_where_read(match, "", &b->stop_matches[i], why);

		if (e == ERR_MEMORY) return e;
		if (e) b->stop_matches[i] = (struct rule_match){ 0 };
	}
	return b->arena.failed ? out_of_memory(why) : OK;
}

static enum err snapshot_take(
	struct policy_snapshot *b, const struct gathered from[SOURCES], struct fault *why)
{
	enum err e;

	b->rules = (void *)from[FROM_RULES].at;
	b->rules_len = from[FROM_RULES].len;
	b->stops = (void *)from[FROM_STOPS].at;
	b->stops_len = from[FROM_STOPS].len;
	if (from[FROM_POLICIES].len)
		memcpy(&b->kept, from[FROM_POLICIES].at, sizeof b->kept);
	if (!b->kept.body.len) b->kept.body = str_of(policy_default);
	e = rules_take(b, why);
	if (!e) e = stops_take(b, why);
	return e ? e : policy_parse(b->kept.body, &b->arena, &b->policy, why);
}

static struct policy_snapshot *snapshot_new(int64_t ws, struct gathered from[SOURCES])
{
	struct policy_snapshot *b = mem_alloc(sizeof *b);

	if (!b) return NULL;
	*b = (struct policy_snapshot){ .ws = ws };
	for (int i = 0; i < SOURCES; i++)
		from[i] = (struct gathered){ .arena = &b->arena, .id = sources[i].id };
	return b;
}

enum err snapshot_load(struct rows *rows, int64_t ws, const struct rule_record *extra,
	struct policy_snapshot **out, struct fault *why)
{
	struct gathered from[SOURCES];
	struct policy_snapshot *b = snapshot_new(ws, from);
	enum err e = b ? OK : out_of_memory(why);

	for (int i = 0; !e && i < SOURCES; i++)
		e = gather_rows(&from[i], rows, sources[i].sql, ws, why);
	if (!e && extra && !gather(&from[FROM_RULES], extra)) e = out_of_memory(why);
	if (!e) e = snapshot_take(b, from, why);
	if (e)
		snapshot_free(b);
	else
		*out = b;
	return e;
}

/* Of a workspace that never had a rule, a stop or a policy. */
static enum err snapshot_empty(
	int64_t ws, struct policy_snapshot **out, struct fault *why)
{
	struct gathered from[SOURCES];
	struct policy_snapshot *b = snapshot_new(ws, from);
	enum err e = b ? snapshot_take(b, from, why) : out_of_memory(why);

	if (e)
		snapshot_free(b);
	else
		*out = b;
	return e;
}

enum err stop_load(
	struct rows *rows, const struct ask *a, struct str *out, struct fault *why)
{
	struct gathered from[SOURCES];
	struct policy_snapshot *b = snapshot_new(a->ws, from);
	struct gathered *stops = &from[FROM_STOPS];
	enum err e = b ? gather_rows(stops, rows, SQL_STOPS_LIVE, a->ws, why)
		       : out_of_memory(why);

	if (!e) {
		b->stops = (void *)stops->at;
		b->stops_len = stops->len;
		e = stops_take(b, why);
	}
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
	for (size_t i = 0; i < BOOKS_MAX; i++) /* they are filled in order */
		if (!snapshots[i] || snapshots[i]->ws == ws) return &snapshots[i];
	return &snapshots[(uint64_t)ws % BOOKS_MAX];
}

void snapshots_done(struct desk *d)
{
	for (size_t i = 0; i < (size_t)WRITERS * BOOKS_MAX; i++)
		d->snapshots[i / BOOKS_MAX][i % BOOKS_MAX] =
			snapshot_free(d->snapshots[i / BOOKS_MAX][i % BOOKS_MAX]);
}

enum err snapshot_of(struct desk *d, const struct job *job, struct rows *rows, int64_t ws,
	struct policy_snapshot **out, struct fault *why)
{
	int64_t version, raised = rows_policy_raised(rows, ws);
	uint64_t batch = raised ? job->batch : 0;
	struct policy_snapshot **place = snapshots_place(d->snapshots[rows->clerk], ws),
			       *fresh;
	struct workspace_facts facts;
	enum err e = workspace_facts(job, rows, ws, &facts, why);

	if (e) return e;
	rows_policy_seen(rows, ws, facts.policy_version);
	version = facts.policy_version + raised;
	if (*place && (*place)->ws == ws && (*place)->version == version &&
		(*place)->batch == batch) {
		*out = *place;
		return OK;
	}
	e = version ? snapshot_load(rows, ws, NULL, &fresh, why)
		    : snapshot_empty(ws, &fresh, why);
	if (e) return e;
	fresh->version = version;
	fresh->batch = batch;
	snapshot_free(*place);
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
	const struct val key[] = { val_int(rule->ws), val_text(rule->id) };
	enum err e = rows_get(rows, RECORD_RULES, key, out, why);

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
		if (rows->arena->failed) return out_of_memory(why);
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
	stop_tell(&w, s);
	return buf_keep_done(&b, arena);
}

enum err rule_fail(const struct rule_record *r, enum err e, struct fault *why)
{
	struct str note = r ? r->note : STR_NONE;

	fail(why, e, "denied by a rule%s%.*s", note.len ? ": " : "", STR_ARGS(note));
	if (r) fail_member(why, "rule", r->id);
	return e;
}

void stop_tell(struct json_writer *w, const struct stop_record *s)
{
	jw_object(w);
	show_text(w, "id", s->id);
	jw_put_str(w, "reason", s->reason);
	show_json(w, "by", s->made_by);
	show_time(w, "at", s->created_ms);
	show_time(w, "until", s->until_ms);
	jw_object_end(w);
}
