/* main.c - many short histories, each from a seed; a seed that breaks a promise is shown.
 *
 *	sim N [--from S]           N histories, with the seeds from S on
 *	sim --seed S               one of them again, every line of it
 *	sim … --strict             everything is looked at after every step
 *	sim N --break NAME         with a fault planted: it must be found
 *	sim --self-check           every fault that can be planted is found
 */
#include "world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS_LEAST = 50, STEPS_MORE = 80, FLAW_SEEDS = 60 };

static struct world world; /* too big for a stack */
static bool strict;	   /* everything is looked at after every step */

static void clock_moves(struct world *w)
{
	static const int64_t ways_ms[] = { 1, 400, 1000, 3000, 5000, 30000, 60000, 600000,
		3600000 };
	int64_t by = ways_ms[below(w, sizeof ways_ms / sizeof *ways_ms)];

	if (one_in(w, 12)) by = -(int64_t)below(w, 900000);
	world_time(w, w->now_ms + by);
	world_say(w, "the clock moves by %lld ms", (long long)by);
}

static bool some_requests(struct world *w)
{
	struct op ops[BATCH];
	int most = one_in(w, 12) ? BATCH : BATCH_USUAL;
	int len = one_in(w, 2) ? 1 : 1 + (int)below(w, (uint64_t)most);

	for (int i = 0; i < len; i++)
		op_make(w, &ops[i]);
	return round_work(w, ops, len);
}

static bool killed(struct world *w)
{
	world_say(w, "between two steps:");
	world_crash(w, cut_position());
	return !w->failed[0] && look_all(w);
}

static bool one_step(struct world *w)
{
	world_plant(w);
	switch (below(w, 40)) {
	case 0: return killed(w);
	case 1: world_restart(w); return !w->failed[0];
	case 2:
	case 3:
	case 4:
	case 5: clock_moves(w); return true;
	case 6:
	case 7:
	case 8: return round_deadlines(w);
	case 9:
	case 10:
	case 11:
	case 12:
	case 13:
	case 14:
	case 15: return readers_act(w);
	case 16:
	case 17:
	case 18:
	case 19: return look_something(w);
	case 20: return look_all(w);
	default: return model_full(&w->model) ? look_all(w) : some_requests(w);
	}
}

/* False: a promise was broken. */
static bool history_run(struct world *w, uint64_t seed, enum flaw flaw)
{
	int steps;

	world_start(w, seed, flaw);
	steps = STEPS_LEAST + (int)below(w, STEPS_MORE);
	for (w->step = 1; w->step <= steps && !w->failed[0]; w->step++)
		if (!one_step(w) || (strict && !look_all(w)))
			world_fail(w, "a step failed");
	if (!w->failed[0]) {
		round_deadlines(w);
		if (!w->failed[0]) look_all(w);
	}
	world_end(w);
	return !w->failed[0];
}

static void history_show(const struct world *w)
{
	int from = w->lines_len > LINES ? w->lines_len - LINES : 0;

	printf("\nseed %" PRIu64 " breaks a promise at step %d: %s\nthe last steps:\n",
		w->seed, w->step, w->failed);
	for (int i = from; i < w->lines_len; i++)
		printf("  %s\n", w->lines[i % LINES]);
	printf("again: script/sim --seed %" PRIu64 "%s%s\n", w->seed,
		w->flaw ? " --break " : "", w->flaw ? flaw_names[w->flaw] : "");
}

static void tally_add(struct tally *sum, const struct tally *t)
{
	const int64_t *from = (const int64_t *)t;
	int64_t *to = (int64_t *)sum;

	for (size_t i = 0; i < sizeof *t / sizeof *to; i++)
		to[i] += from[i];
}

static void tally_acts(const struct tally *t)
{
	for (enum act a = ACT_ASK; a < ACT_EXPIRE; a++)
		printf("%s%s %lld", a ? ", " : "accepted: ", op_name(a),
			(long long)t->act_ok[a]);
	printf("\n");
}

static void tally_show(const struct tally *t, int64_t runs, uint64_t trace)
{
	printf("%lld histories: %lld requests (%lld accepted, %lld refused, %lld sent again), "
	       "%lld events, %lld waits ended, %lld deadlines; %lld power cuts (%lld kept "
	       "what was under way), %lld restarts, %lld disk faults (%lld unavailable, %lld "
	       "unknown, of which %lld kept); trace %016" PRIx64 "\n",
		(long long)runs, (long long)t->ops, (long long)t->acks,
		(long long)t->refusals, (long long)t->repeats, (long long)t->events,
		(long long)t->wakes, (long long)t->expired, (long long)t->crashes,
		(long long)t->crashes_kept, (long long)t->restarts, (long long)t->faults,
		(long long)t->unavailable, (long long)t->unknown,
		(long long)t->unknown_kept, trace);
}

/* Every twentieth history is run twice and must be the same to the letter. */
static bool histories_run(uint64_t from, uint64_t count, enum flaw flaw, bool quiet)
{
	struct tally sum = { 0 };
	uint64_t all = 0;

	for (uint64_t seed = from; seed < from + count; seed++) {
		uint64_t trace;

		if (!history_run(&world, seed, flaw)) {
			if (!quiet) history_show(&world);
			return false;
		}
		tally_add(&sum, &world.tally);
		trace = world.trace;
		all = all * 31 + trace;
		if (seed % 20 ||
			(history_run(&world, seed, flaw) && world.trace == trace))
			continue;
		if (!quiet) printf("seed %" PRIu64 " does not repeat itself\n", seed);
		return false;
	}
	if (!quiet) tally_acts(&sum), tally_show(&sum, (int64_t)count, all);
	return true;
}

static int self_check(void)
{
	int missed = 0;

	for (enum flaw f = FLAW_NONE + 1; f < FLAW_LEN; f++) {
		bool found = !histories_run(1, FLAW_SEEDS, f, true);

		printf("%-13s %s", flaw_names[f], found ? "found: " : "NOT FOUND\n");
		if (found) printf("seed %" PRIu64 ", %s\n", world.seed, world.failed);
		missed += !found;
	}
	return missed != 0;
}

static bool flaw_find(const char *name, enum flaw *out)
{
	for (enum flaw f = FLAW_NONE; f < FLAW_LEN; f++) {
		if (strcmp(flaw_names[f], name) != 0) continue;
		*out = f;
		return true;
	}
	return false;
}

static int usage(void)
{
	fputs("usage: sim N [--from SEED] [--break NAME] | --seed SEED | --self-check\n",
		stderr);
	return 2;
}

int main(int argc, char **argv)
{
	uint64_t count = 0, from = 1;
	enum flaw flaw = FLAW_NONE;
	bool check = false;
	int failed;

	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "--self-check") == 0)
			check = true;
		else if (strcmp(argv[i], "--from") == 0 && ++i < argc)
			from = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--seed") == 0 && ++i < argc) {
			from = strtoull(value, NULL, 10);
			count = 1;
			world.loud = true;
		} else if (strcmp(argv[i], "--strict") == 0) {
			strict = true;
		} else if (strcmp(argv[i], "--break") == 0 && ++i < argc) {
			if (!flaw_find(value, &flaw)) return usage();
		} else if (argv[i][0] >= '0' && argv[i][0] <= '9')
			count = strtoull(argv[i], NULL, 10);
		else
			return usage();
	}
	if (getenv("PARLEY_LONG")) count *= 16;
	if (!count && !check) return usage();
	if (!base_make()) {
		fputs("the base of all histories cannot be made\n", stderr);
		return 1;
	}
	failed = check ? self_check() : !histories_run(from, count, flaw, false);
	base_done();
	return failed;
}
