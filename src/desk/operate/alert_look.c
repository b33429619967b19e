/* alert_look.c - the look for alerts, once a minute: what is counted is read beside the writers, then
 * compared with the alerts that are open. */
#include "desk/operate.h"

#include "desk/notify/alert_rows.h"
#include "desk/notify/notify_ask.h"

#include <stdio.h>

#define HOUR_MS (3600 * 1000LL)
enum {
	UNTOLD_LOOK = 1000,
	ROUTES_LOOK = ROUTES_MAX,
	NODE_FORGOTTEN_MS = 24 * 3600 * 1000,
	/* Ids never go back: where the clock was moved back, they are ahead of it. */
	ID_AHEAD_MS = 3600 * 1000,
};

/* What a look found, in the arena of its task. */
struct alert_look {
	struct str by;
	int64_t at_ms; /* when it was read */
	struct alert_finding *at;
	size_t len, cap;
	struct notify_notes *notes;
};

/* A workspace that is looked at. */
struct looking {
	struct rows *rows;
	struct alert_look *found;
	int64_t ws, now_ms;
	struct alert_settings set;
};

static enum err finding_add(struct looking *l, struct alert_finding f, struct fault *why)
{
	struct alert_look *all = l->found;
	struct arena *arena = l->rows->arena;

	if (all->len == all->cap) {
		size_t cap = all->cap ? all->cap * 2 : 32;
		struct alert_finding *at = ARENA_ARRAY(arena, struct alert_finding, cap);

		if (!at) return fail_memory(why);
		if (all->len) memcpy(at, all->at, all->len * sizeof *at);
		all->at = at;
		all->cap = cap;
	}
	f.ws = l->ws;
	f.about = arena_str(arena, f.about);
	all->at[all->len++] = f;
	return arena->failed ? fail_memory(why) : OK;
}

static struct str seconds(const struct looking *l, int64_t ms)
{
	return alert_number((double)(ms / 1000), l->rows->arena);
}

/* The first column of what a statement finds, as the asks of an alert. */
static enum err asks_find(struct looking *l, enum sql sql, const struct val *args,
	int len, struct str *out, struct fault *why)
{
	struct str ids[ALERT_ASKS_MAX];
	size_t found;
	enum err e =
		rows_texts(l->rows, sql, args, len, ids, ALERT_ASKS_MAX, &found, why);

	if (!e) *out = alert_asks(ids, found, l->rows->arena);
	return e;
}

/* ---- asks that wait ---- */

struct waiting {
	struct str ids[ALERT_ASKS_MAX];
	size_t len;
	int64_t oldest_ms;
	struct arena *arena;
};

static void waiting_add(struct waiting *w, struct str id, int64_t created_ms)
{
	if (!w->oldest_ms || created_ms < w->oldest_ms) w->oldest_ms = created_ms;
	if (w->len < ALERT_ASKS_MAX) w->ids[w->len++] = arena_str(w->arena, id);
}

static enum err waiting_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	waiting_add(ctx, row_text(row, 0), row_int(row, 1));
	return OK;
}

static enum err waiting_found(struct looking *l, enum alert_kind kind, int64_t limit_ms,
	const struct waiting *w, struct fault *why)
{
	if (!w->len) return OK;
	return finding_add(l,
		(struct alert_finding){ .kind = kind,
			.raised = true,
			.value = seconds(l, l->now_ms - w->oldest_ms),
			.threshold = seconds(l, limit_ms),
			.asks = alert_asks(w->ids, w->len, l->rows->arena) },
		why);
}

static enum err unanswered_look(struct looking *l, struct fault *why)
{
	int64_t before_ms = l->now_ms - l->set.unanswered_ms;
	struct waiting w = { .arena = l->rows->arena };
	struct str bound;
	enum err e;

