/* read_ask.c - one ask, and the inbox. */
#include "desk/ask/ask_filter.h"
#include "desk/ask/shown.h"
#include "desk/policy/policy_snapshot.h"

enum { SOON_MS = 5 * 60 * 1000, URGENCY_MAX = 2 };

/* `proof=true`: with the event of the log that settled it. */
static enum err proof_read(struct task *t, bool *out, struct fault *why)
{
	struct str proof = task_param(t, "proof");

	*out = str_is(proof, "true");
	return !proof.len || *out || str_is(proof, "false")
		       ? OK
		       : fail_at(why, "/proof", "must be true or false");
}

/* ---- one ---- */

static enum err proof_row(void *ctx, const struct row *row, struct fault *why)
{
	struct task *t = ctx;

	(void)why;
	t->proof.event = row_int(row, 0);
	t->proof.hash = arena_str(&t->job.arena, row_text(row, 1));
	return OK;
}

static enum err ask_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	static const struct mark unmarked;
	struct task *t = task_of(job);
	bool person = principal_person(&job->who).len > 0;
	const struct mark *mark = NULL;
	struct shown_asks shown;
	const char *refused = NULL;
	struct ask *a, fresh;
	bool proof = false;
	enum err e = proof_read(t, &proof, why);

	if (!e) e = desk_see_ask(t, rows, &a, why);
	if (!e && proof)
		e = rows_query(rows, SQL_ASK_PROOF, ARGS(a->ws, a->session, a->id),
			proof_row, t, why);
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

struct listing {
	struct task *t;
	struct json_writer *w;
	int64_t left; /* rows still wanted */
	struct str last_id;
	int64_t last_urgency, last_settled_ms;
	bool more;			   /* a row beyond the page was there */
	bool marked;			   /* shown to a person: with their marks */
	bool proof;			   /* with where the log has their settling */
	struct val filter[ASK_FILTER_LEN]; /* $1 … $11 */
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
	if (l->proof)
		l->shown.proof = (struct ask_proof){ row_int(row, behind + 4),
			row_text(row, behind + 5) };
	return shown_add(&l->shown, row, a, &session, l->marked ? &mark : NULL, why);
}

struct listing_plan {
	struct list_page page;
	bool pending, all, attention;
	struct settled_filter filter;
};

static enum err listing_plan(
	struct task *t, struct rows *rows, struct listing_plan *p, struct fault *why)
{
	struct settled_filter *f = &p->filter;
	struct str order = task_param(t, "order");
	enum ask_status s;
	enum err e;

	f->status =
		task_has_param(t, "status") ? task_param(t, "status") : STR("pending");
	p->all = str_is(f->status, "all");
	if (!p->all && !str_is(f->status, "settled") && !ask_status_read(f->status, &s))
		return fail_at(why, "/status", "is not one of its values");
	p->pending = str_is(f->status, "pending");
	if (task_has_param(t, "order") && !str_is(order, "created") &&
		!str_is(order, "attention"))
		return fail_at(why, "/order", "created or attention");
	e = ask_filter_settled(t, f, why);
	p->attention = str_is(order, "attention") && p->pending && !f->settled;
	if (e) return e;
	return page_read(t, rows,
		p->attention ? "attention"
		: f->settled ? "settled"
			     : "asks",
		&p->page, why);
}

static enum err listing_run(struct listing *l, struct rows *rows, enum sql sql,
	const struct val *more, size_t len, struct fault *why)
{
	struct val args[ARGS_MAX];

	memcpy(args, l->filter, sizeof l->filter);
	memcpy(args + ASK_FILTER_LEN, more, len * sizeof *more);
	args[1] = val_int(l->left + 1);
	return rows_each(rows, RECORD_ASKS, sql, args, (int)(ASK_FILTER_LEN + len),
		ask_listed, l, why);
}

static enum err list_plain(struct listing *l, struct rows *rows,
	const struct listing_plan *p, struct fault *why)
{
	/* "zz" sorts after every id, in any collation. */
	struct str from = p->page.has_cursor ? p->page.cursor[0]
			  : p->pending	     ? STR_NONE
					     : STR("zz");
	if (p->filter.session.len)
		return listing_run(l, rows,
			p->pending ? SQL_ASKS_OF_SESSION_UP : SQL_ASKS_OF_SESSION_DOWN,
			ARGS(p->all ? STR_NONE : p->filter.status, from,
				p->filter.session),
			why);
	if (p->all) return listing_run(l, rows, SQL_ASKS_ALL, ARGS(from), why);
	return listing_run(l, rows, p->pending ? SQL_ASKS_OLDEST : SQL_ASKS_NEWEST,
		ARGS(p->filter.status, from), why);
}

static enum err list_settled(struct listing *l, struct rows *rows,
	const struct listing_plan *p, struct fault *why)
{
	struct val more[2 + SETTLED_FILTER_LEN + 1];
	int64_t before_ms = INT64_MAX;

	if (p->page.has_cursor &&
		!str_to_int(p->page.cursor[0], 0, INT64_MAX, &before_ms))
		return fail_at(why, "/cursor", "is not a cursor that a list returned");
	more[0] = val_int(before_ms);
	more[1] = val_text(p->page.has_cursor ? p->page.cursor[1] : STR("zz"));
	ask_filter_put(&p->filter, more + 2);
	more[2 + SETTLED_FILTER_LEN] = val_int(l->proof);
	return listing_run(
		l, rows, SQL_ASKS_SETTLED, more, sizeof more / sizeof *more, why);
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
	*soon_ms = rows->now_ms + SOON_MS;
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
				      ARGS(*soon_ms, from, p->filter.session), why)
			    : listing_run(l, rows, sqls[*part],
				      ARGS(*soon_ms, urgency, from, p->filter.session),
				      why);
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
	const struct str *texts = p->attention	      ? attention
				  : p->filter.settled ? settled
						      : &l->last_id;

	page_end(l->t, l->w, &p->page, l->more ? texts : NULL,
		p->attention	    ? 4
		: p->filter.settled ? 2
				    : 1);
}

static enum err ask_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct listing l = { .t = t,
		.w = &w,
		.last_urgency = URGENCY_MAX + 1,
		.marked = principal_person(&job->who).len > 0 };
	struct listing_plan p = { 0 };
	int64_t soon_ms = 0, part = PART_PLAIN;
	enum err e = listing_plan(t, rows, &p, why);

	if (ask_filter_read(t, rows, l.marked, l.filter, why)) e = why->err;
	if (proof_read(t, &l.proof, why)) e = why->err;
	if (e) return e;
	l.left = p.page.limit;
	l.proof &= p.filter.settled;
	/* What one had snoozed was settled all the same. */
	if (p.filter.settled && !task_has_param(t, "snoozed")) l.filter[10] = val_int(2);
	e = shown_start(&l.shown, t, rows, &w, why);
	if (e) return e;
	page_begin(&w);
	e = p.attention	       ? list_attention(&l, rows, &p, &soon_ms, &part, why)
	    : p.filter.settled ? list_settled(&l, rows, &p, why)
			       : list_plain(&l, rows, &p, why);
	if (!e) e = shown_end(&l.shown, why);
	if (e) return e;
	list_end(&l, &p, soon_ms, part);
	t->as_of = p.page.as_of;
	return OK;
}

const struct use use_ask_list = READS("ask_list", 0, 0, ask_list_read, NULL);
