/* tool_list.c - patterns in one line, with commas between. */
#include "core/policy/tool_list.h"

#include "core/policy/rule_set_inner.h"

/* The first pattern, cut off *rest. */
static bool pattern_cut(struct str *rest, struct str *pattern)
{
	size_t end = 0;
	int depth = 0;

	if (rest->len == 0) return false;
	for (; end < rest->len; end++) {
		char c = rest->at[end];

		if (c == ',' && depth == 0) break;
		depth += c == '(' ? 1 : c == ')' && depth > 0 ? -1 : 0;
	}
	*pattern = str_trim(str_first(*rest, end));
	*rest = str_from(*rest, end + 1);
	return true;
}

static bool list_room(struct tool_list *list, struct arena *arena)
{
	size_t room = list->room ? list->room * 2 : 8;
	struct tool_pattern *grown;

	if (list->len < list->room) return true;
	grown = ARENA_ARRAY(arena, struct tool_pattern, room);
	if (!grown) return false;
	if (list->len) memcpy(grown, list->tools, list->len * sizeof *grown);
	list->tools = grown;
	list->room = room;
	return true;
}

const char *tool_list_read(struct tool_list *list, struct str line, bool allows,
	struct arena *arena, struct str *which)
{
	while (pattern_cut(&line, which)) {
		const char *wrong;

		if (which->len == 0) continue;
		if (!list_room(list, arena)) return "out of memory";
		wrong = tool_pattern_read(*which, allows, &list->tools[list->len]);
		if (wrong) return wrong;
		list->len++;
	}
	return NULL;
}

static struct operation_view look_of(const struct json *operation, struct arena *arena)
{
	struct operation_view o;

	operation_view(&o, operation, NULL, STR_NONE, STR_NONE, STR_NONE, arena);
	o.failed |= !operation;
	return o;
}

bool tool_list_stops(
	const struct tool_list *list, const struct json *operation, struct arena *arena)
{
	struct operation_view o;

	if (list->len == 0) return false;
	o = look_of(operation, arena);
	return o.failed || tools_stop(list->tools, list->len, &o) != FIT_NO;
}

bool tool_list_allows(
	const struct tool_list *list, const struct json *operation, struct arena *arena)
{
	struct operation_view o = look_of(operation, arena);
	size_t parts = operation_parts(&o);

	for (size_t i = 0; i < parts; i++)
		if (o.failed || !tools_allow_part(list->tools, list->len, &o, i))
			return false;
	return parts > 0;
}
