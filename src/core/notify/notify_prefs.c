/* notify_prefs.c - reads, writes and applies how a person wants to be told. */
#include "core/notify/notify_prefs.h"

#include "core/shared/body.h"

#include <stdio.h>

enum { MINUTE_S = 60, DAY_MIN = 1440, DAY_S = 86400, LOOK_DAYS = 9 };

static const char *const weekdays[] = { "sun", "mon", "tue", "wed", "thu", "fri", "sat" };
static const enum delivery_kind usual_order[] = { DELIVERY_PUSH, DELIVERY_SLACK,
	DELIVERY_EMAIL };

/* ---- reading ---- */

enum { P_ORDER, P_CONTENT, P_QUIET, P_DIGEST, P_LEN };
static const struct str names[P_LEN] = { [P_ORDER] = STR("order"),
	[P_CONTENT] = STR("content"),
	[P_QUIET] = STR("quiet"),
	[P_DIGEST] = STR("digest") };
static const struct members members = { names, P_LEN };

enum { Q_TZ, Q_FROM, Q_TO, Q_DAYS, Q_EXCEPT, Q_LEN };
static const struct str quiet_names[Q_LEN] = { [Q_TZ] = STR("tz"),
	[Q_FROM] = STR("from"),
	[Q_TO] = STR("to"),
	[Q_DAYS] = STR("days"),
	[Q_EXCEPT] = STR("except") };
static const struct members quiet_members = { quiet_names, Q_LEN };

enum { D_TZ, D_AT, D_BELOW, D_LEN };
static const struct str digest_names[D_LEN] = {
	[D_TZ] = STR("tz"), [D_AT] = STR("at"), [D_BELOW] = STR("below")
};
static const struct members digest_members = { digest_names, D_LEN };

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

static void order_read(struct check *c, const struct json_place *root,
	const struct json *json, struct notify_prefs *p)
{
	struct json_place at = place_member(root, names[P_ORDER]);

	if (!json) return;
	p->order_len = 0;
	if (json->type != JSON_ARRAY || json->count > DELIVERY_CHANNELS) {
		wrong(c, &at, "must be an array of channels, each once");
		return;
	}
	for (uint32_t i = 0; i < json->count; i++) {
		struct json_place item = place_item(&at, i);
		enum delivery_kind kind;
		bool twice = false;

		if (!delivery_kind_read(json_text(&json->items[i]), &kind) ||
			!delivery_kind_is_channel(kind)) {
			wrong(c, &item, "must be email, slack, push, webhook or command");
			continue;
		}
		for (size_t k = 0; k < p->order_len; k++)
			twice |= p->order[k] == kind;
		if (twice)
			wrong(c, &item, "stands there twice");
		else
			p->order[p->order_len++] = kind;
	}
}

static void days_read(struct check *c, const struct json_place *root,
	const struct json *json, struct notify_prefs *p)
{
	struct json_place at = place_member(root, quiet_names[Q_DAYS]);

	if (!json) return;
	if (json->type != JSON_ARRAY || json->count > 7) {
		wrong(c, &at,
			"must be an array of weekdays: mon tue wed thu fri sat sun");
		return;
	}
	for (uint32_t i = 0; i < json->count; i++) {
		struct json_place item = place_item(&at, i);
		int day = name_find(weekdays, 7, json_text(&json->items[i]));

		if (day < 0)
			wrong(c, &item, "must be one of mon tue wed thu fri sat sun");
		else
			p->quiet_days |= 1u << day;
	}
}

static int time_member(struct check *c, const struct json_place *at, struct str name,
	const struct json *json)
{
	int minutes = minutes_read(json_text(json));

	if (minutes < 0) wrong_member(c, at, name, "must be a time such as \"22:00\"");
	return minutes < 0 ? 0 : minutes;
}

static void quiet_read(struct check *c, const struct json_place *root,
	const struct json *json, struct notify_prefs *p)
{
	struct json_place at = place_member(root, names[P_QUIET]);
	const struct json *m[Q_LEN];
	struct str except;

	if (!json || !members_read(c, &at, json, &quiet_members, NULL, m)) return;
	p->has_quiet = true;
	p->quiet_tz = text_read(c, &at, quiet_names[Q_TZ], m[Q_TZ], ZONE_NAME_MAX,
		TEXT_LINE | TEXT_NEEDED | TEXT_FILLED);
	if (!m[Q_FROM] != !m[Q_TO])
		wrong_member(c, &at, quiet_names[m[Q_FROM] ? Q_TO : Q_FROM], "required");
	if (m[Q_FROM])
		p->quiet_from = time_member(c, &at, quiet_names[Q_FROM], m[Q_FROM]);
	if (m[Q_TO]) p->quiet_to = time_member(c, &at, quiet_names[Q_TO], m[Q_TO]);
	days_read(c, &at, m[Q_DAYS], p);
	except = json_text(m[Q_EXCEPT]);
	if (m[Q_EXCEPT] && !str_is(except, "urgent") && !str_is(except, "never"))
		wrong_member(c, &at, quiet_names[Q_EXCEPT], "must be urgent or never");
	p->urgent_passes = !str_is(except, "never");
}

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