	if (!l->set.unanswered_ms) return OK;
	bound = desk_id_bound("ask", before_ms + ID_AHEAD_MS, l->rows->arena);
	e = rows_query(l->rows, SQL_ASKS_UNANSWERED,
		ARGS(l->ws, bound, before_ms - 1, ALERT_ASKS_MAX), waiting_row, &w, why);
	return e ? e : waiting_found(l, ALERT_UNANSWERED, l->set.unanswered_ms, &w, why);
}

/* Was anybody who may settle it in sight since it was asked? */
static bool ask_was_seen(const struct recipients *t, const struct ask *a)
{
	for (size_t i = 0; i < t->people_len; i++) {
		const struct user *u = roster_user(&t->roster, t->people[i].user);
		struct principal p = { .ws = a->ws, .user = t->people[i].user };

		if (!u || u->disabled || t->people[i].present_ms < a->created_ms)
			continue;
		p.role = u->role;
		p.name = u->name;
		if (entitled_to_settle(a, &p, &t->roster) == REFUSED_NOT) return true;
	}
	return false;
}

struct untold {
	struct waiting waiting;
	const struct recipients *people;
};

static enum err untold_ask(void *ctx, const void *record, const struct row *row,
	struct arena *scratch, struct fault *why)
{
	struct untold *u = ctx;
	const struct ask *a = record;

	(void)row, (void)scratch, (void)why;
	if (!ask_was_seen(u->people, a)) waiting_add(&u->waiting, a->id, a->created_ms);
	return OK;
}

static enum err unreachable_look(struct looking *l, struct fault *why)
{
	int64_t before_ms = l->now_ms - l->set.unreachable_ms;
	struct recipients people = { 0 };
	struct untold u = { { .arena = l->rows->arena }, &people };
	struct str bound;
	enum err e;

	if (!l->set.unreachable_ms) return OK;
	e = recipients_load(l->rows, l->ws, &people, why);
	bound = desk_id_bound("ask", before_ms + ID_AHEAD_MS, l->rows->arena);
	if (!e)
		e = rows_each(l->rows, RECORD_ASKS, SQL_ASKS_UNTOLD,
			ARGS(l->ws, bound, before_ms - 1, UNTOLD_LOOK), untold_ask, &u,
			why);
	return e ? e
		 : waiting_found(
			   l, ALERT_UNREACHABLE, l->set.unreachable_ms, &u.waiting, why);
}

/* ---- rates ---- */

/* Near what is allowed, or beyond it; *raised then. */
static bool share_counts(
	const struct looking *l, int64_t bad, int64_t all, double limit, bool *raised)
{
	double share = alert_share(bad, all, l->set.min);

	*raised = share > limit;
	return share > 0 && share >= limit * ALERT_CALM;
}

static enum err share_add(struct looking *l, enum alert_kind kind, struct str about,
	int64_t bad, int64_t all, double limit, struct str asks, struct fault *why)
{
	struct alert_finding f = { .kind = kind, .about = about, .asks = asks };

	if (!share_counts(l, bad, all, limit, &f.raised)) return OK;
	f.value = alert_number((double)bad / (double)all, l->rows->arena);
	f.threshold = alert_number(limit, l->rows->arena);
	f.detail = arena_print(
		l->rows->arena, "%lld of %lld", (long long)bad, (long long)all);
	return finding_add(l, f, why);
}

struct shares {
	struct {
		struct str name;
		int64_t bad, all;
	} at[ROUTES_LOOK];
	size_t len;
	struct arena *arena;
};

static enum err shares_row(void *ctx, const struct row *row, struct fault *why)
{
	struct shares *s = ctx;

	(void)why;
	if (s->len == ROUTES_LOOK) return OK;
	s->at[s->len].name = arena_str(s->arena, row_text(row, 0));
	s->at[s->len].bad = row_int(row, 1);
	s->at[s->len++].all = row_int(row, 2);
	return OK;
}

static enum err timeouts_look(struct looking *l, struct fault *why)
{
	int64_t since_ms = l->now_ms - l->set.window_ms;
	struct shares s = { .arena = l->rows->arena };
	enum err e;

