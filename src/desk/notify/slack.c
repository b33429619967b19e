/* slack.c - finds the person behind a Slack id, and the ask behind a message. What they may do with it
 * is decided where it is settled. */
#include "desk/notify/slack.h"

#include "desk/people/people.h"

struct slack_reading {
	struct arena *arena;
	struct slack_find *find;
};

static enum err holder_row(void *ctx, const struct row *row, struct fault *why)
{
	struct slack_reading *r = ctx;
	struct contact c;
	enum err e = record_read(&records[RECORD_CONTACTS], row, r->arena, &c, why);

	if (e || !c.verified || !c.user.len || r->find->linked) return e;
	r->find->linked = true;
	r->find->ws = c.ws;
	r->find->person = c.user;
	return OK;
}

static enum err thread_row(void *ctx, const struct row *row, struct fault *why)
{
	struct slack_reading *r = ctx;

	(void)why;
	r->find->ours = true;
	if (row_int(row, 0) == r->find->ws)
		r->find->ask = arena_str(r->arena, row_text(row, 1));
	return OK;
}

static enum err slack_ask_row(void *ctx, const struct row *row, struct fault *why)
{
	struct slack_reading *r = ctx;
	enum err e = ask_from_row(row, r->arena, &r->find->found, why);

	if (!e) e = ask_parts(&r->find->found, r->arena, &r->find->parts, why);
	if (!e) r->find->there = true;
	return e;
}

static enum err slack_find_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct slack_find *f = task_of(job)->checked;
	struct slack_reading r = { &job->arena, f };
	const struct val id[] = { val_text(str_of(delivery_kind_name(DELIVERY_SLACK))),
		val_text(f->slack_id) };
	const struct val at[] = { val_text(f->shown_at) };
	struct user u;
	enum err e = rows_query(rows, SQL_CONTACTS_AT, id, 2, holder_row, &r, why);

	if (!e && f->shown_at.len)
		e = rows_query(rows, SQL_SLACK_THREAD, at, 1, thread_row, &r, why);
	if (e || !f->linked) return e;
	e = user_find(rows, f->ws, f->person, &job->arena, &u, why);
	if (e) return e;
	f->language = u.language;
	if (!f->ask.len) return e;
	const struct val ask[] = { val_int(f->ws), val_text(f->ask) };
	return rows_query(rows, SQL_ASK_GET, ask, 2, slack_ask_row, &r, why);
}

const struct use use_slack_find = READS("slack_find", 0, JOB_OPEN, slack_find_read, NULL);
