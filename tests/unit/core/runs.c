/* The rules of runs and tool calls: every state and action, the window of history, the order of
 * tasks, and what a model may call. */
#include "base/utf8.h"
#include "core/run/go_on.h"
#include "core/run/message.h"
#include "core/run/plan.h"
#include "core/run/run.h"
#include "core/run/run_limit.h"
#include "core/run/run_tool.h"
#include "core/run/usage.h"
#include "core/session/session.h"
#include "kit.h"

static void a_run_goes_only_where_the_table_leads(void **state)
{
	static const char *const rows[RUN_STATUSES] = {
		/* claim yield wait resume finish fail cancel */
		[RUN_QUEUED] = "r--q-fc",
		[RUN_RUNNING] = "rqwrdfc",
		[RUN_WAITING] = "--wq-fc",
		[RUN_COMPLETED] = "-------",
		[RUN_FAILED] = "-------",
		[RUN_CANCELLED] = "-------",
	};
	static const char letters[] = "qrwdfc-";

	(void)state;
	for (int s = 0; s < RUN_STATUSES; s++)
		for (int a = 0; a < RUN_ACTIONS; a++) {
			struct run r = { .status = (enum run_status)s };
			enum run_status next = run_next(r.status, (enum run_action)a);
			struct fault why = { 0 };

			assert_int_equal(letters[next], rows[s][a]);
			assert_int_equal(run_act(&r, (enum run_action)a, &why),
				next == RUN_STATUSES ? ERR_CONFLICT : OK);
			assert_int_equal(r.status,
				next == RUN_STATUSES ? (enum run_status)s : next);
		}
}

static void a_call_that_has_ended_never_changes(void **state)
{
	(void)state;
	for (int s = 0; s < CALL_STATUSES; s++)
		for (int a = 0; a < CALL_ACTIONS; a++) {
			struct tool_call c = { .status = (enum call_status)s };
			bool ended = tool_call_ended(&c);
			enum call_status next =
				tool_call_next(c.status, (enum call_action)a);

			if (ended) assert_int_equal(next, CALL_STATUSES);
			/* Started twice only by a person's word, through interrupted. */
			if (s == CALL_STARTED)
				assert_true(next != CALL_PENDING && next != CALL_STARTED);
		}
}

static void what_is_said_during_an_answer_comes_after_it(void **state)
{
	const struct run_message all[] = {
		{ .n = 1, .role = MESSAGE_USER },
		{ .n = 2, .role = MESSAGE_USER },
		{ .n = 3, .role = MESSAGE_USER },
		{ .n = 4, .role = MESSAGE_ASSISTANT, .seen = 1 },
		{ .n = 5, .role = MESSAGE_USER },
		{ .n = 6, .role = MESSAGE_TOOL },
		{ .n = 7, .role = MESSAGE_ASSISTANT },
	};
	const struct run_message *list[7];
	char order[8] = "";

	(void)state;
	for (size_t i = 0; i < 7; i++)
		list[i] = &all[i];
	history_order(list, 7);
	for (size_t i = 0; i < 7; i++)
		order[i] = (char)('0' + list[i]->n);
	assert_string_equal(order, "1462357");
	history_order(list, 0);
}

static void more_of_a_limit_is_granted_by_what_it_counts(void **state)
{
	static const struct {
		enum run_limit which;
		const char *text;
		int64_t amount; /* 0: refused */
	} said[] = {
		{ RUN_LIMIT_TURNS, " 5 ", 5 },
		{ RUN_LIMIT_TURNS, "1.5", 0 },
		{ RUN_LIMIT_TURNS, "0", 0 },
		{ RUN_LIMIT_TOKENS, "100000", 100000 },
		{ RUN_LIMIT_TOKENS, "-1", 0 },
		{ RUN_LIMIT_COST, "$0.25", 250000000 },
		{ RUN_LIMIT_COST, "2", INT64_C(2000000000) },
		{ RUN_LIMIT_COST, "0", 0 },
		{ RUN_LIMIT_COST, "\"2\"", 0 },
		{ RUN_LIMIT_TIME, "90", 90000 },
		{ RUN_LIMIT_TIME, "10m", 600000 },
		{ RUN_LIMIT_TIME, "soon", 0 },
	};
	struct agent_limits l = { .turns = 2,
		.history = 50,
		.tokens = 100,
		.cost = 7,
		.time_ms = 1000 },
			    back;
	struct run r = { .turn = 1, .tree_tokens = 99, .tree_cost = 6, .tree_ms = 999 };
	struct arena arena = { 0 };
	struct fault why = { 0 };
	int64_t got;

	(void)state;
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		got = 0;
		assert_int_equal(
			run_limit_amount(said[i].which, str_of(said[i].text), &got),
			said[i].amount > 0);
		if (said[i].amount) assert_int_equal(got, said[i].amount);
	}
	assert_int_equal(run_limit_reached(&l, &r, &r), RUN_LIMITS);
	r.tree_tokens = 150;
	assert_int_equal(run_limit_reached(&l, &r, &r), RUN_LIMIT_TOKENS);
	run_limit_grant(&l, RUN_LIMIT_TOKENS, &r, 10);
	assert_int_equal(l.tokens, 160); /* more than was used: it can go on */
	assert_int_equal(run_limit_reached(&l, &r, &r), RUN_LIMITS);
	r.turn = 2;
	assert_int_equal(run_limit_reached(&l, &r, &r), RUN_LIMIT_TURNS);
	l.turns = INT64_C(1) << 40;
	assert_int_equal(
		agent_limits_parse(agent_limits_keep(&l, &arena), &arena, &back, &why),
		OK);
	assert_int_equal(back.turns, 10000);
	assert_int_equal(back.tokens, 160);
	assert_int_equal(back.time_ms, 1000);
	arena_done(&arena);
}

