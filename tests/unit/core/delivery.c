/* Deliveries: when they are tried again, how they are signed, and the command lines that
 * set an agent going. */
#include "core/delivery/delivery.h"
#include "core/delivery/resumer.h"
#include "core/session/session.h"

#include "kit.h"

static void pauses_grow_over_three_days_and_end(void **state)
{
	int64_t sum = 0, before = 0;
	int64_t n = 1;

	(void)state;
	assert_int_equal(delivery_pause_ms(DELIVERY_WEBHOOK, 0, 0), -1);
	for (;; n++) {
		int64_t least = delivery_pause_ms(DELIVERY_WEBHOOK, n, 0);

		if (least < 0) break;
		assert_true(least > before);
		for (uint64_t random = 1; random < 1ull << 60; random = random * 3 + 1) {
			int64_t pause = delivery_pause_ms(DELIVERY_WEBHOOK, n, random);

			assert_true(pause >= least && pause <= least + least / 5);
		}
		sum += least;
		before = least;
	}
	assert_int_equal(n, 11);
	assert_in_range(sum / 3600000, 72, 80);
	assert_int_equal(delivery_pause_ms(DELIVERY_WEBHOOK, 1000, 5), -1);
}

static void people_are_tried_for_minutes_and_by_mail_for_six_hours(void **state)
{
	static const int64_t first_ms[] = { 5000, 30000, 120000, 600000 };
	int64_t sum = 0, n;

	(void)state;
	for (n = 1; n <= 4; n++) {
		assert_int_equal(
			delivery_person_pause_ms(DELIVERY_SLACK, n), first_ms[n - 1]);
		assert_int_equal(
			delivery_person_pause_ms(DELIVERY_EMAIL, n), first_ms[n - 1]);
		sum += first_ms[n - 1];
	}
	assert_int_equal(delivery_person_pause_ms(DELIVERY_SLACK, 5), -1);
	for (; delivery_person_pause_ms(DELIVERY_EMAIL, n) > 0; n++) {
		assert_int_equal(delivery_person_pause_ms(DELIVERY_EMAIL, n), 1800000);
		sum += 1800000;
	}
	assert_in_range(sum, 5.5 * 3600000, 6 * 3600000);
}

static void a_signature_is_over_id_time_and_body(void **state)
{
	static const char key[] = "1234567890abcdefghijklmnopqrstuv";
	struct buf out = { 0 };
	struct str twice;

	(void)state;
	webhook_sign(&out, str_of(key), STR("msg_p5jXN8AQM9LWM0D4loKWxJek"), 1614265330,
		STR("{\"test\": 2432232314}"));
	assert_string_equal(
		buf_text(&out), "v1,2G6pUY1u8rcuTT9VORDeBSZiKLkwr4F9Ehx6DXwOVoE=");
	webhook_sign(&out, str_of(key), STR("msg_p5jXN8AQM9LWM0D4loKWxJek"), 1614265330,
		STR("{\"test\": 2432232314}"));
	twice = buf_str(&out);
	assert_int_equal(twice.at[47], ' ');
	assert_memory_equal(twice.at, twice.at + 48, 47);
	buf_done(&out);
	assert_string_equal(kit_text(webhook_secret(str_of(key), &kit)),
		"whsec_MTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3BxcnN0dXY=");
}

static void a_callback_reads_back(void **state)
{
	struct callback c;

	(void)state;
	assert_int_equal(
		callback_read(kit_quote("{'webhook':'https://h'}"), &kit, &c, NULL), OK);
	assert_string_equal(kit_text(c.webhook), "https://h");
	assert_int_equal(c.resumer.len, 0);
	c.resumer = STR("claude");
	kit_same("both", callback_write(&c, &kit),
		"{'webhook':'https://h','resumer':'claude'}");
	c.webhook = STR_NONE;
	kit_same("one", callback_write(&c, &kit), "{'resumer':'claude'}");
	c.resumer = STR_NONE;
	assert_int_equal(callback_write(&c, &kit).len, 0);
}

static void a_delivery_is_shown(void **state)
{
	struct delivery d = { .ws = 1,
		.id = STR("dlv_1"),
		.session = STR("ses_1"),
		.ask = STR("ask_1"),
		.target = STR("https://h"),
		.attempts = 2,
		.next_ms = 1000,
		.last_error = STR("refused"),
		.last_status = 503,
		.created_ms = 500 };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	(void)state;
	delivery_write(&w, &d);
	kit_same("delivery", buf_str(&out),
		"{'id':'dlv_1','kind':'webhook','status':'waiting','session':'ses_1',"
		"'ask':'ask_1','alert':null,'purpose':'settled','user':null,'contact':null,'step':null,'target':'https://h','attempts':2,"
		"'next_at':'1970-01-01T00:00:01.000Z','last_error':'refused',"
		"'last_status':503,'created_at':'1970-01-01T00:00:00.500Z','done_at':null}");
	buf_done(&out);
}

/* ---- command lines ---- */

