#include "base/pool.h"

#include "base/mem.h"
#include "random.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 5000, SIZE = 136 };

struct thing {
	unsigned char bytes[SIZE];
};

static void things_are_zeroed_and_keep_apart(void **state)
{
	struct pool p = { .size = SIZE };
	struct thing **all = calloc(MANY, sizeof(struct thing *));

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		static const struct thing zero;

		all[i] = pool_get(&p);
		assert_non_null(all[i]);
		assert_int_equal((uintptr_t)all[i] % 16, 0);
		assert_memory_equal(all[i], &zero, SIZE);
		memset(all[i], (int)(i % 251) + 1, SIZE);
	}
	for (size_t i = 0; i < MANY; i++)
		for (size_t k = 0; k < SIZE; k++)
			assert_int_equal(all[i]->bytes[k], i % 251 + 1);
	for (size_t i = 0; i < MANY; i++)
		pool_put(&p, all[i]);
	pool_done(&p);
	free(all);
}

/* What comes and goes in any order, against a plain account of it. */
static void things_come_and_go(void **state)
{
	struct pool p = { .size = SIZE };
	struct thing *all[300] = { 0 };
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 100000; round++) {
		size_t i = (size_t)random_below(&seed, 300);

		if (all[i]) {
			assert_int_equal(all[i]->bytes[SIZE - 1], i % 251);
			pool_put(&p, all[i]);
			all[i] = NULL;
		} else {
			all[i] = pool_get(&p);
			assert_non_null(all[i]);
			assert_int_equal(all[i]->bytes[0], 0);
			memset(all[i], (int)(i % 251), SIZE);
		}
	}
	for (size_t i = 0; i < 300; i++)
		pool_put(&p, all[i]);
	pool_done(&p);
}

static void it_fails_when_memory_does(void **state)
{
	struct pool p = { .size = SIZE };
	void *thing;

	(void)state;
	mem_fail_at(1, 0);
	assert_null(pool_get(&p));
	thing = pool_get(&p);
	assert_non_null(thing);
	mem_fail_at(0, 0);
	pool_put(&p, thing);
	pool_put(&p, NULL);
	pool_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(things_are_zeroed_and_keep_apart),
		cmocka_unit_test(things_come_and_go),
		cmocka_unit_test(it_fails_when_memory_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
