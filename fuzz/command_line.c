/* command_line.c - lines for a shell: every reading of a command is a part of its line, written
 * anew or not, and whatever stands before it, a command behind a separator is found. */
#include "core/policy/command_line.h"

#include "base/buf.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has(const struct command_line *line, const char *text)
{
	for (size_t i = 0; i < line->commands_len; i++)
		if (str_is(line->commands[i].text, text)) return true;
	return false;
}

static void line_check(struct str text, const char *command, struct arena *arena)
{
	struct command_line line;

	if (!command_line_read(text, arena, &line)) {
		assert(arena->failed);
		return;
	}
	assert(line.commands_len > 0 && str_eq(line.commands[0].text, str_trim(text)));
	for (size_t i = 0; i < line.commands_len; i++)
		assert(i == 0 || (line.commands[i].text.len > 0 &&
					 line.commands[i].text.len <= text.len));
	for (size_t i = 0; i < line.parts_len; i++)
		assert(line.parts[i].len > 0);
	assert(!command || line.too_deep || has(&line, command));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Two line ends: a backslash before them joins the first. */
	static const char *const behind[] = { "\n\n", ";", "&", "|", "(", "$(", "`" };
	struct str text = str_make((const char *)data, size);
	struct arena arena = { .max = 1 << 28 };

	line_check(text, NULL, &arena);
	for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
		struct buf b = { 0 };

		buf_add(&b, text);
		buf_print(&b, "%s>\"a;b\" 2>&1 X='c d' time -p rm 3<x -r", behind[i]);
		line_check(buf_str(&b), "rm -r", &arena);
		buf_done(&b);
	}
	arena_done(&arena);
	return 0;
}
