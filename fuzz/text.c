/* text.c - foreign text: code points are counted and cut where they end, and nothing that
 * a terminal obeys comes out of safe text. */
#include "base/utf8.h"
#include "core/shared/name.h"
#include "text/safe_text.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t walk(struct str text)
{
	size_t n = 0, left = text.len;

	while (utf8_next(&text) >= 0) {
		assert(text.len < left);
		left = text.len;
		n++;
	}
	return n;
}

/* What a name is compared by does not change when it is made again. */
static void name_check(struct str text)
{
	struct buf once = { .max = 4096 }, twice = { .max = 4096 };

	name_likeness(&once, text);
	name_likeness(&twice, buf_str(&once));
	assert(once.failed || str_eq(buf_str(&once), buf_str(&twice)));
	assert(once.failed || utf8_valid(buf_str(&once)));
	name_flaw(text);
	buf_done(&once);
	buf_done(&twice);
}

static void valid_check(struct str text)
{
	size_t count = utf8_count(text);
	struct buf folded = { 0 };

	assert(count == walk(text));
	for (size_t n = 0; n <= count && n < 40; n++) {
		struct str first = utf8_first(text, n);

		assert(utf8_valid(first) && utf8_count(first) == n);
	}
	utf8_fold(&folded, text);
	assert(folded.failed || utf8_valid(buf_str(&folded)));
	buf_done(&folded);
	name_check(text);
}

/* No control byte (but those that `kept` names), no direction mark, no escape. */
static void safe_check(struct str text, const char *kept)
{
	int32_t c;

	assert(utf8_valid(text));
	while ((c = utf8_next(&text)) >= 0) {
		if (c < 0x80 && c && strchr(kept, c)) continue;
		assert(c >= 0x20 && (c < 0x7f || c > 0x9f));
		assert((c < 0x202a || c > 0x202e) && (c < 0x2066 || c > 0x2069));
		assert((c < 0x200b || c > 0x200f) && (c < 0xe0000 || c > 0xe007f));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_make((const char *)data, size);
	struct buf line = { 0 }, block = { 0 }, wrapped = { 0 }, fitted = { 0 };

	walk(text);
	if (utf8_valid(text)) valid_check(text);
	safe_line_add(&line, text);
	safe_check(buf_str(&line), "");
	safe_block_add(&block, text);
	safe_check(buf_str(&block), "\n\t");
	safe_wrap_add(&wrapped, text, "  ", 20);
	safe_check(buf_str(&wrapped), "\n\t");
	text_fit_add(&fitted, buf_str(&line), 20);
	assert(text_width(buf_str(&fitted)) <= 20);
	buf_done(&line);
	buf_done(&block);
	buf_done(&wrapped);
	buf_done(&fitted);
	return 0;
}
