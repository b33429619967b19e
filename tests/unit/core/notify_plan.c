/* Whom a step of a route tells, and by which contacts. */
#include "kit.h"

#include "core/notify_plan.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(every_contact_that_a_step_names_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
