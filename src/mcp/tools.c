/* tools.c - finds a tool in its table, and writes those that a client is shown. */
#include "mcp/tools.h"

#include "core/run/run_tool.h"

const struct tool *tool_find(const struct tool *t, struct str name)
{
	while (t->name && !str_is(name, t->name))
		t++;
	return t->name ? t : NULL;
}

bool tool_allowed(const struct tool *t, const struct tools_for *client)
{
	struct arena arena = { 0 };
	const struct json *list = NULL;
	bool found = !client->allowed.len;

	if (t->runs && !client->runs) return false;
	if (!found && json_read(client->allowed, NULL, &arena, &list, NULL) == OK)
		for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++)
			found |= str_is(json_text(&list->items[i]), t->name);
	arena_done(&arena);
	return found;
}

/* Its members, with the names of templates where they have their place. */
static void members_write(struct json_writer *w, const struct tool *t,
	const struct tools_for *client, struct arena *arena)
{
	const struct str place = STR("{templates}");
	struct str members = str_of(t->members);
	int at = str_find(members, place);
	bool any = client->templates.len > 0;

	if (at >= 0)
		members = arena_print(arena, "%.*s%s%.*s%s%.*s", at, members.at,
			any ? " There are: " : "", STR_ARGS(client->templates),
			any ? "." : "",
			STR_ARGS(str_from(members, (size_t)at + place.len)));
	jw_members(w, members);
}

/* What agents that Parley runs are told of the same tool. */
static void run_tool_write(
	struct json_writer *w, const struct tool *t, struct arena *arena)
{
	enum run_tool_id id = 0;

	while (strcmp(run_tools[id].name, t->name) != 0)
		id++;
	jw_put_str(w, "description", run_tool_description(&run_toolbox_mcp, id, arena));
	jw_put_raw(w, "inputSchema", run_tool_schema(&run_toolbox_mcp, id, arena));
}

void tools_write(struct json_writer *w, const struct tool *t,
	const struct tools_for *client, enum revision revision, bool strict)
{
	struct arena arena = { 0 };

	for (; t->name; t++) {
		if (!tool_allowed(t, client)) continue;
		jw_object(w);
		members_write(w, t, client, &arena);
		if (t->runs) run_tool_write(w, t, &arena);
		if (t->output && !(strict && t->dialect))
			jw_put_raw(w, "outputSchema", str_of(t->output));
		if (revision == REV_2025_11_25 && t->dialect)
			jw_put_raw(w, "execution", STR("{\"taskSupport\":\"optional\"}"));
		jw_object_end(w);
	}
	if (arena.failed) w->out->failed = true;
	arena_done(&arena);
}
