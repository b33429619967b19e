/* agent_markdown.c - reads the front matter that agents of other programs have, too. */
#include "cli/agentfile/agent_markdown.h"

/* "value", 'value' and value are the same here. */
static struct str unquoted(struct str s)
{
	s = str_trim(s);
	if (s.len >= 2 && (s.at[0] == '"' || s.at[0] == '\'') &&
		s.at[s.len - 1] == s.at[0])
		s = str_make(s.at + 1, s.len - 2);
	return s;
}

static void line_take(struct str line, struct arena *arena, struct agent_markdown *out)
{
	struct str rest = line, key, item = str_trim(line);
	const struct {
		const char *key;
		struct str *to;
	} keys[] = { { "name", &out->name }, { "description", &out->description },
		{ "provider", &out->provider }, { "model", &out->model },
		{ "effort", &out->effort }, { "tools", &out->tools } };

	if (str_starts(item, "- ")) { /* an item of `tools:`, the only list there is */
		item = unquoted(str_from(item, 2));
		out->tools = out->tools.len
				     ? arena_print(arena, "%.*s,%.*s",
					       STR_ARGS(out->tools), STR_ARGS(item))
				     : item;
		return;
	}
	str_cut(&rest, ':', &key);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (str_is(str_trim(key), keys[i].key)) *keys[i].to = unquoted(rest);
}

enum err agent_markdown_read(struct str text, struct arena *arena,
	struct agent_markdown *out, struct fault *why)
{
	struct str rest = text, line;
	bool ended = false;

	*out = (struct agent_markdown){ 0 };
	if (!str_cut(&rest, '\n', &line) || !str_is(str_trim(line), "---"))
		return fail(why, ERR_INVALID,
			"the file is neither JSON nor markdown that begins with ---");
	while (!ended && str_cut(&rest, '\n', &line)) {
		ended = str_is(str_trim(line), "---");
		if (!ended) line_take(line, arena, out);
	}
	if (!ended)
		return fail(why, ERR_INVALID, "the front matter has no --- at its end");
	if (!out->name.len) return fail(why, ERR_INVALID, "the front matter has no name");
	out->prompt = str_trim(rest);
	if (str_starts(out->tools, "[") && str_ends(out->tools, "]"))
		out->tools = str_make(out->tools.at + 1, out->tools.len - 2);
	return OK;
}
