#include "base/table.h"
#include "base/mem.h"

#include "unit.h"

#include <stdio.h>

enum { MANY = 5000 };
static char names[MANY][8];
static int values[MANY];

static struct str name(int i)
{
	snprintf(names[i], sizeof names[i], "n%d", i);
	return str_of(names[i]);
}

static void an_empty_table_holds_nothing(void **state)
{
	struct table t = { 0 };
	size_t at = 0;

	(void)state;
	CHECK(!table_get(&t, STR("x")));
	CHECK(!table_remove(&t, STR("x")));
	CHECK(!table_next(&t, &at, NULL, NULL));
	table_clear(&t);
	table_done(&t);
}

static void what_is_put_is_found_and_replaced(void **state)
{
	struct table t = { 0 };

	(void)state;
	CHECK(table_put(&t, STR("a"), &values[0]));
	CHECK(table_put(&t, STR_NONE, &values[1]));
	CHECK(table_put(&t, STR("a"), &values[2]));
	CHECK_INT(t.len, 2);
	CHECK(table_get(&t, STR("a")) == &values[2]);
	CHECK(table_get(&t, STR("")) == &values[1]);
	CHECK(table_remove(&t, STR("a")) == &values[2]);
	CHECK(!table_get(&t, STR("a")));
	table_done(&t);
}

static void many_come_and_go(void **state)
{
	struct table t = { 0 };
	size_t cap;

	(void)state;
	for (int i = 0; i < MANY; i++)
		CHECK(table_put(&t, name(i), &values[i]));
	for (int i = 0; i < MANY; i += 2)
		CHECK(table_remove(&t, name(i)) == &values[i]);
	CHECK_INT(t.len, MANY / 2);
	for (int i = 0; i < MANY; i++)
		CHECK(table_get(&t, name(i)) == (i % 2 ? &values[i] : NULL));
	cap = t.cap;
	for (int i = 0; i < 20 * MANY; i++) {
		CHECK(table_put(&t, STR("passing"), &values[0]));
		CHECK(table_remove(&t, STR("passing")) == &values[0]);
		CHECK(table_put(&t, name(i % MANY & ~1), &values[1]));
		CHECK(table_remove(&t, name(i % MANY & ~1)) == &values[1]);
	}
	CHECK(t.cap <= 2 * cap);
	table_done(&t);
}

static void going_over_all_meets_each_once_and_may_remove(void **state)
{
	struct table t = { 0 };
	size_t at = 0, met = 0;
	struct str key;
	void *value;

	(void)state;
	for (int i = 0; i < 100; i++)
		table_put(&t, name(i), &values[i]);
	memset(values, 0, sizeof values);
	while (table_next(&t, &at, &key, &value)) {
		++*(int *)value;
		met++;
		CHECK(table_remove(&t, key) == value);
	}
	CHECK_INT(met, 100);
	CHECK_INT(t.len, 0);
	for (int i = 0; i < 100; i++)
		CHECK_INT(values[i], 1);
	table_done(&t);
}

static void clearing_keeps_the_memory(void **state)
{
	struct table t = { 0 };
	size_t cap;

	(void)state;
	for (int i = 0; i < 100; i++)
		table_put(&t, name(i), &values[i]);
	cap = t.cap;
	table_clear(&t);
	CHECK(t.len == 0 && t.cap == cap && !table_get(&t, name(3)));
	CHECK(table_put(&t, name(3), &values[3]));
	CHECK(table_get(&t, name(3)) == &values[3]);
	table_done(&t);
}

static void a_put_without_memory_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t n = 1;; n++) {
		struct table t = { 0 };
		int put = 0;
		uint64_t made;

		mem_fail_at(n, 0);
		while (put < 500 && table_put(&t, name(put), &values[put]))
			put++;
		made = mem_count();
		mem_fail_at(0, 0);
		CHECK((int)t.len == put);
		for (int i = 0; i < 500; i++)
			CHECK(table_get(&t, name(i)) == (i < put ? &values[i] : NULL));
		table_done(&t);
		if (made < n) break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_table_holds_nothing),
		TEST(what_is_put_is_found_and_replaced),
		TEST(many_come_and_go),
		TEST(going_over_all_meets_each_once_and_may_remove),
		TEST(clearing_keeps_the_memory),
		TEST(a_put_without_memory_changes_nothing),
	};

	return RUN(tests);
}
