/* codex_trust.c - the digest of a hook, as Codex computes it. */
#include "cli/connect/codex_trust.h"

#include <limits.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/json_pattern.h"
#include "base/keep.h"

enum { TIMEOUT_DEFAULT_S = 600 };

/* Which group, and which handler in it. */
struct place {
	uint32_t group, handler;
	const struct json *matcher, *hook; /* matcher NULL: none */
};

static bool hook_find(
	const struct json *root, const char *event, const char *known, struct place *out)
{
	const struct json *groups = json_get(json_get(root, "hooks"), event);

	for (uint32_t g = 0; json_is(groups, JSON_ARRAY) && g < groups->count; g++) {
		const struct json *list = json_get(&groups->items[g], "hooks");

		for (uint32_t h = 0; json_is(list, JSON_ARRAY) && h < list->count; h++) {
			struct str command = json_text_of(&list->items[h], "command");

			if (str_find(command, str_of(known)) < 0) continue;
			*out = (struct place){ g, h,
				json_get(&groups->items[g], "matcher"), &list->items[h] };
			return true;
		}
	}
	return false;
}

/* Members by name, without blanks, and without those that are not set. */
static struct str identity_text(
	const struct place *p, struct str event, struct arena *arena)
{
	const struct json *timeout = json_get(p->hook, "timeout");
	int64_t s = timeout && timeout->is_int ? timeout->integer : TIMEOUT_DEFAULT_S;
	bool async = json_is(json_get(p->hook, "async"), JSON_TRUE);

	return JSON_TEXT(arena,
		"{'event_name':%?,'hooks':[{'async':%j,'command':%j,'statusMessage':%j,"
		"'timeout':%j,'type':'command'}],'matcher':%j}",
		event, json_bool(async), json_some(json_get(p->hook, "command"), arena),
		json_some(json_get(p->hook, "statusMessage"), arena),
		arena_print(arena, "%lld", (long long)s), json_some(p->matcher, arena));
}

/* "PreToolUse" is pre_tool_use there. */
static struct str event_name(const char *event, struct arena *arena)
{
	struct buf b = { .max = 256 };

	for (const char *at = event; *at; at++) {
		bool upper = *at >= 'A' && *at <= 'Z';

		if (upper && at > event) buf_add_char(&b, '_');
		buf_add_char(&b, (char)(upper ? *at | 0x20 : *at));
	}
	return buf_keep_done(&b, arena);
}

bool codex_trust(const char *path, struct str hooks, const char *event, const char *known,
	struct arena *arena, struct config_change *change)
{
	struct str name = event_name(event, arena);
	char full[PATH_MAX], hex[2 * SHA256_SIZE + 1];
	uint8_t digest[SHA256_SIZE];
	const struct json *root;
	struct place p;

	if (json_read(hooks, NULL, arena, &root, NULL) ||
		!hook_find(root, event, known, &p))
		return false;
	/* A file that is not there yet has no real path: the one it will have. */
	if (!realpath(path, full)) full[0] = 0;
	sha256(identity_text(&p, name, arena), digest);
	hex_write(digest, sizeof digest, hex);
	change->last = arena_print(arena, "%s:%.*s:%u:%u", *full ? full : path,
		STR_ARGS(name), p.group, p.handler);
	change->value = arena_print(arena, "{\"trusted_hash\":\"sha256:%s\"}", hex);
	return true;
}
