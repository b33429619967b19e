/* read_ask.c - one ask, and the inbox. */
#include "desk/ask/shown.h"
#include "desk/policy/policy_snapshot.h"

enum { SOON_MS = 5 * 60 * 1000, URGENCY_MAX = 2 };

/* ---- one ---- */

static enum err ask_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	static const struct mark unmarked;
	struct task *t = task_of(job);
	bool person = principal_person(&job->who).len > 0;
	const struct mark *mark = NULL;
	struct shown_asks shown;
	const char *refused = NULL;
	struct ask *a, fresh;
	enum err e = desk_see_ask(t, rows, &a, why);

	if (!e && person)
		e = rows_get(rows, RECORD_MARKS, KEY(job->who.ws, job->who.user, t->id),
			&mark, why);
	if (e) return e;
	t->ask = a->id;
	t->stopped = STR_NONE;
	if (job->credential.policy_version && a->status == ASK_PENDING &&
		a->kind == ASK_APPROVAL && str_eq(a->agent, job->who.agent))
		e = stop_load(rows, a, &t->stopped, why);
	if (e) return e;
	if (job->who.role == ROLE_AGENT && a->settled_ms && !a->fetched_ms)
		desk_note_fetched(t->desk, a->ws, a->id, false);
	e = shown_start(&shown, t, rows, NULL, why);
	if (!e) e = shown_one(&shown, a, &fresh, &refused, why);
	if (person && !mark) mark = &unmarked;
	if (!e) desk_reply_marked(t, rows, &fresh, mark, refused);
	return e;
}

const struct use use_ask_get = READS("ask_get", 0, 0, ask_get_read, NULL);

/* ---- the inbox ---- */

/* Where a page is: in plain order one part; by attention three, one after the other. */
enum part { PART_SOON, PART_URGENT, PART_REST, PART_PLAIN };

enum { FILTER_LEN = 11 };

struct listing {
	struct task *t;
	struct json_writer *w;
	int64_t now_ms;
	int64_t left; /* rows still wanted */
	struct str last_id;
	int64_t last_urgency, last_settled_ms;
	bool more;		       /* a row beyond the page was there */
	bool marked;		       /* shown to a person: with their marks */
	struct val filter[FILTER_LEN]; /* $1 … $11 */
	struct shown_asks shown;
};

static enum err ask_listed(void *ctx, const void *record, const struct row *row,
	struct arena *scratch, struct fault *why)
{
	struct listing *l = ctx;
	const struct ask *a = record;
	int behind = records[RECORD_ASKS].columns_len;
	const struct session session = { .title = row_text(row, behind),
		.for_ask = row_int(row, behind + 1) };
	const struct mark mark = { .read_ms = row_int(row, behind + 2),
		.snoozed_ms = row_int(row, behind + 3) };

	(void)scratch;
	l->more |= l->left == 0;
	if (l->more) return OK;
	l->left--;
	l->last_urgency = a->urgency;
	l->last_settled_ms = a->settled_ms;
	l->last_id = arena_str(&l->t->job.arena, a->id);
	return shown_add(&l->shown, row, a, &session, l->marked ? &mark : NULL, why);
}

struct listing_plan {
	struct list_page page;
	struct str status, session;
	bool pending, all, attention;
	/* The history: what is settled, newest first. */
	bool settled;
	struct str by, pattern; /* of the answer */
	int64_t from_ms, to_ms, approvals;
};

static enum err filter_word(
	struct task *t, const char *name, bool known, struct str *out, struct fault *why)
{
	*out = task_param(t, name);
	return out->len && !known
		       ? fail_at(why, POINTER("/%s", name), "is not one of its values")
		       : OK;
}

/* "me", or a user's id; or a team's. */
static enum err filter_user(
	struct task *t, const char *name, bool teams, struct str *out, struct fault *why)
{
	*out = task_param(t, name);
	if (!out->len || id_valid(*out, "usr") || (teams && id_valid(*out, "team")))
		return OK;
	if (!str_is(*out, "me"))
		return fail_at(why, POINTER("/%s", name), "me, or a user's id");
	*out = t->job.who.user;
	return OK;
}

