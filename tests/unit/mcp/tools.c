/* The table of tools, and what else knows their names. */
#include "mcp/tools.h"

#include "core/run/run_tool.h"

#include <stdio.h>

#include "kit.h"

static void every_tool_of_ours_is_known_as_such(void **state)
{
	static const char *const prefixes[] = { "mcp__parley__", "mcp_parley_", "parley-",
		"parley___", "parley_" };
	char name[128];

	(void)state;
	for (const struct tool *t = own_tools; t->name; t++)
		for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
			snprintf(name, sizeof name, "%s%s", prefixes[i], t->name);
			assert_true(own_tool(str_of(name)));
			assert_true(own_tool_name(str_of(t->name)));
		}
	assert_false(own_tool_name(STR("nosuch")));
	assert_false(own_tool(STR("mcp__parley__run")));
	assert_false(own_tool(STR("mcp__parley-x__get_answer")));
	assert_false(own_tool(STR("parley-evil-get_answer")));
	assert_false(own_tool(STR("get_answer")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_tool_of_ours_is_known_as_such),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
