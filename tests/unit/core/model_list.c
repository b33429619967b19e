/* model_list.c - which model of a list is meant by auto, and what is said of those that are gone. */
#include "core/run/model_list.h"
#include "core/run/effort.h"

#include "kit.h"

#include <string.h>

enum { DAY = 24 * 3600 * 1000 };
#define NOW INT64_C(1800000000000)

static struct str chosen(
	enum model_wire wire, const struct listed_model *items, size_t len)
{
	const struct model_list l = { (struct listed_model *)(uintptr_t)items, len };

	return model_auto(wire, &l, NOW);
}

#define ID(text) .known = { .id = STR(text) }
#define CHOSEN(wire, ...)                                                                \
	chosen(wire, (const struct listed_model[]){ __VA_ARGS__ },                       \
		sizeof((const struct listed_model[]){ __VA_ARGS__ }) /                   \
			sizeof(struct listed_model))

static void auto_is_the_newest_that_stays(void **state)
{
	struct str got;

	(void)state;
	got = CHOSEN(WIRE_ANTHROPIC, { ID("claude-opus-9"), .line = STR("opus") },
		{ ID("claude-sonnet-4-5-20250929"), .created_ms = 5 },
		{ ID("claude-sonnet-5"), .created_ms = 9 });
	assert_true(str_is(got, "claude-sonnet-5"));
	/* By its line, whatever its name; by its date, not its number. */
	got = CHOSEN(WIRE_ANTHROPIC,
		{ ID("claude-sonnet-9"), .line = STR("sonnet"), .created_ms = 3 },
		{ ID("swift"), .line = STR("sonnet"), .created_ms = 8 },
		{ ID("claude-opus-9"), .line = STR("opus"), .created_ms = 99 });
	assert_true(str_is(got, "swift"));
	/* Those that are deprecated, retired or about to be are left out. */
	got = CHOSEN(WIRE_ANTHROPIC,
		{ ID("claude-sonnet-6"), .line = STR("sonnet"), .life = LIFE_DEPRECATED },
		{ ID("claude-sonnet-7"), .line = STR("sonnet"),
			.retires_ms = NOW + 29 * (int64_t)DAY },
		{ ID("claude-sonnet-8"), .line = STR("sonnet"), .life = LIFE_RETIRED },
		{ ID("claude-sonnet-5"), .line = STR("sonnet"), .life = LIFE_ACTIVE,
			.retires_ms = NOW + 31 * (int64_t)DAY });
	assert_true(str_is(got, "claude-sonnet-5"));
}

static void each_wire_has_its_patterns(void **state)
{
	struct str got;

	(void)state;
	got = CHOSEN(WIRE_OPENAI_RESPONSES, { ID("gpt-7-mini") }, { ID("gpt-7") },
		{ ID("gpt-6-sol") }, { ID("gpt-5.6-sol") });
	assert_true(str_is(got, "gpt-6-sol"));
	got = CHOSEN(WIRE_OPENAI, { ID("gpt-5.1") }, { ID("gpt-5.4") }, { ID("gpt-5") });
	assert_true(str_is(got, "gpt-5.4"));
	got = CHOSEN(WIRE_OPENAI, { ID("llama3") }, { ID("qwen") });
	assert_true(str_is(got, "llama3"));
	got = CHOSEN(WIRE_GEMINI, { ID("gemini-4-flash-lite") }, { ID("gemini-3.5-pro") },
		{ ID("gemini-4-tts") }, { ID("gemini-3.8-flash") }, { ID("gemma-9") });
	assert_true(str_is(got, "gemini-3.8-flash"));
	/* No list: the built-in table. */
	got = chosen(WIRE_ANTHROPIC, NULL, 0);
	assert_true(str_starts(got, "claude-sonnet-"));
	assert_int_equal(chosen(WIRE_SCRIPT, NULL, 0).len, 0);
}

