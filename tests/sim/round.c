/* round.c - some requests meet in one batch; then the model is told, and must agree.
 *
 * A request that got its answer has happened, exactly as the model says. One whose
 * outcome is unknown, or whose answer was lost with the power, has happened wholly or not
 * at all: the log tells. Every way it can have been is tried until one fits what the
 * store has. */
#include "world.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum fate { FATE_KNOWN, FATE_MAYBE, FATE_NOTHING };

struct round {
	struct world *world;
	const struct op *ops;
	int len;
	struct request requests[BATCH];
	enum fate fates[BATCH];
	bool doomed;
	uint64_t from;	      /* the disk's position when it began */
	uint64_t cut;	      /* where the power went, when doomed */
	int before[PLACES];   /* length of the log */
	int64_t must[PLACES]; /* events that were shown to somebody */
	int log_len[PLACES];  /* of what the store has beyond `before` */
	bool kept;	      /* something unknown has happened after all */
	char why[200];
};

static struct seen logs[PLACES][GOT_MAX]; /* what the store has, of one round */
static struct model spares[BATCH];	  /* to go back to, when it was not so */

/* ---- what can have been ---- */

static bool round_apply(struct round *r, int i, struct model *m, int taken[PLACES])
{
	const struct seen *const log[PLACES] = { logs[0], logs[1] };
	struct expect x;

	model_apply(m, &r->ops[i], r->world->now_ms, &x);
	if (!model_match(m, log, r->log_len, taken, r->why)) return false;
	if (r->fates[i] != FATE_KNOWN || r->ops[i].act == ACT_EXPIRE) return true;
	return look_reply(r->world, m, &r->requests[i], &x, r->why);
}

static bool round_complete(
	struct round *r, const struct model *m, const int taken[PLACES])
{
	for (int place = 0; place < PLACES; place++) {
		const struct seen *s = &logs[place][taken[place]];

		if (taken[place] == r->log_len[place]) continue;
		snprintf(r->why, sizeof r->why,
			"the log has event %lld, %s %s, out of nothing", (long long)s->n,
			s->type, s->ask[0] ? s->ask : s->session);
		return false;
	}
	for (int i = 0; i < r->len; i++)
		if (r->fates[i] == FATE_MAYBE && r->ops[i].act != ACT_EXPIRE &&
			!look_traces(r->world, m, &r->requests[i], r->why))
			return false;
	return true;
}

/* Those whose outcome is unknown together, as they were handed back at the same moment:
 * of a transaction all is there or nothing. */
static int round_group(const struct round *r, int i)
{
	int end = i + 1;

	while (end < r->len && r->fates[end] == FATE_MAYBE &&
		r->requests[end].done_at == r->requests[i].done_at)
		end++;
	return end;
}

static bool round_try(struct round *r, int i, struct model *m, int taken[PLACES])
{
	int back[PLACES] = { taken[0], taken[1] };
	bool fits = true;
	int end;

	if (i == r->len) return round_complete(r, m, taken);
	if (r->fates[i] == FATE_NOTHING) return round_try(r, i + 1, m, taken);
	if (r->fates[i] == FATE_KNOWN)
		return round_apply(r, i, m, taken) && round_try(r, i + 1, m, taken);
	end = round_group(r, i);
	spares[i] = *m;
	for (int k = i; fits && k < end; k++)
		fits = round_apply(r, k, m, taken);
	if (fits && round_try(r, end, m, taken)) {
		r->kept |= taken[0] != back[0] || taken[1] != back[1];
		return true;
	}
	*m = spares[i];
	memcpy(taken, back, sizeof back);
	return round_try(r, end, m, taken);
}

static bool round_compare(struct round *r)
{
	struct world *w = r->world;
	int taken[PLACES] = { 0 };

	for (int place = 0; place < PLACES; place++)
		if (!look_log(w, place, r->before[place], logs[place], GOT_MAX,
			    &r->log_len[place]))
			return false;
	if (!round_try(r, 0, &w->model, taken)) return world_fail(w, "%s", r->why);
	for (int place = 0; place < PLACES; place++) {
		if (w->model.log_len[place] < r->must[place])
			return world_fail(w,
				"event %lld was shown, and the log ends with %d",
				(long long)r->must[place], w->model.log_len[place]);
		w->told_last[place] = w->model.log_len[place];
	}
	return readers_check(w, r->before);
}

/* ---- what is known ---- */

static enum fate round_fate(struct round *r, int i, bool faults)
{
	struct world *w = r->world;
	const struct request *q = &r->requests[i];
	enum err e = q->task.job.err;

