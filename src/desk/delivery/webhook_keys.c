/* webhook_keys.c - the keys that webhooks of a workspace are signed with: made when there is none,
 * changed, and the one before, which still signs for a while. */
#include "desk/shared/inner.h"

struct str webhook_key_name(int64_t ws, bool before, struct arena *arena)
{
	return arena_print(
		arena, "webhook/%lld%s", (long long)ws, before ? "/before" : "");
}

enum err webhook_keys_load(struct rows *rows, int64_t ws, struct arena *arena,
	struct str keys[WEBHOOK_KEYS], struct fault *why)
{
	const struct server_key *now, *before;
	enum err e = desk_server_key(
		rows, webhook_key_name(ws, false, rows->arena), &now, why);

	if (!e)
		e = desk_find_key(
			rows, webhook_key_name(ws, true, rows->arena), &before, why);
	if (e) return e;
	keys[0] = arena_str(arena, now->value);
	keys[1] = before && before->created_ms > rows->now_ms - WEBHOOK_OVERLAP_MS
			  ? arena_str(arena, before->value)
			  : STR_NONE;
	return OK;
}

enum err webhook_key_rotate(struct rows *rows, int64_t ws, struct fault *why)
{
	struct str keys[WEBHOOK_KEYS];
	uint8_t *fresh = arena_alloc(rows->arena, SERVER_KEY_SIZE);
	enum err e = webhook_keys_load(rows, ws, rows->arena, keys, why);

	if (e) return e;
	if (!fresh) return fail_memory(why);
	random_bytes(rows->ids, fresh, SERVER_KEY_SIZE);
	e = desk_set_server_key(
		rows, webhook_key_name(ws, true, rows->arena), keys[0], why);
	if (e) return e;
	return desk_set_server_key(rows, webhook_key_name(ws, false, rows->arena),
		str_make((const char *)fresh, SERVER_KEY_SIZE), why);
}
