/* notify_prefs.c - reads, writes and applies how a person wants to be told. */
#include "core/notify/notify_prefs.h"

#include "core/notify/channel_kind.h"
#include "core/shared/shape.h"

#include <stdio.h>

enum { MINUTE_S = 60, DAY_MIN = 1440, DAY_S = 86400, LOOK_DAYS = 9 };

#define TIME_MUST "must be a time such as \"22:00\""

/* ---- as JSON ---- */

/* "07:30" → 450; -1: it is none. */
static int minutes_read(struct str text)
{
	int64_t hours, minutes;

	if (text.len != 5 || text.at[2] != ':' ||
		!str_to_int(str_first(text, 2), 0, 23, &hours) ||
		!str_to_int(str_from(text, 3), 0, 59, &minutes))
		return -1;
	return (int)(hours * 60 + minutes);
}

/* Those that people add themselves. */
static void order_usual(struct notify_prefs *p)
{
	p->order_len = 0;
	for (int i = 0; i < DELIVERY_CHANNELS; i++)
		if (!channel_is(channel_ranked(i), CHANNEL_ADMINS))
			p->order[p->order_len++] = channel_ranked(i);
}

static void order_read(const struct shape_reading *r, const struct shape_member *m,
	const struct json *json)
{
	struct json_place at = place_member(r->at, m->name);
	struct notify_prefs *p = r->out;

	if (!json) {
		order_usual(p);
		return;
	}
	if (json->type != JSON_ARRAY || json->count > DELIVERY_CHANNELS) {
		wrong(r->check, &at, "must be an array of channels, each once");
		return;
	}
	for (uint32_t i = 0; i < json->count; i++) {
		struct json_place item = place_item(&at, i);
		enum delivery_kind kind;
		bool twice = false;

		if (!delivery_kind_read(json_text(&json->items[i]), &kind) ||
			!delivery_kind_is_channel(kind)) {
			wrong(r->check, &item, CHANNEL_MUST);
			continue;
		}
		for (size_t k = 0; k < p->order_len; k++)
			twice |= p->order[k] == kind;
		if (twice)
			wrong(r->check, &item, "stands there twice");
		else
			p->order[p->order_len++] = kind;
	}
}

static void order_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct notify_prefs *p = from;

	jw_put_array(w, m->name.at);
	for (size_t i = 0; i < p->order_len; i++)
		jw_text(w, delivery_kind_name(p->order[i]));
	jw_array_end(w);
}

static void clock_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	int minutes = v ? minutes_read(json_text(v)) : 0;

	if (minutes < 0)
		wrong_member(r->check, r->at, m->name, TIME_MUST);
	else
		*(int *)(void *)((char *)r->out + m->at) = minutes;
}

static void minutes_write(struct json_writer *w, int minutes)
{
	char text[16];

	snprintf(text, sizeof text, "%02d:%02d", minutes / 60, minutes % 60);
	jw_text(w, text);
}

static void clock_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	jw_key_str(w, m->name);
	minutes_write(w, *(const int *)(const void *)((const char *)from + m->at));
}

static void quiet_check(const struct shape_reading *r)
{
	static const struct str names[] = { STR("from"), STR("to") };
	bool has_from = shape_said(r, "from");

	if (has_from != shape_said(r, "to"))
		wrong_member(r->check, r->at, names[has_from], "required");
}

/* The week begins on Monday, and Sunday is the seventh day. */
static const char *const weekdays[] = { NULL, "mon", "tue", "wed", "thu", "fri", "sat",
	"sun" };
static const char *const excepts[] = { "never", "urgent" };

static const struct shape_member quiet_members[] = {
	{ STR("tz"), OF_TEXT, AT(notify_prefs, quiet_tz), 1, ZONE_NAME_MAX,
		TEXT_LINE | TEXT_NEEDED | TEXT_FILLED },
	{ STR("from"), OF_OWN, AT(notify_prefs, quiet_from), .read = clock_read,
		.write = clock_write },
	{ STR("to"), OF_OWN, AT(notify_prefs, quiet_to), .read = clock_read,
		.write = clock_write },
	{ STR("days"), OF_WORDS, AT(notify_prefs, quiet_days), 0, 7, SHAPE_BARE,
		"must be an array of weekdays: mon tue wed thu fri sat sun",
		.each = "must be one of mon tue wed thu fri sat sun", WORDS(weekdays) },
	{ STR("except"), OF_EITHER, AT(notify_prefs, urgent_passes), .otherwise = true,
		.must = "must be urgent or never", WORDS(excepts) },
};
static const struct shape quiet_shape = { SHAPE(quiet_members, notify_prefs),
	.together = quiet_check };

