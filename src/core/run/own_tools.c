/* own_tools.c - which tools of an agent's are our own. */
#include "core/run/own_tools.h"

/* Claude Code, Codex and Qwen Code; Gemini CLI; Copilot; droid; opencode and Kilo. */
static const char *const prefixes[] = { "mcp__parley__", "mcp_parley_", "parley-",
	"parley___", "parley_" };

static const char *const names[] = { "ask_user_question", "ask_question",
	"UserQuestionTool", "request_approval", "get_answer", "cancel_ask", "list_asks",
	"report_progress" };

bool own_tool_name(struct str name)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_is(name, names[i])) return true;
	return false;
}

bool own_tool(struct str name)
{
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (str_starts(name, prefixes[i]) &&
			own_tool_name(str_from(name, strlen(prefixes[i]))))
			return true;
	return false;
}
