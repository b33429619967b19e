/* What a model is sent: how long it will be, and what is left out when that is too much. */
#include "core/run/estimate.h"
#include "kit.h"

static void tokens_are_estimated_by_the_last_count(void **state)
{
	static const struct {
		struct estimate_count last;
		struct estimate_size size;
		int64_t tokens;
	} table[] = {
		{ { { 0, 0 }, 0 }, { 3000, 0 }, 1000 },
		{ { { 0, 0 }, 0 }, { 3001, 0 }, 1001 },
		{ { { 0, 0 }, 0 }, { 0, 2 }, 2 * ESTIMATE_IMAGE },
		{ { { 1000, 0 }, 250 }, { 4000, 0 }, 1000 },
		{ { { 1000, 0 }, 10 }, { 6000, 1 }, 1000 + ESTIMATE_IMAGE }, /* a sixth */
		{ { { 1000, 0 }, 5000 }, { 6000, 0 }, 6000 },		     /* 1 */
		{ { { 1000, 1 }, 500 + ESTIMATE_IMAGE }, { 1000, 0 }, 500 },
		{ { { 1000, 3 }, 500 }, { 6000, 0 }, 1000 }, /* images that cost less */
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct estimate_size fits = { .bytes = estimate_bytes(
						      &table[i].last, 777) };

		assert_int_equal(
			estimate_tokens(&table[i].last, &table[i].size), table[i].tokens);
		assert_true(estimate_tokens(&table[i].last, &fits) <= 777);
		fits.bytes += 6;
		assert_true(estimate_tokens(&table[i].last, &fits) > 777);
	}
	assert_int_equal(estimate_bytes(&table[0].last, -5), 0);
}

static void images_count_by_their_number(void **state)
{
	static const struct {
		const char *content;
		int64_t images;
	} table[] = {
		{ "[{\"type\":\"text\",\"text\":\"an image\"}]", 0 },
		{ "[{\"type\":\"image\",\"data\":\"AAAA\"}]", 1 },
		{ "[{\"type\":\"text\",\"text\":\"\\\"image\\\"\"}]", 0 },
		{ "\"image\" [", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct str content = str_of(table[i].content);
		struct estimate_size size = estimate_content(content);

		assert_int_equal(size.images, table[i].images);
		assert_int_equal(size.bytes, (int64_t)content.len - 4 * table[i].images);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_are_estimated_by_the_last_count),
		cmocka_unit_test(images_count_by_their_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
