/* context.c - what an agent sends beside its questions: context and metadata. */
#include "base/keep.h"
#include "core/ask/draft.h"

enum { CONTEXT_WORD_MAX = 1000, ATTEMPTS_MAX = 1000000 };

/* The members that mean something to people's clients; text_max 0 is a count. */
static const struct {
	struct str name;
	size_t text_max;
} known[] = {
	{ STR("text"), CONTEXT_TEXT_MAX },
	{ STR("job_type"), CONTEXT_WORD_MAX },
	{ STR("project_name"), CONTEXT_WORD_MAX },
	{ STR("current_step"), CONTEXT_WORD_MAX },
	{ STR("error_details"), PREVIEW_MAX },
	{ STR("attempt"), 0 },
	{ STR("attempts"), 0 },
	{ STR("preview"), PREVIEW_MAX },
	{ STR("diff"), PREVIEW_MAX },
};

enum { KNOWN = sizeof known / sizeof *known };

void context_check(
	struct check *c, const struct json_place *at, const struct json *context)
{
	if (context->type != JSON_OBJECT) {
		wrong(c, at, "must be an object");
		return;
	}
	for (size_t i = 0; i < KNOWN; i++) {
		const struct json *value = json_get_str(context, known[i].name);

		if (!value || value->type == JSON_NULL) continue;
		if (known[i].text_max)
			text_read(c, at, known[i].name, value, known[i].text_max,
				TEXT_FREE);
		else
			count_read(c, at, known[i].name, value, 0, ATTEMPTS_MAX);
	}
}

static bool context_known(struct str name)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (str_eq(known[i].name, name)) return true;
	return false;
}

void context_write(struct json_writer *w, const struct json *context)
{
	if (!context) {
		jw_null(w);
		return;
	}
	jw_object(w);
	for (uint32_t i = 0; i < context->count; i++) {
		const struct json_member *m = &context->members[i];

		if (m->value.type == JSON_NULL && context_known(m->name)) continue;
		jw_str(w, m->name);
		buf_add_char(w->out, ':');
		w->more = false;
		jw_json(w, &m->value);
	}
	jw_object_end(w);
}

struct str context_metadata_read(struct check *c, const struct json_place *at,
	const struct json *metadata, struct arena *arena)
{
	struct buf out = { 0 };

	if (!metadata) return STR("{}");
	if (metadata->type != JSON_OBJECT) {
		wrong(c, at, "must be an object");
		return STR("{}");
	}
	json_write(&out, metadata);
	if (out.len > METADATA_MAX)
		wrong(c, at, "must have at most %d bytes", METADATA_MAX);
	return buf_keep_done(&out, arena);
}
