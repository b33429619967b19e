/* json_schema_check.c - is this a schema that we can check all of? Looked at when it is written. */
#include "base/regex.h"
#include "core/shared/json_schema_inner.h"

#include <math.h>

/* What a keyword's value has to be. */
enum keyword_form {
	KEY_ANYTHING, /* annotations, const, enum's items */
	KEY_ROOT_TEXT,
	KEY_TYPE,
	KEY_ENUM,
	KEY_SCHEMA,
	KEY_SCHEMAS,	   /* a list of them */
	KEY_NAMED_SCHEMAS, /* an object of them */
	KEY_NAMES,
	KEY_COUNT,
	KEY_NUMBER,
	KEY_ABOVE_0,
	KEY_FLAG,
	KEY_PATTERN,
	KEY_REF,
};

static const struct {
	const char *name;
	enum keyword_form form;
} keywords[] = {
	{ "type", KEY_TYPE },
	{ "enum", KEY_ENUM },
	{ "const", KEY_ANYTHING },
	{ "properties", KEY_NAMED_SCHEMAS },
	{ "required", KEY_NAMES },
	{ "additionalProperties", KEY_SCHEMA },
	{ "items", KEY_SCHEMA },
	{ "prefixItems", KEY_SCHEMAS },
	{ "minimum", KEY_NUMBER },
	{ "maximum", KEY_NUMBER },
	{ "minLength", KEY_COUNT },
	{ "maxLength", KEY_COUNT },
	{ "minItems", KEY_COUNT },
	{ "maxItems", KEY_COUNT },
	{ "minProperties", KEY_COUNT },
	{ "maxProperties", KEY_COUNT },
	{ "uniqueItems", KEY_FLAG },
	{ "multipleOf", KEY_ABOVE_0 },
	{ "pattern", KEY_PATTERN },
	{ "anyOf", KEY_SCHEMAS },
	{ "oneOf", KEY_SCHEMAS },
	{ "allOf", KEY_SCHEMAS },
	{ "not", KEY_SCHEMA },
	{ "$defs", KEY_NAMED_SCHEMAS },
	{ "$ref", KEY_REF },
	{ "$schema", KEY_ROOT_TEXT },
	{ "$id", KEY_ROOT_TEXT },
	{ "$comment", KEY_ANYTHING },
	{ "title", KEY_ANYTHING },
	{ "description", KEY_ANYTHING },
	{ "default", KEY_ANYTHING },
	{ "examples", KEY_ANYTHING },
	{ "deprecated", KEY_ANYTHING },
	{ "readOnly", KEY_ANYTHING },
	{ "writeOnly", KEY_ANYTHING },
	{ "format", KEY_ANYTHING },
	{ "contentEncoding", KEY_ANYTHING },
	{ "contentMediaType", KEY_ANYTHING },
};

struct schema_reader {
	struct check *check;
	const struct json *root;
};

static void schema_look(const struct schema_reader *, const struct json_place *,
	const struct json *, int depth);

/* ---- what a reference leads to ---- */

static int keyword_find(struct str name)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (str_is(name, keywords[i].name)) return (int)i;
	return -1;
}

