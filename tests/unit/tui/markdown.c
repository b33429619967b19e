#include "tui/markdown.h"

#include "unit.h"

static struct page page;

static int teardown(void **state)
{
	(void)state;
	page_done(&page);
	return 0;
}

/* Rows as they are read: bold in <>, code in {}. */
static void reads(size_t width, const char *text, const char *rows)
{
	struct buf out = { 0 };

	page_clear(&page, width);
	markdown_write(&page, 2, str_of(text));
	for (size_t row = 0; row < page.rows_len; row++) {
		const struct text_run *runs;

		for (size_t n = page_row_runs(&page, row, &runs); n > 0; n--, runs++) {
			bool bold = runs->style == STYLE_BOLD,
			     code = runs->style == STYLE_ACCENT;

			if (bold || code) buf_add_char(&out, bold ? '<' : '{');
			buf_add(&out, page_run_text(&page, runs));
			if (bold || code) buf_add_char(&out, bold ? '>' : '}');
		}
		buf_add_char(&out, '\n');
	}
	CHECK_STR(buf_str(&out), rows);
	buf_done(&out);
}

static void marks_become_styles(void **state)
{
	(void)state;
	reads(40, "# Plan\nIt is **all ready**: `make`, *now*",
		"  <Plan>\n  It is <all>< ><ready>: {make}, <now>\n");
	reads(40, "- one\n  * two\n1. three\n> said",
		"  • one\n    • two\n  1. three\n  │ said\n");
	reads(40, "```sh\nmake  **x**\n```\nend", "    {make  **x**}\n  end\n");
	reads(60, "See [this](https://example.org).",
		"  See this (https://example.org).\n");
	/* Where it leads stands beside words that look like another address. */
	reads(60, "[https://good.example](https://evil.example/)",
		"  https://good.example (https://evil.example/)\n");
}

static void what_is_no_pair_stays(void **state)
{
	(void)state;
	reads(40, "snake_case_name 2*3*4 ** a ** `x",
		"  snake_case_name 2*3*4 ** a ** `x\n");
	reads(40, "rm *.txt and [x] (y) #1 -1", "  rm *.txt and [x] (y) #1 -1\n");
	reads(40, "", "");
}

static void rows_are_broken_at_blanks_and_what_hides_is_named(void **state)
{
	(void)state;
	reads(14, "- one **two three** four", "  • one <two>\n    <three> four\n");
	reads(10, "x 12345678901", "  x\n  12345678\n  901\n");
	reads(40, "a\033[2J **b\x01**", "  a^[[2J <b^A>\n");
}

#define PAGE_TEST(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAGE_TEST(marks_become_styles),
		PAGE_TEST(what_is_no_pair_stays),
		PAGE_TEST(rows_are_broken_at_blanks_and_what_hides_is_named),
	};

	return RUN(tests);
}
