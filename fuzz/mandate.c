/* mandate.c - the lines of a mandate: what is taken is kept and read back the same; no edit of it is wider. */
#include "core/policy/mandate.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char asked[] =
		"[{\"key\":\"a\",\"tool\":[\"mcp__a__b\"],\"uses\":9},"
		"{\"key\":\"b\",\"tool\":[\"pay\"],\"uses\":9,\"sum\":{\"pointer\":\"/n\",\"max\":9.5}}]";
	struct mandate_record m = { .lines = str_of(asked), .until_ms = 3600000 };
	struct json_place root = place_root("");
	struct arena arena = { 0 };
	struct check c = { 0 };
	struct mandate_lines *lines = ARENA_NEW(&arena, struct mandate_lines);
	const struct json *body;
	struct str kept;
	int64_t until;

	assert(lines);
	if (json_read(str_make((const char *)data, size), NULL, &arena, &body, NULL) ==
		OK) {
		mandate_narrow(&c, &root, &m, body, 1000, &arena, &kept, &until);
		if (!c.failed) {
			assert(mandate_lines_load(kept, &arena, lines));
			assert(until <= m.until_ms);
			for (size_t i = 0; i < lines->len; i++)
				assert(lines->at[i].uses <= 9);
		}
		mandate_lines_read(&(struct check){ 0 }, &root, json_get(body, "lines"),
			&arena, lines);
	}
	arena_done(&arena);
	return 0;
}
