/* path.c - normalises paths as text. */
#include "core/policy/path.h"

struct str path_normal(struct str path, struct arena *arena)
{
	char *out = arena_alloc(arena, path.len + 2);
	bool rooted = path.len > 0 && path.at[0] == '/';
	size_t len = 0, kept = 0; /* kept: bytes that a later `..` cannot take back */
	struct str part;

	if (!out) return STR_NONE;
	if (rooted) out[len++] = '/', kept = 1;
	while (str_cut(&path, '/', &part)) {
		if (part.len == 0 || str_is(part, ".")) continue;
		if (str_is(part, "..")) {
			if (len > kept) {
				while (len > kept && out[len - 1] != '/')
					len--;
				if (len > kept) len--; /* the slash before it */
				continue;
			}
			if (rooted) continue; /* above / is / */
		}
		if (len > 0 && out[len - 1] != '/') out[len++] = '/';
		memcpy(out + len, part.at, part.len);
		len += part.len;
		if (str_is(part, "..")) kept = len;
	}
	if (len == 0) out[len++] = '.';
	return str_make(out, len);
}

enum doubt path_unclear(struct str path)
{
	for (size_t start = 0, i = 0; i <= path.len; i++) {
		if (i < path.len && path.at[i] != '/' && path.at[i] != '\\') continue;
		struct str part = str_make(path.at + start, i - start);

		if (str_is(part, "..")) return DOUBT_PARENT;
		if (str_starts(part, "~")) return DOUBT_HOME;
		start = i + 1;
	}
	return DOUBT_NONE;
}
