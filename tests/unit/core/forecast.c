/* When somebody will answer, by how long it took before. */
#include "core/ask/forecast.h"

#include "kit.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

static const char *shown(const struct estimate *e)
{
	struct buf b = { .max = 1000 };
	struct json_writer w = { .out = &b };
	const char *out;

	jw_object(&w);
	estimate_write(&w, e, NULL);
	jw_object_end(&w);
	out = kit_text(buf_str(&b));
	buf_done(&b);
	return out;
}

static void the_next_one_is_within_as_often_as_it_says(void **state)
{
	int64_t sorted[20], out = 0;

	(void)state;
	for (int i = 0; i < 20; i++)
		sorted[i] = i + 1;
	assert_true(forecast_part(sorted, 20, 50, &out));
	assert_int_equal(out, 11); /* 11 of 21 gaps lie before it */
	assert_true(forecast_part(sorted, 20, 90, &out));
	assert_int_equal(out, 19);
	sorted[18] = sorted[19] = FORECAST_NEVER;
	assert_false(forecast_part(sorted, 20, 90, &out));
	assert_true(forecast_part(sorted, 1, 90, &out));
	assert_int_equal(out, 1);
	assert_false(forecast_part(sorted, 0, 50, &out));
}

static void the_narrowest_sure_basis_counts_else_the_widest(void **state)
{
	struct estimate by[FORECAST_BASES] = { { .samples = 19 }, { .samples = 20 },
		{ .samples = 30 }, { .samples = 40 } };
	struct estimate out;

	(void)state;
	assert_int_equal(forecast_choose(by, &out), BASIS_PROJECT);
	by[1].samples = by[2].samples = by[3].samples = 19;
	assert_int_equal(forecast_choose(by, &out), BASIS_ALL);
	by[0].samples = by[1].samples = by[2].samples = by[3].samples = 4;
	assert_int_equal(forecast_choose(by, &out), FORECAST_BASES);
	assert_int_equal(out.p50_ms, -1);
	assert_int_equal(out.samples, 4);
	assert_null(forecast_basis_name(FORECAST_BASES));
}

static void it_is_said_in_words(void **state)
{
	static const struct {
		struct estimate e;
		const char *shown;
	} cases[] = {
		{ { -1, -1, 4 },
			"{'p50_s':null,'p90_s':null,'samples':4,'text':'Not enough "
			"answers yet to say when somebody will answer.'}" },
		{ { -1, -1, 9 },
			"{'p50_s':null,'p90_s':null,'samples':9,'text':'Most asks "
			"like this one expire unanswered.'}" },
		{ { 1500, -1, 9 },
			"{'p50_s':1.5,'p90_s':null,'samples':9,'text':'Usually "
			"answered within 2 s.'}" },
		{ { 240000, 86400000, 9 },
			"{'p50_s':240,'p90_s':86400,'samples':9,'text':'Usually answered "
			"within 4 min, 9 of 10 within 24 h.'}" },
		{ { 0, 864000000, 9 },
			"{'p50_s':0,'p90_s':864000,'samples':9,'text':'Usually answered "
			"within 1 s, 9 of 10 within 10 d.'}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		kit_same("expect", str_of(shown(&cases[i].e)), cases[i].shown);
}

/* ---- histories ---- */

enum {
	HISTORIES = 10000,
	PLACES = 4, /* projects × kinds */
	HOURS = 24,
	PAST_MAX = 400,
};

/* A team: how long it takes in each place, by the hour, and how many asks in a hundred expire. */
struct team {
	double median_s[PLACES], by_night, spread;
	uint64_t expire;
};

struct asked {
	int place, hour;
	int64_t took_ms;
};

static double one(uint64_t *seed)
{
	return ((double)random_below(seed, 1 << 30) + 1) / ((1 << 30) + 1);
}

static double bell(uint64_t *seed)
{
	double r = sqrt(-2 * log(one(seed)));

	return r * cos(6.28318530717958648 * one(seed));
}

static int64_t took(const struct team *t, int place, int hour, uint64_t *seed)
{
	double night =
		exp(t->by_night * (1 + cos(6.28318530717958648 * hour / (int)HOURS)));

	if (random_below(seed, 100) < t->expire) return FORECAST_NEVER;
	return (int64_t)(1000 * t->median_s[place] * night * exp(t->spread * bell(seed)));
}

static int by_length(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Of those of the place (-1: any) near the hour (-1: any). Places of one kind are even or odd. */
static struct estimate estimated(
	const struct asked *past, size_t len, int place, int kinds, int hour)
{
	int64_t sorted[PAST_MAX];
	struct estimate e;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int apart = abs(past[i].hour - hour);
		bool near = hour < 0 || apart <= 1 || apart == HOURS - 1;

		if (near && (place < 0 || past[i].place % kinds == place % kinds))
			sorted[n++] = past[i].took_ms;
	}
	qsort(sorted, n, sizeof *sorted, by_length);
	estimate_make(&e, sorted, n);
	return e;
}

/* Ten thousand teams with a history of 20 to 400 asks: of what is asked next, half is answered within
 * the one span and nine of ten within the other. Where a span is not known nothing is foretold. */
static void what_is_foretold_is_what_happens(void **state)
{
	uint64_t seed = 20261118;
	double told50 = 0, told90 = 0, within50 = 0, within90 = 0;

	(void)state;
	for (int i = 0; i < HISTORIES; i++) {
		struct team t = { .by_night = 1.5 * one(&seed),
			.spread = 0.3 + 1.7 * one(&seed),
			.expire = random_below(&seed, 3) ? 0 : random_below(&seed, 30) };
		size_t len = 20 + random_below(&seed, PAST_MAX - 19);
		struct asked past[PAST_MAX];
		struct estimate e;
		int place, hour;
		int64_t next;

		for (int p = 0; p < PLACES; p++)
			t.median_s[p] = exp(10 * one(&seed));
		for (size_t n = 0; n < len; n++) {
			past[n].place = (int)random_below(&seed, PLACES);
			past[n].hour = (int)random_below(&seed, HOURS);
			past[n].took_ms = took(&t, past[n].place, past[n].hour, &seed);
		}
		place = (int)random_below(&seed, PLACES);
		hour = (int)random_below(&seed, HOURS);
		forecast_choose(
			(struct estimate[]){
				[BASIS_HOUR] = estimated(past, len, place, PLACES, hour),
				[BASIS_PROJECT] = estimated(past, len, place, PLACES, -1),
				[BASIS_KIND] = estimated(past, len, place, 2, -1),
				[BASIS_ALL] = estimated(past, len, -1, 1, -1) },
			&e);
		next = took(&t, place, hour, &seed);
		told50 += e.p50_ms >= 0;
		within50 += e.p50_ms >= 0 && next <= e.p50_ms;
		told90 += e.p90_ms >= 0;
		within90 += e.p90_ms >= 0 && next <= e.p90_ms;
	}
	print_message(
		"%d histories: %.1f %% within p50, %.1f %% within p90 (of %.0f and %.0f)\n",
		HISTORIES, 100 * within50 / told50, 100 * within90 / told90, told50,
		told90);
	assert_true(told50 > 0.9 * (int)HISTORIES && told90 > 0.6 * (int)HISTORIES);
	assert_true(fabs(100 * within50 / told50 - 50) <= 3);
	assert_true(fabs(100 * within90 / told90 - 90) <= 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(the_next_one_is_within_as_often_as_it_says),
		KIT_TEST(the_narrowest_sure_basis_counts_else_the_widest),
		KIT_TEST(it_is_said_in_words),
		KIT_TEST(what_is_foretold_is_what_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