static const struct resumer_values values = {
	.external_id = STR("cc-1"),
	.session = STR("ses_1"),
	.context = STR("You asked $(reboot) \"this\" {ask}"),
	.ask = STR("ask_1"),
	.url = STR("http://h"),
};

static void a_command_line_becomes_words(void **state)
{
	static const struct {
		const char *line, *words; /* parted by | */
	} table[] = {
		{ "claude -p --resume {external_id} {context}",
			"claude|-p|--resume|cc-1|You asked $(reboot) \"this\" {ask}" },
		{ "  run\t'a b'  \"c d\" e\\ f ''", "run|a b|c d|e f|" },
		{ "run --s={session}/{ask}", "run|--s=ses_1/ask_1" },
		{ "run '{url}' \"{ask}\"", "run|http://h|ask_1" },
		{ "sh -c 'cd /x; exec \"$1\"' - {session}",
			"sh|-c|cd /x; exec \"$1\"|-|ses_1" },
		{ "run {} {A} {\"json\":1} {ask", "run|{}|{A}|{json:1}|{ask" },
		{ "run \"a\\\"b\" 'a\\b'", "run|a\"b|a\\b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct buf joined = { 0 };
		struct resumer r;
		char **argv;

		assert_int_equal(resumer_read(str_of(table[i].line), COMMAND_RESUMES,
					 &kit, &r, NULL),
			OK);
		assert_int_equal(resumer_fill(&r, &values, &kit, &argv, NULL), OK);
		for (size_t k = 0; argv[k]; k++) {
			if (k) buf_add_char(&joined, '|');
			buf_add_text(&joined, argv[k]);
		}
		assert_string_equal(buf_text(&joined), table[i].words);
		buf_done(&joined);
	}
}

static void a_wrong_command_line_is_refused(void **state)
{
	static const struct {
		const char *line, *detail;
	} table[] = {
		{ "", "empty" },
		{ "  ", "empty" },
		{ "run 'a", "quote" },
		{ "run \"a", "quote" },
		{ "run a\\", "quote" },
		{ "run {contxt}", "{contxt} is unknown" },
		{ "{session} run", "program" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct fault why = { 0 };
		struct resumer r;

		assert_int_equal(resumer_read(str_of(table[i].line), COMMAND_RESUMES,
					 &kit, &r, &why),
			ERR_INVALID);
		if (!strstr(why.detail, table[i].detail)) fail_msg("%s", why.detail);
	}
	assert_int_equal(resumer_read(str_of(kit_repeat("x ", 101)), COMMAND_RESUMES,
				 &kit, &(struct resumer){ 0 }, NULL),
		ERR_INVALID);
}

static void a_value_never_becomes_an_option(void **state)
{
	struct resumer_values hostile = values;
	struct fault why = { 0 };
	struct resumer r;
	char **argv;

	(void)state;
	hostile.external_id = STR("--dangerously-skip-permissions");
	assert_int_equal(resumer_read(STR("run --resume {external_id}"), COMMAND_RESUMES,
				 &kit, &r, NULL),
		OK);
	assert_int_equal(resumer_fill(&r, &hostile, &kit, &argv, &why), ERR_INVALID);
	assert_int_equal(resumer_read(STR("run --resume={external_id}"), COMMAND_RESUMES,
				 &kit, &r, NULL),
		OK);
	assert_int_equal(resumer_fill(&r, &hostile, &kit, &argv, &why), OK);
}

static void a_long_context_loses_its_beginning(void **state)
{
	struct resumer_values wordy = values;
	struct resumer r;
	char **argv;

	(void)state;
	wordy.context =
		str_of(kit_print("%s%s", kit_repeat("é", 100000), "the last answer"));
	assert_int_equal(
		resumer_read(STR("run {context}"), COMMAND_RESUMES, &kit, &r, NULL), OK);
	assert_true(resumer_wants_text(&r));
	assert_int_equal(resumer_fill(&r, &wordy, &kit, &argv, NULL), OK);
	assert_true(strlen(argv[1]) < 128 * 1024 - 4096);
	assert_true(str_ends(str_of(argv[1]), "the last answer"));
	assert_true(str_starts(str_of(argv[1]), "(The beginning is left out"));
}

static void names_of_resumers_are_plain(void **state)
{
	(void)state;
	assert_true(resumer_name_valid(STR("claude-code_2.1")));
	assert_false(resumer_name_valid(STR("")));
	assert_false(resumer_name_valid(STR("a b")));
	assert_false(resumer_name_valid(STR("é")));
	assert_false(resumer_name_valid(str_of(kit_repeat("a", 101))));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(pauses_grow_over_three_days_and_end),
		KIT_TEST(people_are_tried_for_minutes_and_by_mail_for_six_hours),
		KIT_TEST(a_signature_is_over_id_time_and_body),
		KIT_TEST(a_callback_reads_back),
		KIT_TEST(a_delivery_is_shown),
		KIT_TEST(a_command_line_becomes_words),
		KIT_TEST(a_wrong_command_line_is_refused),
		KIT_TEST(a_value_never_becomes_an_option),
		KIT_TEST(a_long_context_loses_its_beginning),
		KIT_TEST(names_of_resumers_are_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
