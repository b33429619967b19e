/* airflow.c - Airflow's human-in-the-loop operators: options to choose from, and
 * parameters to fill in. */
#include "dialect/inner.h"

static const struct choice_names option_names = { 0 };

/* ---- parameters ---- */

/* {value, description, schema} when it was written out, or the value alone. */
static bool is_written_out(const struct json *param)
{
	return json_is(param, JSON_OBJECT) && json_get(param, "value") != NULL;
}

static const struct json *param_value(const struct json *param)
{
	return is_written_out(param) ? json_get(param, "value") : param;
}

static struct str type_of(const struct json *value)
{
	if (json_is_bool(value)) return STR("boolean");
	if (json_is(value, JSON_NUMBER))
		return value->is_int ? STR("integer") : STR("number");
	return STR("string");
}

static void member_add(struct json *object, const char *name, const struct json *value)
{
	object->members[object->count++] =
		(struct json_member){ .name = str_of(name), .value = *value };
}

/* A schema that has its type, its words and what is known. */
static const struct json *param_schema(struct arena *arena, const struct json *param)
{
	const struct json *schema = json_get(param, "schema"),
			  *value = param_value(param);
	const struct json *about = json_get(param, "description");
	struct json *out = ARENA_NEW(arena, struct json);
	const struct json type = { .type = JSON_STRING, .text = type_of(value) };

	if (!is_written_out(param)) schema = about = NULL;
	if (!out) return NULL;
	*out = (struct json){ .type = JSON_OBJECT };
	out->members =
		ARENA_ARRAY(arena, struct json_member, (schema ? schema->count : 0) + 4);
	if (!out->members) return NULL;
	for (uint32_t i = 0; json_is(schema, JSON_OBJECT) && i < schema->count; i++)
		out->members[out->count++] = schema->members[i];
	if (!json_get(out, "type") && !json_get(out, "enum"))
		member_add(out, "type", &type);
	if (json_is(about, JSON_STRING) && !json_get(out, "description"))
		member_add(out, "description", about);
	if (value && value->type != JSON_NULL) member_add(out, "default", value);
	return out;
}

/* What no question can hold is not asked, and comes back as it was. */
static bool param_asked(struct arena *arena, const struct json *param)
{
	const struct json *value = param_value(param);

	if (json_is(value, JSON_OBJECT)) return false;
	if (json_is(value, JSON_ARRAY) && !is_written_out(param)) return false;
	return schema_flat(param_schema(arena, param));
}

static void params_in(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("params"));
	const struct json *params = member_object(in, &root, in->request, "params");

	for (uint32_t i = 0; params && i < params->count; i++) {
		const struct json_member *m = &params->members[i];
		struct json_place spot = place_member(&at, m->name);
		struct asked q = { 0 };

		if (!param_asked(in->arena, &m->value)) continue;
		schema_asked(in, &spot, m->name, param_schema(in->arena, &m->value),
			false, &q);
		question_put(in, &spot, &q);
	}
}

/* ---- in ---- */

static void default_put(struct inbound *in, const struct choices *offered, bool many)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("defaults"));
	const struct json *list = member_list(in, &root, in->request, "defaults");
	struct json_writer *w = &in->ask;
	bool known = true;

	if (!list || !list->count) return;
	for (uint32_t i = 0; i < list->count; i++)
		known = known && choice_find(offered, json_text(&list->items[i]));
	if (!known || (list->count > 1 && !many)) {
		repair(in, &at, "left out", "must be among the options");
		return;
	}
	jw_put_object(w, "default");
	jw_put_json(w, "options", list);
	jw_object_end(w);
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("options"));
	bool many = member_flag(in->request, "multiple");
	struct choices offered = choices_given(in, &root, in->request, &option_names);

	if (!offered.len) wrong(&in->check, &at, "must be at least one option");
	in->context_text = json_text_of(in->request, "body");
	question_put(in, &root,
		&(struct asked){
			.key = STR("options"),
			.text = json_text_of(in->request, "subject"),
			.type = many ? "choices" : "choice",
			.choices = offered,
		});
	params_in(in);
	default_put(in, &offered, many);
}

/* ---- out ---- */

static void chosen_write(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct said s = said_at(o, 0);
	struct choices offered = choices_offered(o->arena, o->request, &option_names);
	struct choices picked = said_choices(o, &s, &offered);

	if (!answered(o)) {
		jw_null(w);
		return;
	}
	jw_array(w);
	for (size_t i = 0; i < picked.len; i++)
		jw_str(w, picked.at[i].said);
	if (!picked.len) jw_str(w, said_words(o, &s));
	jw_array_end(w);
}

static void params_write(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	const struct json *params = object_of(o->arena, json_get(o->request, "params"));
	size_t next = 1;

	jw_object(w);
	for (uint32_t i = 0; answered(o) && params && i < params->count; i++) {
		const struct json_member *m = &params->members[i];
		bool asked = param_asked(o->arena, &m->value);
		struct said s = said_at(o, asked ? next++ : SIZE_MAX);

		jw_name(w, m->name);
		if (s.given)
			schema_write(o, &s, param_schema(o->arena, &m->value), w);
		else
			jw_json(w, param_value(&m->value));
	}
	jw_object_end(w);
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;

	jw_key(w, "chosen_options");
	chosen_write(o);
	jw_key(w, "params_input");
	params_write(o);
	if (!answered(o)) jw_put_bool(w, "response_received", false);
	outcome_put(o);
}

const struct dialect dialect_airflow = {
	.name = "airflow",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