	if (l->set.timeouts <= 0) return OK;
	e = rows_query(
		l->rows, SQL_ASKS_TIMEOUTS, ARGS(l->ws, since_ms), shares_row, &s, why);
	for (size_t i = 0; !e && i < s.len; i++) {
		struct str asks = STR_NONE;
		bool raised;

		if (!share_counts(l, s.at[i].bad, s.at[i].all, l->set.timeouts, &raised))
			continue;
		e = asks_find(l, SQL_ASKS_EXPIRED,
			ARGS(l->ws, since_ms, s.at[i].name, ALERT_ASKS_MAX), &asks, why);
		if (!e)
			e = share_add(l, ALERT_TIMEOUTS, s.at[i].name, s.at[i].bad,
				s.at[i].all, l->set.timeouts, asks, why);
	}
	return e;
}

/* What nodes counted in the last hour: asks that were refused, model calls. */
static enum err tallies_look(struct looking *l, struct fault *why)
{
	int64_t since_ms = l->now_ms - HOUR_MS, made = 0;
	struct shares s = { .arena = l->rows->arena };
	struct str bound;
	enum err e = rows_query(
		l->rows, SQL_TALLIES, ARGS(l->ws, since_ms), shares_row, &s, why);

	for (size_t i = 0; !e && i < s.len; i++) {
		struct str name = s.at[i].name;
		int64_t bad = s.at[i].bad, all = s.at[i].all;

		if (str_starts(name, "model/") && l->set.model > 0) {
			e = share_add(l, ALERT_MODEL, str_from(name, 6), bad, all,
				l->set.model, STR_NONE, why);
		} else if (str_is(name, "ask") && l->set.errors > 0) {
			bound = desk_id_bound("ask", since_ms, l->rows->arena);
			e = rows_int(l->rows, SQL_ASKS_SINCE,
				ARGS(l->ws, bound, since_ms), &made, why);
			if (!e)
				e = share_add(l, ALERT_ERRORS, STR_NONE, bad, bad + made,
					l->set.errors, STR_NONE, why);
		}
	}
	return e;
}

/* What came of the asks of routes in the window, by the place of the route in its table. */
struct route_shares {
	const struct route_table *table;
	int64_t target_ms; /* of the routes that are counted */
	int64_t late[ROUTES_MAX], all[ROUTES_MAX];
};

static enum err route_shares_row(void *ctx, const struct row *row, struct fault *why)
{
	struct route_shares *s = ctx;

	(void)why;
	for (size_t i = 0; i < s->table->len; i++) {
		if (s->table->rows[i].target_ms != s->target_ms ||
			!str_eq(s->table->rows[i].id, row_text(row, 0)))
			continue;
		s->late[i] = row_int(row, 1);
		s->all[i] = row_int(row, 2);
	}
	return OK;
}

/* Routes with one target are counted at once: the asks of the window are read once for each target. */
static enum err route_shares_load(struct looking *l, struct route_shares *s,
	struct str bound, int64_t since_ms, struct fault *why)
{
	enum err e = OK;

	for (size_t i = 0; !e && i < s->table->len; i++) {
		size_t before = 0;

		s->target_ms = s->table->rows[i].target_ms;
		while (s->table->rows[before].target_ms != s->target_ms)
			before++;
		if (!s->target_ms || before < i) continue;
		e = rows_query(l->rows, SQL_ASKS_LATE,
			ARGS(l->ws, bound, since_ms, s->target_ms, l->now_ms),
			route_shares_row, s, why);
	}
	return e;
}

static enum err overdue_look(struct looking *l, struct fault *why)
{
	int64_t since_ms = l->now_ms - l->set.window_ms;
	struct route_table table;
	struct route_shares s = { .table = &table };
	struct str bound;
	enum err e;