static void digest_time_add(struct notify_prefs *p, int minutes)
{
	size_t i = p->digest_len;

	for (size_t k = 0; k < p->digest_len; k++)
		if (p->digest_at[k] == minutes) return;
	for (; i && p->digest_at[i - 1] > minutes; i--)
		p->digest_at[i] = p->digest_at[i - 1];
	p->digest_at[i] = minutes;
	p->digest_len++;
}

static void digest_times_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);

	if (!r->json) return;
	if (!json_is(v, JSON_ARRAY) || !v->count || v->count > DIGEST_TIMES_MAX) {
		wrong(r->check, &at, "must be an array of 1 to %d times",
			DIGEST_TIMES_MAX);
		return;
	}
	for (uint32_t i = 0; i < v->count; i++) {
		struct json_place item = place_item(&at, i);
		int minutes = minutes_read(json_text(&v->items[i]));

		if (minutes < 0)
			wrong(r->check, &item, TIME_MUST);
		else
			digest_time_add(r->out, minutes);
	}
}

static void digest_times_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct notify_prefs *p = from;

	jw_put_array(w, m->name.at);
	for (size_t i = 0; i < p->digest_len; i++)
		minutes_write(w, p->digest_at[i]);
	jw_array_end(w);
}

static const struct shape_member digest_members[] = {
	{ STR("tz"), OF_TEXT, AT(notify_prefs, digest_tz), 1, ZONE_NAME_MAX,
		TEXT_LINE | TEXT_NEEDED | TEXT_FILLED },
	{ STR("at"), OF_OWN, .flags = TEXT_NEEDED, .read = digest_times_read,
		.write = digest_times_write },
	{ STR("below"), OF_WORD, AT(notify_prefs, digest_below),
		.otherwise = PRIORITY_HIGH, WORDS(priority_names) },
};
static const struct shape digest_shape = { SHAPE(digest_members, notify_prefs) };

static const char *const contents[] = { "full", "title" };

static const char *const finishes[] = { "none", "mine", "all" };

static const struct shape_member prefs_members[] = {
	{ STR("order"), OF_OWN, .read = order_read, .write = order_write },
	{ STR("content"), OF_EITHER, AT(notify_prefs, title_only), WORDS(contents) },
	{ STR("quiet"), OF_OBJECT, .has_at = AT(notify_prefs, has_quiet),
		.of = &quiet_shape },
	{ STR("digest"), OF_OBJECT, .has_at = AT(notify_prefs, has_digest),
		.of = &digest_shape },
	{ STR("finished"), OF_WORD, AT(notify_prefs, finished),
		.otherwise = FINISHED_MINE, WORDS(finishes) },
	{ STR("progress"), OF_BOOL, AT(notify_prefs, progress) },
};
/* As NotifyPrefs in openapi.json. */
static const struct shape prefs_shape = { SHAPE(prefs_members, notify_prefs) };

enum err prefs_read(const struct json *body, struct arena *arena,
	struct notify_prefs *out, struct fault *why)
{
	struct notify_prefs p = { 0 };
	enum err e = shape_take(&prefs_shape, body, NULL, arena, &p, why);

	if (!e) *out = p;
	return e;
}

void prefs_write(struct json_writer *w, const struct notify_prefs *p)
{
	shape_write(w, &prefs_shape, p);
}

enum err prefs_load(struct str stored, struct arena *arena, struct notify_prefs *out,
	struct fault *why)
{
	const struct json *json;
	enum err e = json_read(stored.len ? stored : STR("{}"), NULL, arena, &json, why);

	return e ? e : prefs_read(json, arena, out, why);
}

enum err prefs_zones(
	struct notify_prefs *p, zone_fn *load, struct arena *arena, struct fault *why)
{
	struct fault unknown = { 0 };
	enum err e = OK, found;

	if (p->has_quiet) {
		found = load(p->quiet_tz, arena, &p->quiet_zone, &unknown);
		if (found == ERR_MEMORY) return fail(why, found, "out of memory");
		if (found) e = fail_at(why, "/quiet/tz", "%s", unknown.detail);
	}
	if (p->has_digest) {
		found = load(p->digest_tz, arena, &p->digest_zone, &unknown);
		if (found == ERR_MEMORY) return fail(why, found, "out of memory");
		if (found) e = fail_at(why, "/digest/tz", "%s", unknown.detail);
	}
	return e;
}

