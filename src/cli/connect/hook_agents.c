/* hook_agents.c - the table of approval hooks. */
#include "cli/connect/hook_agents.h"

#include "base/json_pattern.h"

static const char *const decisions[] = {
	[HOOK_ALLOW] = "allow",
	[HOOK_DENY] = "deny",
	[HOOK_ASK] = "ask",
	[HOOK_DEFER] = "defer",
};

const char *hook_decision_name(enum hook_decision d)
{
	return decisions[d];
}

/* ---- what each reads ---- */

/* Claude Code, and who took its hooks over. */
static struct str claude_write(struct arena *arena, const char *decision,
	struct str reason, const struct json *edited)
{
	return JSON_TEXT(arena,
		"{'hookSpecificOutput':{'hookEventName':'PreToolUse','permissionDecision':%s,"
		"'permissionDecisionReason':%?,'updatedInput':%j}}",
		str_of(decision), reason, json_some(edited, arena));
}

/* To Codex, no output means "go on"; a bare allow is an error. */
static struct str codex_write(struct arena *arena, const char *decision,
	struct str reason, const struct json *edited)
{
	return decision == decisions[HOOK_ALLOW] && !edited
		       ? STR_NONE
		       : claude_write(arena, decision, reason, edited);
}

static struct str copilot_write(struct arena *arena, const char *decision,
	struct str reason, const struct json *edited)
{
	return JSON_TEXT(arena,
		"{'permissionDecision':%s,'permissionDecisionReason':%?,'modifiedArgs':%j}",
		str_of(decision), reason, json_some(edited, arena));
}

static struct str gemini_write(struct arena *arena, const char *decision,
	struct str reason, const struct json *edited)
{
	struct str output =
		edited ? JSON_TEXT(arena,
				 "{'hookEventName':'BeforeTool','tool_input':%j}",
				 json_keep(edited, arena))
		       : STR_NONE;

	return JSON_TEXT(arena, "{'decision':%s,'reason':%?,'hookSpecificOutput':%j}",
		str_of(decision), reason, output);
}

struct str hook_prompt_text(
	bool allow, struct str message, const struct json *edited, struct arena *arena)
{
	return JSON_TEXT(arena,
		"{'hookSpecificOutput':{'hookEventName':'PermissionRequest',"
		"'decision':{'behavior':%s,'message':%?,'updatedInput':%j}}}",
		allow ? STR("allow") : STR("deny"), allow ? STR_NONE : message,
		json_some(edited, arena));
}

#define MEMBERS "session_id", "tool_name", "tool_input"

static const struct hook_agent table[] = {
	{ "claude", "Claude Code", "PreToolUse", NULL, "/.claude/", MEMBERS,
		"tool_use_id", "AskUserQuestion", "ExitPlanMode", 600000, true, true,
		HOOK_EDITS_ALL, claude_write },
	{ "codex", "Codex", "PreToolUse", "turn_id", "/.codex/", MEMBERS, "tool_use_id",
		NULL, NULL, 30000, false, false, HOOK_EDITS_ALL, codex_write },
	{ "droid", "Factory droid", "PreToolUse", NULL, "/.factory/", MEMBERS, NULL, NULL,
		NULL, 0, false, false, HOOK_EDITS_ALL, claude_write },
	{ "qwen", "Qwen Code", "PreToolUse", "tool_call_id", "/.qwen/", MEMBERS,
		"tool_use_id", NULL, NULL, 0, false, false, HOOK_EDITS_NONE,
		claude_write },
	{ "copilot", "Copilot CLI", NULL, "toolName", NULL, "sessionId", "toolName",
		"toolArgs", NULL, NULL, NULL, 0, false, false, HOOK_EDITS_ALL,
		copilot_write },
	{ "gemini", "Gemini CLI", "BeforeTool", NULL, "/.gemini/", MEMBERS, NULL, NULL,
		NULL, 0, false, false, HOOK_EDITS_MERGED, gemini_write },
};

enum { AGENTS = sizeof table / sizeof *table };

const struct hook_agent *hook_agent_find(struct str name)
{
	for (size_t i = 0; i < AGENTS; i++)
		if (str_is(name, table[i].name)) return &table[i];
	return NULL;
}

struct str hook_decision_text(const struct hook_agent *a, enum hook_decision d,
	struct str reason, const struct json *edited, struct arena *arena)
{
	return a->write(arena, decisions[d], reason, edited);
}

bool hook_agent_carries(
	const struct hook_agent *a, const struct json *input, const struct json *edited)
{
	for (uint32_t i = 0; a->edits == HOOK_EDITS_MERGED && i < input->count; i++)
		if (!json_get_str(edited, input->members[i].name)) return false;
	return a->edits != HOOK_EDITS_NONE;
}

/* ---- what comes in ---- */

static bool has_sign(const struct hook_agent *a, const struct json *event)
{
	struct str transcript = json_text_of(event, "transcript_path");

	return (a->sign && json_get(event, a->sign)) ||
	       (a->folder && str_find(transcript, str_of(a->folder)) >= 0);
}

/* Is this event from that agent, or at least not from another? */
static bool event_is_of(
	const struct hook_agent *a, const struct json *event, const char *named)
{
	struct str name = json_text_of(event, "hook_event_name");
	const char *wanted = named ? named : a->event;

	if (wanted ? !str_is(name, wanted) : name.len > 0) return false;
	if (!named && a->sign && !has_sign(a, event)) return false;
	for (size_t i = 0; i < AGENTS; i++)
		if (&table[i] != a && has_sign(&table[i], event) && !has_sign(a, event))
			return false;
	return true;
}

/* As it is, or as JSON in a string, which is how some versions send it. */
static const struct json *input_of(const struct json *value, struct arena *arena)
{
	const struct json *inside = NULL;

	if (json_is(value, JSON_STRING) &&
		json_read(value->text, NULL, arena, &inside, NULL))
		return NULL;
	return inside ? inside : value;
}

bool hook_event_read(const struct hook_agent *a, const struct json *event,
	const char *name, struct arena *arena, struct hook_event *out)
{
	struct hook_event e = { .session = json_text_of(event, a->session),
		.tool = json_text_of(event, a->tool),
		.input = input_of(json_get(event, a->input), arena),
		.call = a->call ? json_text_of(event, a->call) : STR_NONE,
		.cwd = json_text_of(event, "cwd") };

	if (!event_is_of(a, event, name) || !e.session.len || !e.tool.len ||
		!json_is(e.input, JSON_OBJECT))
		return false;
	*out = e;
	return true;
}
