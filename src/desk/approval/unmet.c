/* unmet.c - open approvals that nobody can give any more, as people are now: told by whoever
 * logs. */
#include "desk/delivery.h"

#include "desk/people/roster.h"

enum { UNMET_LOOK = 1000 };

struct unmet_reading {
	struct arena *arena;
	struct ask *asks;
	size_t len;
};

static enum err unmet_row(void *ctx, const struct row *row, struct fault *why)
{
	struct unmet_reading *u = ctx;

	if (u->len == UNMET_LOOK) return OK;
	return ask_from_row(row, u->arena, &u->asks[u->len++], why);
}

/* Does a part require more approvals than there are people who could count for it? */
static enum err is_unmet(const struct ask *a, const struct roster *r, struct arena *arena,
	bool *out, struct fault *why)
{
	struct require require;
	enum err e = require_load(a->require, arena, &require, why);

	*out = false;
	for (size_t i = 0; !e && i < require.len; i++)
		*out |= require_reach(a, &require.parts[i], r, arena) <
			require.parts[i].approvals;
	return e;
}

static enum err unmet_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct unmet_asks *out = t->checked;
	struct unmet_reading u = { .arena = &job->arena,
		.asks = ARENA_ARRAY(&job->arena, struct ask, UNMET_LOOK) };
	struct reading_roster r = { 0 };
	const struct val args[] = { val_int(UNMET_LOOK) };
	enum err e =
		u.asks ? rows_query(rows, SQL_ASKS_VOTING, args, 1, unmet_row, &u, why)
		       : fail(why, ERR_MEMORY, "out of memory");

	out->len = 0;
	for (size_t i = 0; !e && i < u.len && out->len < UNMET_MAX; i++) {
		const struct ask *a = &u.asks[i];
		bool unmet = false;

		if (!i || a->ws != u.asks[i - 1].ws) {
			r = (struct reading_roster){ t, rows, rows->now_ms, 0 };
			job->who.ws = a->ws;
			job->credential.teams = 1; /* there may be some */
			e = reading_roster_users(&r, why);
		}
		if (!e) e = is_unmet(a, &r.roster, &job->arena, &unmet, why);
		if (!e && unmet)
			memcpy(out->ids[out->len++], a->id.at,
				a->id.len < ID_SIZE ? a->id.len : ID_SIZE - 1);
	}
	return e;
}

const struct use use_unmet = READS("unmet", 0, JOB_SLOW | JOB_OPEN, unmet_read, NULL);
