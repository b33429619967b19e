/* placeholder.c - a tool of one's own up to the first line end, and behind it the arguments of a call: whatever they
 * are, the request goes to the tool's own host and stays below its path, its body is JSON, and no header has two lines. */
#include "base/url_text.h"
#include "core/run/own_tool.h"
#include "core/shared/address.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void url_check(struct str url, const struct own_tool *tool)
{
	size_t fixed = url_origin(tool->url).len;
	struct url parts;
	int at = str_find(tool->url, STR("{"));
	struct str path, rest = str_from(url, fixed), one;

	assert(url_split(url, &parts));
	assert(str_eq(url_origin(url), url_origin(tool->url)));
	/* What stands before the first placeholder stands there in every request. */
	assert(str_eq(str_first(url, at < 0 ? tool->url.len : (size_t)at),
		at < 0 ? tool->url : str_first(tool->url, (size_t)at)));
	for (size_t i = 0; i < url.len; i++)
		assert((unsigned char)url.at[i] > ' ' && url.at[i] != '\\' &&
			url.at[i] != '#');
	str_cut(&rest, '?', &path);
	while (str_cut(&path, '/', &one))
		assert(!str_is(one, ".."));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_make((const char *)data, size), line = STR_NONE, kept;
	struct arena arena = { .max = 1 << 28 };
	struct tool_access a = { .call = STR("call_1"), .agent = STR("main") };
	const struct json *body, *arguments, *sent;
	struct tool_request q;
	struct fault why = { 0 };

	str_cut(&rest, '\n', &line);
	if (json_read(line, NULL, &arena, &body, NULL) == OK &&
		json_read(rest, NULL, &arena, &arguments, NULL) == OK &&
		json_is(arguments, JSON_OBJECT) &&
		own_tool_read(body, STR_NONE, NULL, &arena, &kept, &a.tool, &why) == OK &&
		a.tool.url.len &&
		tool_request_make(&a, arguments, 1800000000000, &arena, &q)) {
		if (!q.wrong.len) url_check(str_of(q.url), &a.tool);
		if (q.body.len)
			assert(json_read(q.body, NULL, &arena, &sent, NULL) == OK);
		for (const char **h = q.headers; *h; h++)
			assert(!strpbrk(*h, "\r\n"));
	}
	arena_done(&arena);
	return 0;
}
