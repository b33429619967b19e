/* model.c - the table of wires, where their requests go and what stands above them. */
#include "base/keep.h"
#include "model/inner.h"

#include "core/shared/body.h"

static const struct wire *const wires[WIRES] = {
	[WIRE_ANTHROPIC] = &wire_anthropic,
	[WIRE_OPENAI] = &wire_openai,
	[WIRE_OPENAI_RESPONSES] = &wire_responses,
	[WIRE_GEMINI] = &wire_gemini,
	[WIRE_SCRIPT] = &wire_script,
};

const struct wire *wire_of(enum model_wire wire)
{
	return wires[wire];
}

/* A model's name is foreign: nothing of it may end the path or begin a query. */
static void path_add(struct buf *out, struct str name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/@";

	for (size_t i = 0; i < name.len; i++)
		if (memchr(plain, name.at[i], sizeof plain - 1))
			buf_add_char(out, name.at[i]);
		else
			buf_print(out, "%%%02X", (unsigned char)name.at[i]);
}

const char *model_url(
	enum model_wire wire, struct str base, struct str model, struct arena *arena)
{
	struct buf url = { .max = 8192 };

	if (base.len == 0) base = str_of(model_wire_url(wire));
	while (str_ends(base, "/"))
		base.len--;
	buf_add(&url, base);
	for (const char *c = wires[wire]->path; *c; c++)
		if (*c == '%')
			path_add(&url, model);
		else
			buf_add_char(&url, *c);
	return buf_keep_done(&url, arena).at;
}

const char *const *model_headers(
	enum model_wire wire, struct str key, struct arena *arena)
{
	const char **lines = ARENA_ARRAY(arena, const char *, 5);
	size_t n = 0;

	if (!lines) return NULL;
	lines[n++] = "content-type: application/json";
	lines[n++] = "accept: text/event-stream";
	if (wires[wire]->header) lines[n++] = wires[wire]->header;
	if (key.len > 0)
		lines[n++] = arena_print(
			arena, "%s%.*s", wires[wire]->key_header, STR_ARGS(key))
				     .at;
	return arena->failed ? NULL : lines;
}
