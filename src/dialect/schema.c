/* schema.c - questions from JSON schemas: what a form of MCP, an interrupt or a parameter
 * asks for. A schema that no question can hold is asked for as JSON in a text. */
#include "base/keep.h"
#include "dialect/inner.h"

/* "string", or the first of ["string", "null"] that is something. */
static struct str type_of(const struct json *schema)
{
	const struct json *type = json_get(schema, "type");

	if (!json_is(type, JSON_ARRAY)) return json_text(type);
	for (uint32_t i = 0; i < type->count; i++)
		if (!str_is(json_text(&type->items[i]), "null"))
			return json_text(&type->items[i]);
	return STR_NONE;
}

/* ---- options ---- */

static bool all_have_const(const struct json *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!json_get(&list->items[i], "const")) return false;
	return list->count > 0;
}

/* The options of a schema: enum, oneOf or anyOf of constants. NULL: it has none. */
static const struct json *options_of(
	const struct json *schema, struct choice_names *names)
{
	static const char *const ways[] = { "oneOf", "anyOf" };
	const struct json *list = json_get(schema, "enum");
	const struct json *labels = json_get(schema, "enumNames");

	*names = (struct choice_names){ .id = "const", .label = "title" };
	for (size_t i = 0; i < 2; i++) {
		const struct json *of = json_get(schema, ways[i]);

		if (json_is(of, JSON_ARRAY) && all_have_const(of)) return of;
	}
	if (!json_is(list, JSON_ARRAY) || !list->count) return NULL;
	*names = (struct choice_names){ 0 };
	if (json_is(labels, JSON_ARRAY) && labels->count == list->count)
		names->labels = labels;
	return list;
}

/* The schema whose options are offered: an array's items. */
static const struct json *chosen_from(const struct json *schema)
{
	return str_is(type_of(schema), "array") ? json_get(schema, "items") : schema;
}

static struct choices schema_choices(struct arena *arena, const struct json *schema)
{
	struct choice_names names;
	const struct json *list = options_of(chosen_from(schema), &names);

	return choices_make(arena, list, &names);
}

bool schema_flat(const struct json *schema)
{
	struct choice_names names;
	struct str type = type_of(schema);

	if (options_of(chosen_from(schema), &names)) return true;
	return str_is(type, "string") || str_is(type, "number") ||
	       str_is(type, "integer") || str_is(type, "boolean");
}

/* ---- in ---- */

/* A whole number from `least` to `most`, or NULL. */
static const struct json *count_of(
	const struct json *schema, const char *name, int64_t least, int64_t most)
{
	const struct json *n = json_get(schema, name);

	if (!json_is(n, JSON_NUMBER) || !n->is_int) return NULL;
	return n->integer >= least && n->integer <= most ? n : NULL;
}

static void text_bounds(const struct json *schema, struct asked *out)
{
	static const char *const formats[] = { "email", "uri", "date", "date-time" };
	struct str format = json_text_of(schema, "format");

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (str_is(format, formats[i])) out->format = formats[i];
	out->min = count_of(schema, "minLength", 1, ANSWER_TEXT_MAX);
	out->max = count_of(schema, "maxLength", 1, ANSWER_TEXT_MAX);
}

static void number_bounds(const struct json *schema, bool integer, struct asked *out)
{
	const struct json *min = json_get(schema, "minimum"),
			  *max = json_get(schema, "maximum");

	out->integer = integer;
	out->min = json_is(min, JSON_NUMBER) ? min : NULL;
	out->max = json_is(max, JSON_NUMBER) ? max : NULL;
}

static void choices_asked(struct inbound *in, const struct json_place *at,
	const struct json *schema, bool required, struct asked *out)
{
	bool many = str_is(type_of(schema), "array");
	struct choice_names names;
	const struct json *list = options_of(chosen_from(schema), &names);

	out->type = many ? "choices" : "choice";
	out->choices = choices_read(in, at, list, &names);
	if (!many) return;
	out->min = count_of(schema, "minItems", 1, OPTIONS_MAX);
	out->max = count_of(schema, "maxItems", 1, OPTIONS_MAX);
	/* Selecting nothing is an answer, unless a minimum is set. */
	out->optional = !required || !out->min;
	if (out->min && out->min->integer > (int64_t)out->choices.len)
		wrong(&in->check, at, "minItems is more than there are options");
}

/* What a schema takes for known, as an answer of ours. */
static struct str known(
	struct inbound *in, const struct json *schema, const struct asked *q)
{
	const struct json *given = json_get(schema, "default");
	struct json_writer w = { .out = &(struct buf){ 0 } };

	if (!given || given->type == JSON_NULL || given->type == JSON_OBJECT)
		return STR_NONE;
	if (!q->choices.len || given->type != JSON_ARRAY) {
		if (q->choices.len) /* a constant may be a number */
			jw_str(&w, scalar_text(given));
		else
			jw_json(&w, given);
		return buf_keep_done(w.out, in->arena);
	}
	if (!given->count) return STR_NONE;
	jw_array(&w);
	for (uint32_t i = 0; i < given->count; i++)
		jw_str(&w, scalar_text(&given->items[i]));
	jw_array_end(&w);
	return buf_keep_done(w.out, in->arena);
}

