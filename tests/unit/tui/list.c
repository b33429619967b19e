#include "tui/list.h"

#include "unit.h"

enum { NOW = 1000000000 };

static struct list list;
static struct arena arena;

static void put(const char *id, const char *title, const char *more)
{
	const struct json *ask = NULL;
	struct str text = arena_print(&arena,
		"{\"id\":\"%s\",\"title\":\"%s\",\"status\":\"pending\","
		"\"questions\":[{\"key\":\"q\",\"type\":\"boolean\"}],"
		"\"created_at\":\"2026-01-01T00:00:00.000Z\"%s}",
		id, title, more);

	assert_int_equal(json_read(text, NULL, &arena, &ask, NULL), OK);
	list.me = STR("usr_me");
	list_put(&list, ask);
	list_arrange(&list, NOW);
}

static void order_is(const char *ids)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < list.rows.len; i++) {
		const struct item *item = list.rows.shown[i];

		buf_add(&out, item->id);
	}
	CHECK_STR(buf_str(&out), ids);
	buf_done(&out);
}

static int teardown(void **state)
{
	(void)state;
	list_done(&list);
	arena_done(&arena);
	return 0;
}

#define RISKY(risk) ",\"operation\":{\"name\":\"x\",\"risk\":\"" risk "\"}"

static void deadline_then_risk_then_age(void **state)
{
	(void)state;
	put("b", "Plain", "");
	put("a", "Older by id", "");
	put("r", "Risky", RISKY("high"));
	put("d", "Soon", ",\"expires_at\":\"1970-01-12T13:48:00.000Z\"");
	put("f", "Far off", ",\"expires_at\":\"2030-01-01T00:00:00.000Z\"");
	order_is("drabf");
}

static void the_cursor_stays_on_its_ask(void **state)
{
	(void)state;
	put("b", "One", "");
	put("c", "Two", "");
	listing_go(&list.rows, 1);
	CHECK_STR(list_at(&list)->id, "c");
	put("a", "Before", RISKY("critical"));
	CHECK_STR(list_at(&list)->id, "c");
	list_drop(&list, STR("b"));
	CHECK_STR(list_at(&list)->id, "c");
	list_drop(&list, STR("c"));
	CHECK_STR(list_at(&list)->id, "a");
	list_drop(&list, STR("a"));
	CHECK(!list_at(&list));
}

static void filter_press(int32_t letter)
{
	struct filter_group filters = list_filters(&list);

	filter_move(&filters, filter_find(&filters, letter), 1);
}

static void search_folds_case_and_filters_combine(void **state)
{
	struct line search = { 0 };

	(void)state;
	put("a", "Größe", ",\"priority\":\"urgent\"");
	put("b", "grosse", "");
	list.search = &search;
	line_set(&search, STR("GRÖSSE"));
	list_arrange(&list, NOW);
	order_is("a");
	line_set(&search, STR(""));
	filter_press('p'); /* urgent is the first */
	list_arrange(&list, NOW);
	order_is("a");
	list.filters[LIST_ASSIGNED].at = ASSIGNED_ME;
	list_arrange(&list, NOW);
	order_is("");
	line_done(&search);
}

#define ASSIGNED(id) ",\"assignees\":[\"" id "\"]"
#define BY(agent)    ",\"agent\":{\"name\":\"" agent "\"}"

static void the_order_is_the_page_s(void **state)
{
	(void)state;
	put("a", "Plain", "");
	put("b", "Medium is no group", RISKY("medium"));
	put("c", "Of others", ASSIGNED("usr_other"));
	put("d", "Mine, too", ",\"assignees\":[\"usr_other\",\"usr_me\"]");
	put("e", "Urgent", ",\"priority\":\"urgent\"");
	put("f", "Critical", RISKY("critical"));
	put("g", "High, of others", ",\"priority\":\"high\"" ASSIGNED("usr_other"));
	order_is("efgabdc");
}

static void assignees_and_agents_filter(void **state)
{
	(void)state;
	put("a", "Nobody's", BY("zoe"));
	put("b", "Mine", ASSIGNED("usr_me") BY("adam"));
	put("c", "Another's", ASSIGNED("usr_other") BY("adam"));
	list.filters[LIST_ASSIGNED].at = ASSIGNED_ME;
	list_arrange(&list, NOW);
	order_is("b");
	list.filters[LIST_ASSIGNED].at = ASSIGNED_NOBODY;
	list_arrange(&list, NOW);
	order_is("a");
	list.filters[LIST_ASSIGNED].at = ASSIGNED_ANY;
	filter_press('A');
	list_arrange(&list, NOW);
	order_is("bc");
	filter_press('A');
	list_arrange(&list, NOW);
	order_is("a");
	filter_press('A');
	list_arrange(&list, NOW);
	order_is("abc");
}

