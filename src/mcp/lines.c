/* lines.c - messages of a server that is a program beside us. */
#include "mcp/lines.h"

#include "mcp/remote.h"

enum { FOREIGN_MAX = 100, KEPT_MAX = 64 * 1024 };

const char *mcp_lines_take(struct mcp_lines *l, struct str bytes,
	void (*take)(void *ctx, struct str line), void *ctx)
{
	while (bytes.len) {
		const char *end = memchr(bytes.at, '\n', bytes.len);
		size_t len = end ? (size_t)(end - bytes.at) : bytes.len;

		l->over = l->line.len + len > REMOTE_MESSAGE_MAX;
		if (l->over) return "it printed a line of more than 8 MiB";
		buf_add(&l->line, str_first(bytes, len));
		bytes = str_from(bytes, len + (end != NULL));
		if (!end) break;
		if (str_trim(buf_str(&l->line)).len) take(ctx, buf_str(&l->line));
		if (l->line.len > KEPT_MAX)
			buf_done(&l->line);
		else
			buf_clear(&l->line);
		if (l->foreign >= FOREIGN_MAX)
			return "it printed 100 lines that are no messages of MCP";
	}
	return NULL;
}