struct named_agent {
	struct arena *arena;
	int64_t ws;
	struct str id, name;
};

static enum err agent_row(void *ctx, const struct row *row, struct fault *why)
{
	struct named_agent *n = ctx;
	char id[32];

	(void)why;
	agent_id(n->ws, row_text(row, 0), id);
	if (str_is(n->id, id)) n->name = arena_str(n->arena, row_text(row, 0));
	return OK;
}

/* An agent is named by its name or its id. Agents see their own only. */
static enum err filter_agent(
	struct task *t, struct rows *rows, struct str *out, struct fault *why)
{
	struct named_agent n = { &t->job.arena, t->job.who.ws, task_param(t, "agent"),
		task_param(t, "agent") };
	enum err e = OK;

	if (str_starts(n.id, "agt_"))
		e = rows_query(rows, SQL_AGENTS, ARGS(n.ws), agent_row, &n, why);
	*out = role_may(t->job.who.role, MAY_READ_ALL) ? n.name : t->job.who.agent;
	return e;
}

static enum err filter_snoozed(struct task *t, struct listing *l, struct fault *why)
{
	static const char *const words[] = { "no", "yes", "all" };
	struct str snoozed = task_param(t, "snoozed");
	int64_t i = 0;

	if (!task_has_param(t, "snoozed") || !l->marked) {
		l->filter[10] = val_int(l->marked ? 0 : 2);
		return OK;
	}
	while (i < 3 && !str_is(snoozed, words[i]))
		i++;
	if (i == 3) return fail_at(why, "/snoozed", "yes, no or all");
	l->filter[10] = val_int(i);
	return OK;
}

static enum err listing_filter(
	struct task *t, struct rows *rows, struct listing *l, struct fault *why)
{
	struct str kind, priority, like, assignee, agent;
	enum ask_kind k;
	enum priority p;
	enum err e;

	e = filter_word(t, "kind", ask_kind_read(task_param(t, "kind"), &k), &kind, why);
	if (filter_word(t, "priority", priority_read(task_param(t, "priority"), &p),
		    &priority, why))
		e = why->err;
	if (like_read(task_param(t, "q"), &t->job.arena, &like, why)) e = why->err;
	if (filter_user(t, "assignee", true, &assignee, why)) e = why->err;
	if (filter_agent(t, rows, &agent, why)) e = why->err;
	if (filter_snoozed(t, l, why)) e = why->err;
	if (assignee.len)
		assignee = arena_print(&t->job.arena, "%%\"%.*s\"%%", STR_ARGS(assignee));
	l->filter[0] = val_int(t->job.who.ws);
	l->filter[2] = val_text(kind);
	l->filter[3] = val_text(task_param(t, "project"));
	l->filter[4] = val_text(assignee);
	l->filter[5] = val_text(priority);
	l->filter[6] = val_text(like);
	l->filter[7] = val_text(agent);
	l->filter[8] = val_text(l->marked ? t->job.who.user : STR_NONE);
	l->filter[9] = val_int(l->now_ms);
	return e;
}

/* What an outcome is in the store: a status, and how an approval was decided. */
static const struct {
	const char *name, *status, *pattern;
	int64_t approvals; /* 1: only, 0: none, 2: both */
} outcomes[] = {
	{ "approved", "answered", "%\"value\":\"approve\"%", 1 },
	{ "rejected", "answered", "%\"value\":\"reject\"%", 1 },
	{ "answered", "answered", "", 0 },
	{ "skipped", "skipped", "", 2 },
	{ "expired", "expired", "", 2 },
	{ "cancelled", "cancelled", "", 2 },
};

static enum err plan_outcome(struct task *t, struct listing_plan *p, struct fault *why)
{
	struct str outcome = task_param(t, "outcome");