static void words_of(struct str name, const struct json *schema, struct asked *out)
{
	struct str title = json_text_of(schema, "title");
	struct str about = json_text_of(schema, "description");
	struct str label = text_blank(title) ? name : title;

	if (text_blank(out->text)) out->text = text_blank(about) ? label : about;
	if (!str_eq(label, out->text)) out->header = label;
}

void schema_asked(struct inbound *in, const struct json_place *at, struct str name,
	const struct json *schema, bool required, struct asked *out)
{
	struct str type = type_of(schema);
	struct choice_names names;

	words_of(name, schema, out);
	out->optional = !required;
	out->type = "text";
	if (options_of(chosen_from(schema), &names)) {
		choices_asked(in, at, schema, required, out);
	} else if (str_is(type, "boolean")) {
		out->type = "boolean";
	} else if (str_is(type, "number") || str_is(type, "integer")) {
		out->type = "number";
		number_bounds(schema, str_is(type, "integer"), out);
	} else if (str_is(type, "string")) {
		text_bounds(schema, out);
	} else {
		out->placeholder = STR("JSON");
		return;
	}
	if (out->min && out->max && json_real(out->min) > json_real(out->max))
		wrong(&in->check, at, "its least is more than its most");
	out->prefill = known(in, schema, out);
}

static bool name_required(const struct json *schema, struct str name)
{
	const struct json *list = json_get(schema, "required");

	for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++)
		if (str_eq(json_text(&list->items[i]), name)) return true;
	return false;
}

static const struct json *properties_of(const struct json *schema)
{
	const struct json *properties = json_get(schema, "properties");

	return json_is(properties, JSON_OBJECT) ? properties : NULL;
}

bool schema_empty(const struct json *schema)
{
	const struct json *properties = properties_of(schema);

	return properties && !properties->count;
}

size_t schema_put(struct inbound *in, const struct json_place *at,
	const struct json *schema, struct str text, bool named)
{
	const struct json *properties = properties_of(schema);
	struct json_place under = place_member(at, STR("properties"));
	struct asked alone = { .text = text };

	if (!properties) {
		schema_asked(in, at, STR("value"), schema, true, &alone);
		question_put(in, at, &alone);
		return 1;
	}
	for (uint32_t i = 0; i < properties->count; i++)
		named = named && key_fits(properties->members[i].name);
	for (uint32_t i = 0; i < properties->count; i++) {
		const struct json_member *m = &properties->members[i];
		struct json_place spot = place_member(&under, m->name);
		struct asked q = { .key = named ? m->name : STR_NONE };

		schema_asked(in, &spot, m->name, &m->value,
			name_required(schema, m->name), &q);
		question_put(in, &spot, &q);
	}
	return properties->count;
}

/* ---- out ---- */

static void constant_write(struct json_writer *w, const struct choice *c)
{
	const struct json *constant = json_get(c->from, "const");

	if (constant)
		jw_json(w, constant);
	else if (c->from && c->from->type != JSON_OBJECT)
		jw_json(w, c->from);
	else
		jw_str(w, c->id);
}

/* A text that was asked for as JSON. */
static void json_text_write(
	const struct foreign_reply *o, struct json_writer *w, struct str text)
{
	const struct json *value;

	if (json_read(text, NULL, o->arena, &value, NULL))
		jw_str(w, text);
	else
		jw_json(w, value);
}

void schema_write(const struct foreign_reply *o, const struct said *s,
	const struct json *schema, struct json_writer *w)
{
	struct choices offered = schema_choices(o->arena, schema);
	struct choices picked = said_choices(o, s, &offered);
	bool many = said_input(s) == INPUT_MANY;

	if (many) {
		jw_array(w);
		for (size_t i = 0; i < picked.len; i++)
			constant_write(w, &picked.at[i]);
		if (s->other.len) jw_str(w, s->other);
		jw_array_end(w);
	} else if (picked.len) {
		constant_write(w, &picked.at[0]);
	} else if (s->value) {
		jw_json(w, s->value);
	} else if (schema && !schema_flat(schema)) {
		json_text_write(o, w, s->text);
	} else {
		jw_str(w, s->text.len ? s->text : s->other);
	}
}

/* An empty selection is an answer, too. */
static bool property_said(
	const struct json *schema, const struct json_member *m, const struct said *s)
{
	return s->given ||
	       (said_input(s) == INPUT_MANY && name_required(schema, m->name));
}

void schema_answer(const struct foreign_reply *o, const struct json *schema, size_t *next,
	struct json_writer *w)
{
	const struct json *properties = properties_of(schema);

	if (!properties) {
		struct said s = said_at(o, (*next)++);

		schema_write(o, &s, schema, w);
		return;
	}
	jw_object(w);
	for (uint32_t i = 0; i < properties->count; i++) {
		const struct json_member *m = &properties->members[i];
		struct said s = said_at(o, (*next)++);

		if (!property_said(schema, m, &s)) continue;
		jw_name(w, m->name);
		schema_write(o, &s, &m->value, w);
	}
	jw_object_end(w);
}
