/* read_session.c - sessions as they are: one, many, their whole state. */
#include "desk/ask/shown.h"
#include "desk/run/read_run.h"

enum { STATE_ASKS = 10000 };

struct sought {
	struct task *t;
	int64_t now_ms;
	struct session session;
	struct shown_asks shown; /* asks are written there as they come */
	struct str last_id;
	int64_t left;
	bool more;
};

static enum err session_seek(
	struct job *job, struct rows *rows, struct sought *s, struct fault *why)
{
	struct task *t = task_of(job);
	struct session *found;
	enum err e = rows_fetch_session(rows, job->who.ws, t->id, &found, why);

	if (e) return e;
	s->session = *found;
	if (session_seen_by(found, &job->who)) return OK;
	return desk_missing("session", t->id, why);
}

static enum err ask_written(void *ctx, const void *record, const struct row *row,
	struct arena *scratch, struct fault *why)
{
	struct sought *s = ctx;

	(void)scratch;
	return shown_add(&s->shown, row, record, &s->session, NULL, why);
}

/* A session with its open asks. */
static enum err session_show(
	struct rows *rows, struct sought *s, struct json_writer *w, struct fault *why)
{
	struct buf asks = { 0 };
	struct json_writer list = { .out = &asks };
	enum err e = shown_start(&s->shown, s->t, rows, &list, why);

	jw_array(&list);
	if (!e &&
		s->session.open_input + s->session.open_approval + s->session.open_other >
			0)
		e = rows_each(rows, RECORD_ASKS, SQL_ASKS_OPEN,
			ARGS(s->session.ws, s->session.id), ask_written, s, why);
	if (!e) e = shown_end(&s->shown, why);
	jw_array_end(&list);
	if (asks.failed) s->t->job.arena.failed = true;
	if (!e) session_write(w, &s->session, buf_str(&asks));
	buf_done(&asks);
	return e;
}

static enum err session_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct sought s = { .t = task_of(job), .now_ms = rows->now_ms };
	enum err e = session_seek(job, rows, &s, why);

	return e ? e : session_show(rows, &s, TO_REPLY(job), why);
}

const struct use use_session_get = READS("session_get", 0, 0, session_get_read, NULL);

static enum err session_state_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct sought s = { .t = task_of(job), .now_ms = rows->now_ms };
	struct json_writer w = { .out = &job->out };
	int64_t as_of = 0;
	bool truncated = false;
	enum err e = session_seek(job, rows, &s, why);

	if (!e) e = last_event(rows, job->who.ws, &as_of, why);
	if (e) return e;
	jw_object(&w);
	jw_key(&w, "session");
	e = session_show(rows, &s, &w, why);
	jw_put_array(&w, "asks");
	if (!e) e = shown_start(&s.shown, s.t, rows, &w, why);
	if (!e) /* the newest, in the order they came */
		e = rows_each(rows, RECORD_ASKS, SQL_ASKS_LATEST,
			ARGS(s.session.ws, s.session.id, STATE_ASKS), ask_written, &s,
			why);
	if (!e) e = shown_end(&s.shown, why);
	jw_array_end(&w);
	if (!e) e = read_run_state(rows, job, &s.session, &w, &truncated, why);
	jw_put_bool(&w, "truncated", truncated);
	jw_put_int(&w, "as_of", as_of);
	jw_object_end(&w);
	return e;
}

const struct use use_session_state =
	READS("session_state", 0, JOB_SLOW, session_state_read, NULL);

/* ---- many ---- */

struct session_list {
	struct session *at;
	size_t len;
	bool more;
};

static enum err session_list_fetch(struct rows *rows, struct session_list *l,
	const struct val *args, int len, int64_t limit, struct fault *why)
{
	const struct session *s = NULL;
	enum err e = rows_fetch(rows, RECORD_SESSIONS, SQL_SESSION_LIST, args, len, why);

	l->at = ARENA_ARRAY(rows->arena, struct session, (size_t)limit);
	while (!e && l->at && (s = rows_next(rows, RECORD_SESSIONS, s)) && !l->more) {
		l->more = (int64_t)l->len == limit;
		if (!l->more) l->at[l->len++] = *s;
	}
	return e;
}

static enum err session_list_find(struct job *job, struct rows *rows,
	struct session_list *l, struct list_page *p, struct fault *why)
{
	struct task *t = task_of(job);
	struct str status = task_param(t, "status"), like;
	enum session_status s;
	enum err e = page_read(t, rows, "sessions", p, why);

	if (task_has_param(t, "status") && !session_status_read(status, &s))
		e = fail_at(why, "/status", "has a value that is not accepted");
	if (like_read(task_param(t, "q"), &job->arena, &like, why)) e = why->err;
	if (e) return e;
	return session_list_fetch(rows, l,
		ARGS(job->who.ws, p->has_cursor ? p->cursor[0] : STR("zz"), p->limit + 1,
			status, task_param(t, "project"), like,
			role_may(job->who.role, MAY_READ_ALL) ? STR_NONE : job->who.agent,
			principal_starter(&job->who)),
		p->limit, why);
}

static enum err session_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct session_list l = { 0 };
	struct json_writer w = { .out = &job->out };
	struct list_page p;
	enum err e = session_list_find(job, rows, &l, &p, why);

	if (e) return e;
	t->sessions = l.at;
	t->sessions_len = l.len;
	page_begin(&w);
	for (size_t i = 0; !e && !t->wants_record && i < l.len; i++) {
		struct sought s = { .t = t, .now_ms = rows->now_ms, .session = l.at[i] };

		e = session_show(rows, &s, &w, why);
	}
	page_end(t, &w, &p, l.more ? &l.at[l.len - 1].id : NULL, 1);
	return e;
}

const struct use use_session_list = READS("session_list", 0, 0, session_list_read, NULL);
