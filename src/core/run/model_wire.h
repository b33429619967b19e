/* model_wire.h - the kinds of providers: which API they speak. */
#ifndef CORE_MODEL_WIRE_H
#define CORE_MODEL_WIRE_H

#include "base/str.h"

enum model_wire {
	WIRE_ANTHROPIC, /* Messages */
	WIRE_OPENAI,	/* Chat Completions; Ollama, vLLM, OpenRouter … by their url */
	WIRE_OPENAI_RESPONSES, /* Responses */
	WIRE_GEMINI,	       /* generateContent */
	WIRES,
};

bool model_wire_find(struct str name, enum model_wire *out);
extern const char *const model_wire_names[WIRES];
const char *model_wire_url(enum model_wire); /* the vendor's */

/* A provider that is there when its key is: by the variables its vendor's programs read. */
struct usual_provider {
	const char *name;
	enum model_wire wire;
	const char *key_env, *url_env; /* url_env may be NULL */
	const char *model; /* of the agent that is there when none is configured */
	const char *url;   /* NULL: the wire's */
};
extern const struct usual_provider usual_providers[]; /* ends with a NULL name */

#endif