	p->approvals = 2;
	if (!outcome.len) return OK;
	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++)
		if (str_is(outcome, outcomes[i].name)) {
			/* Two filters that contradict each other: "pending" with an outcome
			 * finds nothing. */
			p->status =
				p->status.len && !str_is(p->status, outcomes[i].status)
					? STR("pending")
					: str_of(outcomes[i].status);
			p->pattern = str_of(outcomes[i].pattern);
			p->approvals = outcomes[i].approvals;
			return OK;
		}
	return fail_at(why, "/outcome",
		"approved, rejected, answered, skipped, expired or cancelled");
}

/* `by`, `outcome`, `from` and `to` imply settled asks. */
static enum err plan_history(struct task *t, struct listing_plan *p, struct fault *why)
{
	static const char *const names[] = { "by", "outcome", "from", "to" };
	enum err e = filter_user(t, "by", false, &p->by, why);

	p->settled = str_is(p->status, "settled");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (task_has_param(t, names[i])) p->settled = true;
	if (!p->settled) return e;
	if (p->all || !task_has_param(t, "status") || str_is(p->status, "settled"))
		p->status = STR_NONE;
	p->to_ms = INT64_MAX;
	if (plan_outcome(t, p, why)) e = why->err;
	if (task_time(t, "from", &p->from_ms, why)) e = why->err;
	if (task_time(t, "to", &p->to_ms, why)) e = why->err;
	return e;
}

static enum err listing_plan(
	struct task *t, struct rows *rows, struct listing_plan *p, struct fault *why)
{
	struct str order = task_param(t, "order");
	enum ask_status s;
	enum err e;

	p->status =
		task_has_param(t, "status") ? task_param(t, "status") : STR("pending");
	p->session = task_param(t, "session");
	p->all = str_is(p->status, "all");
	if (!p->all && !str_is(p->status, "settled") && !ask_status_read(p->status, &s))
		return fail_at(why, "/status", "is not one of its values");
	p->pending = str_is(p->status, "pending");
	if (task_has_param(t, "order") && !str_is(order, "created") &&
		!str_is(order, "attention"))
		return fail_at(why, "/order", "created or attention");
	e = plan_history(t, p, why);
	p->attention = str_is(order, "attention") && p->pending && !p->settled;
	if (e) return e;
	return page_read(t, rows,
		p->attention ? "attention"
		: p->settled ? "settled"
			     : "asks",
		&p->page, why);
}

static enum err listing_run(struct listing *l, struct rows *rows, enum sql sql,
	const struct val *more, size_t len, struct fault *why)
{
	struct val args[ARGS_MAX];

	memcpy(args, l->filter, sizeof l->filter);
	memcpy(args + FILTER_LEN, more, len * sizeof *more);
	args[1] = val_int(l->left + 1);
	return rows_each(rows, RECORD_ASKS, sql, args, (int)(FILTER_LEN + len),
		ask_listed, l, why);
}

static enum err list_plain(struct listing *l, struct rows *rows,
	const struct listing_plan *p, struct fault *why)
{
	/* "zz" sorts after every id, in any collation. */
	struct str from = p->page.has_cursor ? p->page.cursor[0]
			  : p->pending	     ? STR_NONE
					     : STR("zz");
	if (p->session.len)
		return listing_run(l, rows,
			p->pending ? SQL_ASKS_OF_SESSION_UP : SQL_ASKS_OF_SESSION_DOWN,
			ARGS(p->all ? STR_NONE : p->status, from, p->session), why);
	if (p->all) return listing_run(l, rows, SQL_ASKS_ALL, ARGS(from), why);
	return listing_run(l, rows, p->pending ? SQL_ASKS_OLDEST : SQL_ASKS_NEWEST,
		ARGS(p->status, from), why);
}

