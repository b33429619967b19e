#include "tui/page.h"

#include "unit.h"

static struct page page;

static int teardown(void **state)
{
	(void)state;
	page_done(&page);
	return 0;
}

/* A row as it is read. */
static void row_is(size_t row, const char *text)
{
	const struct text_run *runs;
	struct buf out = { 0 };

	CHECK(row < page.rows_len);
	for (size_t n = page_row_runs(&page, row, &runs); n > 0; n--, runs++)
		buf_add(&out, page_run_text(&page, runs));
	CHECK_STR(buf_str(&out), text);
	buf_done(&out);
}

static void foreign_text_is_made_safe_and_cut_to_the_width(void **state)
{
	(void)state;
	page_clear(&page, 10);
	page_row(&page);
	page_add(&page, STYLE_PLAIN, STR("a\033[2J"));
	page_add(&page, STYLE_BAD, STR("longer than that"));
	row_is(0, "a^[[2Jlon…");
	page_add_text(&page, STYLE_PLAIN, "more");
	row_is(0, "a^[[2Jlon…");
}

static void text_is_broken_at_blanks_and_a_block_where_it_must(void **state)
{
	(void)state;
	page_clear(&page, 24);
	page_wrap(&page, STYLE_PLAIN, 2, STR("one two three four five six\nseven"));
	row_is(0, "  one two three four");
	row_is(1, "  five six");
	row_is(2, "  seven");
	page_block(&page, STYLE_PLAIN, 2, STR("\tx123456789012345678901"));
	row_is(3, "      x12345678901234567");
	row_is(4, "  8901");
}

static void a_gap_is_never_two(void **state)
{
	(void)state;
	page_clear(&page, 20);
	page_row(&page);
	page_add_text(&page, STYLE_PLAIN, "x");
	page_gap(&page);
	page_gap(&page);
	CHECK_INT(page.rows_len, 2);
}

static void the_cursor_stands_where_the_next_letter_goes(void **state)
{
	struct line line = { 0 };

	(void)state;
	page_clear(&page, 12);
	line_set(&line, STR("世界 and more\nend"));
	page_row(&page);
	page_add_text(&page, STYLE_PLAIN, "> ");
	page_line(&page, STYLE_PLAIN, &line);
	row_is(0, "> 世界 and m");
	row_is(1, "  ore");
	row_is(2, "  end");
	CHECK(page.cursor);
	CHECK_INT(page.cursor_row, 2);
	CHECK_INT(page.cursor_column, 5);
	line.at = 3;
	page_clear(&page, 12);
	page_row(&page);
	page_line(&page, STYLE_PLAIN, &line);
	CHECK_INT(page.cursor_row, 0);
	CHECK_INT(page.cursor_column, 2);
	line_done(&line);
}

#define PAGE_TEST(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAGE_TEST(foreign_text_is_made_safe_and_cut_to_the_width),
		PAGE_TEST(text_is_broken_at_blanks_and_a_block_where_it_must),
		PAGE_TEST(a_gap_is_never_two),
		PAGE_TEST(the_cursor_stands_where_the_next_letter_goes),
	};

	return RUN(tests);
}