static const struct json *read_json(struct arena *arena, const char *text)
{
	const struct json *json;

	assert_int_equal(json_read(str_of(text), NULL, arena, &json, NULL), OK);
	return json;
}

static void tasks_begin_after_those_they_wait_for(void **state)
{
	struct arena arena = { 0 };
	enum plan_state states[PLAN_MAX] = { PLAN_HELD, PLAN_HELD, PLAN_HELD };
	enum plan_step steps[PLAN_MAX];
	struct task_plan p;
	struct str wrong = STR_NONE;

	(void)state;
	assert_true(plan_read(
		read_json(&arena,
			"[{\"id\":\"a\",\"agent\":\"x\",\"task\":\"t\"},"
			"{\"id\":\"b\",\"prompt\":\"y\",\"task\":\"t\",\"after\":[\"a\"]},"
			"{\"agent\":\"z\",\"task\":\"t\",\"after\":[\"b\"]}]"),
		&arena, &p, &wrong));
	plan_next(&p, states, steps);
	assert_int_equal(steps[0], PLAN_BEGIN);
	assert_int_equal(steps[1], PLAN_STAY);
	states[0] = PLAN_FAILED;
	plan_next(&p, states, steps);
	assert_int_equal(steps[1], PLAN_SKIP);
	assert_int_equal(steps[2], PLAN_STAY);
	states[0] = PLAN_DONE;
	plan_next(&p, states, steps);
	assert_int_equal(steps[1], PLAN_BEGIN);
	assert_true(str_is(p.tasks[2].id, "3"));
	arena_done(&arena);
}

static void circles_and_unknown_ids_are_refused(void **state)
{
	static const char *const bad[] = { "[]", "{}",
		"[{\"id\":\"a\",\"agent\":\"x\",\"task\":\"t\",\"after\":[\"a\"]}]",
		"[{\"id\":\"a\",\"agent\":\"x\",\"task\":\"t\",\"after\":[\"b\"]}]",
		"[{\"id\":\"a\",\"agent\":\"x\",\"task\":\"t\"},{\"id\":\"a\",\"agent\":\"x\",\"task\":\"t\"}]",
		"[{\"id\":\"a\",\"task\":\"t\"}]" };
	struct arena arena = { 0 };
	struct task_plan p;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct str wrong = STR_NONE;

		assert_false(plan_read(read_json(&arena, bad[i]), &arena, &p, &wrong));
		assert_true(wrong.len > 0);
	}
	arena_done(&arena);
}

static void no_more_than_eight_tasks_work_at_once(void **state)
{
	struct task_plan p = { .len = PLAN_MAX };
	enum plan_state states[PLAN_MAX] = { PLAN_HELD };
	enum plan_step steps[PLAN_MAX];
	size_t begun = 0;

	(void)state;
	plan_next(&p, states, steps);
	for (size_t i = 0; i < PLAN_MAX; i++)
		begun += steps[i] == PLAN_BEGIN;
	assert_int_equal(begun, PLAN_AT_ONCE);
}

