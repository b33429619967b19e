/* away.c - reads and writes when somebody is away. */
#include "core/people/away.h"

#include "base/id.h"
#include "base/keep.h"
#include "core/shared/shape.h"

#define DAY_MS ((int64_t)24 * 3600 * 1000)

static bool user_id_fits(struct str id)
{
	return id_valid(id, "usr");
}

static const struct shape_member members[] = {
	{ STR("from"), OF_TIME, AT(away, from_ms) },
	{ STR("until"), OF_TIME, AT(away, until_ms), .flags = TEXT_NEEDED },
	{ STR("delegate"), OF_NAME, AT(away, delegate),
		.must = "must be a user's id or null", .fits = user_id_fits },
	{ STR("note"), OF_TEXT, AT(away, note), 0, AWAY_NOTE_MAX, TEXT_LINE },
};
/* As AwayRequest in openapi.json. */
static const struct shape away_shape = { SHAPE(members, away) };

enum err away_read(
	const struct json *body, int64_t now_ms, struct away *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	struct away a = { 0 };
	enum err e = shape_take(&away_shape, body, NULL, NULL, &a, why);

	if (e) return e;
	if (!a.from_ms) a.from_ms = now_ms;
	if (a.until_ms <= a.from_ms || a.until_ms <= now_ms)
		wrong_member(
			&c, &root, STR("until"), "must be in the future, and after from");
	else if (a.until_ms - a.from_ms > AWAY_MAX_DAYS * DAY_MS)
		wrong_member(&c, &root, STR("until"), "must be within %d days of from",
			AWAY_MAX_DAYS);
	e = check_end(&c, NULL);
	if (!e) *out = a;
	return e;
}

bool away_load(const struct user *u, struct arena *arena, struct away *out)
{
	static const struct str names[] = { STR("by") }; /* kept, never sent */
	static const struct members more = { names, 1 };
	const struct json *json;
	struct away a = { 0 };

	if (!u->away.len || json_read(u->away, NULL, arena, &json, NULL) ||
		shape_take(&away_shape, json, &more, arena, &a, NULL))
		return false;
	a.by = json_text(json_get(json, "by"));
	*out = a;
	return true;
}

struct str away_text(const struct away *a, struct arena *arena)
{
	struct buf b = { .max = 8192 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	shape_write_members(&w, &away_shape, a);
	jw_put_some(&w, "by", a->by);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}
