/* own_title.c - what the tools of our own agents would do, in words. Readers see them in their
 * language (web.own.approve), so each sentence here is one of the catalogue. */
#include "core/policy/operation.h"

static bool is_task(const struct json *one)
{
	return json_is(json_get(one, "task"), JSON_STRING);
}

/* "Start 3 sub-agents". */
static bool tasks_title(const struct json *arguments, struct buf *out)
{
	const struct json *tasks = json_get(arguments, "tasks");

	if (!json_is(tasks, JSON_ARRAY) || !tasks->count) return false;
	for (uint32_t i = 0; i < tasks->count; i++)
		if (!is_task(&tasks->items[i])) return false;
	if (tasks->count == 1)
		buf_add_text(out, "Start 1 sub-agent");
	else
		buf_print(out, "Start %u sub-agents", (unsigned)tasks->count);
	return true;
}

/* By its operation; `about` names the argument that says the rest. */
static const struct {
	const char *tool, *operation, *words, *about;
} titles[] = {
	{ "spawn_agent", NULL, "Start the sub-agent ", "name" },
	{ "delegate_task", NULL, "Give a task to ", "agent" },
	{ "memory", "list", "List notes", NULL },
	{ "memory", "get", "Read a note", NULL },
	{ "memory", "search", "Search notes: ", "q" },
	{ "memory", "add", "Add a note: ", "text" },
	{ "memory", "delete", "Delete a note", NULL },
	{ "todo", "list", "List tasks", NULL },
	{ "todo", "create", "Create a task: ", "name" },
	{ "todo", "update", "Change a task", NULL },
	{ "todo", "complete", "Complete a task", NULL },
	{ "todo", "delete", "Delete a task", NULL },
};

bool operation_own_title(struct str tool, const struct json *arguments, struct buf *out)
{
	struct str operation = json_text(json_get(arguments, "operation"));

	if (str_is(tool, "parallel_tasks")) return tasks_title(arguments, out);
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
		const char *wanted = titles[i].operation, *about = titles[i].about;
		struct str text =
			about ? json_text(json_get(arguments, about)) : STR_NONE;

		if (!str_is(tool, titles[i].tool)) continue;
		if (wanted ? !str_is(operation, wanted) : !is_task(arguments)) continue;
		if (about && !text.len) return false;
		buf_add_text(out, titles[i].words);
		buf_add(out, text);
		return true;
	}
	return false;
}
