/* header.c - what the header Mcp-Name repeats of a request, and its encoding. */
#include "mcp/header.h"

#include "base/buf.h"
#include "base/hash.h"

#define BEGIN "=?base64?"
#define END   "?="

enum { HEADER_MAX = 65536, FRAME = sizeof BEGIN END - 1 };

bool header_subject(struct str method, const struct json *params, struct str *subject)
{
	static const struct {
		const char *method, *member;
	} named[] = {
		{ "tools/call", "name" },
		{ "prompts/get", "name" },
		{ "resources/read", "uri" },
		{ "tasks/get", "taskId" },
		{ "tasks/update", "taskId" },
		{ "tasks/cancel", "taskId" },
	};

	*subject = STR_NONE;
	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		if (!str_is(method, named[i].method)) continue;
		*subject = json_text_of(params, named[i].member);
		return true;
	}
	return false;
}

static bool header_carries(struct str text)
{
	if (!str_eq(str_trim(text), text) || str_starts(text, BEGIN)) return false;
	for (size_t i = 0; i < text.len; i++)
		if (text.at[i] < ' ' || text.at[i] > '~') return false;
	return true;
}

struct str header_encode(struct str text, struct arena *arena)
{
	struct buf b = { .max = HEADER_MAX };
	struct str out;

	if (header_carries(text)) return arena_str(arena, text);
	buf_add_text(&b, BEGIN);
	base64_write(&b, text);
	buf_add_text(&b, END);
	if (b.failed) arena->failed = true;
	out = arena_str(arena, buf_str(&b));
	buf_done(&b);
	return out;
}

bool header_decode(struct str value, struct arena *arena, struct str *out)
{
	struct buf b = { .max = HEADER_MAX };
	bool ok;

	*out = value;
	if (!str_starts(value, BEGIN) || !str_ends(value, END)) return true;
	ok = value.len >= FRAME &&
	     base64_read(str_make(value.at + sizeof BEGIN - 1, value.len - FRAME), &b);
	*out = arena_str(arena, buf_str(&b));
	buf_done(&b);
	return ok;
}
