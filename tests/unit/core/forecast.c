/* When somebody will answer, by how long it took before. */
#include "core/ask/forecast.h"

#include "kit.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(the_next_one_is_within_as_often_as_it_says),
		KIT_TEST(the_narrowest_sure_basis_counts_else_the_widest),
		KIT_TEST(it_is_said_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
