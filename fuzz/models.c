/* models.c - lists of models: those that providers reply with, on every wire, and files of prices.
 * What is kept of a list can be read back, and what is chosen is in it. */
#include "core/run/model_list.h"
#include "model/model.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void reply_check(enum model_wire wire, struct str reply)
{
	struct arena arena = { 0 };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct model_list list;
	struct str model;

	if (model_list_read(&w, wire, reply)) {
		assert(model_list_parse(buf_str(&out), &arena, &list, NULL) == OK);
		model = model_auto(wire, &list, 1800000000000);
		if (list.len && model.len) assert(model_list_find(&list, model));
		model_gone_words(STR("p"), STR("m"), &list, 1800000000000, &arena);
	} else {
		assert(!out.len);
	}
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
