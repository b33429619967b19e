/* tools.c - the table of tools, and which of them a client is shown. */
#include "mcp/tools.h"

static const struct tool tools[] = {
	{ "ask_user_question", ACTION_ASK, "ask_user_question", .forms = true },
	{ "ask_question", ACTION_ASK, "ask_question" },
	{ "UserQuestionTool", ACTION_ASK, "user_question" },
	{ "request_approval", ACTION_ASK, "permission" },
	{ "get_answer", ACTION_GET_ANSWER },
	{ "cancel_ask", ACTION_CANCEL },
	{ "list_asks", ACTION_LIST },
	{ "report_progress", ACTION_PROGRESS },
};

enum { TOOLS = sizeof tools / sizeof *tools };

const struct tool *tool_find(struct str name)
{
	for (size_t i = 0; i < TOOLS; i++)
		if (str_is(name, tools[i].name)) return &tools[i];
	return NULL;
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

void tools_write(
	struct json_writer *w, struct str allowed, enum revision revision, bool strict)
{
	for (const struct tool_text *t = tool_texts; t->name; t++) {
		const struct tool *tool = tool_find(str_of(t->name));

		if (!tool || !tool_allowed(t->name, allowed)) continue;
		jw_object(w);
		jw_members(w, str_of(t->members));
		if (t->output && !(strict && tool->action == ACTION_ASK)) {
			jw_key(w, "outputSchema");
			jw_raw(w, str_of(t->output));
		}
		if (revision == REV_2025_11_25 && tool->action == ACTION_ASK) {
			jw_key(w, "execution");
			jw_raw(w, STR("{\"taskSupport\":\"optional\"}"));
		}
		jw_object_end(w);
	}
}
