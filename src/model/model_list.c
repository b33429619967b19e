/* model_list.c - lists of models, whose members each wire names otherwise. */
#include "model/model.h"

#include "base/clock.h"
#include "core/run/model_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *path, *list, *id, *context, *output;
} lists[WIRES] = {
	[WIRE_ANTHROPIC] = { "/v1/models?limit=1000", "data", "id", "max_input_tokens",
		"max_tokens" },
	[WIRE_OPENAI] = { "/models", "data", "id", "context_length", "" },
	[WIRE_OPENAI_RESPONSES] = { "/models", "data", "id", "context_length", "" },
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

/* ---- members ---- */

enum { TOKENS_MOST = 1000 * 1000 * 1000, LONG_ID = 200, LONG_LINE = 64 };

static int64_t tokens_of(const struct json *n)
{
	return json_is(n, JSON_NUMBER) && n->is_int && n->integer > 0 &&
			       n->integer <= TOKENS_MOST
		       ? n->integer
		       : 0;
}

/* RFC 3339, a day alone, or seconds since 1970; epoch values say nothing. */
static int64_t time_of(const struct json *v)
{
	struct str text = json_text(v);
	char whole[40];
	int64_t ms = 0;

	if (json_is(v, JSON_NUMBER) && v->is_int && v->integer > 0 &&
		v->integer < INT64_C(100) * 366 * 86400)
		return v->integer * 1000;
	if (text.len == 10) {
		snprintf(whole, sizeof whole, "%.*sT00:00:00Z", STR_ARGS(text));
		text = str_of(whole);
	}
	return text.len < sizeof whole && time_read(text, &ms) && ms > 0 ? ms : 0;
}

/* {"supported": true} */
static int supports(const struct json *capability)
{
	const struct json *v = json_get(capability, "supported");

	return json_is(v, JSON_TRUE) ? TELLS_YES : json_is(v, JSON_FALSE) ? TELLS_NO : 0;
}

static bool has_text(const struct json *list, const char *text)
{
	for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++)
		if (str_is(json_text(&list->items[i]), text)) return true;
	return false;
}

static int list_has(const struct json *list, const char *text)
{
	if (!json_is(list, JSON_ARRAY)) return TELLS_NOT;
	return has_text(list, text) ? TELLS_YES : TELLS_NO;
}

/* ---- what only some tell ---- */

static void capabilities_read(
	const struct json *c, struct arena *arena, struct listed_model *out)
{
	static const char *const levels[] = { "low", "medium", "high", "xhigh", "max" };
	const struct json *effort = json_get(c, "effort");

	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (supports(effort) == TELLS_YES &&
			supports(json_get(effort, levels[i])) == TELLS_YES)
			out->effort =
				arena_print(arena, "%.*s%s%s", STR_ARGS(out->effort),
					out->effort.len ? " " : "", levels[i]);
	out->images = supports(json_get(c, "image_input"));
	out->structured = supports(json_get(c, "structured_outputs"));
}

static void anthropic_read(
	const struct json *m, struct arena *arena, struct listed_model *out)
{
	struct str life = json_text_of(m, "lifecycle");

	for (int i = LIFE_ACTIVE; i < LIVES; i++)
		if (str_is(life, model_life_names[i])) out->life = (enum model_life)i;
	out->created_ms = time_of(json_get(m, "created_at"));
	out->retires_ms = time_of(json_get(m, "retires_at"));
	out->line = str_first(json_text_of(m, "line"), LONG_LINE);
	capabilities_read(json_get(m, "capabilities"), arena, out);
}

/* Dollars for a token, as text or number. */
static bool dollars_of(const struct json *v, int64_t *out)
{
	struct str text = json_text(v);
	char copy[40];
	double dollars = json_real(v);

	if (text.len) {
		if (text.len >= sizeof copy) return false;
		snprintf(copy, sizeof copy, "%.*s", STR_ARGS(text));
		dollars = strtod(copy, NULL);
	} else if (!json_is(v, JSON_NUMBER)) {
		return false;
	}
	if (!(dollars >= 0 && dollars <= 1)) return false;
	*out = (int64_t)llround(dollars * 1e9);
	return true;
}

static void pricing_read(const struct json *p, struct provider_model *out)
{
	struct price_set s;

	if (!dollars_of(json_get(p, "prompt"), &s.input) ||
		!dollars_of(json_get(p, "completion"), &s.output))
		return;
	if (!dollars_of(json_get(p, "input_cache_read"), &s.cache_read))
		s.cache_read = s.input;
	if (!dollars_of(json_get(p, "input_cache_write"), &s.cache_write))
		s.cache_write = s.input;
	s.cache_write_1h = s.cache_write;
	out->priced = true;
	out->price = (struct price){ .base = s };
}

/* OpenAI's own, and OpenRouter's. */
static void openai_read(
	const struct json *m, struct arena *arena, struct listed_model *out)
{
	(void)arena;
	out->created_ms = time_of(json_get(m, "created"));
	out->retires_ms = time_of(json_get(m, "shutdown_date"));
	out->known.output =
		tokens_of(json_get(json_get(m, "top_provider"), "max_completion_tokens"));
	pricing_read(json_get(m, "pricing"), &out->known);
	out->images = list_has(
		json_get(json_get(m, "architecture"), "input_modalities"), "image");
	out->structured =
		list_has(json_get(m, "supported_parameters"), "structured_outputs");
}

static void gemini_read(
	const struct json *m, struct arena *arena, struct listed_model *out)
{
	(void)arena;
	if (json_is(json_get(m, "thinking"), JSON_TRUE))
		out->effort = STR("low medium high");
}

static void (*const readers[WIRES])(
	const struct json *, struct arena *, struct listed_model *) = {
	[WIRE_ANTHROPIC] = anthropic_read,
	[WIRE_OPENAI] = openai_read,
	[WIRE_OPENAI_RESPONSES] = openai_read,
	[WIRE_GEMINI] = gemini_read,
};

/* ---- the list ---- */

static bool model_read(enum model_wire wire, const struct json *m, struct arena *arena,
	struct listed_model *out)
{
	struct str id = json_text_of(m, lists[wire].id);

	if (str_starts(id, "models/")) id = str_from(id, 7);
	if (!id.len || id.len > LONG_ID) return false;
	*out = (struct listed_model){
		.known = { .id = id,
			.context = tokens_of(json_get(m, lists[wire].context)),
			.output = tokens_of(json_get(m, lists[wire].output)) }
	};
	if (readers[wire]) readers[wire](m, arena, out);
	return true;
}

bool model_list_read(struct json_writer *w, enum model_wire wire, struct str reply)
{
	struct arena arena = { 0 };
	const struct json *body = NULL, *list;
	struct listed_model one;
	bool is_list;

	if (json_read(reply, NULL, &arena, &body, NULL)) body = NULL;
	list = json_get(body, lists[wire].list);
	is_list = json_is(list, JSON_ARRAY) && list->count <= MODEL_LIST_MAX;
	if (is_list) jw_array(w);
	for (uint32_t i = 0; is_list && i < list->count; i++)
		if (model_read(wire, &list->items[i], &arena, &one))
			listed_write(w, &one);
	if (is_list) jw_array_end(w);
	arena_done(&arena);
	return is_list;
}
