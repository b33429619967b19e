#include "base/real.h"
#include "base/json.h"

#include "random.h"
#include "unit.h"

#include <locale.h>
#include <math.h>

static void check_written(double value, const char *want)
{
	char text[REAL_SIZE];

	CHECK_INT(real_write(value, text), strlen(want));
	assert_string_equal(text, want);
}

static double read_real(const char *text)
{
	struct arena a = { 0 };
	const struct json *j;
	double value;

	CHECK_INT(json_read(str_of(text), NULL, &a, &j, NULL), OK);
	value = json_real(j);
	arena_done(&a);
	return value;
}

static double from_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* RFC 8785, appendix B. */
static void numbers_are_written_as_rfc_8785_shows(void **state)
{
	static const struct {
		uint64_t bits;
		const char *text;
	} vectors[] = {
		{ 0x0000000000000000, "0" },
		{ 0x8000000000000000, "0" },
		{ 0x0000000000000001, "5e-324" },
		{ 0x8000000000000001, "-5e-324" },
		{ 0x7fefffffffffffff, "1.7976931348623157e+308" },
		{ 0xffefffffffffffff, "-1.7976931348623157e+308" },
		{ 0x4340000000000000, "9007199254740992" },
		{ 0xc340000000000000, "-9007199254740992" },
		{ 0x4430000000000000, "295147905179352830000" },
		{ 0x44b52d02c7e14af5, "9.999999999999997e+22" },
		{ 0x44b52d02c7e14af6, "1e+23" },
		{ 0x44b52d02c7e14af7, "1.0000000000000001e+23" },
		{ 0x444b1ae4d6e2ef4e, "999999999999999700000" },
		{ 0x444b1ae4d6e2ef4f, "999999999999999900000" },
		{ 0x444b1ae4d6e2ef50, "1e+21" },
		{ 0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7" },
		{ 0x3eb0c6f7a0b5ed8d, "0.000001" },
		{ 0x41b3de4355555553, "333333333.3333332" },
		{ 0x41b3de4355555554, "333333333.33333325" },
		{ 0x41b3de4355555555, "333333333.3333333" },
		{ 0x41b3de4355555556, "333333333.3333334" },
		{ 0x41b3de4355555557, "333333333.33333343" },
		{ 0xbecbf647612f3696, "-0.0000033333333333333333" },
		{ 0x43143ff3c1cb0959, "1424953923781206.2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
		check_written(from_bits(vectors[i].bits), vectors[i].text);
}

static void the_shortest_text_is_found_where_doubles_lie_unevenly(void **state)
{
	(void)state;
	check_written(0x1p-44, "5.684341886080802e-14");
	check_written(0x1p-1022, "2.2250738585072014e-308");
	check_written(9.5e-323, "9.4e-323");
	check_written(0.1 + 0.2, "0.30000000000000004");
	check_written(123456.789, "123456.789");
	check_written(-1.5e300, "-1.5e+300");
}

static void what_is_written_reads_back(void **state)
{
	uint64_t seed = 1;
	int tried = 0;

	(void)state;
	while (tried < 20000) {
		char text[REAL_SIZE];
		double value;

		value = from_bits(random_next(&seed));
		if (!isfinite(value)) continue;
		tried++;
		real_write(value, text);
		if (read_real(text) != value) fail_msg("%s", text);
	}
}

static void reading_rounds_to_the_nearest(void **state)
{
	(void)state;
	CHECK(read_real("9007199254740993.0") == 9007199254740992.0);
	CHECK(read_real("9007199254740993.00000000000000000000000000000001") ==
		9007199254740994.0);
	CHECK(read_real("2.2250738585072011e-308") == 2.2250738585072011e-308);
	CHECK(read_real("1e-400") == 0);
	CHECK(signbit(read_real("-1e-400")));
	CHECK(read_real("0e999999999999999999999") == 0);
	CHECK(read_real("1e-99999999999999999999") == 0);
	CHECK(read_real("12345678901234567890123") == 12345678901234567890123.0);
}

static void the_locale_has_no_say(void **state)
{
	(void)state;
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") &&
		!setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
		skip();
	check_written(1.5, "1.5");
	check_written(1e-7, "1e-7");
	CHECK(read_real("1.2345678901234567890123e5") == 123456.7890123456789);
	setlocale(LC_NUMERIC, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(numbers_are_written_as_rfc_8785_shows),
		TEST(the_shortest_text_is_found_where_doubles_lie_unevenly),
		TEST(what_is_written_reads_back),
		TEST(reading_rounds_to_the_nearest),
		TEST(the_locale_has_no_say),
	};

	return RUN(tests);
}
