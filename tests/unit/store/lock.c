/* lock.c - one process has a store; the others are told so. */
#include "store/lock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void a_store_is_locked_once(void **state)
{
	char folder[] = "/tmp/lock-XXXXXX", place[64], path[64];
	struct fault why = { 0 };
	int first, second;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(place, sizeof place, "sqlite:%s/p.db", folder);
	snprintf(path, sizeof path, "%s/p.db.lock", folder);
	assert_int_equal(store_lock(str_of(place), &first, &why), OK);
	assert_int_equal(store_lock(str_of(place), &second, &why), ERR_BUSY);
	assert_int_equal(second, -1);
	assert_non_null(strstr(why.detail, "in use by another parley"));
	store_unlock(first);
	assert_int_equal(store_lock(str_of(place), &second, &why), OK);
	store_unlock(second);
	store_unlock(-1);
	unlink(path);
	rmdir(folder);
}

static void a_place_that_is_not_there_is_unavailable(void **state)
{
	struct fault why = { 0 };
	int fd;

	(void)state;
	assert_int_equal(store_lock(STR("sqlite:/nowhere/at/all/p.db"), &fd, &why),
		ERR_UNAVAILABLE);
	assert_non_null(strstr(why.detail, "/nowhere/at/all"));
}

static void a_shared_store_has_no_lock(void **state)
{
	int fd = 7;

	(void)state;
	assert_int_equal(store_lock(STR("postgresql://x/y"), &fd, NULL), OK);
	assert_int_equal(fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_is_locked_once),
		cmocka_unit_test(a_place_that_is_not_there_is_unavailable),
		cmocka_unit_test(a_shared_store_has_no_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