static void the_nearest_level_is_sent(void **state)
{
	static const struct {
		enum effort wanted;
		const char *levels;
		enum effort sent;
	} cases[] = { { EFFORT_MAX, "", EFFORT_MAX },
		{ EFFORT_DEFAULT, "low", EFFORT_DEFAULT },
		{ EFFORT_NONE, "low high", EFFORT_LOW },
		{ EFFORT_MEDIUM, "high low", EFFORT_LOW }, /* as near: the lesser */
		{ EFFORT_XHIGH, "low medium high", EFFORT_HIGH },
		{ EFFORT_HIGH, "low high max", EFFORT_HIGH },
		{ EFFORT_HIGH, "enormous", EFFORT_HIGH } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(effort_nearest(cases[i].wanted, str_of(cases[i].levels)),
			cases[i].sent);
	assert_true(effort_valid(STR("xhigh")) && !effort_valid(STR_NONE));
}

static void what_is_kept_is_read_back(void **state)
{
	const struct listed_model m = {
		.known = { .id = STR("a \"b\""),
			.context = 5,
			.output = 6,
			.priced = true,
			.price.base = { 1000, 2000, 1000, 1000, 1000 } },
		.line = STR("sonnet"),
		.life = LIFE_DEPRECATED,
		.created_ms = 7,
		.retires_ms = 8,
		.effort = STR("low max"),
		.images = TELLS_NO,
		.structured = TELLS_YES
	};
	struct arena arena = { 0 };
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct model_list l;
	const struct listed_model *got;

	(void)state;
	jw_array(&w);
	listed_write(&w, &m);
	jw_array_end(&w);
	assert_int_equal(model_list_parse(buf_str(&b), &arena, &l, NULL), OK);
	got = model_list_find(&l, m.known.id);
	assert_non_null(got);
	assert_int_equal(got->known.context, 5);
	assert_int_equal(got->known.price.base.output, 2000);
	assert_true(str_eq(got->line, m.line) && str_eq(got->effort, m.effort));
	assert_int_equal(got->life, LIFE_DEPRECATED);
	assert_int_equal(got->created_ms + got->retires_ms, 15);
	assert_int_equal(got->images, TELLS_NO);
	assert_int_equal(got->structured, TELLS_YES);
	assert_int_equal(model_list_parse(STR("{}"), &arena, &l, NULL), ERR_INTERNAL);
	buf_done(&b);
	arena_done(&arena);
}

static void what_is_gone_names_others(void **state)
{
	struct listed_model items[] = { { ID("old"), .life = LIFE_RETIRED,
						.retires_ms = INT64_C(1796000000000) },
		{ ID("b"), .created_ms = 1 }, { ID("c"), .created_ms = 9 },
		{ ID("d"), .created_ms = 3 }, { ID("e"), .created_ms = 4 },
		{ ID("f"), .created_ms = 5 }, { ID("g"), .created_ms = 6 } };
	const struct model_list l = { items, 7 };
	struct arena arena = { 0 };

	(void)state;
	assert_true(str_is(model_gone_words(STR("acme"), STR("old"), &l, NOW, &arena),
		"old was retired by acme on 2026-11-30. It offers c, g, f, e, d."));
	assert_true(str_is(model_gone_words(STR("acme"), STR("x"), &l, NOW, &arena),
		"acme does not offer x. It offers c, g, f, e, d."));
	assert_true(str_is(model_gone_words(STR("acme"), STR("x"),
				   &(struct model_list){ 0 }, NOW, &arena),
		"acme does not offer x."));
	assert_true(model_gone(&items[0], NOW));
	items[1].retires_ms = NOW + 3 * (int64_t)DAY;
	assert_true(model_retires(&items[1], NOW) && !model_gone(&items[1], NOW));
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(auto_is_the_newest_that_stays),
		cmocka_unit_test(each_wire_has_its_patterns),
		cmocka_unit_test(the_nearest_level_is_sent),
		cmocka_unit_test(what_is_kept_is_read_back),
		cmocka_unit_test(what_is_gone_names_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
