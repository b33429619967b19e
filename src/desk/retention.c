/* retention.c - sessions that a workspace's policy keeps no longer: those in which nothing is open
 * and that nobody touched for so long are deleted, as by DELETE. A read looks for them, in the order in
 * which they were made; then a few go at a time, so that nobody waits for it. */
#include "core/policy/policy.h"
#include "core/policy/rulebook.h"
#include "desk/shared/inner.h"

#include <stdio.h>

/* Since when sessions are kept in the first workspace from `from` on that does not keep all; ws 0: none
 * does. */
struct keeping {
	int64_t from, ws, since_ms;
};

static enum err kept_find(struct rows *rows, struct keeping *k, struct fault *why)
{
	const struct policy_record *p = NULL;
	struct policy policy;
	enum err e = rows_fetch(rows, RECORD_POLICIES, SQL_POLICIES, NULL, 0, why);

	while (!e && (p = rows_next(rows, RECORD_POLICIES, p))) {
		if (p->ws < k->from || (k->ws && p->ws > k->ws)) continue;
		e = policy_parse(p->body, rows->arena, &policy, why);
		if (e || policy.keep_settled_ms <= 0) continue;
		k->ws = p->ws;
		k->since_ms = rows->now_ms - policy.keep_settled_ms;
	}
	return e;
}

/* ---- looked for ---- */

static enum err old_row(void *ctx, const struct row *row, struct fault *why)
{
	struct retention *r = ctx;
	struct str id = row_text(row, 0);

	(void)why;
	snprintf(r->at, sizeof r->at, "%.*s", STR_ARGS(id));
	if (row_int(row, 1)) memcpy(r->ids[r->len++], r->at, sizeof r->at);
	r->looked++;
	return OK;
}

static enum err retain_find_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct retention *r = task_of(job)->checked;
	struct keeping k = { .from = r->ws + r->all };
	char end[ID_SIZE];
	enum err e = kept_find(rows, &k, why);

	r->over = !k.ws || k.since_ms <= 0;
	r->len = r->next = r->looked = 0;
	if (e || r->over) return e;
	if (k.ws != r->ws) r->at[0] = '\0';
	r->ws = k.ws;
	/* No session that was made later is as old: ids begin with their time. */
	id_make(&(struct ids){ 0 }, "ses", k.since_ms, end);
	e = rows_query(rows, SQL_SESSIONS_OLD,
		ARGS(r->ws, str_of(r->at), str_of(end), k.since_ms, RETENTION_LOOK),
		old_row, r, why);
	r->all = r->looked < RETENTION_LOOK;
	return e;
}

const struct use use_retain_find =
	READS("retain_find", 0, JOB_OPEN | JOB_SLOW, retain_find_read, NULL);

/* ---- deleted ---- */

/* Somebody may have touched or deleted it since, or a hold keeps it. */
static enum err old_delete(struct task *t, struct rows *rows, const struct keeping *k,
	struct str id, struct fault *why)
{
	struct session *s;
	enum err e = rows_fetch_session(rows, k->ws, id, &s, why);

	if (!e && session_over(s) && s->updated_ms < k->since_ms)
		e = session_delete(t, rows, s, STR("{\"by\":\"retention\"}"), why);
	return e == ERR_NOT_FOUND || e == ERR_HELD ? OK : e;
}

static enum err retain_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct retention *r = task_of(job)->checked;
	struct keeping k = { .from = r->ws };
	enum err e = kept_find(rows, &k, why);

	for (size_t i = r->next; !e && k.ws == r->ws && i < r->len; i++) {
		if (i == r->next + RETENTION_BATCH) break;
		e = old_delete(task_of(job), rows, &k, str_of(r->ids[i]), why);
	}
	return e;
}

const struct use use_retain =
	WRITES("retain", 0, JOB_OPEN, NULL, retain_decide, NULL, NULL);
