/* model_wire.c - the table of wires, and the variables by which providers are found. */
#include "core/run/model_list.h"

#include "core/shared/body.h"

const char *const model_wire_names[WIRES] = {
	[WIRE_ANTHROPIC] = "anthropic",
	[WIRE_OPENAI] = "openai",
	[WIRE_OPENAI_RESPONSES] = "openai_responses",
	[WIRE_GEMINI] = "gemini",
	[WIRE_SCRIPT] = "script",
};

static const char *const urls[WIRES] = {
	[WIRE_ANTHROPIC] = "https://api.anthropic.com",
	[WIRE_OPENAI] = "https://api.openai.com/v1",
	[WIRE_OPENAI_RESPONSES] = "https://api.openai.com/v1",
	[WIRE_GEMINI] = "https://generativelanguage.googleapis.com/v1beta",
	[WIRE_SCRIPT] = "", /* no address */
};

const struct usual_provider usual_providers[] = {
	{ "anthropic", WIRE_ANTHROPIC, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL" },
	{ "openai", WIRE_OPENAI_RESPONSES, "OPENAI_API_KEY", "OPENAI_BASE_URL" },
	{ "gemini", WIRE_GEMINI, "GEMINI_API_KEY" },
	{ "openrouter", WIRE_OPENAI, "OPENROUTER_API_KEY", NULL, "openrouter/auto",
		"https://openrouter.ai/api/v1" },
	{ NULL, WIRES, NULL, NULL, NULL, NULL },
};

struct str model_wire_usual_model(const struct usual_provider *u)
{
	return u->model ? str_of(u->model) : MODEL_AUTO;
}

bool model_wire_find(struct str name, enum model_wire *out)
{
	int i = name_find(model_wire_names, WIRES, name);

	if (i >= 0) *out = (enum model_wire)i;
	return i >= 0;
}

const char *model_wire_url(enum model_wire wire)
{
	return urls[wire];
}