	if (l->set.overdue <= 0) return OK;
	bound = desk_id_bound("ask", since_ms, l->rows->arena);
	e = route_table_load(l->rows, l->ws, &table, why);
	if (!e) e = route_shares_load(l, &s, bound, since_ms, why);
	for (size_t i = 0; !e && i < table.len; i++) {
		const struct notify_route *r = &table.rows[i];
		struct str asks = STR_NONE;
		bool raised;

		if (!share_counts(l, s.late[i], s.all[i], l->set.overdue, &raised))
			continue;
		e = asks_find(l, SQL_ASKS_LATE_IDS,
			ARGS(l->ws, bound, since_ms, r->id, r->target_ms, l->now_ms,
				ALERT_ASKS_MAX),
			&asks, why);
		if (!e)
			e = share_add(l, ALERT_OVERDUE, r->id, s.late[i], s.all[i],
				l->set.overdue, asks, why);
		if (!e) l->found->at[l->found->len - 1].detail = r->name;
	}
	return e;
}

/* ---- counts ---- */

static enum err dead_look(struct looking *l, struct fault *why)
{
	int64_t since_ms = l->now_ms - l->set.window_ms, dead = 0;
	struct alert_finding f = { .kind = ALERT_DEAD, .raised = true };
	enum err e;

	if (!l->set.dead) return OK;
	e = rows_int(l->rows, SQL_DELIVERIES_DEAD, ARGS(l->ws, since_ms), &dead, why);
	if (e || dead < l->set.dead) return e;
	f.value = alert_number((double)dead, l->rows->arena);
	f.threshold = alert_number((double)l->set.dead, l->rows->arena);
	e = asks_find(l, SQL_DELIVERIES_DEAD_ASKS, ARGS(l->ws, since_ms, ALERT_ASKS_MAX),
		&f.asks, why);
	return e ? e : finding_add(l, f, why);
}

static enum err budget_look(struct looking *l, struct fault *why)
{
	struct alert_finding f = { .kind = ALERT_BUDGET, .raised = true };
	int64_t cost = 0; /* 1e-9 dollars */
	enum err e;

	if (l->set.budget <= 0) return OK;
	e = rows_int(l->rows, SQL_RUNS_COST, ARGS(l->ws, l->now_ms - l->set.window_ms),
		&cost, why);
	if (e || (double)cost / 1e9 < l->set.budget) return e;
	f.value = alert_number((double)cost / 1e9, l->rows->arena);
	f.threshold = alert_number(l->set.budget, l->rows->arena);
	return finding_add(l, f, why);
}

/* ---- what is broken ---- */

/* Raised when it happens; it lasts while the ask is open and nobody was told since. */
static enum err unreached_look(struct looking *l, struct fault *why)
{
	const struct alert *a = NULL;
	enum err e =
		rows_fetch(l->rows, RECORD_ALERTS, SQL_ALERTS_OPEN, ARGS(l->ws), why);

	while (!e && (a = rows_next(l->rows, RECORD_ALERTS, a))) {
		int64_t taken = 0;
		struct ask *ask;

		if (a->ws != l->ws || a->kind != ALERT_UNREACHED || a->cleared_ms)
			continue;
		e = rows_fetch_ask(l->rows, l->ws, a->about, &ask, why);
		if (e == ERR_NOT_FOUND) {
			e = OK;
			continue;
		}
		if (e || ask->status != ASK_PENDING) continue;
		e = rows_int(l->rows, SQL_DELIVERIES_TAKEN,
			ARGS(l->ws, a->about, a->since_ms), &taken, why);
		if (!e && !taken)
			e = finding_add(l,
				(struct alert_finding){ .kind = ALERT_UNREACHED,
					.about = a->about,
					.asks = a->asks,
					.detail = a->detail },
				why);
	}
	return e;
}

static enum err channel_look(struct looking *l, struct fault *why)
{
	const struct channel_record *c = NULL;
	struct str used[DELIVERY_KINDS];
	size_t len;
	enum err e = rows_texts(l->rows, SQL_CONTACT_CHANNELS, ARGS(l->ws), used,
		DELIVERY_KINDS, &len, why);

