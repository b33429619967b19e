/* zone.c - reads TZif files: the 64-bit table of changes, and the rule (a POSIX TZ text) that
 * goes on where the table ends. Every count is checked against the bytes that are there. */
#include "base/zone.h"

#include "base/buf.h"
#include "base/clock.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	HEADER_SIZE = 44,
	FILE_MAX = 256 * 1024,
	CHANGES_MAX = 4096,
	OFFSET_MAX_S = 26 * 3600,
	DAY_S = 86400,
};

/* When one of the two changes of a year happens. */
struct zone_day {
	char form; /* 'M': month.week.day; 'J': 1 to 365, no 29 February; 'n': 0 to 365 */
	int month, week, day;
	int64_t at_s; /* after midnight, by the clock before the change */
};

struct zone {
	int64_t *changes; /* instants, rising */
	int64_t *offsets; /* from that instant on */
	size_t len;
	int64_t first_s; /* before the first change */
	/* After the last change. */
	bool has_rule, has_summer;
	int64_t standard_s, summer_s; /* offsets */
	struct zone_day begin, end;   /* of summer time */
};

/* ---- days ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

static int64_t year_of(int64_t at_s)
{
	int64_t days = floor_div(at_s, DAY_S);
	int64_t year = 1970 + floor_div(days * 400, 146097);

	while (clock_days(year, 1, 1) > days)
		year--;
	while (clock_days(year + 1, 1, 1) <= days)
		year++;
	return year;
}

static int64_t month_day(int64_t year, const struct zone_day *d)
{
	int64_t first = clock_days(year, d->month, 1);
	int weekday = (int)(((first + 4) % 7 + 7) % 7); /* 1970 began on a Thursday */
	int day = (d->day - weekday + 7) % 7 + (d->week - 1) * 7;

	while (day >= clock_month_days(year, d->month))
		day -= 7;
	return first + day;
}

/* The instant, given the offset that holds before it. */
static int64_t day_instant(int64_t year, const struct zone_day *d, int64_t before_s)
{
	int64_t first = clock_days(year, 1, 1), day;

	if (d->form == 'M')
		day = month_day(year, d);
	else if (d->form == 'J')
		day = first + d->day - 1 +
		      (d->day > 59 && clock_month_days(year, 2) == 29);
	else
		day = first + d->day;
	return day * DAY_S + d->at_s - before_s;
}

/* ---- the rule ---- */

static bool number_cut(struct str *rest, int64_t max, int64_t *out)
{
	size_t n = 0;

	while (n < rest->len && n < 4 && isdigit((unsigned char)rest->at[n]))
		n++;
	if (!n || !str_to_int(str_first(*rest, n), 0, max, out)) return false;
	*rest = str_from(*rest, n);
	return true;
}

static bool char_cut(struct str *rest, char c)
{
	if (!rest->len || rest->at[0] != c) return false;
	*rest = str_from(*rest, 1);
	return true;
}

/* [+-]hh[:mm[:ss]] */
static bool clock_cut(struct str *rest, int64_t *out)
{
	int64_t parts[3] = { 0 };
	bool minus = char_cut(rest, '-');

	if (!minus) char_cut(rest, '+');
	if (!number_cut(rest, 167, &parts[0])) return false;
	for (int i = 1; i < 3 && char_cut(rest, ':'); i++)
		if (!number_cut(rest, 59, &parts[i])) return false;
	*out = parts[0] * 3600 + parts[1] * 60 + parts[2];
	if (minus) *out = -*out;
	return true;
}

static bool offset_cut(struct str *rest, int64_t *out)
{
	if (!clock_cut(rest, out) || *out > OFFSET_MAX_S || *out < -OFFSET_MAX_S)
		return false;
	*out = -*out; /* POSIX counts west */
	return true;
}

static bool name_cut(struct str *rest)
{
	size_t n = 0;

	if (char_cut(rest, '<')) {
		while (n < rest->len && rest->at[n] != '>')
			n++;
		*rest = str_from(*rest, n);
		return n > 0 && char_cut(rest, '>');
	}
	while (n < rest->len && isalpha((unsigned char)rest->at[n]))
		n++;
	*rest = str_from(*rest, n);
	return n >= 3;
}

