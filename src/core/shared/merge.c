/* merge.c - bodies of PATCH over what is kept. */
#include "core/shared/merge.h"

#include <stdio.h>

static const struct json *merge(
	const struct json *body, const struct json *before, struct arena *arena)
{
	struct json *whole = ARENA_NEW(arena, struct json);

	if (!whole) return NULL;
	whole->type = JSON_OBJECT;
	whole->members = ARENA_ARRAY(
		arena, struct json_member, (size_t)body->count + before->count + 1);
	if (!whole->members) return NULL;
	for (uint32_t i = 0; i < body->count; i++)
		whole->members[whole->count++] = body->members[i];
	for (uint32_t i = 0; i < before->count; i++)
		if (!json_get_str(body, before->members[i].name))
			whole->members[whole->count++] = before->members[i];
	return whole;
}

enum err body_merge(const struct json *body, struct str before, const char *const *fixed,
	struct arena *arena, const struct json **out, struct fault *why)
{
	const struct json *old;
	char pointer[80];

	if (!json_is(body, JSON_OBJECT)) return fail_at(why, "", "must be an object");
	*out = body;
	if (!before.len) return OK;
	if (json_read(before, NULL, arena, &old, NULL) || old->type != JSON_OBJECT)
		return fail(why, ERR_INTERNAL, "what is kept is unreadable");
	for (; *fixed; fixed++) {
		const struct json *is = json_get(body, *fixed);

		if (!is || json_equal(is, json_get(old, *fixed))) continue;
		snprintf(pointer, sizeof pointer, "/%s", *fixed);
		return fail_at(why, pointer, "cannot be changed");
	}
	*out = merge(body, old, arena);
	return *out ? OK : fail(why, ERR_MEMORY, "out of memory");
}
