/* The beginning of docs/TOOLS.md, up to its second heading, is made from the table of tools. With --write it is
 * renewed; without, compared. */
#include "core/run/run_tool.h"

#include <stdio.h>
#include <stdlib.h>

static void page_write(struct buf *b)
{
	struct arena arena = { 0 };

	buf_add_text(b,
		"# Tools\n\n"
		"What an agent that Parley runs can have. Choose a tool by its name (`todo`), or one operation of\n"
		"it (`todo/create`). `GET /v1/tools` has the schemas. This table is made from `src/core/run/run_tool.c`.\n\n"
		"| tool | what it does | category | risk | class |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < run_operations_len; i++) {
		const struct run_operation *o = &run_operations[i];

		if (run_tools[o->tool].test) continue;
		buf_print(b, "| `%.*s` | %s | %s | %s | %s |\n",
			STR_ARGS(run_operation_name(o, &arena)), o->description,
			o->free ? "–" : operation_category_name(o->type),
			o->free ? "never gated" : risk_name(o->risk),
			call_class_name(o->class));
	}
	buf_add_text(b,
		"\n`report` is for sub-agents, without being chosen; tools that start sub-agents are never offered\n"
		"to one. Class `store`: done in the transaction that decides on it. `repeat`: run again when the\n"
		"server died meanwhile. `once`: never run again without a person's word.\n");
	arena_done(&arena);
}

int main(int argc, char **argv)
{
	struct buf want = { 0 }, have = { 0 };
	bool write = argc > 1 && strcmp(argv[1], "--write") == 0, good = write;
	FILE *f = fopen(TOOLS_PAGE, "r");
	int c, behind;

	if (!f) return fprintf(stderr, "no %s\n", TOOLS_PAGE), 1;
	while ((c = fgetc(f)) != EOF)
		buf_add_char(&have, (char)c);
	fclose(f);
	page_write(&want);
	behind = str_find(buf_str(&have), STR("\n## "));
	if (behind < 0) behind = (int)have.len;
	if (write && (f = fopen(TOOLS_PAGE, "w"))) {
		fwrite(want.at, 1, want.len, f);
		fwrite(have.at + behind, 1, have.len - (size_t)behind, f);
		good = fclose(f) == 0;
	}
	if (!write)
		good = str_eq(buf_str(&want), str_first(buf_str(&have), (size_t)behind));
	if (!good)
		fprintf(stderr, "%s is not current: run this with --write\n", TOOLS_PAGE);
	buf_done(&want);
	buf_done(&have);
	return !good;
}
