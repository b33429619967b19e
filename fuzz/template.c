/* template.c - a template up to the first line end, and behind it what is asked with it: whatever
 * the values are, the ask has the members, items and types of the template. */
#include "core/ask/ask.h"
#include "core/ask/preset.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum err found(void *ctx, enum preset_kind kind, struct str name,
	const struct json **out, struct fault *why)
{
	(void)name;
	(void)why;
	if (kind == PRESET_TEMPLATE) *out = ctx;
	return OK;
}

static void same_shape(const struct json *a, const struct json *b)
{
	assert(a->type == b->type);
	if (a->type != JSON_ARRAY && a->type != JSON_OBJECT) return;
	assert(a->count == b->count);
	for (uint32_t i = 0; i < a->count; i++) {
		if (a->type == JSON_ARRAY) {
			same_shape(&a->items[i], &b->items[i]);
			continue;
		}
		assert(str_eq(a->members[i].name, b->members[i].name));
		same_shape(&a->members[i].value, &b->members[i].value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct draft_limits limits = { 1000, 1000000 };
	struct str rest = str_make((const char *)data, size), line = STR_NONE, kept;
	struct arena arena = { .max = 1 << 28 };
	const struct json *json, *template, *body, *ask, *own;
	struct draft draft;
	int64_t version = 0;
	bool fits;

	str_cut(&rest, '\n', &line);
	if (json_read(line, NULL, &arena, &json, NULL) ||
		preset_read(
			PRESET_TEMPLATE, STR("t"), json, &arena, &kept, &version, NULL) ||
		json_read(rest, NULL, &arena, &body, NULL) || !preset_asked(body)) {
		arena_done(&arena);
		return 0;
	}
	/* What is kept is accepted again, as it is. */
	assert(json_read(kept, NULL, &arena, &template, NULL) == OK);
	fits = preset_expand(body, found, (void *)(uintptr_t) template, &arena, &ask,
		       NULL) == OK;
	if (fits && json_get(body, "template")) {
		own = json_get(template, "ask");
		for (uint32_t i = 0; i < own->count; i++) {
			struct str name = own->members[i].name;

			/* Lists apart, which the template names. */
			if (!json_get_str(body, name) && !str_is(name, "questions") &&
				!str_is(name, "question") && !str_is(name, "options"))
				same_shape(
					&own->members[i].value, json_get_str(ask, name));
		}
	}
	if (fits) (void)draft_read(ask, &limits, &arena, &draft, NULL);
	arena_done(&arena);
	return 0;
}