static bool month_cut(struct str *rest, struct zone_day *d)
{
	int64_t month, week, day;

	if (!number_cut(rest, 12, &month) || month < 1 || !char_cut(rest, '.') ||
		!number_cut(rest, 5, &week) || week < 1 || !char_cut(rest, '.') ||
		!number_cut(rest, 6, &day))
		return false;
	d->month = (int)month;
	d->week = (int)week;
	d->day = (int)day;
	return true;
}

static bool day_cut(struct str *rest, struct zone_day *d)
{
	int64_t day = 0;

	*d = (struct zone_day){ .form = 'n', .at_s = 2 * 3600 };
	if (!char_cut(rest, ',')) return false;
	if (char_cut(rest, 'M')) {
		d->form = 'M';
		if (!month_cut(rest, d)) return false;
	} else {
		if (char_cut(rest, 'J')) d->form = 'J';
		if (!number_cut(rest, 365, &day) || (d->form == 'J' && !day))
			return false;
		d->day = (int)day;
	}
	return !char_cut(rest, '/') || clock_cut(rest, &d->at_s);
}

/* "CET-1CEST,M3.5.0,M10.5.0/3"; empty: nothing is said of later times. */
static bool rule_read(struct str text, struct zone *z)
{
	if (!text.len) return true;
	if (!name_cut(&text) || !offset_cut(&text, &z->standard_s)) return false;
	z->has_rule = true;
	if (!text.len) return true;
	z->has_summer = true;
	z->summer_s = z->standard_s + 3600;
	if (!name_cut(&text)) return false;
	if (text.len && text.at[0] != ',' && !offset_cut(&text, &z->summer_s))
		return false;
	return day_cut(&text, &z->begin) && day_cut(&text, &z->end) && !text.len;
}

static int64_t rule_offset(const struct zone *z, int64_t at_s)
{
	int64_t year, begin, end;

	if (!z->has_summer) return z->standard_s;
	year = year_of(at_s + z->standard_s);
	begin = day_instant(year, &z->begin, z->standard_s);
	end = day_instant(year, &z->end, z->summer_s);
	if (begin <= end)
		return at_s >= begin && at_s < end ? z->summer_s : z->standard_s;
	return at_s >= end && at_s < begin ? z->standard_s : z->summer_s;
}

static int64_t rule_next(const struct zone *z, int64_t at_s)
{
	int64_t year = year_of(at_s), best = ZONE_NO_CHANGE;

	if (!z->has_summer) return best;
	for (int64_t y = year - 1; y <= year + 1; y++) {
		int64_t both[] = { day_instant(y, &z->begin, z->standard_s),
			day_instant(y, &z->end, z->summer_s) };

		for (int i = 0; i < 2; i++)
			if (both[i] > at_s && both[i] < best) best = both[i];
	}
	return best;
}

/* ---- asking ---- */

