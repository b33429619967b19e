/* Who may settle, who counts, who stands in for whom. */
#include "kit.h"

#include "core/approval/entitled.h"

#define ANA    "usr_01jc0000000000000000000000"
#define BEN    "usr_01jc0000000000000000000001"
#define CLO    "usr_01jc0000000000000000000002"
#define DAN    "usr_01jc0000000000000000000003"
#define NOW_MS (86400000LL)
#define AWAY_TO(who)                                                                         \
	STR("{\"from\":\"1970-01-01T00:00:00.000Z\",\"until\":\"1970-01-03T00:00:00.000Z\"," \
	    "\"delegate\":\"" who "\",\"note\":null}")
#define BACK_AGAIN                                                                           \
	STR("{\"from\":\"1970-01-01T00:00:00.000Z\",\"until\":\"1970-01-02T00:00:00.000Z\"," \
	    "\"delegate\":\"" BEN "\",\"note\":null}")

static struct user people[] = {
	{ .id = STR(ANA), .role = ROLE_MEMBER },
	{ .id = STR(BEN), .role = ROLE_MEMBER },
	{ .id = STR(CLO), .role = ROLE_ADMIN },
	{ .id = STR(DAN), .role = ROLE_VIEWER },
};
static const struct user *all[] = { &people[0], &people[1], &people[2], &people[3] };
static struct team ops = { .name = STR("ops"),
	.members = STR("[{\"user\":\"" ANA "\",\"lead\":false}]"),
	.projects = STR("[\"web-*\"]") };
static struct team_parts teams[1];
static struct roster roster = { .users = all, .users_len = 4, .now_ms = NOW_MS };

static void reset(void)
{
	for (size_t i = 0; i < 4; i++) {
		people[i].away = STR_NONE;
		people[i].disabled = false;
	}
	roster.teams_len = 0;
	assert_int_equal(team_parts(&ops, &kit, &teams[0], NULL), OK);
	roster.teams = teams;
}

static struct ask approval(void)
{
	return (struct ask){ .kind = ASK_APPROVAL,
		.status = ASK_PENDING,
		.token = STR("tok_agent"),
		.digest = STR("sha256:x") };
}

static struct require req(const char *text)
{
	struct require r = { 0 };

	assert_int_equal(require_read(kit_json(text), "", &kit, &r, NULL), OK);
	return r;
}

static void members_and_above_settle_but_not_their_own_approval(void **state)
{
	static const struct {
		enum role role;
		struct str token;
		enum ask_kind kind;
		enum refusal refusal;
	} table[] = {
		{ ROLE_NONE, STR("tok_1"), ASK_BLOCKING, REFUSED_ROLE },
		{ ROLE_AGENT, STR("tok_1"), ASK_BLOCKING, REFUSED_ROLE },
		{ ROLE_AGENT, STR("tok_agent"), ASK_NON_BLOCKING, REFUSED_ROLE },
		{ ROLE_VIEWER, STR("tok_1"), ASK_BLOCKING, REFUSED_ROLE },
		{ ROLE_LOCAL_ADMIN, STR("tok_1"), ASK_BLOCKING, REFUSED_ROLE },
		{ ROLE_MEMBER, STR("tok_1"), ASK_BLOCKING, REFUSED_NOT },
		{ ROLE_MEMBER, STR("tok_1"), ASK_APPROVAL, REFUSED_NOT },
		{ ROLE_MEMBER, STR("tok_agent"), ASK_BLOCKING, REFUSED_NOT },
		{ ROLE_MEMBER, STR("tok_agent"), ASK_APPROVAL, REFUSED_SELF },
		{ ROLE_ADMIN, STR("tok_agent"), ASK_APPROVAL, REFUSED_SELF },
		{ ROLE_OWNER, STR("tok_agent"), ASK_APPROVAL, REFUSED_SELF },
		{ ROLE_OWNER, STR(""), ASK_APPROVAL, REFUSED_NOT },
	};

	(void)state;
	reset();
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct ask a = approval();
		struct principal p = { .role = table[i].role, .token = table[i].token };

		a.kind = table[i].kind;
		assert_int_equal(entitled_to_settle(&a, &p, &roster), table[i].refusal);
	}
}