	world_add(w, " -> %s", e ? err_name(e) : "ok");
	if (!q->done) world_fail(w, "a request was not handed back");
	if (e == ERR_INTERNAL || e == ERR_MEMORY || e == ERR_BUSY)
		world_fail(w, "%s: %s", err_name(e), q->task.job.why.detail);
	if ((e == ERR_UNAVAILABLE || e == ERR_UNKNOWN) && !faults)
		world_fail(
			w, "%s without a fault: %s", err_name(e), q->task.job.why.detail);
	w->tally.ops++;
	w->tally.unavailable += e == ERR_UNAVAILABLE;
	w->tally.unknown += e == ERR_UNKNOWN;
	w->tally.acks += e == OK;
	w->tally.act_ok[r->ops[i].act] += e == OK;
	w->tally.refusals += e && e != ERR_UNAVAILABLE && e != ERR_UNKNOWN;
	if (e == ERR_UNAVAILABLE) return FATE_NOTHING;
	return e == ERR_UNKNOWN || (r->doomed && q->done_at > r->cut) ? FATE_MAYBE
								      : FATE_KNOWN;
}

/* Whatever somebody was shown before the power went must be there after it. */
static void round_musts(struct round *r)
{
	struct world *w = r->world;

	for (int place = 0; place < PLACES; place++) {
		r->must[place] = r->before[place];
		for (int64_t n = r->before[place] + 1; n <= w->told_last[place]; n++)
			if (!r->doomed || w->told_at[place][n % GOT_MAX] <= r->cut)
				r->must[place] = n;
	}
}

static void round_begin(struct round *r, struct world *w)
{
	r->world = w;
	r->from = cut_position();
	memcpy(r->before, w->model.log_len, sizeof r->before);
	for (int i = 0; w->habits.fault_in && i < 3; i++)
		if (one_in(w, w->habits.fault_in)) world_arm(w);
	r->doomed = one_in(w, w->habits.doom_in);
}

static void round_cut(struct round *r)
{
	uint64_t to = cut_position();

	if (!r->doomed) return;
	r->cut = r->from + below(r->world, to - r->from + 1);
	/* At the end all is acknowledged: as interesting as all that is before. */
	if (one_in(r->world, 3)) r->cut = to;
}

static bool round_end(struct round *r)
{
	struct world *w = r->world;
	bool ok;

	round_musts(r);
	cut_fail_none();
	if (r->doomed) world_crash(w, r->cut);
	ok = !w->failed[0] && round_compare(r);
	if (r->kept && r->doomed) w->tally.crashes_kept++;
	if (r->kept && !r->doomed) w->tally.unknown_kept++;
	return ok;
}

bool round_work(struct world *w, const struct op *ops, int len)
{
	struct round *r = calloc(1, sizeof *r);
	const struct use *uses[BATCH];
	struct task *tasks[BATCH];
	bool faults, ok;

	if (!r) abort();
	r->ops = ops;
	r->len = len;
	for (int i = 0; i < len; i++) {
		request_make(w, &ops[i], &r->requests[i]);
		uses[i] = r->requests[i].use;
		tasks[i] = &r->requests[i].task;
	}
	world_say(w, "%d at once", len);
	round_begin(r, w);
	desk_do_many(w->desk, uses, tasks, (size_t)len);
	faults = cut_failures() > 0;
	round_cut(r);
	for (int i = 0; i < len; i++) {
		op_say(w, &ops[i]);
		r->fates[i] = round_fate(r, i, faults);
	}
	ok = round_end(r);
	for (int i = 0; i < len; i++)
		request_done(&r->requests[i]);
	free(r);
	return ok;
}

/* The clock's turn. Without a fault everything due must have expired. */
bool round_deadlines(struct world *w)
{
	static const struct op clock = {
		.act = ACT_EXPIRE, .who = STRANGER, .ask = NOBODY, .session = NOBODY
	};
	struct round *r = calloc(1, sizeof *r);
	bool ok;

	if (!r) abort();
	r->ops = &clock;
	r->len = 1;
	w->tally.expired += model_due(&w->model, w->now_ms);
	world_say(w, "deadlines, %d due", model_due(&w->model, w->now_ms));
	round_begin(r, w);
	if (w->flaw == FLAW_EARLY && ++w->flawed) clock_set(w->now_ms + 60000);
	while (desk_deadlines(w->desk) == 0)
		continue;
	clock_set(w->now_ms);
	round_cut(r);
	r->fates[0] = cut_failures() || r->doomed ? FATE_MAYBE : FATE_KNOWN;
	ok = round_end(r);
	free(r);
	return ok;
}
