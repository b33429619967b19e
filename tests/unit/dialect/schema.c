#include "schema.h"

#include "base/utf8.h"
#include "kit.h"

static bool type_fits(struct str type, const struct json *v)
{
	static const struct {
		const char *name;
		enum json_type type;
	} names[] = {
		{ "null", JSON_NULL },
		{ "string", JSON_STRING },
		{ "number", JSON_NUMBER },
		{ "array", JSON_ARRAY },
		{ "object", JSON_OBJECT },
	};

	if (str_is(type, "boolean")) return json_is_bool(v);
	if (str_is(type, "integer"))
		return v->type == JSON_NUMBER &&
		       json_real(v) == __builtin_trunc(json_real(v));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_is(type, names[i].name)) return v->type == names[i].type;
	return false;
}

static bool types_fit(const struct json *type, const struct json *v)
{
	if (!type) return true;
	if (type->type == JSON_STRING) return type_fits(type->text, v);
	for (uint32_t i = 0; i < type->count; i++)
		if (type_fits(json_text(&type->items[i]), v)) return true;
	return false;
}

static bool among(const struct json *list, const struct json *v)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (json_equal(&list->items[i], v)) return true;
	return false;
}

static const char *bounds_misfit(const struct json *schema, const struct json *v)
{
	static const struct {
		const char *name;
		enum json_type type;
		bool most;
	} bounds[] = {
		{ "minLength", JSON_STRING, false },
		{ "maxLength", JSON_STRING, true },
		{ "minimum", JSON_NUMBER, false },
		{ "maximum", JSON_NUMBER, true },
		{ "minItems", JSON_ARRAY, false },
		{ "maxItems", JSON_ARRAY, true },
		{ "minProperties", JSON_OBJECT, false },
		{ "maxProperties", JSON_OBJECT, true },
	};

	for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
		const struct json *bound = json_get(schema, bounds[i].name);
		double is = v->type == JSON_STRING   ? (double)utf8_count(v->text)
			    : v->type == JSON_NUMBER ? json_real(v)
						     : v->count;

		if (!bound || v->type != bounds[i].type) continue;
		if (bounds[i].most ? is > json_real(bound) : is < json_real(bound))
			return kit_print("%s: %s", bounds[i].name, kit_compact(v));
	}
	return NULL;
}

static const char *members_misfit(const struct json *schema, const struct json *v)
{
	const struct json *properties = json_get(schema, "properties");
	const struct json *more = json_get(schema, "additionalProperties");
	const struct json *needed = json_get(schema, "required");

	for (uint32_t i = 0; needed && i < needed->count; i++)
		if (!json_get_str(v, needed->items[i].text))
			return kit_print("no %s in %s", kit_text(needed->items[i].text),
				kit_compact(v));
	for (uint32_t i = 0; i < v->count; i++) {
		const struct json *own = json_get_str(properties, v->members[i].name);
		const char *why;

		if (!own && json_is(more, JSON_FALSE))
			return kit_print("%s is unknown", kit_text(v->members[i].name));
		if (!own) own = more;
		why = own ? schema_misfit(own, &v->members[i].value) : NULL;
		if (why) return kit_print("%s/%s", kit_text(v->members[i].name), why);
	}
	return NULL;
}

static const char *choices_misfit(const struct json *schema, const struct json *v)
{
	const struct json *one = json_get(schema, "oneOf"),
			  *any = json_get(schema, "anyOf");
	const struct json *list = one ? one : any;
	const char *why = NULL;
	size_t fits = 0;

	for (uint32_t i = 0; list && i < list->count; i++) {
		const char *misfit = schema_misfit(&list->items[i], v);

		fits += !misfit;
		if (misfit) why = misfit;
	}
	if (!list || fits == 1 || (any && fits)) return NULL;
	return kit_print("%zu fit of oneOf/anyOf, e.g. %s", fits, why ? why : "all");
}

const char *schema_misfit(const struct json *schema, const struct json *v)
{
	const struct json *constant = json_get(schema, "const");
	const struct json *listed = json_get(schema, "enum");
	const struct json *items = json_get(schema, "items");
	const char *why;

	if (!types_fit(json_get(schema, "type"), v))
		return kit_print("%s is no %s", kit_compact(v),
			kit_compact(json_get(schema, "type")));
	if (constant && !json_equal(constant, v))
		return kit_print("%s is not %s", kit_compact(v), kit_compact(constant));
	if (listed && !among(listed, v))
		return kit_print("%s is none of %s", kit_compact(v), kit_compact(listed));
	if ((why = bounds_misfit(schema, v)) || (why = choices_misfit(schema, v)))
		return why;
	if (v->type == JSON_OBJECT) return members_misfit(schema, v);
	for (uint32_t i = 0; items && v->type == JSON_ARRAY && i < v->count; i++)
		if ((why = schema_misfit(items, &v->items[i])))
			return kit_print("%u/%s", i, why);
	return NULL;
}