static void the_person_who_asked_does_not_decide_with_another_token(void **state)
{
	struct ask a = approval();
	struct principal p = {
		.role = ROLE_OWNER, .token = STR("tok_other"), .user = STR(ANA)
	};

	(void)state;
	reset();
	a.requester = STR(ANA);
	assert_int_equal(entitled_to_settle(&a, &p, &roster), REFUSED_SELF);
	a.kind = ASK_BLOCKING;
	assert_int_equal(entitled_to_settle(&a, &p, &roster), REFUSED_NOT);
	a.kind = ASK_APPROVAL;
	p.user = STR(BEN);
	assert_int_equal(entitled_to_settle(&a, &p, &roster), REFUSED_NOT);
	a.requester = p.user = STR_NONE;
	assert_int_equal(entitled_to_settle(&a, &p, &roster), REFUSED_NOT);
}

static void a_team_keeps_others_out_of_its_projects(void **state)
{
	struct ask a = approval();
	struct principal p = { .role = ROLE_MEMBER, .user = STR(BEN) };

	(void)state;
	reset();
	roster.teams_len = 1;
	assert_int_equal(entitled_to_settle(&a, &p, &roster), REFUSED_NOT);
	a.project = STR("web-shop");
	assert_int_equal(entitled_to_settle(&a, &p, &roster), REFUSED_TEAM);
	p.user = STR(ANA);
	assert_int_equal(entitled_to_settle(&a, &p, &roster), REFUSED_NOT);
	p.user = STR(CLO);
	p.role = ROLE_ADMIN;
	assert_int_equal(entitled_to_settle(&a, &p, &roster), REFUSED_NOT);
	p.user = STR(BEN);
	p.role = ROLE_MEMBER;
	a.project = STR("api");
	assert_int_equal(entitled_to_settle(&a, &p, &roster), REFUSED_NOT);
}

static void to_approve_one_must_count(void **state)
{
	struct ask a = approval();
	struct require r = req("[{'approvals':1,'from':['role:admin']}]");
	struct principal p = { .role = ROLE_MEMBER, .user = STR(ANA) };

	(void)state;
	reset();
	assert_int_equal(entitled_to_approve(&a, &r, &p, &roster, &kit), REFUSED_REQUIRE);
	p = (struct principal){ .role = ROLE_ADMIN, .user = STR(CLO) };
	assert_int_equal(entitled_to_approve(&a, &r, &p, &roster, &kit), REFUSED_NOT);
	p.role = ROLE_MEMBER; /* an admin's token that may less */
	assert_int_equal(entitled_to_approve(&a, &r, &p, &roster, &kit), REFUSED_REQUIRE);
	p = (struct principal){ .role = ROLE_ADMIN, .user = STR("usr_gone") };
	assert_int_equal(entitled_to_approve(&a, &r, &p, &roster, &kit), REFUSED_REQUIRE);
}

static struct str delegate_of(size_t i)
{
	return roster_delegate(&roster, &people[i], &kit);
}

static void a_delegate_is_the_first_who_is_here(void **state)
{
	(void)state;
	reset();
	assert_int_equal(delegate_of(0).len, 0);
	people[0].away = AWAY_TO(BEN);
	assert_string_equal(kit_text(delegate_of(0)), BEN);
	people[1].away = AWAY_TO(CLO);
	assert_string_equal(kit_text(delegate_of(0)), CLO);
	people[2].away = AWAY_TO(DAN);
	assert_string_equal(kit_text(delegate_of(0)), DAN);
	people[3].away = AWAY_TO("usr_01jc0000000000000000000009"); /* too long a chain */
	assert_int_equal(delegate_of(0).len, 0);
	people[2].away = AWAY_TO(ANA); /* a ring stays with the first */
	assert_int_equal(delegate_of(0).len, 0);
	people[0].away = BACK_AGAIN;
	assert_int_equal(delegate_of(0).len, 0);
	people[0].away = AWAY_TO(BEN);
	people[1].away = STR_NONE;
	people[1].disabled = true;
	assert_int_equal(delegate_of(0).len, 0);
}

