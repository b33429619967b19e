/* Any bytes: what is read can be written, reads back as the same value, and has one
 * canonical form. What is refused leaves the output alone. */
#include "base/json.h"
#include "base/utf8.h"

#include <stdlib.h>

#define CHECK(condition)                                                                 \
	do {                                                                             \
		if (!(condition)) abort();                                               \
	} while (0)

static const struct json *read_back(const struct buf *text, struct arena *arena)
{
	static const struct json_limits limits = { .depth = 64 };
	const struct json *j;

	CHECK(json_read(buf_str(text), &limits, arena, &j, NULL) == OK);
	return j;
}

static void check_written(const struct json *j, struct arena *arena)
{
	struct buf first = { 0 }, second = { 0 };
	const struct json *again;

	json_write(&first, j);
	CHECK(!first.failed && utf8_valid(buf_str(&first)));
	again = read_back(&first, arena);
	CHECK(json_equal(j, again) && json_equal(again, j));
	json_write(&second, again);
	CHECK(str_eq(buf_str(&first), buf_str(&second)));
	buf_done(&first);
	buf_done(&second);
}

static void check_canonical(const struct json *j, struct arena *arena)
{
	struct buf first = { 0 }, second = { 0 };
	const struct json *again;

	json_canonical(&first, j);
	CHECK(!first.failed);
	again = read_back(&first, arena);
	CHECK(json_equal(j, again));
	json_canonical(&second, again);
	CHECK(str_eq(buf_str(&first), buf_str(&second)));
	buf_done(&first);
	buf_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct fault why = { 0 };
	const struct json *j = NULL;
	enum err err =
		json_read(str_make((const char *)data, size), NULL, &arena, &j, &why);

	CHECK((err == OK) == (j != NULL));
	CHECK(err == OK || err == ERR_BAD_REQUEST || err == ERR_INVALID);
	CHECK(why.err == err);
	if (j) {
		check_written(j, &arena);
		check_canonical(j, &arena);
	}
	arena_done(&arena);
	return 0;
}
