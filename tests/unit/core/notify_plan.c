/* Whom a step of a route tells, and by which contacts. */
#include "kit.h"

#include "core/notify/notify_plan.h"

#define ANA    "usr_01jc0000000000000000000000"
#define BEN    "usr_01jc0000000000000000000001"
#define CON(n) "con_01jc000000000000000000000" n
#define NOW_MS (86400000LL)

static struct user people[] = {
	{ .id = STR(ANA), .role = ROLE_MEMBER },
	{ .id = STR(BEN), .role = ROLE_MEMBER },
};
static const struct user *all[] = { &people[0], &people[1] };
static struct contact hers[] = {
	{ .id = STR(CON("0")), .user = STR(ANA), .channel = DELIVERY_PUSH },
	{ .id = STR(CON("1")), .user = STR(ANA), .channel = DELIVERY_WEBHOOK },
	{ .id = STR(CON("2")), .user = STR(ANA), .channel = DELIVERY_WEBHOOK },
	{ .id = STR(CON("3")), .user = STR(BEN), .channel = DELIVERY_WEBHOOK },
};
enum { CONTACTS = sizeof hers / sizeof *hers };
static const struct contact *contacts[CONTACTS];
static struct roster roster = { .users = all, .users_len = 2, .now_ms = NOW_MS };
static struct ask ask = { .kind = ASK_BLOCKING,
	.status = ASK_PENDING,
	.priority = PRIORITY_NORMAL,
	.assignees = STR("[]") };

static struct plan_facts facts(void)
{
	for (size_t i = 0; i < CONTACTS; i++) {
		hers[i].verified = true;
		hers[i].muted = false;
		hers[i].broken_ms = 0;
		contacts[i] = &hers[i];
	}
	return (struct plan_facts){ .ask = &ask,
		.roster = &roster,
		.contacts = contacts,
		.contacts_len = CONTACTS,
		.now_ms = NOW_MS,
		.arena = &kit };
}

/* The contacts that a step tells, as the last digits of their ids. */
static const char *tells(const struct plan_facts *f, const char *step)
{
	struct route_table table;
	struct notify_plan plan = { 0 };
	struct buf out = { 0 };
	struct str found;
	const struct json *items =
		kit_json(kit_print("[{'match':{},'steps':[%s]}]", step));

	assert_int_equal(routes_read(items, "", &kit, &table, NULL), OK);
	assert_true(plan_step(f, &table.rows[0].steps[0], 0, &plan));
	for (size_t i = 0; i < plan.len; i++)
		if (plan.at[i].contact && plan.at[i].at_ms)
			buf_add_char(&out,
				plan.at[i]
					.contact->id.at[plan.at[i].contact->id.len - 1]);
	found = arena_str(&kit, buf_str(&out));
	buf_done(&out);
	return kit_text(found);
}

static void every_contact_that_a_step_names_is_told_once(void **state)
{
	static const struct {
		const char *to, *told;
	} cases[] = {
		{ "'contact:" CON("1") "','contact:" CON("2") "'", "12" },
		{ "'contact:" CON("2") "','contact:" CON("1") "','contact:" CON("2") "'",
			"21" },
		{ "'user:" ANA "','contact:" CON("2") "'", "02" },
		{ "'contact:" CON("2") "','user:" ANA "'", "02" },
		{ "'contact:" CON("0") "','user:" ANA "'", "0" },
		{ "'contact:" CON("1") "','contact:" CON("3") "'", "13" },
	};
	struct plan_facts f = facts();

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(
			tells(&f, kit_print("{'after':'0s','to':[%s]}", cases[i].to)),
			cases[i].told);
}

static void by_a_channel_that_somebody_has_not_the_first_that_works_is_told(void **state)
{
	struct plan_facts f = facts();

	(void)state;
#define VIA(who, channel) "{'after':'0s','to':['user:" who "'],'via':[" channel "]}"
	assert_string_equal(tells(&f, VIA(ANA, "'push'")), "0");
	assert_string_equal(tells(&f, VIA(ANA, "'push','webhook'")), "01");
	assert_string_equal(tells(&f, VIA(ANA, "'email','slack'")), "0");
	assert_string_equal(tells(&f, VIA(BEN, "'push'")), "3");
	hers[0].muted = true;
	assert_string_equal(tells(&f, VIA(ANA, "'push'")), "1");
}

static void what_is_broken_is_the_last_resort(void **state)
{
	struct plan_facts f = facts();

	(void)state;
	hers[0].broken_ms = 1;
	assert_string_equal(tells(&f, VIA(ANA, "'push'")), "1");
	hers[1].broken_ms = hers[2].broken_ms = hers[3].broken_ms = 1;
	assert_string_equal(tells(&f, VIA(ANA, "'push'")), "0");
	assert_string_equal(tells(&f, VIA(BEN, "'push'")), "3");
	hers[3].muted = true;
	assert_string_equal(tells(&f, VIA(BEN, "'push'")), "");
	assert_ptr_equal(plan_next_contact(&f, STR(ANA), 0), &hers[0]);
}