static enum err list_settled(struct listing *l, struct rows *rows,
	const struct listing_plan *p, struct fault *why)
{
	int64_t before_ms = INT64_MAX;

	if (p->page.has_cursor &&
		!str_to_int(p->page.cursor[0], 0, INT64_MAX, &before_ms))
		return fail_at(why, "/cursor", "is not a cursor that a list returned");
	const struct val more[] = { val_int(before_ms),
		val_text(p->page.has_cursor ? p->page.cursor[1] : STR("zz")),
		val_text(p->session), val_text(p->by), val_int(p->from_ms),
		val_int(p->to_ms), val_text(p->status), val_text(p->pattern),
		val_int(p->approvals) };
	return listing_run(l, rows, SQL_ASKS_SETTLED, more, 9, why);
}

/* Deadline within five minutes, then urgency, then age. What is soon is fixed by the first
 * page, so that no ask is shown twice or left out while the clock goes on. */
static enum err list_attention(struct listing *l, struct rows *rows,
	struct listing_plan *p, int64_t *soon_ms, int64_t *part, struct fault *why)
{
	int64_t urgency = URGENCY_MAX + 1;
	struct str from = STR_NONE;
	enum err e = OK;

	*part = PART_SOON;
	*soon_ms = l->now_ms + SOON_MS;
	if (p->page.has_cursor) {
		if (!str_to_int(p->page.cursor[0], 0, INT64_MAX, soon_ms) ||
			!str_to_int(p->page.cursor[1], PART_SOON, PART_REST, part) ||
			!str_to_int(p->page.cursor[2], 0, URGENCY_MAX + 1, &urgency))
			return fail_at(
				why, "/cursor", "is not a cursor that a list returned");
		from = p->page.cursor[3];
	}
	for (; !e; ++*part) {
		static const enum sql sqls[] = { SQL_ASKS_SOON, SQL_ASKS_URGENT,
			SQL_ASKS_REST };
		e = *part == PART_REST
			    ? listing_run(l, rows, sqls[*part],
				      ARGS(*soon_ms, from, p->session), why)
			    : listing_run(l, rows, sqls[*part],
				      ARGS(*soon_ms, urgency, from, p->session), why);
		if (l->more || *part == PART_REST) break;
		urgency = URGENCY_MAX + 1;
		from = STR_NONE;
		l->last_id = STR_NONE;
		l->last_urgency = URGENCY_MAX + 1;
	}
	return e;
}

/* Ends the list: where the next page starts. */
static void list_end(
	struct listing *l, const struct listing_plan *p, int64_t soon_ms, int64_t part)
{
	struct arena *arena = &l->t->job.arena;
	struct str attention[] = { arena_print(arena, "%lld", (long long)soon_ms),
		arena_print(arena, "%lld", (long long)part),
		arena_print(arena, "%lld", (long long)l->last_urgency), l->last_id };
	struct str settled[] = {
		arena_print(arena, "%lld", (long long)l->last_settled_ms), l->last_id
	};
	const struct str *texts = p->attention ? attention
				  : p->settled ? settled
					       : &l->last_id;

	page_end(l->t, l->w, &p->page, l->more ? texts : NULL,
		p->attention ? 4
		: p->settled ? 2
			     : 1);
}

static enum err ask_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct listing l = { .t = t,
		.w = &w,
		.now_ms = rows->now_ms,
		.last_urgency = URGENCY_MAX + 1,
		.marked = principal_person(&job->who).len > 0 };
	struct listing_plan p = { 0 };
	int64_t soon_ms = 0, part = PART_PLAIN;
	enum err e = listing_plan(t, rows, &p, why);

	if (listing_filter(t, rows, &l, why)) e = why->err;
	if (e) return e;
	l.left = p.page.limit;
	e = shown_start(&l.shown, t, rows, &w, why);
	if (e) return e;
	page_begin(&w);
	e = p.attention ? list_attention(&l, rows, &p, &soon_ms, &part, why)
	    : p.settled ? list_settled(&l, rows, &p, why)
			: list_plain(&l, rows, &p, why);
	if (!e) e = shown_end(&l.shown, why);
	if (e) return e;
	list_end(&l, &p, soon_ms, part);
	t->as_of = p.page.as_of;
	return OK;
}

const struct use use_ask_list = READS("ask_list", 0, 0, ask_list_read, NULL);