static void an_older_version_changes_nothing(void **state)
{
	(void)state;
	put("a", "New", ",\"version\":3");
	put("a", "Old", ",\"version\":2");
	CHECK_INT(list.rows.all_len, 1);
	CHECK_STR(list_at(&list)->title, "New");
	put("a", "Newer", ",\"version\":4");
	CHECK_STR(list_at(&list)->title, "Newer");
}

static void a_lone_decision_is_alike_whatever_it_is_about(void **state)
{
	(void)state;
	put("a", "One", "");
	put("b", "Two", "");
	CHECK(list_find(&list, STR("a"))->form == list_find(&list, STR("b"))->form);
}

static void three_alike_fold_and_open_again(void **state)
{
	(void)state;
	put("a", "Build 1 of 30", "");
	put("b", "Build 2 of 30", "");
	order_is("ab");
	put("c", "Build 13 of 30", "");
	put("d", "Something else", "");
	order_is("ad");
	CHECK_INT(list_at(&list)->similar, 3);
	list_fold(&list, NOW);
	order_is("abcd");
	listing_go(&list.rows, 2);
	CHECK_STR(list_at(&list)->id, "c");
	list_fold(&list, NOW);
	order_is("ad");
	CHECK_STR(list_at(&list)->id, "a");
	CHECK(list_select(&list, STR("c")));
	CHECK_STR(list_at(&list)->id, "c");
}

static void a_batch_has_what_is_shown_and_folds_are_whole(void **state)
{
	struct line search = { 0 };

	(void)state;
	put("a", "Build 1", "");
	put("b", "Build 2", "");
	put("c", "Build 3", "");
	put("d", "Deploy", "");
	list_choose(&list);
	CHECK_INT(list_chosen(&list), 3);
	listing_go(&list.rows, 1);
	list_choose(&list);
	CHECK_INT(list_chosen(&list), 4);
	list.search = &search;
	line_set(&search, STR("deploy"));
	list_arrange(&list, NOW);
	CHECK_INT(list_chosen(&list), 1);
	line_done(&search);
}

static void projects_come_one_after_the_other(void **state)
{
	(void)state;
	put("a", "One", ",\"project\":\"web\"");
	put("b", "Two", ",\"project\":\"api\"");
	put("c", "Three", "");
	filter_press('P');
	list_arrange(&list, NOW);
	order_is("b");
	filter_press('P');
	list_arrange(&list, NOW);
	order_is("a");
	filter_press('P');
	list_arrange(&list, NOW);
	order_is("abc");
}

#define SNOOZED                                                                          \
	",\"mark\":{\"read\":false,\"snoozed_until\":\"2030-01-01T00:00:00.000Z\"}"

static void snoozed_ones_are_apart_until_their_time_or_deadline(void **state)
{
	(void)state;
	put("a", "Now", "");
	put("s", "Later", SNOOZED);
	put("d", "Soon", SNOOZED ",\"expires_at\":\"1970-01-12T13:48:00.000Z\"");
	order_is("da");
	assert_int_equal(list_waiting(&list, NOW), 2);
	assert_int_equal(list_next_wake(&list, NOW), INT64_C(1893456000000));
	list.filters[LIST_SNOOZED].at = 1;
	list_arrange(&list, NOW);
	order_is("s");
	list.filters[LIST_SNOOZED].at = 0;
	list_arrange(&list, INT64_C(1893456000000));
	assert_int_equal(list.rows.len, 3);
	assert_true(list_find(&list, STR("a"))->read);
	assert_false(list_find(&list, STR("s"))->read);
}

#define LIST_TEST(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIST_TEST(deadline_then_risk_then_age),
		LIST_TEST(the_cursor_stays_on_its_ask),
		LIST_TEST(search_folds_case_and_filters_combine),
		LIST_TEST(the_order_is_the_page_s),
		LIST_TEST(assignees_and_agents_filter),
		LIST_TEST(an_older_version_changes_nothing),
		LIST_TEST(a_lone_decision_is_alike_whatever_it_is_about),
		LIST_TEST(three_alike_fold_and_open_again),
		LIST_TEST(a_batch_has_what_is_shown_and_folds_are_whole),
		LIST_TEST(projects_come_one_after_the_other),
		LIST_TEST(snoozed_ones_are_apart_until_their_time_or_deadline),
	};

	return RUN(tests);
}