static struct vote vote(const char *user, enum role role, const char *digest)
{
	return (struct vote){ .user = str_of(user),
		.role = role,
		.value = DECISION_APPROVE,
		.digest = str_of(digest) };
}

static void votes_are_counted_as_people_are_now(void **state)
{
	struct ask a = approval();
	struct require r = req("[{'approvals':2}]");
	struct vote room[4] = { vote(ANA, ROLE_MEMBER, "sha256:x"),
		vote(BEN, ROLE_MEMBER, "sha256:x"), vote(DAN, ROLE_VIEWER, "sha256:x") };
	struct votes votes = { room, 3 };
	struct str best;
	int64_t have[1];

	(void)state;
	reset();
	assert_true(votes_count(&a, &r, &roster, &votes, &best, have, &kit));
	assert_int_equal(have[0], 2);
	assert_true(room[0].counts && room[1].counts && !room[2].counts);
	assert_true(votes_meet(&a, &r, &roster, &votes, STR("sha256:x"), have, &kit));
	assert_int_equal(votes_counting(&votes, STR("sha256:x")), 2);
	people[1].disabled = true;
	assert_false(votes_meet(&a, &r, &roster, &votes, STR("sha256:x"), have, &kit));
	assert_int_equal(have[0], 1);
	people[1].disabled = false;
	a.requester = STR(ANA);
	assert_false(votes_meet(&a, &r, &roster, &votes, STR("sha256:x"), have, &kit));
	a.requester = STR_NONE;
	a.starters = STR("[\"" ANA "\"]");
	assert_false(votes_meet(&a, &r, &roster, &votes, STR("sha256:x"), have, &kit));
	a.starters = STR_NONE;
	a.project = STR("web-1"); /* a team covers it by now, and Ben is not in it */
	roster.teams_len = 1;
	assert_false(votes_meet(&a, &r, &roster, &votes, STR("sha256:x"), have, &kit));
	roster.teams_len = 0;
	room[1].digest = STR("sha256:y");
	assert_false(votes_meet(&a, &r, &roster, &votes, STR("sha256:x"), have, &kit));
}

static void how_many_could_count(void **state)
{
	struct ask a = approval();
	struct require r = req("[{'approvals':2},{'approvals':1,'from':['team:ops']},"
			       "{'approvals':1,'from':['role:owner']}]");

	(void)state;
	reset();
	roster.teams_len = 1;
	assert_int_equal(require_reach(&a, &r.parts[0], &roster, &kit), 3);
	assert_int_equal(require_reach(&a, &r.parts[1], &roster, &kit), 1);
	assert_int_equal(require_reach(&a, &r.parts[2], &roster, &kit), 0);
	a.requester = STR(ANA);
	assert_int_equal(require_reach(&a, &r.parts[1], &roster, &kit), 0);
	people[2].disabled = true;
	assert_int_equal(require_reach(&a, &r.parts[0], &roster, &kit), 1);
}

static void a_refusal_says_its_reason(void **state)
{
	struct ask a = approval();
	struct principal p = { .role = ROLE_VIEWER };
	struct fault why = { 0 };

	(void)state;
	assert_int_equal(refused(REFUSED_NOT, &a, &p, &why), OK);
	for (enum refusal r = REFUSED_ROLE; r <= REFUSED_CHANNEL; r++) {
		assert_int_equal(refused(r, &a, &p, &why), ERR_NOT_ENTITLED);
		assert_string_equal(why.member, "reason");
		assert_string_equal(why.member_text, refusal_name(r));
		assert_true(why.detail[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(members_and_above_settle_but_not_their_own_approval),
		KIT_TEST(the_person_who_asked_does_not_decide_with_another_token),
		KIT_TEST(a_team_keeps_others_out_of_its_projects),
		KIT_TEST(to_approve_one_must_count),
		KIT_TEST(a_delegate_is_the_first_who_is_here),
		KIT_TEST(votes_are_counted_as_people_are_now),
		KIT_TEST(how_many_could_count),
		KIT_TEST(a_refusal_says_its_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