static void digest_read(struct check *c, const struct json_place *root,
	const struct json *json, struct notify_prefs *p)
{
	struct json_place at = place_member(root, names[P_DIGEST]);
	struct json_place times = place_member(&at, digest_names[D_AT]);
	const struct json *m[D_LEN];

	if (!json || !members_read(c, &at, json, &digest_members, NULL, m)) return;
	p->has_digest = true;
	p->digest_tz = text_read(c, &at, digest_names[D_TZ], m[D_TZ], ZONE_NAME_MAX,
		TEXT_LINE | TEXT_NEEDED | TEXT_FILLED);
	if (!json_is(m[D_AT], JSON_ARRAY) || !m[D_AT]->count ||
		m[D_AT]->count > DIGEST_TIMES_MAX)
		wrong(c, &times, "must be an array of 1 to %d times", DIGEST_TIMES_MAX);
	else
		for (uint32_t i = 0; i < m[D_AT]->count; i++) {
			struct json_place item = place_item(&times, i);
			int minutes = minutes_read(json_text(&m[D_AT]->items[i]));

			if (minutes < 0)
				wrong(c, &item, "must be a time such as \"22:00\"");
			else
				digest_time_add(p, minutes);
		}
	p->digest_below = PRIORITY_HIGH;
	if (m[D_BELOW] && !priority_read(json_text(m[D_BELOW]), &p->digest_below))
		wrong_member(c, &at, digest_names[D_BELOW],
			"must be low, normal, high or urgent");
}

enum err prefs_read(const struct json *body, struct arena *arena,
	struct notify_prefs *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	struct notify_prefs p = { .order_len = 3 };
	const struct json *m[P_LEN];
	struct str content;

	memcpy(p.order, usual_order, sizeof usual_order);
	if (members_read(&c, &root, body, &members, NULL, m)) {
		order_read(&c, &root, m[P_ORDER], &p);
		content = json_text(m[P_CONTENT]);
		if (m[P_CONTENT] && !str_is(content, "full") && !str_is(content, "title"))
			wrong_member(
				&c, &root, names[P_CONTENT], "must be full or title");
		p.title_only = str_is(content, "title");
		quiet_read(&c, &root, m[P_QUIET], &p);
		digest_read(&c, &root, m[P_DIGEST], &p);
	}
	enum err e = check_end(&c, arena);
	if (!e) *out = p;
	return e;
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

/* ---- writing ---- */

static void minutes_write(struct json_writer *w, int minutes)
{
	char text[16];

	snprintf(text, sizeof text, "%02d:%02d", minutes / 60, minutes % 60);
	jw_text(w, text);
}

static void quiet_write(struct json_writer *w, const struct notify_prefs *p)
{
	jw_object(w);
	jw_put_str(w, "tz", p->quiet_tz);
	jw_key(w, "from");
	minutes_write(w, p->quiet_from);
	jw_key(w, "to");
	minutes_write(w, p->quiet_to);
	jw_put_array(w, "days");
	for (int i = 1; i <= 7; i++)
		if (p->quiet_days & 1u << i % 7) jw_text(w, weekdays[i % 7]);
	jw_array_end(w);
	jw_put_text(w, "except", p->urgent_passes ? "urgent" : "never");
	jw_object_end(w);
}

static void digest_write(struct json_writer *w, const struct notify_prefs *p)
{
	jw_object(w);
	jw_put_str(w, "tz", p->digest_tz);
	jw_put_array(w, "at");
	for (size_t i = 0; i < p->digest_len; i++)
		minutes_write(w, p->digest_at[i]);
	jw_array_end(w);
	jw_put_text(w, "below", priority_name(p->digest_below));
	jw_object_end(w);
}

void prefs_write(struct json_writer *w, const struct notify_prefs *p)
{
	jw_object(w);
	jw_put_array(w, "order");
	for (size_t i = 0; i < p->order_len; i++)
		jw_text(w, delivery_kind_name(p->order[i]));
	jw_array_end(w);
	jw_put_text(w, "content", p->title_only ? "title" : "full");
	jw_key(w, "quiet");
	if (p->has_quiet)
		quiet_write(w, p);
	else
		jw_null(w);
	jw_key(w, "digest");
	if (p->has_digest)
		digest_write(w, p);
	else
		jw_null(w);
	jw_object_end(w);
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
	int weekday = (int)(((day + 4) % 7 + 7) % 7);

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
