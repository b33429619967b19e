/* notify_prefs.c - quiet hours and digests by the wall clock, in twenty zones over ten years, against
 * the C library; and what passes. */
#include "core/notify/notify_prefs.h"
#include "kit.h"

#include <stdlib.h>
#include <time.h>

static const char *const zones[] = { "Europe/Paris", "Europe/London", "Europe/Dublin",
	"America/New_York", "America/Los_Angeles", "America/Sao_Paulo",
	"America/St_Johns", "America/Havana", "America/Santiago", "Asia/Tokyo",
	"Asia/Kolkata", "Asia/Kathmandu", "Asia/Tehran", "Asia/Gaza", "Africa/Casablanca",
	"Africa/Cairo", "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Chatham",
	"Pacific/Apia" };
enum { ZONES = sizeof zones / sizeof *zones };

static struct notify_prefs prefs_of(const char *json)
{
	struct notify_prefs p;

	if (prefs_read(kit_json(json), &kit, &p, NULL) ||
		prefs_zones(&p, zone_load, &kit, NULL))
		fail_msg("not read: %s", json);
	return p;
}

/* As the library's wall clock has it: 22:30 to 06:15, and Sundays. */
static bool library_quiet(int64_t at_s)
{
	time_t t = (time_t)at_s;
	struct tm wall;
	int minute;

	localtime_r(&t, &wall);
	minute = wall.tm_hour * 60 + wall.tm_min;
	return wall.tm_wday == 0 || minute >= 22 * 60 + 30 || minute < 6 * 60 + 15;
}

static int library_minute(int64_t at_s)
{
	time_t t = (time_t)at_s;
	struct tm wall;

	localtime_r(&t, &wall);
	return wall.tm_hour * 60 + wall.tm_min;
}

/* The next instant to try: close together around changes of the clock, else far apart. */
static int64_t time_next(const struct zone *z, int64_t t)
{
	int64_t change = zone_next_change_s(z, t - 86400);

	if (change - 86400 <= t && t <= change + 86400) return t + 37 * 60;
	return change - 86400 < t + 40 * 3600 + 1259 ? change - 86400
						     : t + 40 * 3600 + 1259;
}

static void in_zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

static void quiet_ends_when_the_wall_clock_says_so(void **state)
{
	(void)state;
	for (int i = 0; i < ZONES; i++) {
		struct notify_prefs p = prefs_of(kit_print(
			"{'quiet':{'tz':'%s','from':'22:30','to':'06:15','days':['sun']}}",
			zones[i]));

		in_zone(zones[i]);
		for (int64_t t = 1767225600; t < 2082758400;
			t = time_next(p.quiet_zone, t)) {
			int64_t until = prefs_quiet_until(&p, t * 1000) / 1000;

			if ((until != 0) != library_quiet(t))
				fail_msg("%s at %lld", zones[i], (long long)t);
			if (!until) continue;
			if (library_quiet(until) || !library_quiet(until - 1))
				fail_msg("%s from %lld to %lld", zones[i], (long long)t,
					(long long)until);
			for (int64_t at = t; at < until; at += 900)
				if (!library_quiet(at))
					fail_msg("%s ends before %lld", zones[i],
						(long long)until);
		}
	}
	in_zone("UTC");
}

/* The wall clock shows the time, or has just jumped over it, and did not do so before. */
static void a_digest_comes_at_the_next_time(void **state)
{
	(void)state;
	for (int i = 0; i < ZONES; i++) {
		struct notify_prefs p = prefs_of(
			kit_print("{'digest':{'tz':'%s','at':['16:00','02:30','09:00']}}",
				zones[i]));

		in_zone(zones[i]);
		for (int64_t t = 1767225600; t < 2082758400;
			t = time_next(p.digest_zone, t)) {
			int64_t next = prefs_digest_next(&p, t * 1000) / 1000;
			int at = library_minute(next), before = library_minute(next - 60);
			bool shows = at == 150 || at == 540 || at == 960;
			bool jumped = before < 150 && at > 150 && at < 360;

			if (next <= t || next > t + 26 * 3600 || (!shows && !jumped))
				fail_msg("%s after %lld: %lld", zones[i], (long long)t,
					(long long)next);
			for (int64_t m = t - t % 900 + 900; m < next; m += 900) {
				int minute = library_minute(m);

				if (minute == 150 || minute == 540 || minute == 960)
					fail_msg("%s after %lld: %lld comes before %lld",
						zones[i], (long long)t, (long long)m,
						(long long)next);
			}
		}
	}
	in_zone("UTC");
}

static void what_is_urgent_passes(void **state)
{
	struct notify_prefs p =
		prefs_of("{'quiet':{'tz':'Etc/UTC','from':'00:00','to':'23:59'},"
			 "'digest':{'tz':'Etc/UTC','at':['12:00'],'below':'high'}}");
	struct notify_prefs never = prefs_of(
		"{'quiet':{'tz':'Etc/UTC','from':'00:00','to':'23:59','except':'never'}}");
	const int64_t now = 1767225600000 + 60000, noon = 1767225600000 + 12 * 3600000;

	(void)state;
	assert_true(prefs_hold_quiet(&p, PRIORITY_HIGH, RISK_HIGH, now) > now);
	assert_int_equal(prefs_hold_quiet(&p, PRIORITY_URGENT, RISK_NONE, now), 0);
	assert_int_equal(prefs_hold_quiet(&p, PRIORITY_LOW, RISK_CRITICAL, now), 0);
	assert_true(prefs_hold_quiet(&never, PRIORITY_URGENT, RISK_CRITICAL, now) > now);
	assert_int_equal(prefs_hold_digest(&p, PRIORITY_NORMAL, RISK_NONE, 0, now), noon);
	assert_int_equal(prefs_hold_digest(&p, PRIORITY_HIGH, RISK_NONE, 0, now), 0);
	assert_int_equal(prefs_hold_digest(&p, PRIORITY_LOW, RISK_CRITICAL, 0, now), 0);
	assert_int_equal(prefs_hold_digest(&p, PRIORITY_LOW, RISK_LOW, noon, now), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(quiet_ends_when_the_wall_clock_says_so),
		KIT_TEST(a_digest_comes_at_the_next_time),
		KIT_TEST(what_is_urgent_passes),
	};

	return cmocka_run_group_tests_name("core/notify_prefs", tests, NULL, NULL);
}
