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
	snprintf(path, sizeof path, "%s/p.db", folder);
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

/* A second server must not start through a hard or a symbolic link. */
static void another_name_of_the_file_is_the_same_store(void **state)
{
	char folder[] = "/tmp/lock-XXXXXX", path[64], hard[64], soft[64], place[80];
	struct fault why = { 0 };
	int first, second;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/p.db", folder);
	snprintf(hard, sizeof hard, "%s/hard.db", folder);
	snprintf(soft, sizeof soft, "%s/soft.db", folder);
	snprintf(place, sizeof place, "sqlite:%s", path);
	assert_int_equal(store_lock(str_of(place), &first, &why), OK);
	assert_int_equal(link(path, hard), 0);
	assert_int_equal(symlink(path, soft), 0);
	snprintf(place, sizeof place, "sqlite:%s", hard);
	assert_int_equal(store_lock(str_of(place), &second, &why), ERR_BUSY);
	snprintf(place, sizeof place, "sqlite:%s", soft);
	assert_int_equal(store_lock(str_of(place), &second, &why), ERR_BUSY);
	store_unlock(first);
	unlink(path);
	unlink(hard);
	unlink(soft);
	rmdir(folder);
}

static void readers_share_a_store_and_make_none(void **state)
{
	char folder[] = "/tmp/lock-XXXXXX", path[64], place[80];
	struct fault why = { 0 };
	int writer, first, second;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/p.db", folder);
	snprintf(place, sizeof place, "sqlite:%s", path);
	assert_int_equal(store_lock_shared(str_of(place), &first, &why), ERR_UNAVAILABLE);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(store_lock(str_of(place), &writer, &why), OK);
	assert_int_equal(store_lock_shared(str_of(place), &first, &why), ERR_BUSY);
	store_unlock(writer);
	assert_int_equal(store_lock_shared(str_of(place), &first, &why), OK);
	assert_int_equal(store_lock_shared(str_of(place), &second, &why), OK);
	assert_int_equal(store_lock(str_of(place), &writer, &why), ERR_BUSY);
	store_unlock(first);
	store_unlock(second);
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
		cmocka_unit_test(another_name_of_the_file_is_the_same_store),
		cmocka_unit_test(readers_share_a_store_and_make_none),
		cmocka_unit_test(a_place_that_is_not_there_is_unavailable),
		cmocka_unit_test(a_shared_store_has_no_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
