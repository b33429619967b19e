/* model_list.c - lists of models, whose members each wire names otherwise. */
#include "model/model.h"

#include "core/run/provider.h"

static const struct {
	const char *path, *list, *id, *context, *output;
} lists[WIRES] = {
	[WIRE_ANTHROPIC] = { "/v1/models?limit=1000", "data", "id", "max_input_tokens",
		"max_tokens" },
	[WIRE_OPENAI] = { "/models", "data", "id", "context_length", "" },
	[WIRE_OPENAI_RESPONSES] = { "/models", "data", "id", "", "" },
	[WIRE_GEMINI] = { "/models?pageSize=1000", "models", "name", "inputTokenLimit",
		"outputTokenLimit" },
	[WIRE_SCRIPT] = { "", "data", "id", "", "" },
};

const char *model_list_url(enum model_wire wire, struct str base, struct arena *arena)
{
	if (!base.len) base = str_of(model_wire_url(wire));
	while (str_ends(base, "/"))
		base.len--;
	return arena_print(arena, "%.*s%s", STR_ARGS(base), lists[wire].path).at;
}

static void tokens_write(
	struct json_writer *w, const char *key, const struct json *told, int64_t known)
{
	int64_t n =
		told && told->type == JSON_NUMBER && told->is_int ? told->integer : known;

	jw_key(w, key);
	n > 0 ? jw_int(w, n) : jw_null(w);
}

bool model_list_write(
	struct json_writer *w, enum model_wire wire, struct str reply, int64_t now_ms)
{
	struct arena arena = { 0 };
	const struct json *body = NULL, *list;

	if (json_read(reply, NULL, &arena, &body, NULL)) body = NULL;
	list = json_get(body, lists[wire].list);
	if (!json_is(list, JSON_ARRAY)) {
		arena_done(&arena);
		return false;
	}
	jw_object(w);
	jw_put_array(w, "items");
	for (uint32_t i = 0; i < list->count; i++) {
		const struct json *m = &list->items[i];
		struct str id = json_text_of(m, lists[wire].id);
		struct provider_model known = { 0 };

		if (str_starts(id, "models/")) id = str_from(id, 7);
		if (!id.len) continue;
		known_model(id, now_ms, &known);
		jw_object(w);
		jw_put_str(w, "id", id);
		tokens_write(
			w, "context", json_get(m, lists[wire].context), known.context);
		tokens_write(w, "output", json_get(m, lists[wire].output), known.output);
		jw_key(w, "price");
		known.priced ? price_write(w, &known.price) : jw_null(w);
		jw_object_end(w);
	}
	jw_array_end(w);
	jw_object_end(w);
	arena_done(&arena);
	return true;
}
