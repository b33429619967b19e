/* output.c - the schema of an answer as a wire has it: less what its vendor does not take, which is checked when the
 * answer is there; or in the prompt. */
#include "base/keep.h"
#include "model/inner.h"

enum { ANTHROPIC = 1, OPENAI = 2, GEMINI = 4, ALL_OF_THEM = 7 };

enum output_form { FORM_VALUE, FORM_SCHEMA, FORM_LIST, FORM_NAMED };

/* Which vendors take it. */
static const struct keyword {
	const char *name;
	enum output_form form;
	unsigned takes;
} keywords[] = {
	{ "type", FORM_VALUE, ALL_OF_THEM },
	{ "title", FORM_VALUE, ALL_OF_THEM },
	{ "description", FORM_VALUE, ALL_OF_THEM },
	{ "enum", FORM_VALUE, ALL_OF_THEM },
	{ "const", FORM_VALUE, ANTHROPIC | OPENAI },
	{ "properties", FORM_NAMED, ALL_OF_THEM },
	{ "required", FORM_VALUE, ALL_OF_THEM },
	{ "additionalProperties", FORM_SCHEMA, OPENAI | GEMINI },
	{ "items", FORM_SCHEMA, ALL_OF_THEM },
	{ "prefixItems", FORM_LIST, GEMINI },
	{ "minimum", FORM_VALUE, OPENAI | GEMINI },
	{ "maximum", FORM_VALUE, OPENAI | GEMINI },
	{ "multipleOf", FORM_VALUE, OPENAI },
	{ "minItems", FORM_VALUE, OPENAI | GEMINI },
	{ "maxItems", FORM_VALUE, OPENAI | GEMINI },
	{ "pattern", FORM_VALUE, OPENAI },
	{ "anyOf", FORM_LIST, ALL_OF_THEM },
	{ "oneOf", FORM_LIST, GEMINI },
	{ "allOf", FORM_LIST, ANTHROPIC },
	{ "$defs", FORM_NAMED, ALL_OF_THEM },
	{ "$ref", FORM_VALUE, ALL_OF_THEM },
};

static unsigned vendor_of(enum model_wire wire)
{
	return wire == WIRE_ANTHROPIC ? ANTHROPIC : wire == WIRE_GEMINI ? GEMINI : OPENAI;
}

static const struct keyword *keyword_of(struct str name)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (str_is(name, keywords[i].name)) return &keywords[i];
	return NULL;
}

static bool is_object(const struct json *schema)
{
	const struct json *type = json_get(schema, "type");
	bool found = json_get(schema, "properties") || str_is(json_text(type), "object");

	for (uint32_t i = 0; json_is(type, JSON_ARRAY) && i < type->count; i++)
		found |= str_is(json_text(&type->items[i]), "object");
	return found;
}

/* ---- what a vendor asks of a whole schema ---- */

/* For OpenAI's `strict` every member is required and there are no others. */
static bool closed(const struct json *schema)
{
	const struct json *members = json_get(schema, "properties"),
			  *required = json_get(schema, "required");

	return members && json_is(json_get(schema, "additionalProperties"), JSON_FALSE) &&
	       required && required->count == members->count;
}

static bool good_one(const struct json *schema, bool strict)
{
	if (is_object(schema))
		return strict ? closed(schema) : json_get(schema, "properties") != NULL;
	if (strict && str_is(json_text_of(schema, "type"), "array"))
		return json_is(json_get(schema, "items"), JSON_OBJECT);
	return !strict || json_get(schema, "type") || json_get(schema, "$ref") ||
	       json_get(schema, "anyOf") || json_get(schema, "oneOf");
}

/* Every schema in it. */
static bool good(const struct json *schema, bool strict)
{
	bool fine = json_is(schema, JSON_OBJECT) && good_one(schema, strict);

	for (uint32_t i = 0; fine && i < schema->count; i++) {
		const struct json *v = &schema->members[i].value;
		const struct keyword *k = keyword_of(schema->members[i].name);

		if (!k || k->form == FORM_VALUE || json_is_bool(v)) continue;
		if (k->form == FORM_SCHEMA) fine = good(v, strict);
		for (uint32_t n = 0; fine && k->form == FORM_LIST && n < v->count; n++)
			fine = good(&v->items[n], strict);
		for (uint32_t n = 0; fine && k->form == FORM_NAMED && n < v->count; n++)
			fine = good(&v->members[n].value, strict);
	}
	return fine;
}

