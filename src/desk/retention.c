/* retention.c - sessions that a workspace's policy keeps no longer: those in which nothing is open
 * and that nobody touched for so long are deleted, as by DELETE, a batch at a time. */
#include "core/policy/policy.h"
#include "core/policy/rulebook.h"
#include "desk/shared/inner.h"

enum { BATCH = 500 };

/* A workspace whose policy says how long. */
struct keeping {
	int64_t ws, ms;
};

struct keepings {
	struct arena *arena;
	struct keeping *at;
	size_t len, cap;
};

static enum err policy_row(void *ctx, const struct row *row, struct fault *why)
{
	struct keepings *k = ctx;
	struct policy_record kept;
	struct policy policy;
	enum err e = record_read(&records[RECORD_POLICIES], row, k->arena, &kept, why);

	if (!e) e = policy_parse(kept.body, k->arena, &policy, why);
	if (e || !policy.keep_settled_ms) return e;
	if (k->len == k->cap) {
		size_t cap = k->cap ? k->cap * 2 : 16;
		struct keeping *at = ARENA_ARRAY(k->arena, struct keeping, cap);

		if (!at) return fail(why, ERR_MEMORY, "out of memory");
		if (k->len) memcpy(at, k->at, k->len * sizeof *at);
		k->at = at;
		k->cap = cap;
	}
	k->at[k->len++] = (struct keeping){ kept.ws, policy.keep_settled_ms };
	return OK;
}

/* Those that go. */
struct old_sessions {
	struct arena *arena;
	struct str ids[BATCH];
	size_t len;
};

static enum err old_row(void *ctx, const struct row *row, struct fault *why)
{
	struct old_sessions *o = ctx;

	(void)why;
	if (o->len < BATCH) o->ids[o->len++] = arena_str(o->arena, row_text(row, 0));
	return OK;
}

static enum err old_delete(struct task *t, struct rows *rows, const struct keeping *k,
	size_t *left, struct fault *why)
{
	int64_t since_ms = rows->now_ms - k->ms;
	const struct val args[] = { val_int(k->ws), val_int(since_ms),
		val_int((int64_t)*left) };
	struct old_sessions *o = ARENA_NEW(rows->arena, struct old_sessions);
	enum err e;

	if (!o) return fail(why, ERR_MEMORY, "out of memory");
	o->arena = rows->arena;
	e = rows_query(rows, SQL_SESSIONS_OLD, args, 3, old_row, o, why);
	for (size_t i = 0; !e && i < o->len; i++) {
		struct session *s;

		e = rows_fetch_session(rows, k->ws, o->ids[i], &s, why);
		/* An earlier job of the batch may have touched or deleted it. */
		if (e == ERR_NOT_FOUND)
			e = OK;
		else if (!e && session_over(s) && s->updated_ms < since_ms)
			e = desk_delete_session(t, rows, s, why);
	}
	*left -= o->len;
	return e;
}

static enum err retain_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct keepings k = { .arena = rows->arena };
	size_t left = BATCH;
	enum err e = rows_query(rows, SQL_POLICIES, NULL, 0, policy_row, &k, why);

	for (size_t i = 0; !e && left && i < k.len; i++)
		e = old_delete(t, rows, &k.at[i], &left, why);
	*(bool *)t->checked = !left;
	return e;
}

const struct use use_retain =
	WRITES("retain", 0, JOB_OPEN, NULL, retain_decide, NULL, NULL);
