#include "base/clock.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void check_time(int64_t ms, const char *text)
{
	char out[TIME_SIZE];
	int64_t back = -1;

	time_write(ms, out);
	assert_string_equal(out, text);
	CHECK(time_read(str_of(text), &back));
	CHECK(back == ms);
}

static void times_are_written_in_utc_with_milliseconds(void **state)
{
	(void)state;
	check_time(0, "1970-01-01T00:00:00.000Z");
	check_time(-1, "1969-12-31T23:59:59.999Z");
	check_time(951782400123, "2000-02-29T00:00:00.123Z");
	check_time(1794729600000, "2026-11-15T08:00:00.000Z");
	check_time(4107542400000, "2100-03-01T00:00:00.000Z");
	check_time(-62167219200000, "0000-01-01T00:00:00.000Z");
	check_time(253402300799999, "9999-12-31T23:59:59.999Z");
}

static void every_day_of_1200_years_reads_back(void **state)
{
	(void)state;
	for (int64_t day = -400 * 365; day < 800 * 365; day++) {
		char out[TIME_SIZE];
		int64_t back;

		time_write(day * 86400000 + 12345678, out);
		if (!time_read(str_of(out), &back) || back != day * 86400000 + 12345678)
			fail_msg("%s", out);
	}
}

static void times_beyond_the_calendar_are_moved_to_its_ends(void **state)
{
	char out[TIME_SIZE];

	(void)state;
	time_write(INT64_MAX, out);
	assert_string_equal(out, "9999-12-31T23:59:59.999Z");
	time_write(INT64_MIN, out);
	assert_string_equal(out, "0000-01-01T00:00:00.000Z");
}

static void offsets_fractions_and_small_letters_are_read(void **state)
{
	static const char *const same[] = { "2026-11-15T08:00:00Z",
		"2026-11-15t08:00:00z", "2026-11-15T09:30:00+01:30",
		"2026-11-14T20:00:00-12:00", "2026-11-15T08:00:00.0Z",
		"2026-11-15T08:00:00.000999Z", "2026-11-15T07:59:60Z",
		"2026-11-15T08:00:00-00:00" };
	int64_t ms;

	(void)state;
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		ms = -1;
		CHECK(time_read(str_of(same[i]), &ms));
		CHECK(ms == 1794729600000);
	}
	CHECK(time_read(STR("2026-11-15T08:00:00.12Z"), &ms));
	CHECK(ms == 1794729600120);
}

static void malformed_times_are_refused(void **state)
{
	static const char *const bad[] = { "", "2026-11-15", "2026-11-15T08:00:00",
		"2026-11-15 08:00:00Z", "2026-13-15T08:00:00Z", "2026-00-15T08:00:00Z",
		"2026-02-29T08:00:00Z", "1900-02-29T08:00:00Z", "2026-04-31T08:00:00Z",
		"2026-11-00T08:00:00Z", "2026-11-15T24:00:00Z", "2026-11-15T08:60:00Z",
		"2026-11-15T08:00:61Z", "2026-11-15T08:00:00.Z",
		"2026-11-15T08:00:00+24:00", "2026-11-15T08:00:00+01:60",
		"2026-11-15T08:00:00+0100", "2026-11-15T08:00:00ZZ",
		"2026-11-15T08:00:00Z ", " 2026-11-15T08:00:00Z", "26-11-15T08:00:00Z",
		"+026-11-15T08:00:00Z", "2026-1-15T08:00:00Z", "2026-11-15T08:00Z",
		"2026-11-15T08:00:00.1" };
	int64_t ms = 7;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (time_read(str_of(bad[i]), &ms)) fail_msg("%s", bad[i]);
		CHECK_INT(ms, 7);
	}
}

static void durations_have_units_or_are_seconds(void **state)
{
	int64_t ms;

	(void)state;
	CHECK(duration_read(STR("90s"), &ms) && ms == 90000);
	CHECK(duration_read(STR("30m"), &ms) && ms == 1800000);
	CHECK(duration_read(STR("24h"), &ms) && ms == 86400000);
	CHECK(duration_read(STR("7d"), &ms) && ms == 604800000);
	CHECK(duration_read(STR("15"), &ms) && ms == 15000);
	CHECK(duration_read(STR("0"), &ms) && ms == 0);
	CHECK(duration_read(STR("36525d"), &ms) && ms == 36525 * INT64_C(86400000));
}

static void other_durations_are_refused(void **state)
{
	static const char *const bad[] = { "", "s", "-1s", "-0", "1.5h", "1w", "1 h",
		"h1", "1ms", "1hh", "36526d", "99999999999999999999s", "3155760001" };
	int64_t ms = 7;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (duration_read(str_of(bad[i]), &ms)) fail_msg("%s", bad[i]);
		CHECK_INT(ms, 7);
	}
}

static void tests_can_set_the_time(void **state)
{
	(void)state;
	clock_set(1234);
	CHECK_INT(clock_now_ms(), 1234);
	clock_set(0);
	CHECK(clock_now_ms() > 1600000000000);
}

static void a_file_can_move_the_time(void **state)
{
	char path[] = "/tmp/parley-clock-XXXXXX";
	int fd = mkstemp(path);
	int64_t real = clock_now_ms(), moved;

	(void)state;
	CHECK(fd >= 0);
	CHECK(write(fd, "86400000\n", 9) == 9);
	setenv("PARLEY_TEST_CLOCK", path, 1);
	clock_init();
	moved = clock_now_ms();
	CHECK(moved >= real + 86400000 && moved < real + 86400000 + 60000);
	CHECK(pwrite(fd, "-8640000 ", 9, 0) == 9);
	moved = clock_now_ms();
	CHECK(moved >= real - 8640000 && moved < real - 8640000 + 60000);
	close(fd);
	unlink(path);
	CHECK(clock_now_ms() >= real);
	unsetenv("PARLEY_TEST_CLOCK");
	clock_init();
}

static void the_monotonic_clock_goes_forward(void **state)
{
	int64_t before = clock_mono_ns(), ms = clock_mono_ms();

	(void)state;
	CHECK(clock_mono_ns() >= before);
	CHECK(clock_mono_ms() >= ms && ms >= before / 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(times_are_written_in_utc_with_milliseconds),
		TEST(every_day_of_1200_years_reads_back),
		TEST(times_beyond_the_calendar_are_moved_to_its_ends),
		TEST(offsets_fractions_and_small_letters_are_read),
		TEST(malformed_times_are_refused),
		TEST(durations_have_units_or_are_seconds),
		TEST(other_durations_are_refused),
		TEST(tests_can_set_the_time),
		TEST(a_file_can_move_the_time),
		TEST(the_monotonic_clock_goes_forward),
	};

	return RUN(tests);
}
