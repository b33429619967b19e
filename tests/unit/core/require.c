/* What approvals are required: reading, adding up, counting votes. */
#include "kit.h"

#include "core/policy/require.h"

#define ANA "usr_01jc0000000000000000000000"
#define BEN "usr_01jc0000000000000000000001"
#define CLO "usr_01jc0000000000000000000002"

static struct require read_ok(const char *text)
{
	struct require r = { 0 };
	struct fault why = { 0 };

	assert_int_equal(require_read(kit_json(text), "/require", &kit, &r, &why), OK);
	return r;
}

static void shows(struct require r, const int64_t *have, const char *expected)
{
	kit_same("require", require_text(&r, have, &kit), expected);
}

static void a_requirement_is_read_and_written(void **state)
{
	static const int64_t have[] = { 1, 0 };
	struct require r = read_ok("[{'approvals':2},{'approvals':1,'from':['team:ops',"
				   "'role:admin','team:ops','user:" ANA "']}]");
	struct require again = { 0 };

	(void)state;
	shows(r, have,
		"[{'approvals':2,'others':true,'have':1},{'approvals':1,'from':['team:ops',"
		"'role:admin','user:" ANA "'],'others':false,'have':0}]");
	assert_int_equal(
		require_load(require_text(&r, have, &kit), &kit, &again, NULL), OK);
	assert_string_equal(kit_text(require_text(&again, NULL, &kit)),
		kit_text(require_text(&r, NULL, &kit)));
	assert_true(require_names_team(&r, STR("ops")));
	assert_false(require_names_team(&r, STR("op")));
	assert_int_equal(require_load(STR_NONE, &kit, &again, NULL), OK);
	assert_int_equal(again.len, 0);
	assert_int_equal(require_load(STR("[]]"), &kit, &again, NULL), ERR_INTERNAL);
}

