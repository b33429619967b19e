/* Notes found by words. */
#include "core/run/memory_search.h"

#include "unit.h"

static struct arena arena;

static int fits(const char *q, const char *text, const char *tags)
{
	struct memory m = { .text = str_of(text), .tags = str_of(tags) };
	struct memory_query query;

	memory_query_read(str_of(q), &arena, &query);
	return memory_fits(&query, &m, false, &arena);
}

static void all_words_in_any_order_as_beginnings(void **state)
{
	static const struct {
		const char *q, *text, *tags;
		int fit;
	} table[] = {
		{ "tea green", "Likes green tea.", "[]", 2 },
		{ "gre te", "Likes green tea.", "[]", 1 },
		{ "een", "Likes green tea.", "[]", 0 },
		{ "tea coffee", "Likes green tea.", "[]", 0 },
		{ "GREEN", "likes Green tea", "[]", 2 },
		{ "ete", "En \xc3\x89t\xc3\xa9, la mer", "[]", 2 },
		{ "\xc3\xa9t\xc3\xa9", "en ete", "[]", 2 },
		{ "stra\xc3\x9f"
		  "e",
			"STRASSE 5", "[]", 2 },
		{ "drinks", "Likes tea", "[\"drinks\",\"home\"]", 2 },
		{ "\"green tea\"", "Likes green tea.", "[]", 2 },
		{ "\"green  tea\"", "Likes green tea.", "[]", 0 },
		{ "\"Green\"", "Likes green tea.", "[]", 0 },
		{ "likes \"n t\"", "Likes green tea.", "[]", 2 },
		{ "%", "100 %", "[]", 2 },
		{ "100_", "100% sure", "[]", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		CHECK_INT(fits(table[i].q, table[i].text, table[i].tags), table[i].fit);
}

static void words_of_a_note_are_each_there_once(void **state)
{
	struct memory m = { .text = STR("Green tea, GREEN: Th\xc3\xa9"),
		.tags = STR("[\"tea\"]") };
	struct str *words;

	(void)state;
	CHECK_INT(memory_words(&m, &arena, &words), 3);
	assert_true(str_is(words[0], "green") && str_is(words[1], "tea") &&
		    str_is(words[2], "the"));
	/* Cut where a character ends: stores take whole ones only. */
	m.text = arena_print(&arena, "a%0*d", 126, 0);
	m.text = arena_print(&arena, "%.*s\xc3\xa6\xc3\xb8", STR_ARGS(m.text));
	m.tags = STR_NONE;
	CHECK_INT(memory_words(&m, &arena, &words), 1);
	CHECK_INT(words[0].len, 127);
}

static void marks_stand_for_numbers(void **state)
{
	(void)state;
	for (int n = 0; n < 3 * MEMORY_BLOCK; n++)
		CHECK_INT(memory_marked(memory_mark(n, &arena).at), n % MEMORY_BLOCK);
}

static int clean(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(all_words_in_any_order_as_beginnings, clean),
		cmocka_unit_test_teardown(words_of_a_note_are_each_there_once, clean),
		cmocka_unit_test_teardown(marks_stand_for_numbers, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
