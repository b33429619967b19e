/* packed.c - long texts, which SQLite keeps packed: written, read back as they were, and named by
 * `check` once somebody damaged them. */
#include "run_kit.h"

#include "core/run/agent.h"
#include "desk/check/check.h"
#include "store/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG                                                                                     \
	"I have read the file and found why the test fails: the list is sorted by name, but the" \
	" page that shows it expects the newest first. I will change the order, then run the"    \
	" tests again and tell you what came of it."

/* A run whose model said a long text and called a tool. */
static struct held long_text_make(struct rig *r)
{
	char run[ID_SIZE];
	struct held h;

	run_rig_start(r, "boss", run);
	h = claimed(r, "a/1");
	assert_int_equal(run_rig_turn(r, &h, "[" TEXT(LONG) "," TODO "]"), OK);
	return h;
}

/* PostgreSQL packs them by itself. */
static void a_long_text_is_packed_and_shown_as_it_was(void **state)
{
	struct rig *r = prepared(state);
	struct held h = long_text_make(r);
	bool shown;

	if (str_starts(str_of(r->place), "sqlite:")) {
		assert_int_equal(number(r, "SELECT COUNT(*) FROM messages WHERE"
					   " typeof(content) = 'blob'"
					   " AND role = 'assistant'"),
			1);
		assert_true(number(r, "SELECT length(content) FROM messages WHERE role ="
				      " 'assistant'") < (int64_t)sizeof LONG);
	}
	assert_int_equal(said(r, h.session, LONG, &shown), OK);
	assert_true(shown);
	/* As a store of the program before has it. */
	place_script(r, "UPDATE messages SET content ="
			" '[{\"type\":\"text\",\"text\":\"" LONG " Yes.\"}]'"
			" WHERE role = 'assistant'");
	assert_int_equal(said(r, h.session, LONG " Yes.", &shown), OK);
	assert_true(shown);
}

static void a_packed_text_that_is_damaged_is_named(void **state)
{
	struct rig *r = prepared(state);
	struct held h;
	char why[256];
	bool shown;

	if (!str_starts(str_of(r->place), "sqlite:")) skip();
	h = long_text_make(r);
	assert_true(rig_check(r, why) > 0);
	place_script(r,
		"UPDATE messages SET content = CAST(substr(content, 1, 30) AS BLOB)"
		" WHERE typeof(content) = 'blob' AND role = 'assistant'");
	assert_int_equal(rig_check(r, why), -1);
	assert_non_null(strstr(why, "msg_"));
	assert_non_null(strstr(why, "content that cannot be unpacked"));
	assert_int_equal(said(r, h.session, LONG, &shown), ERR_INTERNAL);
	assert_false(shown);
}

#define KEPT	"[{\"type\":\"reasoning\",\"encrypted_content\":\"" LONG "\"}]"
#define PRICES	"{\"input\":1,\"output\":2,\"note\":\"" LONG "\"}"
#define WRITTEN "{\"path\":\"/x\",\"text\":\"" LONG "\"}"

static const struct packed_column {
	const char *table, *name, *text;
	enum record_id record;
	enum sql sql;
	size_t offset;
} packed_columns[] = {
	{ "messages", "kept", KEPT, RECORD_MESSAGES, SQL_CHECK_MESSAGES,
		offsetof(struct run_message, kept) },
	{ "messages", "prices", PRICES, RECORD_MESSAGES, SQL_CHECK_MESSAGES,
		offsetof(struct run_message, prices) },
	{ "tool_calls", "approved_arguments", WRITTEN, RECORD_TOOL_CALLS,
		SQL_CHECK_TOOL_CALLS, offsetof(struct tool_call, approved_arguments) },
};

/* How many records have the column's text as it was written. */
struct text_count {
	const struct packed_column *column;
	int64_t ws, n;
};

static enum err text_row(void *ctx, const struct row *row, struct fault *why)
{
	struct text_count *count = ctx;
	struct arena arena = { 0 };
	union {
		struct run_message message;
		struct tool_call call;
	} read;
	enum err e =
		record_read(&records[count->column->record], row, &arena, &read, why);

