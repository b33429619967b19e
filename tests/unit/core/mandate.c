/* Approvals in advance: sums are exact, and an edit never makes one wider. */
#include "core/policy/mandate.h"

#include "kit.h"
#include "random.h"

static amount read_amount(const char *text)
{
	amount out = 0;

	assert_true(amount_read(str_of(text), &out));
	return out;
}

static const char *written(amount a)
{
	struct buf b = { 0 };
	const char *out;

	amount_write(&b, a);
	out = kit_text(buf_str(&b));
	buf_done(&b);
	return out;
}

static void a_tenth_ten_times_is_one(void **state)
{
	static const char *const wrong[] = { "-1", "1e3", "0.0000001", "1234567890123456",
		".5", "1.", "", "0x1", "1234567890.123456" };
	amount sum = 0, out;

	(void)state;
	for (int i = 0; i < 10; i++)
		sum += read_amount("0.1");
	assert_true(sum == read_amount("1"));
	assert_string_equal(written(sum), "1");
	assert_string_equal(written(read_amount("123456789.000001")), "123456789.000001");
	assert_string_equal(written(read_amount("999999999999999") + read_amount("0.5")),
		"999999999999999.5");
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(amount_read(str_of(wrong[i]), &out));
}

static const char lines[] =
	"[{'key':'a','tool':['mcp__a__b'],'uses':9},"
	"{'key':'b','tool':['mcp__c__d'],'uses':9,'sum':{'pointer':'/n','max':9.5},'risk':'high'}]";

static struct str edited_line(uint64_t *r, const char *key, bool *wider)
{
	unsigned uses = 1 + (unsigned)random_below(r, 14);
	unsigned max = (unsigned)random_below(r, 14);
	bool other = random_below(r, 12) == 0;
	const char *tool = key[0] == 'a' ? "mcp__a__b" : "mcp__c__d";

	*wider |= uses > 9 || other || (key[0] == 'b' && max > 9);
	if (other) tool = random_below(r, 2) ? "mcp__a__*" : "mcp__e__f";
	return str_of(
		key[0] == 'a'
			? kit_print("{'key':'a','tool':['%s'],'uses':%u}", tool, uses)
			: kit_print("{'key':'b','tool':['%s'],'uses':%u,'sum':{"
				    "'pointer':'/n','max':%u},'risk':'high'}",
				  tool, uses, max));
}

static void nothing_wider_than_asked_is_taken(void **state)
{
	enum { NOW = 1000000, UNTIL = NOW + 3600 * 1000, EDITS = 10000 };
	uint64_t r = 7;
	int taken = 0;

	(void)state;
	for (int i = 0; i < EDITS; i++) {
		struct mandate_record asked = { .lines = kit_quote(lines),
			.until_ms = UNTIL };
		struct json_place at = place_root("");
		struct check c = { 0 };
		bool wider = false;
		unsigned which = 1 + (unsigned)random_below(&r, 3);
		struct str a = edited_line(&r, "a", &wider), b = STR_NONE, out;
		int64_t until;

		if (!(which & 1)) wider = false;
		if (which & 2) b = edited_line(&r, "b", &wider);
		mandate_narrow(&c, &at, &asked,
			kit_json(kit_print("{'lines':[%s%s%s]}", which & 1 ? a.at : "",
				which == 3 ? "," : "", which & 2 ? b.at : "")),
			NOW, &kit, &out, &until);
		assert_int_equal(c.failed, wider);
		taken += !wider;
		if (i % 100 == 99) {
			kit_end(NULL);
			kit_begin(NULL);
		}
	}
	assert_true(taken > 100);
}

static void a_line_is_drawn_while_both_suffice(void **state)
{
	struct mandate_lines l;
	struct mandate_count n[MANDATE_LINES_MAX] = { 0 };
	struct operation_view look;
	amount takes;
	const struct json *op =
		kit_json("{'type':'mcp','name':'mcp__c__d','arguments':{'n':9.5}}");

	(void)state;
	assert_true(mandate_lines_load(kit_quote(lines), &kit, &l));
	operation_view(&look, op, NULL, STR("x"), STR_NONE, STR("ses_1"), &kit);
	assert_int_equal(mandate_fit(&l, n, &look, RISK_HIGH, &kit, &takes), 1);
	assert_true(takes == read_amount("9.5"));
	assert_int_equal(mandate_fit(&l, n, &look, RISK_CRITICAL, &kit, &takes), -1);
	n[1].spent = 1;
	assert_int_equal(mandate_fit(&l, n, &look, RISK_HIGH, &kit, &takes), -1);
	n[1] = (struct mandate_count){ .used = 9 };
	assert_int_equal(mandate_fit(&l, n, &look, RISK_HIGH, &kit, &takes), -1);
	assert_true(mandate_left(&l, n));
	n[0].used = 9;
	assert_false(mandate_left(&l, n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_tenth_ten_times_is_one),
		KIT_TEST(nothing_wider_than_asked_is_taken),
		KIT_TEST(a_line_is_drawn_while_both_suffice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
