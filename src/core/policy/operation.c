/* operation.c - checks an operation and its risk, and computes its digest. */
#include "core/policy/operation.h"

#include "base/hash.h"
#include "core/shared/shape.h"

#include <stdio.h>

enum { OPERATION_TYPE_MAX = 64, OPERATION_NAME_MAX = 256 };

const char *const risk_names[RISK_CRITICAL + 1] = {
	[RISK_LOW] = "low",
	[RISK_MEDIUM] = "medium",
	[RISK_HIGH] = "high",
	[RISK_CRITICAL] = "critical",
};

ENUM_NAMES(risk, risk_names)

/* As it is read: what is wrong with it matters, and its risk. */
struct operation_body {
	struct str type, name;
	const struct json *arguments;
	enum risk risk;
};

static const struct shape_member operation_members[] = {
	{ STR("type"), OF_TEXT, AT(operation_body, type), 1, OPERATION_TYPE_MAX,
		TEXT_LINE | TEXT_FILLED },
	{ STR("name"), OF_TEXT, AT(operation_body, name), 1, OPERATION_NAME_MAX,
		TEXT_LINE | TEXT_FILLED | TEXT_NEEDED },
	{ STR("arguments"), OF_JSON, AT(operation_body, arguments), .flags = SHAPE_NULL },
	{ STR("risk"), OF_WORD, AT(operation_body, risk), WORDS(risk_names) },
};
/* As OperationRequest in openapi.json. */
static const struct shape operation_shape = { SHAPE(operation_members, operation_body) };

void operation_check(struct check *c, const struct json *json,
	const struct json_place *at, enum risk *risk)
{
	struct operation_body body = { .risk = *risk };

	shape_check(&operation_shape, c, at, json, NULL, NULL, &body);
	*risk = body.risk;
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

void operation_write(
	struct json_writer *w, const struct json *operation, struct str schema)
{
	struct buf text = { 0 };
	struct json_writer own = { .out = &text };

	shape_copy(&own, &operation_shape, operation);
	jw_object(w);
	if (text.len > 2) jw_members(w, str_make(text.at + 1, text.len - 2));
	if (schema.len) jw_put_raw(w, "schema", schema);
	jw_object_end(w);
	if (text.failed) w->out->failed = true;
	buf_done(&text);
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
	if (type && type->type != JSON_NULL) member_add(&whole, STR("type"), type);
	if (name) member_add(&whole, STR("name"), name);
	if (arguments) member_add(&whole, STR("arguments"), arguments);
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
