/* Teams: which projects one covers, and what a body may say. */
#include "kit.h"

#include "core/people/team.h"

static void a_team_covers_projects_but_not_their_absence(void **state)
{
	const struct team t = { .members = STR("[]"), .projects = STR("[\"*\"]") };
	struct team_parts parts;

	(void)state;
	assert_int_equal(team_parts(&t, &kit, &parts, NULL), OK);
	assert_true(team_covers(&parts, STR("web")));
	assert_false(team_covers(&parts, STR_NONE));
}

static void names_are_short_and_plain(void **state)
{
	(void)state;
	assert_true(team_name_valid(STR("ops-2")));
	assert_false(team_name_valid(STR("")));
	assert_false(team_name_valid(STR("Ops")));
	assert_false(team_name_valid(STR("o ps")));
	assert_true(team_name_valid(str_of(kit_repeat("a", 40))));
	assert_false(team_name_valid(str_of(kit_repeat("a", 41))));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_team_covers_projects_but_not_their_absence),
		KIT_TEST(names_are_short_and_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
