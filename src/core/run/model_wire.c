/* model_wire.c - the table of wires, and the variables by which providers are found. */
#include "core/run/model_wire.h"

static const struct {
	const char *name, *url;
} wires[WIRES] = {
	[WIRE_ANTHROPIC] = { "anthropic", "https://api.anthropic.com" },
	[WIRE_OPENAI] = { "openai", "https://api.openai.com/v1" },
	[WIRE_OPENAI_RESPONSES] = { "openai_responses", "https://api.openai.com/v1" },
	[WIRE_GEMINI] = { "gemini", "https://generativelanguage.googleapis.com/v1beta" },
};

const struct usual_provider usual_providers[] = {
	{ "anthropic", WIRE_ANTHROPIC, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL",
		"claude-sonnet-4-5" },
	{ "openai", WIRE_OPENAI_RESPONSES, "OPENAI_API_KEY", "OPENAI_BASE_URL", "gpt-5" },
	{ "gemini", WIRE_GEMINI, "GEMINI_API_KEY", NULL, "gemini-2.5-pro" },
	{ "openrouter", WIRE_OPENAI, "OPENROUTER_API_KEY", NULL, "openrouter/auto",
		"https://openrouter.ai/api/v1" },
	{ NULL, WIRES, NULL, NULL, NULL },
};

bool model_wire_find(struct str name, enum model_wire *out)
{
	for (int i = 0; i < WIRES; i++)
		if (str_is(name, wires[i].name)) {
			*out = (enum model_wire)i;
			return true;
		}
	return false;
}

const char *model_wire_name(enum model_wire wire)
{
	return wires[wire].name;
}

const char *model_wire_url(enum model_wire wire)
{
	return wires[wire].url;
}
