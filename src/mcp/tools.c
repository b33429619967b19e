/* tools.c - finds a tool in its table, and writes those that a client is shown. */
#include "mcp/tools.h"

const struct tool *tool_find(const struct tool *t, struct str name)
{
	while (t->name && !str_is(name, t->name))
		t++;
	return t->name ? t : NULL;
}

bool tool_allowed(const char *name, struct str allowed)
{
	struct arena arena = { 0 };
	const struct json *list = NULL;
	bool found = !allowed.len;

	if (!found && json_read(allowed, NULL, &arena, &list, NULL) == OK)
		for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++)
			found |= str_is(json_text(&list->items[i]), name);
	arena_done(&arena);
	return found;
}

void tools_write(struct json_writer *w, const struct tool *t, struct str allowed,
	enum revision revision, bool strict)
{
	for (; t->name; t++) {
		if (!tool_allowed(t->name, allowed)) continue;
		jw_object(w);
		jw_members(w, str_of(t->members));
		if (t->output && !(strict && t->dialect))
			jw_put_raw(w, "outputSchema", str_of(t->output));
		if (revision == REV_2025_11_25 && t->dialect)
			jw_put_raw(w, "execution", STR("{\"taskSupport\":\"optional\"}"));
		jw_object_end(w);
	}
}
