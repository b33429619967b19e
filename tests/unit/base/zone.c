/* zone.c - the reader of the tz database against the C library, and files that are none. */
#include "base/zone.h"
#include "base/buf.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const zones[] = { "Europe/Paris", "Europe/London", "Europe/Dublin",
	"Europe/Istanbul", "America/New_York", "America/Los_Angeles", "America/Sao_Paulo",
	"America/St_Johns", "America/Havana", "America/Santiago", "Asia/Tokyo",
	"Asia/Kolkata", "Asia/Kathmandu", "Asia/Tehran", "Asia/Gaza", "Africa/Casablanca",
	"Africa/Cairo", "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Chatham",
	"Pacific/Apia", "Etc/UTC" };
enum { ZONES = sizeof zones / sizeof *zones };

static int64_t library_offset(int64_t at_s)
{
	time_t t = (time_t)at_s;
	struct tm local;

	localtime_r(&t, &local);
	return local.tm_gmtoff;
}

static const struct zone *load(const char *name, struct arena *arena)
{
	struct fault why = { 0 };
	const struct zone *z = NULL;

	if (zone_load(str_of(name), arena, &z, &why))
		fail_msg("%s: %s", name, why.detail);
	return z;
}

/* Around every change, and every some hours, from 2020 to 2045. */
static void offsets_are_those_of_the_library(void **state)
{
	const int64_t from = 1577836800, to = 2366841600;

	(void)state;
	for (int i = 0; i < ZONES; i++) {
		struct arena arena = { 0 };
		const struct zone *z = load(zones[i], &arena);

		setenv("TZ", zones[i], 1);
		tzset();
		for (int64_t t = from; t < to; t += 7 * 3600 + 1801)
			if (zone_offset_s(z, t) != library_offset(t))
				fail_msg("%s at %lld", zones[i], (long long)t);
		for (int64_t t = zone_next_change_s(z, from); t < to;
			t = zone_next_change_s(z, t))
			for (int64_t d = -1; d <= 1; d++)
				if (zone_offset_s(z, t + d) != library_offset(t + d))
					fail_msg("%s at its change %lld %+d", zones[i],
						(long long)t, (int)d);
		arena_done(&arena);
	}
	unsetenv("TZ");
	tzset();
}

static void what_is_no_zone_is_refused(void **state)
{
	static const char *const wrong[] = { "", "Mars/Olympus", "../../etc/passwd",
		"/etc/localtime", "Europe", "tzdata.zi", "Europe/Paris\n",
		"right/Europe/Paris" };

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct arena arena = { 0 };
		struct fault why = { 0 };
		const struct zone *z;

		assert_int_equal(
			zone_load(str_of(wrong[i]), &arena, &z, &why), ERR_INVALID);
		arena_done(&arena);
	}
}

/* Every file that is cut short, or has one byte changed, is refused or harmless. */
static void broken_files_do_no_harm(void **state)
{
	char bytes[4096];
	FILE *file = fopen("/usr/share/zoneinfo/Europe/Paris", "rb");
	size_t len = file ? fread(bytes, 1, sizeof bytes, file) : 0;

	(void)state;
	assert_true(len > 100);
	fclose(file);
	for (size_t i = 0; i < len; i++) {
		struct arena arena = { 0 };
		const struct zone *z;
		char kept = bytes[i];

		assert_int_equal(
			zone_read(str_make(bytes, i), &arena, &z, NULL), ERR_INVALID);
		bytes[i] = (char)(kept ^ (int)(1 + i % 255));
		if (zone_read(str_make(bytes, len), &arena, &z, NULL) == OK) {
			zone_offset_s(z, INT64_MAX);
			zone_offset_s(z, INT64_MIN);
			zone_next_change_s(z, 1700000000);
		}
		bytes[i] = kept;
		arena_done(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_are_those_of_the_library),
		cmocka_unit_test(what_is_no_zone_is_refused),
		cmocka_unit_test(broken_files_do_no_harm),
	};

	return cmocka_run_group_tests_name("base/zone", tests, NULL, NULL);
}
