/* hook_agents.c - the table of approval hooks. */
#include "cli/connect/hook_agents.h"

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

static bool carries_all(const struct json *input, const struct json *edited)
{
	(void)input;
	(void)edited;
	return true;
}

static bool carries_none(const struct json *input, const struct json *edited)
{
	(void)input;
	(void)edited;
	return false;
}

/* The agent merges the edited input into its own, so an edit that removes a member cannot be
 * handed back. */
static bool carries_merged(const struct json *input, const struct json *edited)
{
	for (uint32_t i = 0; i < input->count; i++)
		if (!json_get_str(edited, input->members[i].name)) return false;
	return true;
}

/* Claude Code, and who took its hooks over. */
static void claude_write(struct json_writer *w, enum hook_decision d, struct str reason,
	const struct json *edited)
{
	jw_object(w);
	jw_put_object(w, "hookSpecificOutput");
	jw_put_text(w, "hookEventName", "PreToolUse");
	jw_put_text(w, "permissionDecision", decisions[d]);
	jw_put_some(w, "permissionDecisionReason", reason);
	if (edited) jw_put_json(w, "updatedInput", edited);
	jw_object_end(w);
	jw_object_end(w);
}

/* To Codex, no output means "go on"; a bare allow is an error. */
static void codex_write(struct json_writer *w, enum hook_decision d, struct str reason,
	const struct json *edited)
{
	if (d != HOOK_ALLOW || edited) claude_write(w, d, reason, edited);
}

static void copilot_write(struct json_writer *w, enum hook_decision d, struct str reason,
	const struct json *edited)
{
	jw_object(w);
	jw_put_text(w, "permissionDecision", decisions[d]);
	jw_put_some(w, "permissionDecisionReason", reason);
	if (edited) jw_put_json(w, "modifiedArgs", edited);
	jw_object_end(w);
}

static void gemini_write(struct json_writer *w, enum hook_decision d, struct str reason,
	const struct json *edited)
{
	jw_object(w);
	jw_put_text(w, "decision", decisions[d]);
	jw_put_some(w, "reason", reason);
	if (edited) {
		jw_put_object(w, "hookSpecificOutput");
		jw_put_text(w, "hookEventName", "BeforeTool");
		jw_put_json(w, "tool_input", edited);
		jw_object_end(w);
	}
	jw_object_end(w);
}

#define MEMBERS "session_id", "tool_name", "tool_input"

static const struct hook_agent table[] = {
	{ "claude", "Claude Code", "PreToolUse", NULL, "/.claude/", MEMBERS,
		"tool_use_id", "AskUserQuestion", true, carries_all, claude_write },
	{ "codex", "Codex", "PreToolUse", "turn_id", "/.codex/", MEMBERS, "tool_use_id",
		NULL, false, carries_all, codex_write },
	{ "droid", "Factory droid", "PreToolUse", NULL, "/.factory/", MEMBERS, NULL, NULL,
		false, carries_all, claude_write },
	{ "qwen", "Qwen Code", "PreToolUse", "tool_call_id", "/.qwen/", MEMBERS,
		"tool_use_id", NULL, false, carries_none, claude_write },
	{ "copilot", "Copilot CLI", NULL, "toolName", NULL, "sessionId", "toolName",
		"toolArgs", NULL, NULL, false, carries_all, copilot_write },
	{ "gemini", "Gemini CLI", "BeforeTool", NULL, "/.gemini/", MEMBERS, NULL, NULL,
		false, carries_merged, gemini_write },
};

enum { AGENTS = sizeof table / sizeof *table };

const struct hook_agent *hook_agent_find(struct str name)
{
	for (size_t i = 0; i < AGENTS; i++)
		if (str_is(name, table[i].name)) return &table[i];
	return NULL;
}

/* ---- what comes in ---- */

static bool has_sign(const struct hook_agent *a, const struct json *event)
{
	struct str transcript = json_text_of(event, "transcript_path");

	return (a->sign && json_get(event, a->sign)) ||
	       (a->folder && str_find(transcript, str_of(a->folder)) >= 0);
}

/* Is this event from that agent, or at least not from another? */
static bool event_is_of(const struct hook_agent *a, const struct json *event)
{
	struct str name = json_text_of(event, "hook_event_name");

	if (a->event ? !str_is(name, a->event) : name.len > 0) return false;
	if (a->sign && !has_sign(a, event)) return false;
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
	struct arena *arena, struct hook_event *out)
{
	struct hook_event e = { .session = json_text_of(event, a->session),
		.tool = json_text_of(event, a->tool),
		.input = input_of(json_get(event, a->input), arena),
		.call = a->call ? json_text_of(event, a->call) : STR_NONE,
		.cwd = json_text_of(event, "cwd") };

	if (!event_is_of(a, event) || !e.session.len || !e.tool.len ||
		!json_is(e.input, JSON_OBJECT))
		return false;
	*out = e;
	return true;
}
