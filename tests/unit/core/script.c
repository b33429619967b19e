/* Scripts of providers: what is wrong with one, which entry fits, what is filled in. */
#include "core/run/script.h"
#include "core/run/provider.h"

#include "unit.h"

static struct arena arena;

static void script_of(const char *text, struct script *out, struct fault *why)
{
	const struct json *json;
	struct check c = { .why = why };
	struct json_place root = place_root("");

	CHECK_INT(json_read(str_of(text), NULL, &arena, &json, NULL), OK);
	script_check(&c, &root, json, &arena, out);
}

static void the_first_entry_that_fits_is_said(void **state)
{
	struct script s;
	struct script_scene scene = {
		.agent = STR("main"), .attempt = 1, .text = STR("plan a trip")
	};

	(void)state;
	script_of(
		"[{\"when\":{\"attempt\":2},\"say\":\"b\"},{\"when\":{\"tool\":\"todo\"},\"say\":\"c\"},"
		"{\"when\":{\"agent\":\"other\"},\"say\":\"d\"},{\"when\":{\"turn\":0,\"text\":\"trip\"},\"say\":\"e\"}]",
		&s, NULL);
	CHECK_INT(s.len, 4);
	CHECK_STR(script_find(&s, &scene)->say, "e");
	scene.attempt = 2;
	CHECK_STR(script_find(&s, &scene)->say, "b");
	scene.attempt = 3;
	scene.tool = STR("todo");
	CHECK_STR(script_find(&s, &scene)->say, "c");
	scene.tool = STR_NONE;
	scene.turn = 1;
	CHECK(!script_find(&s, &scene));
}

static void placeholders_are_filled_in_once(void **state)
{
	struct script_scene scene = {
		.turn = 3, .text = STR("{{result}}"), .result = STR("r")
	};

	(void)state;
	CHECK_STR(script_fill(STR("{{turn}}: {{text}}, {{result}}, {{other}} {{"), &scene,
			  &arena),
		"3: {{result}}, r, {{other}} {{");
}

static void what_is_wrong_is_pointed_at(void **state)
{
	static const char *const wrong[][2] = {
		{ "[]", "/script" },
		{ "{}", "/script" },
		{ "[{\"say\":1}]", "/script/0/say" },
		{ "[{},{\"when\":{\"turns\":1}}]", "/script/1/when/turns" },
		{ "[{\"calls\":[{\"arguments\":{}}]}]", "/script/0/calls/0/name" },
		{ "[{\"calls\":[{\"name\":\"a\",\"arguments\":[]}]}]",
			"/script/0/calls/0/arguments" },
		{ "[{\"stop\":\"length\"}]", "/script/0/stop" },
		{ "[{\"error\":{\"status\":200}}]", "/script/0/error/status" },
		{ "[{\"delay\":\"1h\"}]", "/script/0/delay" },
		{ "[{\"usage\":{\"input\":-1}}]", "/script/0/usage/input" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct fault why = { 0 };
		struct script s;

		script_of(wrong[i][0], &s, &why);
		CHECK_INT(why.items_len, 1);
		CHECK_STR(str_of(why.items[0].pointer), wrong[i][1]);
	}
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
		cmocka_unit_test_teardown(the_first_entry_that_fits_is_said, clean),
		cmocka_unit_test_teardown(placeholders_are_filled_in_once, clean),
		cmocka_unit_test_teardown(what_is_wrong_is_pointed_at, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
