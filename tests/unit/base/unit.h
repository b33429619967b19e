/* unit.h - cmocka with what it needs before it, and a few checks of ours. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

/* fail is ours (base/fault.h). */
#undef fail
#undef fail_msg
#define fail_msg(...)                                                                    \
	do {                                                                             \
		print_error(__VA_ARGS__);                                                \
		print_error("\n");                                                       \
		_fail(__FILE__, __LINE__);                                               \
	} while (0)

#define CHECK(condition)   assert_true(condition)
#define CHECK_STR(s, text) check_str((s), (text), __FILE__, __LINE__)
#define CHECK_INT(a, b)	   assert_int_equal((a), (b))
#define TEST(name)	   cmocka_unit_test(name)
#define RUN(tests)	   cmocka_run_group_tests((tests), NULL, NULL)

static inline void check_str(struct str s, const char *text, const char *file, int line)
{
	if (str_is(s, text)) return;
	print_error("\"%.*s\" is not \"%s\"\n", STR_ARGS(s), text);
	_fail(file, line);
}

#endif
