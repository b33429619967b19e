/* operation.c - checks an operation and its risk, and computes its digest. */
#include "core/policy/operation.h"

#include "base/hash.h"
#include "core/shared/body.h"

#include <stdio.h>

enum { O_TYPE, O_NAME, O_ARGUMENTS, O_RISK, O_LEN };

static const struct str names[O_LEN] = {
	[O_TYPE] = STR("type"),
	[O_NAME] = STR("name"),
	[O_ARGUMENTS] = STR("arguments"),
	[O_RISK] = STR("risk"),
};
static const struct members members = { names, O_LEN };

enum { OPERATION_TYPE_MAX = 64, OPERATION_NAME_MAX = 256 };

const char *const risk_names[RISK_CRITICAL + 1] = {
	[RISK_LOW] = "low",
	[RISK_MEDIUM] = "medium",
	[RISK_HIGH] = "high",
	[RISK_CRITICAL] = "critical",
};

ENUM_NAMES(risk, risk_names)

void operation_check(struct check *c, const struct json *json,
	const struct json_place *at, enum risk *risk)
{
	const struct json *m[O_LEN];

	if (!members_read(c, at, json, &members, NULL, m)) return;
	text_read(c, at, names[O_TYPE], m[O_TYPE], OPERATION_TYPE_MAX,
		TEXT_LINE | TEXT_FILLED);
	text_read(c, at, names[O_NAME], m[O_NAME], OPERATION_NAME_MAX,
		TEXT_LINE | TEXT_FILLED | TEXT_NEEDED);
	if (m[O_RISK] && !risk_read(json_text(m[O_RISK]), risk))
		wrong_member(
			c, at, names[O_RISK], "must be low, medium, high or critical");
}

enum err operation_read(
	const struct json *json, const char *at, enum risk *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place spot = place_root(at);
	enum risk risk = RISK_NONE;

	operation_check(&c, json, &spot, &risk);
	enum err e = check_end(&c, NULL);
	if (!e) *out = risk;
	return e;
}

void operation_write(struct json_writer *w, const struct json *operation)
{
	jw_object(w);
	for (size_t i = 0; i < O_LEN; i++) {
		const struct json *value = json_get_str(operation, names[i]);

		if (!value || (value->type == JSON_NULL && i != O_ARGUMENTS)) continue;
		jw_put_json(w, names[i].at, value);
	}
	jw_object_end(w);
}

static void member_add(struct json *object, struct str name, const struct json *value)
{
	object->members[object->count++] = (struct json_member){ name, *value };
}

/* `session` may be NULL. */
static void members_digest(const struct json *operation, const struct json *arguments,
	const struct json *session, char out[DIGEST_SIZE])
{
	struct json_member room[4];
	struct json whole = { .type = JSON_OBJECT, .members = room };
	const struct json *type = json_get(operation, "type");
	const struct json *name = json_get(operation, "name");
	struct buf text = { 0 };
	char hex[SHA256_HEX_SIZE];

	if (!arguments) arguments = json_get(operation, "arguments");
	if (type && type->type != JSON_NULL) member_add(&whole, names[O_TYPE], type);
	if (name) member_add(&whole, names[O_NAME], name);
	if (arguments) member_add(&whole, names[O_ARGUMENTS], arguments);
	if (session) member_add(&whole, STR("session"), session);
	json_canonical(&text, &whole);
	sha256_hex(buf_str(&text), hex);
	/* No memory, no digest: one that fits nothing. */
	snprintf(out, DIGEST_SIZE, "%s%s",
		text.failed ? "" : "sha256:", text.failed ? "" : hex);
	buf_done(&text);
}

void operation_digest(const struct json *operation, const struct json *arguments,
	struct str session, char out[DIGEST_SIZE])
{
	const struct json id = { .type = JSON_STRING, .text = session };

	members_digest(operation, arguments, &id, out);
}

void operation_same(
	const struct json *operation, const struct json *arguments, char out[DIGEST_SIZE])
{
	members_digest(operation, arguments, NULL, out);
}

static bool texts_equal(const struct json *a, const struct json *b, const char *name)
{
	return str_eq(json_text(json_get(a, name)), json_text(json_get(b, name)));
}

bool operation_alike(const struct json *a, const struct json *b)
{
	const struct json *left = json_get(a, "arguments");
	const struct json *right = json_get(b, "arguments");

	if (!texts_equal(a, b, "type") || !texts_equal(a, b, "name")) return false;
	if (!left || !right) return !left && !right;
	if (left->type != right->type) return false;
	if (left->type != JSON_OBJECT) return true;
	for (uint32_t i = 0; i < left->count; i++)
		if (!json_get_str(right, left->members[i].name)) return false;
	return left->count == right->count;
}