/* How many changes happened up to this instant. */
static size_t changes_before(const struct zone *z, int64_t at_s)
{
	size_t low = 0, high = z->len;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (z->changes[mid] <= at_s)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* No sum over an instant beyond some million years may overflow. */
static int64_t instant_clamp(int64_t at_s)
{
	const int64_t most = (int64_t)1 << 46;

	return at_s > most ? most : at_s < -most ? -most : at_s;
}

int64_t zone_offset_s(const struct zone *z, int64_t at_s)
{
	size_t n = changes_before(z, at_s = instant_clamp(at_s));

	if (n == z->len && z->has_rule) return rule_offset(z, at_s);
	return n ? z->offsets[n - 1] : z->first_s;
}

int64_t zone_next_change_s(const struct zone *z, int64_t at_s)
{
	size_t n = changes_before(z, at_s = instant_clamp(at_s));

	if (n < z->len) return z->changes[n];
	return z->has_rule ? rule_next(z, at_s) : ZONE_NO_CHANGE;
}

/* ---- the file ---- */

static uint64_t big_endian(const char *at, int bytes)
{
	uint64_t n = 0;

	for (int i = 0; i < bytes; i++)
		n = n << 8 | (unsigned char)at[i];
	return n;
}

struct zone_header {
	size_t utc, standard, leaps, changes, types, names;
};

static bool header_read(struct str bytes, struct zone_header *h)
{
	size_t *const counts[] = { &h->utc, &h->standard, &h->leaps, &h->changes,
		&h->types, &h->names };

	if (bytes.len < HEADER_SIZE || memcmp(bytes.at, "TZif", 4) != 0) return false;
	for (size_t i = 0; i < 6; i++) {
		*counts[i] = (size_t)big_endian(bytes.at + 20 + 4 * i, 4);
		if (*counts[i] > CHANGES_MAX) return false;
	}
	return h->types > 0;
}

static size_t block_size(const struct zone_header *h, size_t time)
{
	return h->changes * (time + 1) + h->types * 6 + h->names + h->leaps * (time + 4) +
	       h->standard + h->utc;
}

static bool offset_of_type(
	struct str block, const struct zone_header *h, size_t type, int64_t *out)
{
	const char *types = block.at + h->changes * 9;

	if (type >= h->types) return false;
	*out = (int32_t)(uint32_t)big_endian(types + 6 * type, 4);
	return *out <= OFFSET_MAX_S && *out >= -OFFSET_MAX_S;
}

static bool block_read(struct str block, const struct zone_header *h, struct arena *arena,
	struct zone *z)
{
	z->changes = ARENA_ARRAY(arena, int64_t, h->changes + 1);
	z->offsets = ARENA_ARRAY(arena, int64_t, h->changes + 1);
	if (!z->changes || !z->offsets || h->leaps) return false;
	if (!offset_of_type(block, h, 0, &z->first_s)) return false;
	for (size_t i = 0; i < h->changes; i++) {
		unsigned char type = (unsigned char)block.at[h->changes * 8 + i];

		z->changes[i] = (int64_t)big_endian(block.at + 8 * i, 8);
		if (!offset_of_type(block, h, type, &z->offsets[i])) return false;
		if (i && z->changes[i] <= z->changes[i - 1]) return false;
	}
	z->len = h->changes;
	return true;
}

static bool file_read(struct str bytes, struct arena *arena, struct zone *z)
{
	struct zone_header old, h;
	struct str rest, rule;
	size_t skip;

	if (!header_read(bytes, &old) || bytes.at[4] < '2') return false;
	skip = HEADER_SIZE + block_size(&old, 4);
	if (skip > bytes.len) return false;
	rest = str_from(bytes, skip);
	if (!header_read(rest, &h)) return false;
	rest = str_from(rest, HEADER_SIZE);
	skip = block_size(&h, 8);
	if (skip > rest.len || !block_read(str_first(rest, skip), &h, arena, z))
		return false;
	rest = str_from(rest, skip);
	if (!char_cut(&rest, '\n') || str_find(rest, STR("\n")) < 0 ||
		!str_cut(&rest, '\n', &rule))
		return false;
	return rule_read(rule, z);
}

enum err zone_read(
	struct str bytes, struct arena *arena, const struct zone **out, struct fault *why)
{
	struct zone *z = ARENA_NEW(arena, struct zone);
	bool good = z && file_read(bytes, arena, z);

	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	if (!good) return fail(why, ERR_INVALID, "not a time zone file");
	*out = z;
	return OK;
}

static bool name_valid(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!isalnum((unsigned char)name.at[i]) && !memchr("_+-/", name.at[i], 4))
			return false;
	return name.len > 0 && name.len <= ZONE_NAME_MAX && name.at[0] != '/';
}

static bool bytes_load(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd < 0) return false;
	do {
		if (!buf_reserve(out, 8192)) break;
		n = read(fd, out->at + out->len, 8192);
		if (n > 0) out->len += (size_t)n;
	} while (n > 0);
	close(fd);
	return n == 0;
}

enum err zone_load(
	struct str name, struct arena *arena, const struct zone **out, struct fault *why)
{
	const char *folder = getenv("TZDIR");
	struct buf bytes = { .max = FILE_MAX };
	struct str path;
	enum err e = ERR_INVALID;

	if (name_valid(name)) {
		path = arena_print(arena, "%s/%.*s",
			folder && *folder ? folder : "/usr/share/zoneinfo",
			STR_ARGS(name));
		if (path.at && bytes_load(path.at, &bytes))
			e = zone_read(buf_str(&bytes), arena, out, why);
	}
	buf_done(&bytes);
	if (e == ERR_INVALID)
		fail(why, e, "there is no time zone %.*s", STR_ARGS(str_first(name, 64)));
	return e;
}
