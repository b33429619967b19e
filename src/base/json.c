/* json.c - looking into a tree. */
#include "base/json.h"

const struct json *json_get_str(const struct json *object, struct str name)
{
	if (!json_is(object, JSON_OBJECT)) return NULL;
	for (uint32_t i = 0; i < object->count; i++) {
		const struct json_member *m = &object->members[i];

		if (str_eq(m->name, name)) return &m->value;
	}
	return NULL;
}

const struct json *json_get(const struct json *object, const char *name)
{
	return json_get_str(object, str_of(name));
}

bool json_is(const struct json *j, enum json_type type)
{
	return j && j->type == type;
}

bool json_is_bool(const struct json *j)
{
	return json_is(j, JSON_TRUE) || json_is(j, JSON_FALSE);
}

struct str json_text(const struct json *j)
{
	return json_is(j, JSON_STRING) ? j->text : STR_NONE;
}

struct str json_text_of(const struct json *json, const char *member)
{
	return json_text(json_get(json, member));
}

int64_t json_int_of(const struct json *json, const char *member)
{
	const struct json *n = json_get(json, member);

	return json_is(n, JSON_NUMBER) && n->is_int ? n->integer : 0;
}

bool json_each(const struct json *array, const struct json **item)
{
	if (!json_is(array, JSON_ARRAY)) return false;
	*item = *item ? *item + 1 : array->items;
	return *item < array->items + array->count;
}

const struct json *json_without(
	const struct json *object, const char *const *names, struct arena *arena)
{
	struct json *out = ARENA_NEW(arena, struct json);
	struct json_member *kept;

	if (!json_is(object, JSON_OBJECT) || !out) return object;
	kept = ARENA_ARRAY(arena, struct json_member, object->count);
	*out = (struct json){ .type = JSON_OBJECT, .members = kept };
	for (uint32_t i = 0; kept && i < object->count; i++) {
		const char *const *name = names;

		while (*name && !str_is(object->members[i].name, *name))
			name++;
		if (!*name) kept[out->count++] = object->members[i];
	}
	return out;
}

double json_real(const struct json *j)
{
	if (!json_is(j, JSON_NUMBER)) return 0;
	return j->is_int ? (double)j->integer : j->real;
}