static void a_model_calls_only_what_its_agent_has(void **state)
{
	const struct str chosen[] = { STR("todo/list"), STR("memory"),
		STR("delegate_task") };
	const struct run_toolbox parent = { chosen, 3, false, false };
	const struct run_toolbox child = { chosen, 3, true, false };
	struct arena arena = { 0 };
	struct json_miss error;

	(void)state;
	assert_non_null(run_tool_call(&parent, STR("todo"),
		read_json(&arena, "{\"operation\":\"list\"}"), &arena, &error));
	assert_null(run_tool_call(&parent, STR("todo"),
		read_json(&arena, "{\"operation\":\"create\",\"name\":\"x\"}"), &arena,
		&error));
	assert_true(str_is(
		run_tool_wrong(&error, &arena), "/operation must be one of [\"list\"]"));
	assert_string_equal(run_tool_operation(STR("todo"),
				    read_json(&arena, "{\"operation\":\"create\"}"))
				    ->name,
		"create");
	assert_null(run_tool_operation(STR("todo"), read_json(&arena, "{}")));
	assert_null(run_tool_operation(STR("nothing"), read_json(&arena, "{}")));
	assert_null(run_tool_call(
		&parent, STR("spawn_agent"), read_json(&arena, "{}"), &arena, &error));
	assert_null(run_tool_call(
		&parent, STR("test_append"), read_json(&arena, "{}"), &arena, &error));
	assert_null(run_tool_call(&parent, STR("report"),
		read_json(&arena, "{\"markdown\":\"x\"}"), &arena, &error));
	assert_non_null(run_tool_call(&child, STR("report"),
		read_json(&arena, "{\"markdown\":\"x\"}"), &arena, &error));
	assert_null(run_tool_call(&child, STR("delegate_task"),
		read_json(&arena, "{\"agent\":\"a\",\"task\":\"t\"}"), &arena, &error));
	assert_true(str_is(error.must, "a sub-agent cannot start another"));
	for (size_t i = 0; i < run_operations_len; i++)
		if (run_tools[run_operations[i].tool].starts)
			assert_false(run_tool_offered(&child, &run_operations[i]));
	arena_done(&arena);
}

static void a_session_is_as_its_asks_and_then_its_run(void **state)
{
	struct session s = { .parallel = true, .starter = STR("usr_1") };

	(void)state;
	assert_true(session_run_began(&s, STR("run_1")));
	assert_int_equal(s.status, SESSION_RUNNING);
	session_opened(&s, ASK_BLOCKING, 1000);
	assert_int_equal(s.status, SESSION_WAITING_FOR_INPUT);
	session_settled(&s, ASK_BLOCKING, 2000);
	assert_int_equal(s.status, SESSION_RUNNING);
	assert_false(session_falls_idle(&s, INT64_MAX / 2));
	assert_true(session_run_ended(&s, SESSION_FAILED));
	assert_int_equal(s.status, SESSION_FAILED);
	assert_true(session_run_began(&s, STR("run_2")));
	assert_int_equal(s.status, SESSION_RUNNING);
}

static void spending_is_kept_and_read_back(void **state)
{
	struct arena arena = { 0 };
	struct spending a = { 0 }, b;

	(void)state;
	spending_add(&a, &(struct usage){ .input = 5, .output = 2 }, 300);
	spending_add(&a, &(struct usage){ .input = 1 }, COST_UNKNOWN);
	assert_int_equal(spending_parse(spending_keep(&a, &arena), &arena, &b, NULL), OK);
	assert_memory_equal(&a, &b, sizeof a);
	assert_int_equal(spending_cost(&b), 300);
	assert_true(b.partial);
	assert_int_equal(spending_parse(STR_NONE, &arena, &b, NULL), OK);
	assert_int_equal(spending_cost(&b), COST_UNKNOWN);
	arena_done(&arena);
}

static void a_list_shows_the_first_line_of_a_message(void **state)
{
	struct arena arena = { 0 };
	struct buf cut = { 0 };

	(void)state;
	assert_true(str_is(message_line(STR("Hello!"), &arena), "Hello!"));
	assert_true(str_is(message_line(STR("\n \r\n  One \r\nTwo"), &arena), "One"));
	assert_int_equal(message_line(STR(" \n\n"), &arena).len, 0);
	assert_int_equal(message_line(STR_NONE, &arena).len, 0);
	for (int i = 0; i < MESSAGE_LINE_MAX; i++)
		buf_add_text(&cut, "é");
	assert_true(str_eq(message_line(buf_str(&cut), &arena), buf_str(&cut)));
	buf_add_text(&cut, "é");
	struct str line = message_line(buf_str(&cut), &arena);
	assert_int_equal(utf8_count(line), MESSAGE_LINE_MAX);
	assert_memory_equal(line.at + line.len - 5, "é…", 5);
	buf_done(&cut);
	arena_done(&arena);
}

