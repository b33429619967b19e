/* pattern.c - a pattern about tool calls up to the first line end, and behind it a command
 * line, a path or an address: what is accepted reads back as the same, covers itself, and
 * what an allow fits a deny fits, too; the linear matcher agrees with itself from any word on. */
#include "core/policy/tool_list.h"
#include "core/shared/glob.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct json *operation_of(
	const char *name, const char *member, struct str text, struct arena *arena)
{
	struct buf b = { 0 };
	const struct json *out = NULL;

	buf_print(&b, "{\"name\":\"%s\",\"arguments\":{\"%s\":", name, member);
	json_write_str(&b, text);
	buf_add_text(&b, "}}");
	char *kept = arena_copy(arena, buf_str(&b));
	assert(kept);
	if (json_read(str_make(kept, b.len), NULL, arena, &out, NULL)) out = NULL;
	buf_done(&b);
	return out;
}

static void fits_check(const struct tool_list *allow, const struct tool_list *deny,
	struct str text, struct arena *arena)
{
	static const char *const calls[][2] = { { "Bash", "command" },
		{ "Read", "file_path" }, { "WebFetch", "url" }, { "Other", "command" } };

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		const struct json *operation =
			operation_of(calls[i][0], calls[i][1], text, arena);

		if (!operation) continue;
		bool allowed = tool_list_allows(allow, operation, arena);
		bool stopped = tool_list_stops(deny, operation, arena);
		assert(!allowed || stopped || arena->failed);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_make((const char *)data, size), line = STR_NONE, which;
	struct arena arena = { .max = 1 << 28 };
	struct tool_list allow = { 0 }, deny = { 0 };
	struct tool_pattern p;

	str_cut(&rest, '\n', &line);
	if (!tool_pattern_read(line, false, &p)) {
		assert(str_eq(p.text, line) && p.name.len > 0);
		assert(tool_pattern_covers(&p, &p));
	}
	if (!tool_list_read(&allow, line, true, &arena, &which)) {
		/* Whatever may be in an allow may be in a deny. */
		assert(!tool_list_read(&deny, line, false, &arena, &which));
		assert(allow.len == deny.len);
		fits_check(&allow, &deny, rest, &arena);
	}
	if (glob_fits(line, rest) && rest.len) assert(glob_fits_words(line, rest));
	assert(!glob_covers(line, STR("*")) || glob_fits(line, rest));
	arena_done(&arena);
	return 0;
}