bool output_strict(const struct json *schema)
{
	return good(schema, true) && !json_get(schema, "anyOf") &&
	       !json_get(schema, "oneOf");
}

/* Does it go out as the wire has it? */
static bool native(enum model_wire wire, const struct model_request *r)
{
	bool old = str_starts(r->model, "gemini-1") || str_starts(r->model, "gemini-2");

	if (r->without & OPTION_OUTPUT) return false;
	switch (wire) {
	case WIRE_ANTHROPIC: return good(r->output_schema, false);
	case WIRE_OPENAI:
	case WIRE_OPENAI_RESPONSES:
		return str_is(json_text_of(r->output_schema, "type"), "object");
	case WIRE_GEMINI: return !(old && r->tools_len);
	case WIRE_SCRIPT:
	case WIRES: break;
	}
	return true;
}

void output_place(enum model_wire wire, struct model_request *r, struct arena *arena)
{
	if (!r->output_schema || native(wire, r)) return;
	r->system = arena_print(arena,
		"%.*s%sYour last words, once you need no tool any more, must be JSON that fits "
		"this JSON Schema, with nothing before or behind it and no code fence:\n%.*s",
		STR_ARGS(r->system), r->system.len ? "\n\n" : "",
		STR_ARGS(json_keep(r->output_schema, arena)));
	r->output_schema = NULL;
}

/* ---- written ---- */

static void schema_write(struct json_writer *, const struct json *, unsigned vendor);

static void keyword_write(struct json_writer *w, const struct keyword *k,
	const struct json *v, unsigned vendor)
{
	if (k->form == FORM_SCHEMA && json_is_bool(v)) {
		if (str_is(str_of(k->name), "additionalProperties"))
			jw_put_json(w, k->name, v);
		return;
	}
	jw_key(w, k->name);
	switch (k->form) {
	case FORM_VALUE: jw_json(w, v); break;
	case FORM_SCHEMA: schema_write(w, v, vendor); break;
	case FORM_LIST:
		jw_array(w);
		for (uint32_t i = 0; i < v->count; i++)
			schema_write(w, &v->items[i], vendor);
		jw_array_end(w);
		break;
	case FORM_NAMED:
		jw_object(w);
		for (uint32_t i = 0; i < v->count; i++) {
			jw_name(w, v->members[i].name);
			schema_write(w, &v->members[i].value, vendor);
		}
		jw_object_end(w);
		break;
	}
}

static void schema_write(
	struct json_writer *w, const struct json *schema, unsigned vendor)
{
	static const struct keyword any = { "anyOf", FORM_LIST, ALL_OF_THEM };
	const struct json *one = json_get(schema, "oneOf"),
			  *value = json_get(schema, "const");

	jw_object(w);
	for (uint32_t i = 0; json_is(schema, JSON_OBJECT) && i < schema->count; i++) {
		const struct keyword *k = keyword_of(schema->members[i].name);

		if (k && (k->takes & vendor))
			keyword_write(w, k, &schema->members[i].value, vendor);
	}
	if (vendor != GEMINI && one && !json_get(schema, "anyOf"))
		keyword_write(w, &any, one, vendor);
	if (vendor == GEMINI && value && !json_get(schema, "enum")) {
		jw_put_array(w, "enum");
		jw_json(w, value);
		jw_array_end(w);
	}
	if (vendor == ANTHROPIC && is_object(schema))
		jw_put_bool(w, "additionalProperties", false);
	jw_object_end(w);
}

void output_schema_write(
	struct json_writer *w, enum model_wire wire, const struct json *schema)
{
	jw_key(w, wire == WIRE_GEMINI ? "responseJsonSchema" : "schema");
	schema_write(w, schema, vendor_of(wire));
}