static void what_an_answer_lacks_is_found(void **state)
{
	static const struct {
		const char *parts, *call;
		bool cut;
		enum go_on what;
	} table[] = {
		{ "[{\"type\":\"text\",\"text\":\"a\"}]", "", false, GO_ON_NOT },
		{ "[{\"type\":\"text\",\"text\":\"a\"}]", "", true, GO_ON_CUT },
		{ "[{\"type\":\"text\",\"text\":\"a\"}]", "todo", true, GO_ON_CALL },
		{ "[]", "todo", true, GO_ON_CALL },
		{ "[{\"type\":\"thought\",\"text\":\"a\"}]", "", true, GO_ON_THOUGHTS },
		{ "[{\"type\":\"thought\",\"text\":\"a\"}]", "", false, GO_ON_EMPTY },
		{ "[{\"type\":\"text\",\"text\":\" \\n\"}]", "", false, GO_ON_EMPTY },
		{ "[]", "", false, GO_ON_EMPTY },
		{ "[{\"type\":\"tool_call\"}]", "", true, GO_ON_NOT },
		{ "[{\"type\":\"tool_call\"}]", "", false, GO_ON_NOT },
	};
	struct arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct go_on_end end = { .cut = table[i].cut,
			.call = str_of(table[i].call) };

		assert_int_equal(
			json_read(str_of(table[i].parts), NULL, &arena, &end.parts, NULL),
			OK);
		assert_int_equal(go_on_after(&end), table[i].what);
	}
	arena_done(&arena);
}

static void a_model_is_asked_to_go_on_three_times_in_a_row(void **state)
{
	struct arena arena = { 0 };
	struct run_message said[8] = { 0 };
	const struct run_message *before[8];

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		said[i].role = i % 2 ? MESSAGE_USER : MESSAGE_ASSISTANT;
		said[i].content = i % 2 ? go_on_content(GO_ON_CUT, STR_NONE, &arena)
					: message_text(STR("a"), &arena);
		before[i] = &said[i];
	}
	/* Told by nobody but us. */
	assert_int_equal(go_on_of(&said[1], &arena), GO_ON_CUT);
	assert_int_equal(go_on_of(&said[0], &arena), GO_ON_NOT);
	for (size_t len = 0; len <= 8; len += 2)
		assert_int_equal(go_on_may(GO_ON_CUT, before, len, &arena), len < 6);
	/* In a row: somebody's words between them begin anew. */
	said[3].content = message_text(STR("hello, \"asked\""), &arena);
	assert_true(go_on_may(GO_ON_CALL, before, 8, &arena));
	/* Once each. */
	said[7].content = go_on_content(GO_ON_EMPTY, STR_NONE, &arena);
	assert_false(go_on_may(GO_ON_EMPTY, before, 8, &arena));
	assert_true(go_on_may(GO_ON_THOUGHTS, before, 8, &arena));
	arena_done(&arena);
}

static void calls_without_results_are_answered(void **state)
{
	struct arena arena = { 0 };
	struct str lacks = history_unanswered(
		STR("[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"tool_call\",\"id\":\"t1\","
		    "\"name\":\"todo\",\"arguments\":{}}]"),
		&arena);

	(void)state;
	assert_true(str_is(lacks,
		"[{\"type\":\"tool_result\",\"id\":\"t1\",\"name\":\"todo\","
		"\"content\":\"It was not carried out.\",\"is_error\":true}]"));
	lacks = history_unanswered(message_text(STR("no \"tool_call\""), &arena), &arena);
	assert_int_equal(lacks.len, 0);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_goes_only_where_the_table_leads),
		cmocka_unit_test(a_call_that_has_ended_never_changes),
		cmocka_unit_test(calls_without_results_are_answered),
		cmocka_unit_test(what_an_answer_lacks_is_found),
		cmocka_unit_test(a_model_is_asked_to_go_on_three_times_in_a_row),
		cmocka_unit_test(what_is_said_during_an_answer_comes_after_it),
		cmocka_unit_test(more_of_a_limit_is_granted_by_what_it_counts),
		cmocka_unit_test(tasks_begin_after_those_they_wait_for),
		cmocka_unit_test(circles_and_unknown_ids_are_refused),
		cmocka_unit_test(no_more_than_eight_tasks_work_at_once),
		cmocka_unit_test(a_model_calls_only_what_its_agent_has),
		cmocka_unit_test(a_session_is_as_its_asks_and_then_its_run),
		cmocka_unit_test(spending_is_kept_and_read_back),
		cmocka_unit_test(a_list_shows_the_first_line_of_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
