/* slack.c - finds the person behind a Slack id, and the ask behind a message. What they may do with it
 * is decided where it is settled. */
#include "desk/notify/slack.h"

#include "desk/people/people.h"

struct slack_thread {
	struct arena *arena;
	struct slack_find *find;
};

static enum err thread_row(void *ctx, const struct row *row, struct fault *why)
{
	struct slack_thread *r = ctx;

	(void)why;
	r->find->ours = true;
	if (row_int(row, 0) == r->find->ws)
		r->find->ask = arena_str(r->arena, row_text(row, 1));
	return OK;
}

static void holder_take(const struct rows *rows, struct slack_find *f)
{
	const struct contact *c = NULL;

	while (!f->linked && (c = rows_next(rows, RECORD_CONTACTS, c))) {
		f->linked = c->verified && c->user.len;
		f->ws = c->ws;
		f->person = c->user;
	}
}

static enum err slack_find_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct slack_find *f = task_of(job)->checked;
	struct slack_thread thread = { &job->arena, f };
	const struct user *u;
	struct ask *a;
	enum err e = rows_fetch(rows, RECORD_CONTACTS, SQL_CONTACTS_AT,
		ARGS(delivery_kind_name(DELIVERY_SLACK), f->slack_id), why);

	if (!e) holder_take(rows, f);
	if (!e && f->shown_at.len)
		e = rows_query(rows, SQL_SLACK_THREAD, ARGS(f->shown_at), thread_row,
			&thread, why);
	if (e || !f->linked) return e;
	e = rows_fetch_user(rows, f->ws, f->person, &u, why);
	if (e) return e;
	f->language = u->language;
	if (!f->ask.len) return e;
	e = rows_fetch_ask(rows, f->ws, f->ask, &a, why);
	if (e) return e == ERR_NOT_FOUND ? OK : e;
	f->found = *a;
	f->there = true;
	return ask_parts(&f->found, &job->arena, &f->parts, why);
}

const struct use use_slack_find = READS("slack_find", 0, JOB_OPEN, slack_find_read, NULL);
