/* kept.c - copies of JSON. */
#include "tui/kept.h"

#include "base/keep.h"

const struct json *kept_copy(const struct json *json, struct arena *arena)
{
	struct buf text = { 0 };
	const struct json *copy = NULL;

	json_write(&text, json);
	return json_read(buf_keep_done(&text, arena), NULL, arena, &copy, NULL) == OK
		       ? copy
		       : NULL;
}

void kept_set(struct kept_json *k, const struct json *json)
{
	kept_done(k);
	if (json) k->json = kept_copy(json, &k->arena);
}

void kept_done(struct kept_json *k)
{
	arena_done(&k->arena);
	*k = (struct kept_json){ 0 };
}
