/* models.c - lists of models: those that providers reply with, on every wire, and files of prices.
 * What is written is JSON. */
#include "core/run/provider.h"
#include "model/model.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void reply_check(enum model_wire wire, struct str reply)
{
	struct arena arena = { 0 };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	const struct json *json;

	if (model_list_write(&w, wire, reply, 0))
		assert(json_read(buf_str(&out), NULL, &arena, &json, NULL) == OK);
	else
		assert(!out.len);
	buf_done(&out);
	arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_make((const char *)data, size);
	struct arena arena = { 0 };
	struct fault why = { 0 };
	struct provider_model *models;
	const struct json *json;
	size_t len = 0;

	for (int wire = 0; wire < WIRES; wire++)
		reply_check((enum model_wire)wire, text);
	if (json_read(text, NULL, &arena, &json, NULL) == OK &&
		price_list_read(json, &arena, &models, &len, &why) == OK)
		assert(len <= PRICE_LIST_MAX);
	arena_done(&arena);
	return 0;
}