/* ---- the wall clock ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

static int64_t wall_s(const struct zone *z, int64_t at_s)
{
	return at_s + zone_offset_s(z, at_s);
}

static bool quiet_at(const struct notify_prefs *p, int64_t at_s)
{
	int64_t wall = wall_s(p->quiet_zone, at_s);
	int64_t day = floor_div(wall, DAY_S);
	int minute = (int)((wall - day * DAY_S) / MINUTE_S);
	int weekday = (int)(((day + 3) % 7 + 7) % 7) + 1;

	if (p->quiet_days & 1u << weekday) return true;
	if (p->quiet_from <= p->quiet_to)
		return minute >= p->quiet_from && minute < p->quiet_to;
	return minute >= p->quiet_from || minute < p->quiet_to;
}

/* The next instant at which the wall clock shows this minute, if its offset stays. */
static int64_t minute_next(int64_t at_s, int64_t offset_s, int minute)
{
	int64_t wall = at_s + offset_s;
	int64_t shown = floor_div(wall, DAY_S) * DAY_S + (int64_t)minute * MINUTE_S;

	if (shown <= wall) shown += DAY_S;
	return shown - offset_s;
}

int64_t prefs_quiet_until(const struct notify_prefs *p, int64_t now_ms)
{
	int64_t at_s = floor_div(now_ms, 1000),
		last_s = at_s + (int64_t)LOOK_DAYS * DAY_S;

	if (!p->has_quiet || !p->quiet_zone || !quiet_at(p, at_s)) return 0;
	/* Quiet can only end at midnight, at its own times, or when the clock is changed. */
	while (at_s < last_s && quiet_at(p, at_s)) {
		int64_t offset = zone_offset_s(p->quiet_zone, at_s);
		int64_t next = zone_next_change_s(p->quiet_zone, at_s);
		const int minutes[] = { 0, p->quiet_from, p->quiet_to };

		for (int i = 0; i < 3; i++) {
			int64_t t = minute_next(at_s, offset, minutes[i]);

			if (t < next) next = t;
		}
		at_s = next;
	}
	return (at_s < last_s ? at_s : last_s) * 1000;
}

int64_t prefs_digest_next(const struct notify_prefs *p, int64_t now_ms)
{
	const struct zone *z = p->digest_zone;
	int64_t at_s = floor_div(now_ms, 1000), best = ZONE_NO_CHANGE;
	int64_t last_s = at_s + (int64_t)LOOK_DAYS * DAY_S;

	while (z && p->digest_len && best == ZONE_NO_CHANGE && at_s < last_s) {
		int64_t offset = zone_offset_s(z, at_s);
		int64_t change = zone_next_change_s(z, at_s), jump, t;

		for (size_t i = 0; i < p->digest_len; i++) {
			t = minute_next(at_s, offset, p->digest_at[i]);
			if (t < change && t < best) best = t;
		}
		if (best != ZONE_NO_CHANGE || change == ZONE_NO_CHANGE) break;
		/* A time that the clock jumps over comes when it does. */
		jump = zone_offset_s(z, change) - offset;
		for (size_t i = 0; i < p->digest_len; i++) {
			t = minute_next(change - 1, offset + (jump < 0 ? jump : 0),
				p->digest_at[i]);
			if (t <= change + (jump > 0 ? jump : 0)) best = change;
		}
		at_s = change;
	}
	return best == ZONE_NO_CHANGE ? last_s * 1000 : best * 1000;
}

int64_t prefs_hold_quiet(const struct notify_prefs *p, enum priority priority,
	enum risk risk, int64_t now_ms)
{
	if (p->has_quiet && p->urgent_passes &&
		(priority == PRIORITY_URGENT || risk == RISK_CRITICAL))
		return 0;
	return prefs_quiet_until(p, now_ms);
}

int64_t prefs_hold_digest(const struct notify_prefs *p, enum priority priority,
	enum risk risk, int64_t deadline_ms, int64_t now_ms)
{
	int64_t next;

	if (!p->has_digest || risk == RISK_CRITICAL || priority >= p->digest_below)
		return 0;
	next = prefs_digest_next(p, now_ms);
	return deadline_ms && deadline_ms <= next ? 0 : next;
}
