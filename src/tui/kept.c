/* kept.c - copies of JSON. */
#include "tui/kept.h"

const struct json *kept_copy(const struct json *json, struct arena *arena)
{
	const struct json *copy = NULL;

	json_read(json_keep(json, arena), NULL, arena, &copy, NULL);
	return copy;
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
