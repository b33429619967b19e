/* The header Mcp-Name: what it repeats, and what goes in comes out of every spelling. */
#include "mcp/header.h"

#include "kit.h"

static void texts_come_back(void **state)
{
	static const struct {
		struct str text;
		bool plain;
	} rows[] = {
		{ STR("ask_human"), true },
		{ STR("parley://asks/1?a=b c"), true },
		{ STR(""), true },
		{ STR(" led"), false },
		{ STR("trailing\t"), false },
		{ STR("caf\xc3\xa9"), false },
		{ STR("two\r\nlines: injected"), false },
		{ STR("=?base64?eA==?="), false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct str spelt = header_encode(rows[i].text, &kit), back;

		assert_int_equal(str_eq(spelt, rows[i].text), rows[i].plain);
		for (size_t at = 0; at < spelt.len; at++)
			assert_in_range(spelt.at[at], ' ', '~');
		assert_true(header_decode(spelt, &kit, &back));
		assert_true(str_eq(back, rows[i].text));
	}
}

static void spoilt_ones_are_told(void **state)
{
	struct str out;

	(void)state;
	assert_false(header_decode(STR("=?base64?*?="), &kit, &out));
	assert_false(header_decode(STR("=?base64?="), &kit, &out)); /* the ends overlap */
}

static void each_method_repeats_its_own_member(void **state)
{
	const struct json *params = kit_json("{'name':'n','uri':'u','taskId':'t'}");
	struct str subject;

	(void)state;
	assert_true(header_subject(STR("tools/call"), params, &subject));
	assert_true(str_is(subject, "n"));
	assert_true(header_subject(STR("resources/read"), params, &subject));
	assert_true(str_is(subject, "u"));
	assert_true(header_subject(STR("tasks/cancel"), params, &subject));
	assert_true(str_is(subject, "t"));
	assert_true(header_subject(STR("tools/call"), NULL, &subject));
	assert_int_equal(subject.len, 0);
	assert_false(header_subject(STR("tools/list"), params, &subject));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(texts_come_back),
		KIT_TEST(spoilt_ones_are_told),
		KIT_TEST(each_method_repeats_its_own_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
