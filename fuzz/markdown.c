/* markdown.c - an agent's Markdown on a page: every row fits, every run of text lies in the page, and
 * what a terminal obeys does not come out. The first byte says how wide the page is. */
#include "tui/markdown.h"
#include "base/utf8.h"
#include "text/safe_text.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void row_check(const struct page *p, size_t row)
{
	size_t end = row + 1 < p->rows_len ? p->rows[row + 1] : p->runs_len, width = 0;

	for (size_t i = p->rows[row]; i < end; i++) {
		const struct text_run *run = &p->runs[i];
		struct str text;

		assert(run->at + run->len <= p->text.len);
		text = str_make(p->text.at + run->at, run->len);
		assert(utf8_valid(text));
		for (size_t k = 0; k < text.len; k++)
			assert((unsigned char)text.at[k] >= 0x20 && text.at[k] != 0x7f);
		width += text_width(text);
	}
	assert(width <= p->width);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page page = { .width = size ? 8u + data[0] % 120u : 80u };
	struct str text = str_make((const char *)data + (size > 0), size - (size > 0));

	markdown_write(&page, 2, text);
	assert(!page.failed);
	for (size_t i = 0; i < page.rows_len; i++)
		row_check(&page, i);
	page_done(&page);
	return 0;
}