/* Why a step reaches nobody, and who: "A muted". "" when it reaches somebody. */
static const char *reasons(const struct plan_facts *f, const char *step)
{
	struct route_table table;
	struct notify_plan plan = { 0 };
	const struct json *items =
		kit_json(kit_print("[{'match':{},'steps':[%s]}]", step));
	char *out = kit_print("%s", "");

	assert_int_equal(routes_read(items, "", &kit, &table, NULL), OK);
	assert_true(plan_step(f, &table.rows[0].steps[0], 0, &plan));
	for (size_t i = 0; !plan_reaches(&plan, 0) && i < plan.len; i++) {
		const struct plan_entry *e = &plan.at[i];
		const char *who = str_is(e->user, ANA)	 ? "A"
				  : str_is(e->user, BEN) ? "B"
				  : e->team.len		 ? "team"
							 : "nobody";

		out = kit_print(
			"%s%s%s %s", out, i ? ", " : "", who, plan_why_name(e->why));
	}
	return out;
}

static void a_step_that_reaches_nobody_says_why(void **state)
{
	struct team ops = {
		.id = STR("team_1"), .name = STR("ops"), .members = STR("[]")
	};
	struct team_parts parts = { .team = &ops };
	struct plan_facts f = facts();
	struct plan_person ana = { .user = STR(ANA), .present_ms = NOW_MS };

	(void)state;
	roster.teams = &parts;
	roster.teams_len = 1;
#define STEP(to) "{'after':'0s','to':['" to "']}"
	assert_string_equal(reasons(&f, STEP("team:ops/on_call")), "team on_call");
	assert_string_equal(reasons(&f, STEP("team:ops")), "team no_contact");
	assert_string_equal(reasons(&f, STEP("user:" BEN)), "");
	hers[3].muted = true;
	assert_string_equal(reasons(&f, STEP("user:" BEN)), "B muted");
	assert_string_equal(reasons(&f, STEP("contact:" CON("3"))), "B muted");
	hers[3].verified = hers[3].muted = false;
	assert_string_equal(reasons(&f, STEP("user:" BEN)), "B no_contact");
	people[1].role = ROLE_VIEWER;
	assert_string_equal(reasons(&f, STEP("user:" BEN)), "B not_entitled");
	people[1].role = ROLE_MEMBER;
	assert_string_equal(reasons(&f, STEP("role:admin")), "nobody not_entitled");
	/* Who is looking needs no message. */
	hers[0].muted = hers[1].muted = hers[2].muted = true;
	assert_string_equal(reasons(&f, STEP("user:" ANA)), "A muted");
	f.people = &ana;
	f.people_len = 1;
	assert_string_equal(reasons(&f, STEP("user:" ANA)), "");
	roster.teams_len = 0;
}

static void a_message_gives_hope_until_it_failed_often_or_its_channel_is_down(
	void **state)
{
	static const struct {
		enum delivery_status status;
		int64_t attempts;
		unsigned down;
		bool held, hopes;
	} cases[] = {
		{ DELIVERY_DONE, 1, 0, false, true },
		{ DELIVERY_WAITING, 0, 1u << DELIVERY_WEBHOOK, false, true },
		{ DELIVERY_WAITING, DELIVERY_SOON, 0, false, true },
		{ DELIVERY_WAITING, DELIVERY_SOON + 1, 0, false, false },
		{ DELIVERY_WAITING, 1, 1u << DELIVERY_WEBHOOK, false, false },
		{ DELIVERY_WAITING, 1, 1u << DELIVERY_EMAIL, false, true },
		{ DELIVERY_WAITING, 2, 1u << DELIVERY_WEBHOOK, true, true },
		{ DELIVERY_DEAD, 5, 0, false, false },
		{ DELIVERY_DROPPED, 0, 0, false, false },
	};
	const struct route_point at = { 0, 0, 0 }, other = { 1, 0, 0 };
	struct delivery d = { .kind = DELIVERY_WEBHOOK,
		.contact = STR(CON("1")),
		.user = STR(ANA),
		.purpose = DELIVERY_ASK };
	const struct delivery *told[] = { &d };
	struct plan_facts f = facts();

	(void)state;
	f.told = told;
	f.told_len = 1;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		d.status = cases[i].status;
		d.attempts = cases[i].attempts;
		d.lease.by = cases[i].held ? STR("nod_1") : STR_NONE;
		f.down = cases[i].down;
		assert_int_equal(plan_hopes(&f, &at, STR_NONE), cases[i].hopes);
		assert_int_equal(plan_hopes(&f, &at, STR(ANA)), cases[i].hopes);
		assert_false(plan_hopes(&f, &at, STR(BEN)));
		assert_false(plan_hopes(&f, &other, STR_NONE));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(every_contact_that_a_step_names_is_told_once),
		KIT_TEST(by_a_channel_that_somebody_has_not_the_first_that_works_is_told),
		KIT_TEST(what_is_broken_is_the_last_resort),
		KIT_TEST(a_step_that_reaches_nobody_says_why),
		KIT_TEST(
			a_message_gives_hope_until_it_failed_often_or_its_channel_is_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
