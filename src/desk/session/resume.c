/* resume.c - how a stopped agent goes on: the text of what it asked and what came of it.
 *
 * Asks are read in pages, the newest first, and each is let go once its entry is written: a
 * session of any size costs the memory of one page. */
#include "desk/shared/inner.h"

#include "core/session/resume.h"

enum {
	PAGE_MIN = 8,
	PAGE_MAX = 256,
	PAGE_BYTES = 4 * 1024 * 1024, /* that a page should have at most */
};

struct resume_page {
	struct resume *resume;
	int64_t limit;	    /* asked for */
	int64_t rows;	    /* found */
	size_t bytes;	    /* of their texts */
	int64_t settled_ms; /* of the last: where the next page begins */
	char id[ID_SIZE];
};

static enum err page_add(void *ctx, const void *record, const struct row *row,
	struct arena *scratch, struct fault *why)
{
	struct resume_page *p = ctx;
	const struct ask *a = record;

	(void)row, (void)scratch;
	p->rows++;
	p->bytes += a->fixed.len + a->answer.len + a->summary.len + a->replies.len;
	p->settled_ms = a->settled_ms;
	memcpy(p->id, a->id.at, a->id.len < ID_SIZE ? a->id.len : ID_SIZE - 1);
	if (!p->resume->full) resume_add(p->resume, a);
	return p->resume->arena->failed ? fail_memory(why) : OK;
}

/* How many more to read at once, by the size of those before. */
static int64_t page_next(const struct resume_page *p)
{
	size_t mean = p->bytes / (size_t)(p->rows ? p->rows : 1) + 1;
	int64_t n = (int64_t)(PAGE_BYTES / mean);

	return n < PAGE_MIN ? PAGE_MIN : n > PAGE_MAX ? PAGE_MAX : n;
}

static enum err pages_read(struct rows *rows, const struct session *s, bool open,
	struct resume *r, struct fault *why)
{
	struct resume_page p = {
		.resume = r, .limit = PAGE_MIN, .settled_ms = INT64_MAX, .id = "zz"
	};
	enum err e;

	r->full = false;
	do {
		p.rows = 0;
		p.bytes = 0;
		e = rows_each(rows, RECORD_ASKS, SQL_ASKS_RECENT,
			ARGS(s->ws, s->id, p.limit, p.settled_ms, p.id, open), page_add,
			&p, why);
		if (p.rows < p.limit) break;
		p.limit = page_next(&p);
	} while (!e && !r->full);
	return e;
}

enum err resume_context(
	struct rows *rows, const struct session *s, struct str *out, struct fault *why)
{
	struct resume r = { .arena = rows->arena };
	enum err e = pages_read(rows, s, true, &r, why);

	if (!e) e = pages_read(rows, s, false, &r, why);
	if (!e) *out = resume_text(&r, s);
	return e;
}

static enum err session_resume_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct session *s;
	enum err e = rows_fetch_session(rows, job->who.ws, t->id, &s, why);

	if (!e && !principal_sees(&job->who, s->agent))
		e = desk_missing("session", t->id, why);
	if (!e) e = resume_context(rows, s, &t->context, why);
	if (e || t->wants_record) return e;
	jw_object(&w);
	jw_put_bool(&w, "can_resume", session_can_resume(s));
	jw_put_str(&w, "context", t->context);
	jw_object_end(&w);
	return OK;
}

const struct use use_session_resume =
	READS("session_resume", 0, JOB_SLOW, session_resume_read, NULL);
