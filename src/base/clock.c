/* clock.c - the clocks; the proleptic Gregorian calendar; times and durations as text. */
#include "base/clock.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DAY_S = 86400 };
static const int64_t duration_max_ms = 100 * INT64_C(36525) * DAY_S * 10;

static _Atomic int64_t fixed_ms;
static const char *offset_file;

static int64_t clock_ns(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* 0 when there is no file or no number in it. */
static int64_t file_offset_ms(void)
{
	char text[32];
	int64_t offset = 0;
	ssize_t len;
	int fd = open(offset_file, O_RDONLY | O_CLOEXEC);

	if (fd < 0) return 0;
	len = read(fd, text, sizeof text);
	close(fd);
	if (len > 0)
		str_to_int(str_trim(str_make(text, (size_t)len)), INT64_MIN / 2,
			INT64_MAX / 2, &offset);
	return offset;
}

void clock_init(void)
{
	offset_file = getenv("PARLEY_TEST_CLOCK");
}

int64_t clock_tested(int64_t now_ms)
{
	int64_t fixed = atomic_load_explicit(&fixed_ms, memory_order_relaxed);

	if (fixed) return fixed;
	return offset_file ? now_ms + file_offset_ms() : now_ms;
}

int64_t clock_now_ms(void)
{
	return clock_tested(clock_ns(CLOCK_REALTIME) / 1000000);
}

int64_t clock_mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int64_t clock_mono_ms(void)
{
	return clock_mono_ns() / 1000000;
}

struct timespec clock_mono_after(int64_t ms)
{
	int64_t ns = clock_mono_ns() + ms * 1000000;

	return (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
}

int64_t clock_person_ms(void)
{
	return clock_mono_ms() + (offset_file ? file_offset_ms() : 0);
}

void clock_set(int64_t now_ms)
{
	atomic_store_explicit(&fixed_ms, now_ms, memory_order_relaxed);
}

/* Years start in March here, so that the leap day comes last. */
int64_t clock_days(int64_t year, int month, int day)
{
	int64_t y = month > 2 ? year : year - 1;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t in_era = y - era * 400;
	int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

static void date_of(int64_t days, int *year, int *month, int *day)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t in_era = z - era * 146097;
	int64_t y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int64_t in_year = in_era - (365 * y + y / 4 - y / 100);
	int64_t m = (5 * in_year + 2) / 153;

	*day = (int)(in_year - (153 * m + 2) / 5 + 1);
	*month = (int)(m < 10 ? m + 3 : m - 9);
	*year = (int)(y + era * 400 + (*month <= 2));
}

static char *put_digits(char *at, int value, int digits, char behind)
{
	for (int i = digits; i-- > 0; value /= 10)
		at[i] = (char)('0' + value % 10);
	at[digits] = behind;
	return at + digits + 1;
}

/* What RFC 3339 cannot say, a year beyond 0 to 9999, is moved to the nearest it can. */
static int64_t writable(int64_t ms)
{
	const int64_t first = INT64_C(-62167219200000), last = INT64_C(253402300799999);

	return ms < first ? first : ms > last ? last : ms;
}

void time_write(int64_t ms, char out[TIME_SIZE])
{
	int64_t day_ms = INT64_C(1000) * DAY_S;
	int64_t days, rest_ms;
	int year, month, day;

	ms = writable(ms);
	days = ms / day_ms - (ms % day_ms < 0);
	rest_ms = ms - days * day_ms;
	date_of(days, &year, &month, &day);
	out = put_digits(out, year, 4, '-');
	out = put_digits(out, month, 2, '-');
	out = put_digits(out, day, 2, 'T');
	out = put_digits(out, (int)(rest_ms / 3600000), 2, ':');
	out = put_digits(out, (int)(rest_ms / 60000 % 60), 2, ':');
	out = put_digits(out, (int)(rest_ms / 1000 % 60), 2, '.');
	out = put_digits(out, (int)(rest_ms % 1000), 3, 'Z');
	*out = '\0';
}

/* Takes exactly n digits off the front. */
static bool take_digits(struct str *s, int n, int min, int max, int *out)
{
	int value = 0;

	if (s->len < (size_t)n) return false;
	for (int i = 0; i < n; i++) {
		if (s->at[i] < '0' || s->at[i] > '9') return false;
		value = value * 10 + (s->at[i] - '0');
	}
	if (value < min || value > max) return false;
	*s = str_from(*s, (size_t)n);
	*out = value;
	return true;
}

static bool take_char(struct str *s, char upper)
{
	if (s->len == 0 || (s->at[0] != upper && s->at[0] != (upper | 0x20)))
		return false;
	*s = str_from(*s, 1);
	return true;
}

/* Any number of digits; what is finer than a millisecond is dropped. */
static bool take_fraction(struct str *s, int *ms)
{
	int scale = 100;

	*ms = 0;
	if (!take_char(s, '.')) return true;
	if (s->len == 0 || s->at[0] < '0' || s->at[0] > '9') return false;
	for (; s->len && s->at[0] >= '0' && s->at[0] <= '9'; *s = str_from(*s, 1)) {
		*ms += (s->at[0] - '0') * scale;
		scale /= 10;
	}
	return true;
}

static bool take_offset(struct str *s, int *minutes)
{
	int sign, hour, minute;

	*minutes = 0;
	if (take_char(s, 'Z')) return true;
	if (s->len == 0 || (s->at[0] != '+' && s->at[0] != '-')) return false;
	sign = s->at[0] == '-' ? -1 : 1;
	*s = str_from(*s, 1);
	if (!take_digits(s, 2, 0, 23, &hour) || !take_char(s, ':') ||
		!take_digits(s, 2, 0, 59, &minute))
		return false;
	*minutes = sign * (hour * 60 + minute);
	return true;
}

int clock_month_days(int64_t year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

bool time_read(struct str s, int64_t *ms)
{
	int year, month, day, hour, minute, second, fraction, offset;
	int64_t seconds;

	if (!take_digits(&s, 4, 0, 9999, &year) || !take_char(&s, '-') ||
		!take_digits(&s, 2, 1, 12, &month) || !take_char(&s, '-') ||
		!take_digits(&s, 2, 1, clock_month_days(year, month), &day) ||
		!take_char(&s, 'T') || !take_digits(&s, 2, 0, 23, &hour) ||
		!take_char(&s, ':') || !take_digits(&s, 2, 0, 59, &minute) ||
		!take_char(&s, ':') || !take_digits(&s, 2, 0, 60, &second) ||
		!take_fraction(&s, &fraction) || !take_offset(&s, &offset) || s.len)
		return false;
	seconds =
		clock_days(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second;
	seconds -= offset * 60;
	/* A leap second or an offset may lead out of the years that have four digits. */
	if (seconds < clock_days(0, 1, 1) * DAY_S ||
		seconds >= clock_days(10000, 1, 1) * DAY_S)
		return false;
	*ms = seconds * 1000 + fraction;
	return true;
}

static const struct {
	char unit;
	int64_t ms;
} units[] = { { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 } };

void duration_write(int64_t ms, char out[DURATION_SIZE])
{
	size_t i = 3;

	while (i && (ms < units[i].ms || ms % units[i].ms))
		i--;
	if (ms % units[i].ms)
		snprintf(out, DURATION_SIZE, "%gs", (double)ms / 1000);
	else
		snprintf(out, DURATION_SIZE, "%lld%c", (long long)(ms / units[i].ms),
			units[i].unit);
}

bool duration_read(struct str s, int64_t *ms)
{
	int64_t unit_ms = 1000, n;
	char last = s.len ? s.at[s.len - 1] : '\0';

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (last != units[i].unit) continue;
		unit_ms = units[i].ms;
		s.len--;
		break;
	}
	if (s.len && s.at[0] == '-') return false;
	if (!str_to_int(s, 0, duration_max_ms / unit_ms, &n)) return false;
	*ms = n * unit_ms;
	return true;
}