	if (!e) e = rows_fetch(l->rows, RECORD_CHANNELS, SQL_CHANNELS, NULL, 0, why);
	while (!e && (c = rows_next(l->rows, RECORD_CHANNELS, c)))
		for (size_t i = 0; !e && c->error.len && i < len; i++)
			if (str_eq(used[i], c->name))
				e = finding_add(l,
					(struct alert_finding){ .kind = ALERT_CHANNEL,
						.raised = true,
						.about = c->name,
						.detail = c->error },
					why);
	return e;
}

static enum err unmeetable_look(struct looking *l, struct fault *why)
{
	struct unmet_asks unmet = { 0 };
	enum err e = unmet_find(l->rows, l->ws, &unmet, why);

	for (size_t i = 0; !e && i < unmet.len; i++) {
		struct str id = arena_str(l->rows->arena, str_of(unmet.ids[i]));

		e = finding_add(l,
			(struct alert_finding){ .kind = ALERT_UNMEETABLE,
				.raised = true,
				.about = id,
				.asks = alert_asks(&id, 1, l->rows->arena),
				.detail = arena_print(l->rows->arena,
					"nobody can give the approvals that ask %.*s requires",
					STR_ARGS(id)) },
			why);
	}
	return e;
}

static enum err node_look(struct looking *l, struct fault *why)
{
	const struct node_record *n = NULL;
	enum err e = rows_fetch(l->rows, RECORD_NODES, SQL_NODES, NULL, 0, why);

	while (!e && l->set.node_ms && (n = rows_next(l->rows, RECORD_NODES, n))) {
		int64_t silent_ms = l->now_ms - n->seen_ms;

		if (silent_ms <= l->set.node_ms || silent_ms > NODE_FORGOTTEN_MS)
			continue;
		e = finding_add(l,
			(struct alert_finding){ .kind = ALERT_NODE,
				.raised = true,
				.about = n->id,
				.value = seconds(l, silent_ms),
				.threshold = seconds(l, l->set.node_ms),
				.detail = n->name },
			why);
	}
	return e;
}

/* Each finds what is beyond, or near, what the policy allows. */
static enum err (*const looks[])(struct looking *, struct fault *) = {
	unanswered_look,
	unreachable_look,
	timeouts_look,
	tallies_look,
	overdue_look,
	dead_look,
	budget_look,
	unreached_look,
	channel_look,
	unmeetable_look,
	node_look,
};

/* ---- the read ---- */

struct workspaces {
	int64_t *at;
	size_t len;
	struct arena *arena;
};

static enum err workspace_row(void *ctx, const struct row *row, struct fault *why)
{
	struct workspaces *w = ctx;

	if (!(w->len & (w->len - 1))) {
		int64_t *at = ARENA_ARRAY(w->arena, int64_t, w->len ? w->len * 2 : 1);

		if (!at) return fail_memory(why);
		if (w->len) memcpy(at, w->at, w->len * sizeof *at);
		w->at = at;
	}
	w->at[w->len++] = row_int(row, 0);
	return OK;
}

static enum err workspace_look(struct looking *l, struct fault *why)
{
	const struct policy_record *p;
	enum err e = rows_get(l->rows, RECORD_POLICIES, KEY(l->ws), &p, why);

	if (!e)
		e = alert_settings_read(
			p ? p->body : STR_NONE, l->rows->arena, &l->set, why);
	for (size_t i = 0; !e && i < sizeof looks / sizeof *looks; i++)
		e = looks[i](l, why);
	return e;
}

static enum err look_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct alert_look *found = task_of(job)->checked;
	struct workspaces w = { .arena = rows->arena };
	enum err e =
		rows_query(rows, SQL_WORKSPACE_LIST, NULL, 0, workspace_row, &w, why);

	found->len = found->cap = 0;
	found->at_ms = rows->now_ms;
	for (size_t i = 0; !e && i < w.len; i++) {
		struct looking l = { .rows = rows,
			.found = found,
			.ws = w.at[i],
			.now_ms = rows->now_ms };

		e = workspace_look(&l, why);
	}
	return e;
}