	if (!e)
		count->n += str_is(
			*(struct str *)(void *)((char *)&read + count->column->offset),
			count->column->text);
	arena_done(&arena);
	return e;
}

static enum err texts_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct text_count *count = ((struct task *)(void *)job)->checked;
	bool calls = count->column->record == RECORD_TOOL_CALLS;
	/* A page of messages; the calls of all sessions. */
	const struct val args[] = { val_int(count->ws), val_text(STR_NONE),
		val_text(calls ? LAST_ID : STR_NONE), val_int(100) };

	return rows_query(
		rows, count->column->sql, args, calls ? 3 : 4, text_row, count, why);
}

static int64_t texts_count(struct rig *r, const struct packed_column *column, int64_t ws)
{
	static const struct use texts = READS("texts", 0, JOB_OPEN, texts_read, NULL);
	struct text_count count = { column, ws, 0 };
	struct task t = { 0 };

	assert_int_equal(rig_tell(r, &texts, &t, &count), OK);
	rig_task_done(&t);
	return count.n;
}

/* A run whose call was approved with longer arguments, and whose provider wants to see a long text again. */
static int64_t packed_make(struct rig *r)
{
	char run[ID_SIZE], arguments[512];
	struct held h;
	bool started;

	run_rig_start(r, "helper", run);
	h = claimed(r, "a/1");
	h.kept = KEPT;
	h.prices = PRICES;
	assert_int_equal(
		run_rig_turn(r, &h,
			"[" CALL("t2", "test_append", "{'path':'/x','text':'y'}") "]"),
		OK);
	assert_int_equal(answer(r, open_ask(r).id,
				 "{'answers':{'decision':{'value':'approve','arguments':"
				 "{'path':'/x','text':'" LONG "'}}}}"),
		OK);
	h = claimed(r, "a/1");
	assert_int_equal(run_rig_begin(r, &h, 0, &started, arguments), OK);
	assert_true(started);
	assert_string_equal(arguments, WRITTEN);
	assert_int_equal(run_rig_calls(r, &h), OK);
	return h.ws;
}

static void every_long_text_is_packed_and_read_as_it_was(void **state)
{
	struct rig *r = prepared(state);
	int64_t ws = packed_make(r);
	char sql[160];

	for (size_t i = 0; i < sizeof packed_columns / sizeof *packed_columns; i++) {
		const struct packed_column *c = &packed_columns[i];

		assert_int_equal(texts_count(r, c, ws), 1);
		if (!str_starts(str_of(r->place), "sqlite:")) continue;
		snprintf(sql, sizeof sql,
			"SELECT COUNT(*) FROM %s WHERE typeof(%s) = 'blob'"
			" AND length(%s) < %zu",
			c->table, c->name, c->name, strlen(c->text));
		assert_int_equal(number(r, sql), 1);
	}
}

static void every_packed_text_that_is_damaged_is_named(void **state)
{
	struct rig *r = prepared(state);
	char sql[160], why[256];

	if (!str_starts(str_of(r->place), "sqlite:")) skip();
	packed_make(r);
	rig_shut(r);
	place_keep(r);
	for (size_t i = 0; i < sizeof packed_columns / sizeof *packed_columns; i++) {
		const struct packed_column *c = &packed_columns[i];

		snprintf(sql, sizeof sql,
			"UPDATE %s SET %s = CAST(substr(%s, 1, 30) AS BLOB)"
			" WHERE typeof(%s) = 'blob'",
			c->table, c->name, c->name, c->name);
		place_script(r, sql);
		assert_true(rig_reopen(r));
		assert_int_equal(rig_check(r, why), -1);
		snprintf(sql, sizeof sql, "%s that cannot be unpacked", c->name);
		if (!strstr(why, sql)) fail_msg("%s: %s", c->name, why);
		rig_shut(r);
		place_put_back(r);
	}
	assert_true(rig_reopen(r));
	assert_true(rig_check(r, why) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLOCK_TEST(a_long_text_is_packed_and_shown_as_it_was),
		CLOCK_TEST(a_packed_text_that_is_damaged_is_named),
		CLOCK_TEST(every_long_text_is_packed_and_read_as_it_was),
		CLOCK_TEST(every_packed_text_that_is_damaged_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
