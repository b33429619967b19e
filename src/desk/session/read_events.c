/* read_events.c - pages of the event log: as a JSON list, or for a stream that catches
 * up. */
#include "desk/shared/inner.h"

enum { STREAM_PAGE = 256 };

struct events_gathered {
	struct task *t;
	int64_t limit;
	bool newest_first;
	bool more;
};

static enum err event_row(void *ctx, const struct row *row, struct fault *why)
{
	struct events_gathered *g = ctx;
	struct task *t = g->t;

	if ((int64_t)t->events_len == g->limit) {
		g->more = true;
		return OK;
	}
	return event_from_row(row, &t->job.arena, &t->events[t->events_len++], why);
}

/* An agent sees its own only, and all of a session that it started; what happens to users,
 * tokens and logins is an admin's. */
static enum err filter_own(struct task *t, struct rows *rows, struct fault *why)
{
	const struct principal *who = &t->job.who;
	struct session *s;
	enum err e;

	t->filter.not_people = !role_may(who->role, MAY_ADMIN);
	if (role_may(who->role, MAY_READ_ALL)) return OK;
	t->filter.agent = who->agent;
	if (!who->runs || !t->filter.session.len) return OK;
	e = rows_fetch_session(rows, who->ws, t->filter.session, &s, why);
	if (!e && session_started_by(s, who)) t->filter.agent = STR_NONE;
	return e == ERR_NOT_FOUND ? OK : e;
}

static enum err events_gather(struct task *t, struct rows *rows,
	struct events_gathered *g, int64_t upto, struct fault *why)
{
	const struct val args[] = { val_int(t->job.who.ws), val_int(t->after),
		val_int(upto), val_int(g->limit + 1), val_text(t->filter.session),
		val_text(t->filter.agent), val_text(t->filter.types),
		val_int(t->filter.not_people),
		val_int(event_place(t->job.who.ws, t->after)),
		val_int(event_place(t->job.who.ws, upto)) };

	t->events_len = 0;
	t->events = ARENA_ARRAY(&t->job.arena, struct event, (size_t)g->limit);
	if (!t->events) return fail_memory(why);
	enum sql sql = t->filter.session.len ? SQL_EVENTS_OF_SESSION : SQL_EVENTS_AFTER;
	if (g->newest_first)
		sql = t->filter.session.len ? SQL_EVENTS_OF_SESSION_BEFORE
					    : SQL_EVENTS_BEFORE;
	return rows_query(rows, sql, args, 10, event_row, g, why);
}

static enum err events_query(struct task *t, struct fault *why)
{
	t->filter.session = task_param(t, "session");
	if (!task_param(t, "types").len) return OK;
	return event_types_read(
		task_param(t, "types"), &t->job.arena, &t->filter.types, why);
}

static enum err events_check(struct task *t, struct fault *why)
{
	enum err e = events_query(t, why);

	if (t->stream)
		return task_has_param(t, "before")
			       ? fail_at(why, "/before", "needs format=json")
			       : e;
	if (task_has_param(t, "before") && task_has_param(t, "after"))
		return fail_at(why, "/before", "does not go with after");
	t->after = 0;
	if (task_has_param(t, "after") &&
		!str_to_int(task_param(t, "after"), 0, INT64_MAX, &t->after))
		e = fail_at(why, "/after", "must be an event's number");
	return e;
}

static enum err stream_read(
	struct task *t, struct rows *rows, int64_t last, struct fault *why)
{
	struct events_gathered g = { .t = t, .limit = STREAM_PAGE };
	enum err e = OK;

	if (t->after < 0) t->after = last;
	if (t->after < last) e = events_gather(t, rows, &g, last, why);
	t->as_of = g.more ? t->events[t->events_len - 1].n : last;
	return e;
}

/* ?before=N, or where the page before ended: the last number to be shown. */
static enum err before_read(const struct task *t, const struct list_page *p, int64_t last,
	int64_t *upto, struct fault *why)
{
	int64_t before;

	if (!str_to_int(task_param(t, "before"), 1, INT64_MAX, &before))
		return fail_at(why, "/before", "must be an event's number");
	if (p->has_cursor && !str_to_int(p->cursor[0], 0, INT64_MAX, &before))
		return fail_at(why, "/cursor", "is not a cursor that a list returned");
	*upto = before - 1 < last ? before - 1 : last;
	return OK;
}

static enum err events_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct events_gathered g = { .t = t };
	struct list_page p;
	struct str next;
	int64_t last = 0;
	enum err e = last_event(rows, job->who.ws, &last, why);

	/* The client saw another store, or this one went back. */
	if (!e && t->after > last)
		e = fail(why, ERR_AHEAD, "the last event is %lld", (long long)last);
	if (!e) e = filter_own(t, rows, why);
	if (!e && t->stream) return stream_read(t, rows, last, why);
	if (!e) e = page_read(t, rows, "events", &p, why);
	g.newest_first = task_has_param(t, "before");
	int64_t upto = last;
	if (!e && g.newest_first)
		e = before_read(t, &p, last, &upto, why);
	else if (!e && p.has_cursor && !str_to_int(p.cursor[0], 0, INT64_MAX, &t->after))
		e = fail_at(why, "/cursor", "is not a cursor that a list returned");
	if (e) return e;
	g.limit = p.limit;
	e = events_gather(t, rows, &g, upto, why);
	page_begin(&w);
	for (size_t i = 0; i < t->events_len; i++)
		event_write(&w, &t->events[i]);
	next = g.more ? arena_print(&job->arena, "%lld",
				(long long)t->events[t->events_len - 1].n)
		      : STR_NONE;
	page_end(t, &w, &p, g.more ? &next : NULL, 1);
	return e;
}

const struct use use_events = READS("events", 0, 0, events_read, events_check);
