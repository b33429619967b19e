/* read_ask.c - one ask, and the inbox. */
#include "desk/inner.h"

#include "base/clock.h"

#include <stdio.h>

enum { SOON_MS = 5 * 60 * 1000 };

/* ---- one ---- */

struct found_ask {
	struct arena *arena;
	struct ask ask;
	struct session session;
	bool found;
};

static enum err found_ask_row(void *ctx, const struct row *row, struct fault *why)
{
	struct row session = row_behind_record(row, RECORD_ASKS);
	struct found_ask *f = ctx;
	enum err e = ask_from_row(row, f->arena, &f->ask, why);

	f->found = true;
	return e ? e : session_from_row(&session, f->arena, &f->session, why);
}

static enum err ask_get_read(
	struct job *job, struct db *db, int64_t now_ms, struct fault *why)
{
	struct task *t = task_of(job);
	struct found_ask f = { .arena = &job->arena };
	const struct val args[] = { val_int(job->who.ws), val_text(t->id) };
	enum err e = db_one(db, SQL_ASK_GET, args, 2, found_ask_row, &f, why);

	if (e) return e;
	if (!f.found || !principal_sees(&job->who, f.ask.agent))
		return fail(why, ERR_NOT_FOUND, "no ask %.*s",
			STR_ARGS(str_first(t->id, 64)));
	t->ask = f.ask.id;
	desk_reply_ask(t, &f.ask, &f.session, now_ms);
	return OK;
}

const struct use use_ask_get = { .job = { .name = "ask_get", .read = ask_get_read } };

/* ---- the inbox ---- */

/* Where a page is: in plain order one part; by attention three, one after the other. */
enum part { PART_SOON, PART_RISKY, PART_REST, PART_PLAIN };

struct listing {
	struct task *t;
	struct json_writer *w;
	int64_t now_ms;
	int64_t left; /* rows still wanted */
	struct str last_id;
	int64_t last_risk;
	bool more;	      /* a row beyond the page was there */
	struct val filter[8]; /* $1 … $8 */
};

static enum err listed_row(void *ctx, const struct row *row, struct fault *why)
{
	struct listing *l = ctx;
	struct arena scratch = { 0 };
	struct ask a;
	enum err e;

	if (l->left == 0) {
		l->more = true;
		return OK;
	}
	e = ask_from_row(row, &scratch, &a, why);
	if (!e) {
		struct ask_view view = { l->t->job.credential.workspace,
			row_text(row, records[RECORD_ASKS].columns_len),
			str_of(l->t->desk->url) };

		ask_write(l->w, &a, &view, l->now_ms);
		l->left--;
		l->last_risk = a.risk;
		l->last_id = arena_str(&l->t->job.arena, a.id);
	}
	arena_done(&scratch);
	return e;
}

struct listing_plan {
	struct list_page page;
	struct str status, session;
	bool pending, all, attention;
};

static enum err filter_word(
	struct task *t, const char *name, bool known, struct str *out, struct fault *why)
{
	char pointer[32];

	snprintf(pointer, sizeof pointer, "/%s", name);
	*out = task_param(t, name);
	return out->len && !known ? fail_at(why, pointer, "is not one of its values")
				  : OK;
}

static enum err listing_filter(struct task *t, struct listing *l, struct fault *why)
{
	struct str kind, priority, like, assignee = task_param(t, "assignee");
	enum ask_kind k;
	enum priority p;
	enum err e;

	e = filter_word(t, "kind", ask_kind_read(task_param(t, "kind"), &k), &kind, why);
	if (filter_word(t, "priority", priority_read(task_param(t, "priority"), &p),
		    &priority, why))
		e = why->err;
	if (like_read(task_param(t, "q"), &t->job.arena, &like, why)) e = why->err;
	if (assignee.len && !id_valid(assignee, "usr")) {
		if (!str_is(assignee, "me"))
			return fail_at(why, "/assignee", "a user's id");
		assignee = t->job.who.user;
	}
	if (assignee.len)
		assignee = arena_print(&t->job.arena, "%%\"%.*s\"%%", STR_ARGS(assignee));
	l->filter[0] = val_int(t->job.who.ws);
	l->filter[2] = val_text(kind);
	l->filter[3] = val_text(task_param(t, "project"));
	l->filter[4] = val_text(assignee);
	l->filter[5] = val_text(priority);
	l->filter[6] = val_text(like);
	l->filter[7] = val_text(
		role_may(t->job.who.role, MAY_READ_ALL) ? STR_NONE : t->job.who.agent);
	return e;
}

static enum err listing_plan(struct task *t, struct listing_plan *p, struct fault *why)
{
	struct str order = task_param(t, "order");
	enum ask_status s;

