/* hook_rules.c - rules of an approval hook: which tool calls pass without asking. */
#include "cli/hook_rules.h"

#include <fnmatch.h>

#include "text/keep.h"

/* What a call of these tools is about. */
static const struct {
	const char *tool, *member;
} subjects[] = {
	{ "Bash", "command" },
	{ "bash", "command" },
	{ "Execute", "command" },
	{ "run_shell_command", "command" },
	{ "Read", "file_path" },
	{ "Write", "file_path" },
	{ "Edit", "file_path" },
	{ "MultiEdit", "file_path" },
	{ "NotebookEdit", "notebook_path" },
	{ "Glob", "pattern" },
	{ "Grep", "pattern" },
	{ "WebFetch", "url" },
	{ "WebSearch", "query" },
	{ "Task", "subagent_type" },
	{ "Agent", "subagent_type" },
};

static struct str subject_of(
	struct str tool, const struct json *input, struct arena *arena)
{
	struct buf json = { 0 };

	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
		if (str_is(tool, subjects[i].tool))
			return json_text(json_get(input, subjects[i].member));
	if (input) json_write(&json, input);
	return buf_keep(&json, arena);
}

static bool glob_fits(struct str pattern, struct str text, struct arena *arena)
{
	const char *p = arena_copy(arena, pattern), *t = arena_copy(arena, text);

	return p && t && fnmatch(p, t, 0) == 0;
}

static bool pattern_fits(struct str pattern, struct str text, struct arena *arena)
{
	if (!str_ends(pattern, ":*")) return glob_fits(pattern, text, arena);
	pattern.len -= 2;
	return str_eq(pattern, str_first(text, pattern.len)) &&
	       (text.len == pattern.len || text.at[pattern.len] == ' ');
}

static bool hides_more(struct str command)
{
	for (size_t i = 0; i < command.len; i++)
		if (strchr("`<>\n\r", command.at[i]) ||
			str_starts(str_from(command, i), "$("))
			return true;
	return false;
}

/* Quotes are not looked at: too many pieces are on the safe side for both effects. */
static bool command_fits(struct str pattern, enum rule_effect effect, struct str command,
	struct arena *arena)
{
	bool grants = effect == RULE_GRANTS, every = true;
	const char *ends = grants ? ";|&" : ";|&\n\r`()";
	bool any = !grants && pattern_fits(pattern, command, arena);

	if (grants && hides_more(command)) return false;
	for (size_t at = 0; at < command.len;) {
		size_t end = at;

		while (end < command.len && !strchr(ends, command.at[end]))
			end++;
		struct str piece = str_trim(str_make(command.at + at, end - at));
		bool fits = piece.len > 0 && pattern_fits(pattern, piece, arena);
		any |= fits;
		every &= fits || piece.len == 0;
		at = end + 1;
	}
	return any && (every || !grants);
}

/* Those whose subject is a command line. */
static bool is_shell(struct str tool)
{
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
		if (str_is(tool, subjects[i].tool))
			return strcmp(subjects[i].member, "command") == 0;
	return false;
}

static bool rule_fits(struct str rule, enum rule_effect effect, struct str tool,
	const struct json *input, struct arena *arena)
{
	const char *open = rule.len > 0 ? memchr(rule.at, '(', rule.len) : NULL;
	size_t name = open ? (size_t)(open - rule.at) : rule.len;

	if (name == 0 || !glob_fits(str_first(rule, name), tool, arena)) return false;
	if (!open) return true;
	struct str pattern = str_from(rule, name + 1);
	if (str_ends(pattern, ")")) pattern.len--;
	struct str subject = subject_of(tool, input, arena);
	return is_shell(tool) ? command_fits(pattern, effect, subject, arena)
			      : pattern_fits(pattern, subject, arena);
}

/* The first rule, cut off *rest. */
static bool rule_cut(struct str *rest, struct str *rule)
{
	size_t end = 0;
	int depth = 0;

	if (rest->len == 0) return false;
	for (; end < rest->len; end++) {
		char ch = rest->at[end];

		if (ch == ',' && depth == 0) break;
		depth += ch == '(' ? 1 : ch == ')' && depth > 0 ? -1 : 0;
	}
	*rule = str_trim(str_first(*rest, end));
	*rest = str_from(*rest, end + 1);
	return true;
}

bool rules_fit(struct str rules, enum rule_effect effect, struct str tool,
	const struct json *input)
{
	struct arena arena = { 0 };
	struct str rule;
	bool fits = false;

	while (!fits && rule_cut(&rules, &rule))
		fits = rule_fits(rule, effect, tool, input, &arena);
	/* Without memory nothing is granted, and everything is stopped. */
	if (arena.failed) fits = effect == RULE_STOPS;
	arena_done(&arena);
	return fits;
}