static const struct use use_alert_look =
	READS("alert_look", 0, JOB_SLOW | JOB_OPEN, look_read, NULL);

/* ---- what follows ---- */

static const struct alert_finding *finding_of(
	const struct alert_look *found, const struct alert *a)
{
	for (size_t i = 0; i < found->len; i++)
		if (found->at[i].ws == a->ws && found->at[i].kind == a->kind &&
			str_eq(found->at[i].about, a->about))
			return &found->at[i];
	return NULL;
}

/* What is shown of it is what the last look found. */
static void alert_renew(
	struct rows *rows, const struct alert *was, const struct alert_finding *f)
{
	struct alert *a;

	if (!f || (str_eq(was->value, f->value) && str_eq(was->asks, f->asks) &&
			  str_eq(was->threshold, f->threshold)))
		return;
	a = rows_change(rows, was);
	a->value = f->value;
	a->threshold = f->threshold;
	a->asks = f->asks;
	a->detail = f->detail;
}

static void alert_go_on(
	struct rows *rows, const struct alert *was, const struct alert_look *found)
{
	const struct alert_finding *f = finding_of(found, was);

	switch (alert_next(was, f, found->at_ms, rows->now_ms)) {
	case ALERT_CLEARS: alert_clear(rows, was); return;
	case ALERT_CALMS:
		((struct alert *)rows_change(rows, was))->low_ms = rows->now_ms;
		break;
	case ALERT_STIRS: ((struct alert *)rows_change(rows, was))->low_ms = 0; break;
	case ALERT_RAISES:
	case ALERT_STAYS: break;
	}
	alert_renew(rows, was, f);
}

/* "unmeetable: nobody can give …", "errors: 3 of 20, allowed 0.05" */
static void alert_note(struct notify_notes *notes, const struct alert_finding *f)
{
	struct str said = f->detail.len ? f->detail : f->value;

	notify_note(notes, "%s: %.*s%s%.*s%s%.*s", alert_kind_name(f->kind),
		STR_ARGS(f->kind == ALERT_UNMEETABLE ? STR_NONE : f->about),
		f->about.len && f->kind != ALERT_UNMEETABLE ? " " : "", STR_ARGS(said),
		f->threshold.len ? ", allowed " : "", STR_ARGS(f->threshold));
}

static enum err apply_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct alert_look *found = task_of(job)->checked;
	const struct lease_record *l;
	const struct alert *a = NULL;
	enum err e = rows_get(rows, RECORD_LEASES, KEY("alerts"), &l, why);

	if (e || !l || !lease_holds(&l->lease, found->by)) return e;
	e = rows_fetch(rows, RECORD_ALERTS, SQL_ALERTS_OPEN, ARGS(0), why);
	found->notes->len = 0;
	while (!e && (a = rows_next(rows, RECORD_ALERTS, a)))
		if (!a->cleared_ms) alert_go_on(rows, a, found);
	for (size_t i = 0; !e && i < found->len; i++) {
		const struct alert_finding *f = &found->at[i];

		if (!f->raised || alert_open(rows, f->ws, f->kind, f->about)) continue;
		e = alert_raise(rows, f, why);
		alert_note(found->notes, f);
	}
	if (!e) ((struct lease_record *)rows_change(rows, l))->done_ms = rows->now_ms;
	return e;
}

static const struct use use_alert_apply =
	WRITES("alert_apply", 0, JOB_OPEN, NULL, apply_decide, NULL, NULL);

enum err operate_look(
	struct desk *d, struct str by, struct notify_notes *notes, struct fault *why)
{
	struct alert_look found = { .by = by, .notes = notes };
	struct task look = { .checked = &found }, apply = { .checked = &found };
	enum err e;

	desk_wait(d, &use_alert_look, &look);
	e = look.job.err;
	if (e) *why = look.job.why;
	if (!e) {
		desk_wait(d, &use_alert_apply, &apply);
		e = apply.job.err;
		if (e) *why = apply.job.why;
	}
	task_empty(&look);
	task_empty(&apply);
	return e;
}
