/* tool_list.h - patterns about tool calls in one line, with commas between: what a command
 * line says (hook --allow, --deny, --ask-only). They fit as those of rules do. */
#ifndef CORE_TOOL_LIST_H
#define CORE_TOOL_LIST_H

#include "core/policy/tool_pattern.h"

/* { 0 } is empty and ready. */
struct tool_list {
	struct tool_pattern *tools;
	size_t len, room;
};

/* Adds the patterns of a line; commas within brackets belong to the pattern. NULL, or what
 * is wrong with `which`, as tool_pattern_read says. Without memory the arena has failed. */
const char *tool_list_read(struct tool_list *, struct str line, bool allows,
	struct arena *, struct str *which);
/* One of them fits the operation or any command in it; in doubt, too. `operation` is
 * {type?, name, arguments?}; NULL: no memory, which is doubt. */
bool tool_list_stops(
	const struct tool_list *, const struct json *operation, struct arena *);
/* Each command of the operation fits one of them; not in doubt. */
bool tool_list_allows(
	const struct tool_list *, const struct json *operation, struct arena *);

#endif
