/* Projects: patterns, and which one it is of what is said, kept and bound. */
#include "kit.h"

#include "core/people/project.h"
#include "core/shared/glob.h"

static void a_pattern_takes_in_projects(void **state)
{
	static const struct {
		const char *pattern, *project;
		bool fits;
	} table[] = {
		{ "web", "web", true },
		{ "web", "web-1", false },
		{ "web-*", "web-", true },
		{ "web-*", "web-shop", true },
		{ "web-*", "api-web-", false },
		{ "*", "anything", true },
		{ "*-prod", "shop-prod", true },
		{ "*-prod", "shop-prod-2", false },
		{ "a*b*c", "axxbyyc", true },
		{ "a*b*c", "axxbyy", false },
		{ "a*b*c", "abcbc", true },
		{ "?", "é", true },
		{ "??", "é", false },
		{ "w?b", "web", true },
		{ "Web", "web", false },
		{ "a**", "a", true },
		{ "", "a", false },
		{ "[a]", "a", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (glob_fits(str_of(table[i].pattern), str_of(table[i].project)) !=
			table[i].fits)
			fail_msg("%s %s", table[i].pattern, table[i].project);
}

static void what_is_said_kept_and_bound_make_one_project(void **state)
{
	/* 403 and 422: refused. */
	static const struct {
		const char *said, *tree, *kept, *bound, *project;
	} table[] = {
		{ "", "", "", "", "" },
		{ "web", "", "", "", "web" },
		{ "", "tree", "", "", "tree" },
		{ "web", "tree", "", "", "web" },
		{ "", "tree", "web", "", "web" },
		{ "web", "", "web", "", "web" },
		{ "api", "", "web", "", "422" },
		{ "", "", "", "web", "web" },
		{ "web", "", "", "web", "web" },
		{ "api", "", "", "web", "403" },
		{ "", "tree", "", "web", "web" },
		{ "", "web-1", "", "web-*", "web-1" },
		{ "", "tree", "", "web-*", "422" },
		{ "", "", "", "web-*", "422" },
		{ "", "", "", "web\napi", "422" },
		{ "", "api", "", "web\napi", "api" },
		{ "", "", "api", "web\napi", "api" },
		{ "", "", "api", "web", "403" },
		{ "web", "", "api", "web", "422" },
		{ "api", "", "web", "web", "403" },
		{ "", "web", "api", "web", "403" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct project_said said = { str_of(table[i].said),
			str_of(table[i].tree) };
		struct str out = STR_NONE;
		enum err e = project_choose(
			&said, str_of(table[i].bound), str_of(table[i].kept), &out, NULL);
		struct str found = e == ERR_PROJECT   ? STR("403")
				   : e == ERR_INVALID ? STR("422")
						      : out;

		if (!str_is(found, table[i].project))
			fail_msg("%zu: %.*s", i, STR_ARGS(found));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_pattern_takes_in_projects),
		KIT_TEST(what_is_said_kept_and_bound_make_one_project),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
