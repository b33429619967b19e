/* lines.c - what a server that is a program prints: however the bytes are cut, the same lines are found, and it is given up
 * after the same. The first byte says where to cut. */
#include "mcp/lines.h"

#include <assert.h>

#include "mcp/rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct found {
	struct buf all; /* every line, one behind the other */
	struct mcp_lines *lines;
};

static void line_take(void *ctx, struct str line)
{
	struct found *f = ctx;
	struct arena arena = { 0 };
	const struct json *message;
	struct rpc rpc;

	assert(str_find(line, STR("\n")) < 0);
	buf_add(&f->all, line);
	buf_add_char(&f->all, '\n');
	if (json_read(line, NULL, &arena, &message, NULL) ||
		!rpc_read(message, &arena, &rpc))
		f->lines->foreign++;
	arena_done(&arena);
}

static const char *lines_read(struct str bytes, size_t piece, struct buf *out)
{
	struct mcp_lines lines = { 0 };
	struct found f = { .lines = &lines };
	const char *wrong = NULL;

	for (; bytes.len && !wrong; bytes = str_from(bytes, piece))
		wrong = mcp_lines_take(&lines, str_first(bytes, piece), line_take, &f);
	buf_done(&lines.line);
	*out = f.all;
	return wrong;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, cut;
	struct str bytes;

	if (size < 2 || size > 1 << 16) return 0;
	bytes = str_make((const char *)data + 1, size - 1);
	assert(lines_read(bytes, bytes.len, &whole) ==
		lines_read(bytes, 1 + data[0] % 63, &cut));
	assert(str_eq(buf_str(&whole), buf_str(&cut)));
	buf_done(&whole);
	buf_done(&cut);
	return 0;
}
