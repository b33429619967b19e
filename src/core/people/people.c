/* people.c - the names of what people hold. */
#include "core/people/people.h"

#include "base/keep.h"
#include "core/shared/shape.h"

static const char *const kinds[] = {
	[TOKEN_BEARER] = "token",
	[TOKEN_COOKIE] = "cookie",
	[TOKEN_CODE] = "code",
};

ENUM_NAMES(token_kind, kinds)

struct str token_login(const struct token *t)
{
	return t->login.len ? t->login : t->id;
}

void user_digest(const struct user *u, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE];
	const struct str fields[] = { u->id, u->name, str_of(role_name(u->role)),
		u->password, u->language, u->disabled ? STR("1") : STR("0"),
		digest_number(u->created_ms, created), u->away };

	/* Newer columns are hashed only when set: older events were hashed without them. */
	digest_fields(fields, sizeof fields / sizeof *fields - !u->away.len, out);
}

void token_digest(const struct token *t, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE], expires[NUMBER_SIZE], wait[NUMBER_SIZE],
		again[NUMBER_SIZE], begun[NUMBER_SIZE];
	const struct str fields[] = { str_make((const char *)t->hash, SHA256_SIZE), t->id,
		str_of(token_kind_name(t->kind)), t->role, t->name, t->agent, t->user,
		t->tools, t->last4, digest_number(t->created_ms, created),
		digest_number(t->expires_ms, expires), digest_number(t->mcp_wait_s, wait),
		t->mcp_local ? STR("1") : STR("0"), digest_number(t->again_s, again),
		t->maker, t->runs ? STR("runs") : STR_NONE, t->login,
		digest_number(t->begun_ms, begun), t->origin, t->client, t->projects };
	bool login = t->login.len || t->begun_ms || t->origin.len || t->client.len;
	/* How many of the newer columns to leave out, as in older events. */
	size_t without = t->projects.len ? 0
			 : login	 ? 1
			 : t->runs	 ? 5
			 : t->maker.len	 ? 6
					 : 7;

	digest_fields(fields, sizeof fields / sizeof *fields - without, out);
}

/* ---- who is away ---- */

#define DAY_MS ((int64_t)24 * 3600 * 1000)

static const struct shape_member away_members[] = {
	{ STR("from"), OF_TIME, AT(away, from_ms) },
	{ STR("until"), OF_TIME, AT(away, until_ms), .flags = TEXT_NEEDED },
	{ STR("delegate"), OF_NAME, AT(away, delegate),
		.must = "must be a user's id or null", .prefix = "usr" },
	{ STR("note"), OF_TEXT, AT(away, note), 0, AWAY_NOTE_MAX, TEXT_LINE },
};
/* As AwayRequest in openapi.json. */
static const struct shape away_shape = { SHAPE(away_members, away) };

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