static int hex_of(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* A token of a JSON pointer in a fragment: %25 first, then ~1 and ~0. */
static struct str token_read(struct str raw, char *room)
{
	size_t n = 0, out = 0;

	for (size_t i = 0; i < raw.len; i++) {
		int high =
			raw.at[i] == '%' && i + 2 < raw.len ? hex_of(raw.at[i + 1]) : -1;
		int low = high >= 0 ? hex_of(raw.at[i + 2]) : -1;

		room[n++] = low >= 0 ? (char)(high * 16 + low) : raw.at[i];
		if (low >= 0) i += 2;
	}
	for (size_t i = 0; i < n; i++) {
		bool escaped = room[i] == '~' && i + 1 < n &&
			       (room[i + 1] == '0' || room[i + 1] == '1');

		room[out++] = escaped ? room[i + 1] == '0' ? '~' : '/' : room[i];
		i += escaped;
	}
	return str_make(room, out);
}

/* "/a/b": takes "/a" off. */
static struct str token_cut(struct str *rest, char *room)
{
	size_t n = 1;

	while (n < rest->len && rest->at[n] != '/')
		n++;
	struct str raw = str_make(rest->at + 1, n - 1);

	*rest = str_from(*rest, n);
	return token_read(raw, room);
}

/* One step from a schema: by the keyword's name, and what of it. */
static const struct json *schema_beneath(
	const struct json *schema, struct str *rest, char *room)
{
	struct str token = token_cut(rest, room);
	const struct json *value = json_get_str(schema, token);
	int keyword = keyword_find(token);
	int64_t index;

	if (!value || keyword < 0) return NULL;
	if (keywords[keyword].form == KEY_SCHEMA) return value;
	if (!rest->len) return NULL;
	token = token_cut(rest, room);
	if (keywords[keyword].form == KEY_NAMED_SCHEMAS)
		return json_get_str(value, token);
	if (keywords[keyword].form == KEY_SCHEMAS && json_is(value, JSON_ARRAY) &&
		str_to_int(token, 0, (int64_t)value->count - 1, &index))
		return &value->items[index];
	return NULL;
}

const struct json *json_schema_ref(const struct json *root, struct str ref)
{
	char room[REF_MAX];
	const struct json *at = root;

	if (ref.len > REF_MAX || !str_starts(ref, "#")) return NULL;
	ref = str_from(ref, 1);
	if (ref.len && ref.at[0] != '/') return NULL;
	while (at && ref.len)
		at = schema_beneath(at, &ref, room);
	return at;
}

/* ---- keywords ---- */

static bool type_known(const struct json *v)
{
	return v->type == JSON_STRING && json_schema_type(v->text) != TYPES_NONE;
}

static bool strings_unique(const struct json *v)
{
	for (uint32_t i = 0; i < v->count; i++) {
		if (v->items[i].type != JSON_STRING) return false;
		for (uint32_t k = 0; k < i; k++)
			if (str_eq(v->items[i].text, v->items[k].text)) return false;
	}
	return true;
}

static void type_look(struct check *c, const struct json_place *at, const struct json *v)
{
	bool fine = type_known(v);

	if (v->type == JSON_ARRAY) {
		fine = v->count > 0 && strings_unique(v);
		for (uint32_t i = 0; fine && i < v->count; i++)
			fine = type_known(&v->items[i]);
	}
	if (!fine)
		wrong(c, at,
			"must be string, number, integer, boolean, object, array or null, "
			"or a list of these");
}

static void pattern_look(
	struct check *c, const struct json_place *at, const struct json *v)
{
	struct fault found = { 0 };
	struct regex *r;

	if (v->type != JSON_STRING) {
		wrong(c, at, "must be a string");
		return;
	}
	r = regex_new(v->text, &found);
	if (!r) wrong(c, at, "%s", found.detail);
	regex_free(r);
}

static void schemas_look(const struct schema_reader *r, const struct json_place *at,
	const struct json *v, int depth)
{
	if (!json_is(v, JSON_ARRAY) || !v->count) {
		wrong(r->check, at, "must be a list of schemas");
		return;
	}
	for (uint32_t i = 0; i < v->count; i++) {
		struct json_place item = place_item(at, i);

		schema_look(r, &item, &v->items[i], depth + 1);
	}
}

static void named_look(const struct schema_reader *r, const struct json_place *at,
	const struct json *v, int depth)
{
	if (!json_is(v, JSON_OBJECT)) {
		wrong(r->check, at, "must be an object of schemas");
		return;
	}
	for (uint32_t i = 0; i < v->count; i++) {
		struct json_place member = place_member(at, v->members[i].name);

		schema_look(r, &member, &v->members[i].value, depth + 1);
	}
}

static void number_look(struct check *c, const struct json_place *at,
	const struct json *v, enum keyword_form form)
{
	bool number = v->type == JSON_NUMBER;

	if (form == KEY_COUNT &&
		(!number || json_real(v) < 0 || floor(json_real(v)) != json_real(v)))
		wrong(c, at, "must be a whole number from 0");
	else if (form == KEY_ABOVE_0 && (!number || json_real(v) <= 0))
		wrong(c, at, "must be a number above 0");
	else if (!number)
		wrong(c, at, "must be a number");
}

static void keyword_look(const struct schema_reader *r, const struct json_place *at,
	enum keyword_form form, const struct json *v, int depth)
{
	switch (form) {
	case KEY_ANYTHING: break;
	case KEY_ROOT_TEXT:
		if (depth > 1 || v->type != JSON_STRING)
			wrong(r->check, at, "must be a text, of the whole schema only");
		break;
	case KEY_TYPE: type_look(r->check, at, v); break;
	case KEY_ENUM:
		if (v->type != JSON_ARRAY) wrong(r->check, at, "must be a list");
		break;
	case KEY_SCHEMA: schema_look(r, at, v, depth + 1); break;
	case KEY_SCHEMAS: schemas_look(r, at, v, depth); break;
	case KEY_NAMED_SCHEMAS: named_look(r, at, v, depth); break;
	case KEY_NAMES:
		if (v->type != JSON_ARRAY || !strings_unique(v))
			wrong(r->check, at, "must be a list of different names");
		break;
	case KEY_COUNT:
	case KEY_NUMBER:
	case KEY_ABOVE_0: number_look(r->check, at, v, form); break;
	case KEY_FLAG:
		if (!json_is_bool(v)) wrong(r->check, at, "must be true or false");
		break;
	case KEY_PATTERN: pattern_look(r->check, at, v); break;
	case KEY_REF:
		if (!json_schema_ref(r->root, json_text(v)))
			wrong(r->check, at,
				"must lead to a schema in this one, such as #/$defs/name");
		break;
	}
}

static void schema_look(const struct schema_reader *r, const struct json_place *at,
	const struct json *schema, int depth)
{
	if (depth > JSON_SCHEMA_DEPTH) {
		wrong(r->check, at, "must have at most %d schemas in one another",
			JSON_SCHEMA_DEPTH);
		return;
	}
	if (json_is_bool(schema)) return;
	if (!json_is(schema, JSON_OBJECT)) {
		wrong(r->check, at, "must be a schema: an object, true or false");
		return;
	}
	for (uint32_t i = 0; i < schema->count; i++) {
		const struct json_member *m = &schema->members[i];
		struct json_place member = place_member(at, m->name);
		int keyword = keyword_find(m->name);

		if (keyword < 0)
			wrong(r->check, &member, "this keyword is not checked here");
		else
			keyword_look(
				r, &member, keywords[keyword].form, &m->value, depth);
	}
}

void json_schema_check(
	struct check *c, const struct json_place *at, const struct json *schema)
{
	const struct schema_reader r = { c, schema };

	schema_look(&r, at, schema, 1);
}
