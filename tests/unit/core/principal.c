/* What a role may do, and whose an agent's asks are. */
#include "kit.h"

#include "base/id.h"

static void every_role_may_do_just_this(void **state)
{
	/* Read all, ask, settle, route, withdraw, administer. */
	static const char *const may[] = {
		[ROLE_NONE] = "------",
		[ROLE_AGENT] = "-a----",
		[ROLE_VIEWER] = "r-----",
		[ROLE_MEMBER] = "rast--",
		[ROLE_ADMIN] = "rastwd",
		[ROLE_OWNER] = "rastwd",
		[ROLE_LOCAL_ADMIN] = "r----d",
	};

	(void)state;
	for (int role = ROLE_NONE; role <= ROLE_LOCAL_ADMIN; role++)
		for (int deed = MAY_READ_ALL; deed <= MAY_ADMIN; deed++)
			assert_int_equal(role_may((enum role)role, (enum permission)deed),
				may[role][deed - MAY_READ_ALL] != '-');
}

static void only_what_a_token_can_have_is_read_as_a_role(void **state)
{
	enum role role = ROLE_NONE;

	(void)state;
	for (int i = ROLE_AGENT; i <= ROLE_OWNER; i++) {
		assert_true(role_read(str_of(role_name((enum role)i)), &role));
		assert_int_equal(role, i);
	}
	assert_false(role_read(STR("local_admin"), &role));
	assert_false(role_read(STR("none"), &role));
	assert_false(role_read(STR("Owner"), &role));
}

static void an_agent_sees_and_owns_its_own_only(void **state)
{
	static const struct {
		enum role role;
		struct str agent, of;
		bool sees, owns;
	} table[] = {
		{ ROLE_AGENT, STR("a"), STR("a"), true, true },
		{ ROLE_AGENT, STR("a"), STR("b"), false, false },
		{ ROLE_AGENT, STR(""), STR(""), false, false },
		{ ROLE_VIEWER, STR("a"), STR("a"), true, false },
		{ ROLE_MEMBER, STR("m"), STR("a"), true, false },
		{ ROLE_MEMBER, STR("m"), STR("m"), true, true },
		{ ROLE_ADMIN, STR("m"), STR("a"), true, true },
		{ ROLE_OWNER, STR(""), STR("a"), true, true },
		{ ROLE_LOCAL_ADMIN, STR("a"), STR("a"), true, false },
		{ ROLE_NONE, STR("a"), STR("a"), false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct principal p = { .role = table[i].role,
			.agent = table[i].agent };

		assert_int_equal(principal_sees(&p, table[i].of), table[i].sees);
		assert_int_equal(principal_owns(&p, table[i].of), table[i].owns);
	}
}

static void nobody_reaches_above_themselves(void **state)
{
	(void)state;
	for (int mine = ROLE_NONE; mine <= ROLE_LOCAL_ADMIN; mine++)
		for (int theirs = ROLE_AGENT; theirs <= ROLE_OWNER; theirs++) {
			const struct principal p = { .role = (enum role)mine };

			assert_int_equal(principal_reaches(&p, (enum role)theirs),
				mine == ROLE_LOCAL_ADMIN || theirs <= mine);
		}
}

static void an_agents_id_depends_on_workspace_and_name_alone(void **state)
{
	char a[32], b[32];

	(void)state;
	agent_id(1, STR("builder"), a);
	agent_id(1, STR("builder"), b);
	assert_string_equal(a, b);
	assert_true(id_valid(str_of(a), "agt"));
	agent_id(2, STR("builder"), b);
	assert_string_not_equal(a, b);
	agent_id(1, STR("Builder"), b);
	assert_string_not_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(every_role_may_do_just_this),
		KIT_TEST(only_what_a_token_can_have_is_read_as_a_role),
		KIT_TEST(an_agent_sees_and_owns_its_own_only),
		KIT_TEST(nobody_reaches_above_themselves),
		KIT_TEST(an_agents_id_depends_on_workspace_and_name_alone),
	};

	return cmocka_run_group_tests_name("core/principal", tests, NULL, NULL);
}