static void what_is_wrong_is_told_with_its_pointer(void **state)
{
	static const struct {
		const char *text, *pointer, *part;
	} bad[] = {
		{ "{}", "/require", "1 to 4 parts" },
		{ "[]", "/require", "1 to 4 parts" },
		{ "[{'approvals':1},{'approvals':1},{'approvals':1},{'approvals':1},"
		  "{'approvals':1}]",
			"/require", "1 to 4 parts" },
		{ "[3]", "/require/0", "" },
		{ "[{}]", "/require/0/approvals", "required" },
		{ "[{'approvals':0}]", "/require/0/approvals", "" },
		{ "[{'approvals':11}]", "/require/0/approvals", "" },
		{ "[{'approvals':1.5}]", "/require/0/approvals", "" },
		{ "[{'approvals':1,'have':1}]", "/require/0/have", "" },
		{ "[{'approvals':1,'others':1}]", "/require/0/others", "" },
		{ "[{'approvals':1,'from':[]}]", "/require/0/from", "1 to 20" },
		{ "[{'approvals':1,'from':['ops']}]", "/require/0/from/0", "team:NAME" },
		{ "[{'approvals':1,'from':['team:']}]", "/require/0/from/0", "" },
		{ "[{'approvals':1,'from':['team:a','user:ana']}]", "/require/0/from/1",
			"" },
		{ "[{'approvals':1,'from':['role:viewer']}]", "/require/0/from/0", "" },
		{ "[{'approvals':1,'from':[7]}]", "/require/0/from/0", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct require r = { 0 };
		struct fault why = { 0 };

		assert_int_equal(
			require_read(kit_json(bad[i].text), "/require", &kit, &r, &why),
			ERR_INVALID);
		kit_item(bad[i].text, &why, bad[i].pointer, bad[i].part);
		assert_int_equal(r.len, 0);
	}
}

static void what_several_require_adds_up(void **state)
{
	struct require a = read_ok("[{'approvals':2,'from':['team:ops']}]");
	struct require b = read_ok("[{'approvals':1,'from':['role:admin']},"
				   "{'approvals':3,'from':['team:ops']}]");
	struct require c = read_ok("[{'approvals':1}]"), none = { 0 };

	(void)state;
	assert_true(require_merge(&none, &a, &kit));
	shows(none, NULL, "[{'approvals':2,'from':['team:ops'],'others':true}]");
	assert_true(require_merge(&a, &b, &kit));
	shows(a, NULL,
		"[{'approvals':1,'from':['role:admin'],'others':false},"
		"{'approvals':3,'from':['team:ops'],'others':true}]");
	assert_true(require_merge(&a, &c, &kit)); /* whoever meets these meets it */
	assert_int_equal(a.len, 2);
	/* A part that lets the maker count does not cover one that does not. */
	c = read_ok("[{'approvals':1,'others':true}]");
	a = read_ok("[{'approvals':2,'others':false}]");
	assert_true(require_merge(&a, &c, &kit));
	assert_int_equal(a.len, 2);
	/* A wider circle does not cover a narrower one. */
	a = read_ok("[{'approvals':3}]");
	b = read_ok("[{'approvals':1,'from':['team:ops']}]");
	assert_true(require_merge(&a, &b, &kit));
	assert_int_equal(a.len, 2);
}

static void what_is_kept_takes_more_and_stays_as_it_is_otherwise(void **state)
{
	struct require a = read_ok("[{'approvals':1,'from':['role:admin']},"
				   "{'approvals':2,'from':['team:ops']}]");
	struct require first = read_ok("[{'approvals':1,'from':['role:admin']}]");
	struct require more = read_ok("[{'approvals':3,'from':['team:ops']}]");
	const struct require none = { 0 };
	const int64_t have[] = { 1, 2 };
	struct str kept = STR_NONE, before;
	struct fault why = { 0 };

	(void)state;
	assert_int_equal(require_add(&kept, &none, &kit, &why), OK);
	assert_int_equal(kept.len, 0);
	before = kept = require_text(&a, have, &kit);
	assert_int_equal(require_add(&kept, &first, &kit, &why), OK);
	assert_ptr_equal(kept.at, before.at); /* in its order, and as it was counted */
	assert_int_equal(require_add(&kept, &more, &kit, &why), OK);
	assert_int_equal(require_load(kept, &kit, &a, &why), OK);
	shows(a, NULL,
		"[{'approvals':1,'from':['role:admin'],'others':false},"
		"{'approvals':3,'from':['team:ops'],'others':true}]");
}

/* ---- counting ---- */

static const struct str ops[] = { STR("ops") };
static const struct str ana_away[] = { STR(ANA) };
static const struct voter ana = { .id = STR(ANA),
	.role = ROLE_MEMBER,
	.teams = ops,
	.teams_len = 1,
	.may_settle = true };
static const struct voter ben = {
	.id = STR(BEN), .role = ROLE_ADMIN, .may_settle = true
};
static const struct voter clo = { .id = STR(CLO),
	.role = ROLE_MEMBER,
	.away = ana_away,
	.away_len = 1,
	.may_settle = true };

static bool counts(const char *require, const struct voter *v)
{
	struct require r = read_ok(require);

	return require_counts_any(&r, v);
}

static void who_counts_for_a_part(void **state)
{
	struct voter gone = ana, maker = ana;

	(void)state;
	gone.may_settle = false;
	maker.starter = true;
	assert_true(counts("[{'approvals':1,'from':['team:ops']}]", &ana));
	assert_false(counts("[{'approvals':1,'from':['team:ops']}]", &ben));
	assert_true(counts("[{'approvals':1,'from':['role:admin']}]", &ben));
	assert_true(counts("[{'approvals':1,'from':['role:member']}]", &ben));
	assert_false(counts("[{'approvals':1,'from':['role:owner']}]", &ben));
	assert_true(counts("[{'approvals':1,'from':['user:" ANA "']}]", &ana));
	assert_false(counts("[{'approvals':1}]", &gone));
	assert_true(counts("[{'approvals':1}]", &maker));
	assert_false(counts("[{'approvals':2}]", &maker));
	assert_false(counts("[{'approvals':1,'others':true}]", &maker));
	/* Who is away lends a name, not a team and not a role. */
	assert_true(counts("[{'approvals':1,'from':['user:" ANA "']}]", &clo));
	assert_false(counts("[{'approvals':1,'from':['team:ops']}]", &clo));
}

static void votes_count_for_one_digest(void **state)
{
	struct require r =
		read_ok("[{'approvals':2},{'approvals':1,'from':['team:ops']}]");
	struct approval_vote votes[] = { { .voter = &ana, .digest = STR("x") },
		{ .voter = &ben, .digest = STR("y") },
		{ .voter = &clo, .digest = STR("y") } };
	int64_t have[2];

	(void)state;
	assert_false(require_count(&r, votes, 3, STR("y"), have));
	assert_int_equal(have[0], 2);
	assert_int_equal(have[1], 0);
	assert_false(require_count(&r, votes, 3, STR("x"), have));
	assert_int_equal(have[0], 1);
	assert_int_equal(have[1], 1);
	votes[0].digest = STR("y");
	assert_true(require_count(&r, votes, 3, STR("y"), have));
	assert_true(votes[0].counts && votes[1].counts && votes[2].counts);
}

static void nobody_counts_twice_in_a_part(void **state)
{
	struct require r =
		read_ok("[{'approvals':2,'from':['user:" ANA "','user:" BEN "']}]");
	struct voter both = ben; /* is named, and stands in for another who is */
	struct voter second = clo;
	struct approval_vote votes[] = { { .voter = &clo }, { .voter = &ana } };
	int64_t have[1];

	(void)state;
	both.away = ana_away;
	both.away_len = 1;
	votes[1].voter = &both;
	assert_true(require_count(&r, votes, 2, STR_NONE, have));
	assert_string_equal(kit_text(votes[0].stands_for), ANA);
	assert_int_equal(votes[1].stands_for.len, 0);
	assert_false(require_count(&r, votes + 1, 1, STR_NONE, have));
	assert_int_equal(have[0], 1);
	/* Who is away and votes all the same takes the seat back. */
	votes[1].voter = &ana;
	assert_false(require_count(&r, votes, 2, STR_NONE, have));
	assert_int_equal(have[0], 1);
	assert_false(votes[0].counts);
	/* Two delegates of one person are one. */
	second.id = STR("usr_01jc0000000000000000000009");
	votes[1].voter = &second;
	assert_false(require_count(&r, votes, 2, STR_NONE, have));
	assert_int_equal(have[0], 1);
}

static void one_person_may_meet_two_parts(void **state)
{
	struct require r = read_ok("[{'approvals':1,'from':['team:ops']},"
				   "{'approvals':1,'from':['role:member']}]");
	struct approval_vote votes[] = { { .voter = &ana } };
	int64_t have[2];

	(void)state;
	assert_true(require_count(&r, votes, 1, STR_NONE, have));
	assert_int_equal(have[0], 1);
	assert_int_equal(have[1], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_requirement_is_read_and_written),
		KIT_TEST(what_is_wrong_is_told_with_its_pointer),
		KIT_TEST(what_several_require_adds_up),
		KIT_TEST(what_is_kept_takes_more_and_stays_as_it_is_otherwise),
		KIT_TEST(who_counts_for_a_part),
		KIT_TEST(votes_count_for_one_digest),
		KIT_TEST(nobody_counts_twice_in_a_part),
		KIT_TEST(one_person_may_meet_two_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