	p->status =
		task_has_param(t, "status") ? task_param(t, "status") : STR("pending");
	p->session = task_param(t, "session");
	p->all = str_is(p->status, "all");
	if (!p->all && !ask_status_read(p->status, &s))
		return fail_at(why, "/status", "is not one of its values");
	p->pending = str_is(p->status, "pending");
	if (task_has_param(t, "order") && !str_is(order, "created") &&
		!str_is(order, "attention"))
		return fail_at(why, "/order", "created or attention");
	p->attention = str_is(order, "attention") && p->pending;
	return page_read(t, p->attention ? "attention" : "asks", &p->page, why);
}

static enum err listing_run(struct listing *l, struct db *db, enum sql sql,
	const struct val *more, size_t len, struct fault *why)
{
	struct val args[12];

	memcpy(args, l->filter, sizeof l->filter);
	memcpy(args + 8, more, len * sizeof *more);
	args[1] = val_int(l->left + 1);
	return db_one(db, sql, args, (int)(8 + len), listed_row, l, why);
}

static enum err list_plain(
	struct listing *l, struct db *db, const struct listing_plan *p, struct fault *why)
{
	/* "zz" sorts after every id, in any collation. */
	struct str from = p->page.has_cursor ? p->page.cursor[0]
			  : p->pending	     ? STR_NONE
					     : STR("zz");
	const struct val by_status[] = { val_text(p->status), val_text(from) };
	const struct val all[] = { val_text(from) };
	const struct val by_session[] = { val_text(p->all ? STR_NONE : p->status),
		val_text(from), val_text(p->session) };

	if (p->session.len)
		return listing_run(l, db,
			p->pending ? SQL_ASKS_OF_SESSION_UP : SQL_ASKS_OF_SESSION_DOWN,
			by_session, 3, why);
	if (p->all) return listing_run(l, db, SQL_ASKS_ALL, all, 1, why);
	return listing_run(
		l, db, p->pending ? SQL_ASKS_OLDEST : SQL_ASKS_NEWEST, by_status, 2, why);
}

/* Deadline within five minutes, then risk, then age. What is soon is fixed by the first
 * page, so that no ask is shown twice or left out while the clock goes on. */
static enum err list_attention(struct listing *l, struct db *db, struct listing_plan *p,
	int64_t *soon_ms, int64_t *part, struct fault *why)
{
	int64_t risk = RISK_CRITICAL + 1;
	struct str from = STR_NONE;
	enum err e = OK;

	*part = PART_SOON;
	*soon_ms = l->now_ms + SOON_MS;
	if (p->page.has_cursor) {
		if (!str_to_int(p->page.cursor[0], 0, INT64_MAX, soon_ms) ||
			!str_to_int(p->page.cursor[1], PART_SOON, PART_REST, part) ||
			!str_to_int(p->page.cursor[2], 0, RISK_CRITICAL + 1, &risk))
			return fail_at(why, "/cursor", "is not one that a list gave");
		from = p->page.cursor[3];
	}
	for (; !e; ++*part) {
		static const enum sql sqls[] = { SQL_ASKS_SOON, SQL_ASKS_RISKY,
			SQL_ASKS_REST };
		const struct val risky[] = { val_int(*soon_ms), val_int(risk),
			val_text(from), val_text(p->session) };
		const struct val rest[] = { val_int(*soon_ms), val_text(from),
			val_text(p->session) };

		e = *part == PART_REST ? listing_run(l, db, sqls[*part], rest, 3, why)
				       : listing_run(l, db, sqls[*part], risky, 4, why);
		if (l->more || *part == PART_REST) break;
		risk = RISK_CRITICAL + 1;
		from = STR_NONE;
		l->last_id = STR_NONE;
		l->last_risk = RISK_CRITICAL + 1;
	}
	return e;
}

static enum err ask_list_read(
	struct job *job, struct db *db, int64_t now_ms, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct listing l = {
		.t = t, .w = &w, .now_ms = now_ms, .last_risk = RISK_CRITICAL + 1
	};
	struct listing_plan p = { 0 };
	int64_t soon_ms = 0, part = PART_PLAIN, as_of = 0;
	struct str texts[4];
	enum err e = listing_plan(t, &p, why);

	if (listing_filter(t, &l, why)) e = why->err;
	if (!e) e = last_event(db, job->who.ws, &as_of, why);
	if (e) return e;
	l.left = p.page.limit;
	jw_object(&w);
	jw_key(&w, "items");
	jw_array(&w);
	e = p.attention ? list_attention(&l, db, &p, &soon_ms, &part, why)
			: list_plain(&l, db, &p, why);
	if (e) return e;
	jw_array_end(&w);
	texts[0] = p.attention ? arena_print(&job->arena, "%lld", (long long)soon_ms)
			       : l.last_id;
	texts[1] = arena_print(&job->arena, "%lld", (long long)part);
	texts[2] = arena_print(&job->arena, "%lld", (long long)l.last_risk);
	texts[3] = l.last_id;
	page_end(t, &w, p.attention ? "attention" : "asks", l.more ? texts : NULL,
		p.attention ? 4 : 1, as_of);
	jw_object_end(&w);
	t->as_of = as_of;
	return OK;
}

const struct use use_ask_list = { .job = { .name = "ask_list", .read = ask_list_read } };
