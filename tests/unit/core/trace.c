/* Trace context is kept as it came, or not at all, and passed on as the same trace with a parent of ours. */
#include "core/shared/trace.h"

#include "kit.h"

#define ID     "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN   "00f067aa0ba902b7"
#define PARENT "00-" ID "-" SPAN "-01"

static const char *kept(const char *parent, const char *state)
{
	return kit_text(trace_read(str_of(parent), str_of(state), &kit));
}

static void what_is_well_formed_is_kept_as_it_came(void **state)
{
	(void)state;
	assert_string_equal(kept(PARENT, "congo=t61rcWkgMzE,rojo@v=00f0 67"),
		"{\"traceparent\":\"" PARENT "\","
		"\"tracestate\":\"congo=t61rcWkgMzE,rojo@v=00f0 67\"}");
	assert_string_equal(kept(" " PARENT "\t", NULL),
		"{\"traceparent\":\"" PARENT "\",\"tracestate\":null}");
	assert_string_equal(kept("cc-" ID "-" SPAN "-01-what-comes", NULL),
		"{\"traceparent\":\"cc-" ID "-" SPAN
		"-01-what-comes\",\"tracestate\":null}");
	assert_string_equal(kit_text(trace_id(str_of(kept(PARENT, "a=1")))), ID);
}

static void what_is_malformed_is_dropped(void **state)
{
	static const char *const parents[] = { "", "00", PARENT "-", PARENT "0",
		"ff-" ID "-" SPAN "-01", "00-" ID "-" SPAN, "00-" ID "-" SPAN "-0",
		"00-" ID "-" SPAN "-0x", "00_" ID "-" SPAN "-01",
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01",
		"00-00000000000000000000000000000000-" SPAN "-01",
		"00-" ID "-0000000000000000-01", "cc-" ID "-" SPAN "-01.x",
		"cc-" ID "-" SPAN "-01-\"", "0-" ID "-" SPAN "-01" };
	static const char *const states[] = { "a", "=b", "a=", "A=b", "a=b=c", "a=\x01",
		"a=\xc3\xa9", ",", "a=b,c" };

	(void)state;
	for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
		assert_string_equal(kept(parents[i], "a=b"), "");
	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		assert_string_equal(kept(PARENT, states[i]),
			"{\"traceparent\":\"" PARENT "\",\"tracestate\":null}");
	assert_int_equal(trace_id(STR_NONE).len, 0);
}

static void it_is_passed_on_with_a_parent_of_ours(void **state)
{
	struct str whole = str_of(kept("cc-" ID "-" SPAN "-ff-more", "a=\"b\\"));
	struct trace_on one = trace_pass(whole, STR("dlv_1"), &kit),
			again = trace_pass(whole, STR("dlv_1"), &kit),
			other = trace_pass(whole, STR("dlv_2"), &kit);

	(void)state;
	assert_int_equal(one.parent.len, TRACE_PARENT_LEN);
	assert_memory_equal(one.parent.at, "00-" ID "-", 36);
	assert_memory_equal(one.parent.at + 52, "-03", 3);
	assert_true(str_eq(one.parent, again.parent));
	assert_false(str_eq(one.parent, other.parent));
	assert_false(memcmp(one.parent.at + 36, SPAN, 16) == 0);
	assert_string_equal(kit_text(one.state), "a=\"b\\");
	assert_true(trace_read(one.parent, one.state, &kit).len > 0);
	assert_int_equal(trace_pass(STR_NONE, STR("dlv_1"), &kit).parent.len, 0);
	assert_int_equal(trace_members(&(struct trace_on){ 0 }, &kit).len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(what_is_well_formed_is_kept_as_it_came),
		KIT_TEST(what_is_malformed_is_dropped),
		KIT_TEST(it_is_passed_on_with_a_parent_of_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
