/* away.c - reads and writes when somebody is away. */
#include "core/people/away.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

enum { A_FROM, A_UNTIL, A_DELEGATE, A_NOTE, A_LEN };

static const struct str names[A_LEN] = {
	[A_FROM] = STR("from"),
	[A_UNTIL] = STR("until"),
	[A_DELEGATE] = STR("delegate"),
	[A_NOTE] = STR("note"),
};
static const struct members members = { names, A_LEN };

static const int64_t DAY_MS = (int64_t)24 * 3600 * 1000;

static int64_t read_time(struct check *c, const struct json_place *root, int name,
	const struct json *json, int64_t otherwise)
{
	int64_t ms = otherwise;

	if (json && (json->type != JSON_STRING || !time_read(json->text, &ms)))
		wrong_member(c, root, names[name], "must be a time (RFC 3339)");
	return ms;
}

enum err away_read(
	const struct json *body, int64_t now_ms, struct away *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	const struct json *m[A_LEN];
	struct away a = { 0 };

	if (members_read(&c, &root, body, &members, NULL, m)) {
		a.from_ms = read_time(&c, &root, A_FROM, m[A_FROM], now_ms);
		if (!m[A_UNTIL]) wrong_member(&c, &root, names[A_UNTIL], "required");
		a.until_ms = read_time(&c, &root, A_UNTIL, m[A_UNTIL], 0);
		a.delegate = json_text(m[A_DELEGATE]);
		if (m[A_DELEGATE] && !id_valid(a.delegate, "usr"))
			wrong_member(&c, &root, names[A_DELEGATE],
				"must be a user's id or null");
		a.note = text_read(
			&c, &root, names[A_NOTE], m[A_NOTE], AWAY_NOTE_MAX, TEXT_LINE);
	}
	if (!c.failed && (a.until_ms <= a.from_ms || a.until_ms <= now_ms))
		wrong_member(&c, &root, names[A_UNTIL],
			"must be in the future, and after from");
	if (!c.failed && a.until_ms - a.from_ms > AWAY_MAX_DAYS * DAY_MS)
		wrong_member(&c, &root, names[A_UNTIL], "must be within %d days of from",
			AWAY_MAX_DAYS);
	enum err e = check_end(&c, NULL);
	if (!e) *out = a;
	return e;
}

bool away_load(const struct user *u, struct arena *arena, struct away *out)
{
	const struct json *json;
	struct away a = { 0 };

	if (!u->away.len || json_read(u->away, NULL, arena, &json, NULL)) return false;
	if (!time_read(json_text(json_get(json, "from")), &a.from_ms) ||
		!time_read(json_text(json_get(json, "until")), &a.until_ms))
		return false;
	a.delegate = json_text(json_get(json, "delegate"));
	a.note = json_text(json_get(json, "note"));
	a.by = json_text(json_get(json, "by"));
	*out = a;
	return true;
}

struct str away_text(const struct away *a, struct arena *arena)
{
	struct buf b = { .max = 8192 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	show_time(&w, "from", a->from_ms);
	show_time(&w, "until", a->until_ms);
	show_text(&w, "delegate", a->delegate);
	show_text(&w, "note", a->note);
	jw_put_some(&w, "by", a->by);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}
