/* arguments.c - tests of arguments up to the first line end, and behind it arguments: tests
 * that are accepted equal themselves and never crash; a path that is under a folder does not
 * leave it. */
#include "core/policy/argument_test.h"
#include "core/policy/subject.h"
#include "core/shared/body.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void test_check(
	const struct argument_test *t, const struct json *arguments, struct arena *arena)
{
	const struct json *value = argument_at(arguments, t->pointer);
	enum doubt doubt = DOUBT_NONE;
	enum fit fit = argument_test_fit(t, arguments, arena, &doubt);

	assert(argument_tests_equal(t, t));
	assert((fit == FIT_DOUBT) == (doubt != DOUBT_NONE));
	if (!value) assert(fit == FIT_DOUBT);
	if (fit == FIT_YES && t->kind == ARGUMENT_UNDER && t->text.at[0] == '/') {
		struct str normal = path_normal(value->text, arena);

		assert(arena->failed || str_eq(str_first(normal, t->text.len), t->text));
		assert(!path_unclear(normal) || memchr(normal.at, '~', normal.len) ||
			memchr(normal.at, '\\', normal.len));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_make((const char *)data, size), line = STR_NONE;
	struct arena arena = { .max = 1 << 28 };
	struct argument_test *tests = NULL;
	const struct json *json, *arguments;
	struct json_place at = place_root("");
	struct check c = { 0 };
	size_t len = 0;

	str_cut(&rest, '\n', &line);
	if (json_read(line, NULL, &arena, &json, NULL) == OK &&
		json_read(rest, NULL, &arena, &arguments, NULL) == OK) {
		argument_tests_read(&c, &at, json, &arena, &tests, &len);
		for (size_t i = 0; i < len && !c.failed && !arena.failed; i++)
			test_check(&tests[i], arguments, &arena);
	}
	arena_done(&arena);
	return 0;
}
