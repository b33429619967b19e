/* question_pattern.c - patterns of questions: whatever the text, the pattern is text, holds no digit, and
 * is not much longer. Of an operation the same. */
#include "core/ask/question_pattern.h"
#include "base/utf8.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void pattern_check(struct buf *b)
{
	assert(!b->failed && utf8_valid(buf_str(b)));
	for (size_t i = 0; i < b->len; i++)
		assert(b->at[i] < '0' || b->at[i] > '9');
	b->len = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_make((const char *)data, size);
	struct buf b = { .max = PATTERN_MAX * 128 };
	struct arena arena = { 0 };
	const struct json *operation;

	if (!utf8_valid(text)) return 0;
	pattern_of_text(&b, text);
	pattern_check(&b);
	if (json_read(text, NULL, &arena, &operation, NULL) == OK) {
		pattern_of_operation(&b, operation, &arena);
		pattern_check(&b);
	}
	buf_done(&b);
	arena_done(&arena);
	return 0;
}
