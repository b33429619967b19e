/* retention.c - sessions that a workspace's policy keeps no longer: those in which nothing is open
 * and that nobody touched for so long are deleted, as by DELETE, a batch at a time. */
#include "core/policy/policy.h"
#include "core/policy/rulebook.h"
#include "desk/shared/inner.h"

enum { BATCH = 500 };

static enum err old_delete(struct task *t, struct rows *rows, int64_t ws,
	int64_t since_ms, size_t *left, struct fault *why)
{
	struct str ids[BATCH];
	size_t len;
	enum err e = rows_texts(rows, SQL_SESSIONS_OLD,
		ARGS(ws, since_ms, (int64_t)*left), ids, BATCH, &len, why);

	for (size_t i = 0; !e && i < len; i++) {
		struct session *s;

		e = rows_fetch_session(rows, ws, ids[i], &s, why);
		/* An earlier job of the batch may have touched or deleted it. */
		if (e == ERR_NOT_FOUND)
			e = OK;
		else if (!e && session_over(s) && s->updated_ms < since_ms)
			e = session_delete(
				t, rows, s, STR("{\"by\":\"retention\"}"), why);
		/* A hold of this very batch. */
		if (e == ERR_HELD) e = OK;
	}
	*left -= len;
	return e;
}

static enum err retain_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct policy_record *p = NULL;
	struct policy policy;
	size_t left = BATCH;
	enum err e = rows_fetch(rows, RECORD_POLICIES, SQL_POLICIES, NULL, 0, why);

	while (!e && left && (p = rows_next(rows, RECORD_POLICIES, p))) {
		e = policy_parse(p->body, rows->arena, &policy, why);
		if (!e && policy.keep_settled_ms)
			e = old_delete(t, rows, p->ws,
				rows->now_ms - policy.keep_settled_ms, &left, why);
	}
	*(bool *)t->checked = !left;
	return e;
}

const struct use use_retain =
	WRITES("retain", 0, JOB_OPEN, NULL, retain_decide, NULL, NULL);
