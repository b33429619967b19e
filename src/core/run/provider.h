/* provider.h - who sells or serves models: what is configured of one, read, checked and shown.
 * Pure. Keys are never shown: their last four characters at most. Prefixes: provider_, mask_, known_model, price_list_. */
#ifndef CORE_PROVIDER_H
#define CORE_PROVIDER_H

#include "base/str.h"
#include "core/run/usage.h"
#include "core/shared/body.h"
#include "core/shared/digest.h"
#include "core/shared/resources.h"

struct shape_member;
struct shape_reading;

enum {
	PROVIDERS_MAX = 100,
	PROVIDER_MODELS_MAX = 1000,
	PROVIDER_KEY_MAX = 4096, /* bytes */
	PROVIDER_AT_ONCE = 8,
};

/* The kinds of providers: which API they speak. */
enum model_wire {
	WIRE_ANTHROPIC, /* Messages */
	WIRE_OPENAI,	/* Chat Completions; Ollama, vLLM, OpenRouter … by their url */
	WIRE_OPENAI_RESPONSES, /* Responses */
	WIRE_GEMINI,	       /* generateContent */
	WIRE_SCRIPT,	       /* none: answers from a script, see script.h */
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
	const char *
		model; /* of the agent that is there when none is configured; NULL: auto */
	const char *url; /* NULL: the wire's */
};
extern const struct usual_provider usual_providers[]; /* ends with a NULL name */
struct str model_wire_usual_model(const struct usual_provider *);

/* Where a provider's key comes from. */
enum key_source { KEY_NONE, KEY_ENV, KEY_FILE, KEY_SEALED };

/* As it is stored, and as the configuration file's are held in memory: those have version 0. Borrowed
 * texts. The id is prv_…, from workspace and name. */
struct provider_record {
	RESOURCE_MEMBERS(PROVIDER_COLUMNS)
	/* Of those of the configuration, never stored. */
	struct str key;		/* the key itself; empty: missing, or none is needed */
	enum key_source source; /* where it is, or should be */
	struct str key_from;	/* the variable or the file */
};

/* Which layer a price is of. */
enum price_from {
	PRICE_NONE,
	PRICE_PROVIDER,
	PRICE_IMPORTED,
	PRICE_LISTED,
	PRICE_BUILT_IN
};

struct provider_model {
	struct str id;
	int64_t context, output; /* tokens; 0: not known */
	bool priced;
	struct price price;
};

/* A body taken apart. Lives in an arena. */
struct provider {
	struct str name;
	enum model_wire wire;
	struct str url; /* empty: the kind's own */
	int64_t at_once;
	struct provider_model *models;
	size_t models_len;
	const struct json *script; /* of kind script; else NULL */
	/* Of a body, never kept: empty takes it away. */
	bool has_key;
	struct str key;
};
extern const struct shape provider_model_shape;
/* The member of a key, which own tools have, too. *has: it was given. */
void provider_key_read(const struct shape_reading *, const struct shape_member *,
	const struct json *, bool *has, struct str *out);

/* A price that was imported: for every provider that has the model and no price for it. */
struct price_record {
	int64_t ws;
	struct str model;
	struct str body; /* JSON {context, output, price} */
	int64_t changed_ms, version;
};

/* What its event names it by: another key is another digest. */
void provider_digest(const struct provider_record *, char out[SHORT_DIGEST_SIZE]);
/* "prv_" and 26 characters that depend on workspace and name alone. */
void provider_id(int64_t ws, struct str name, char out[32]);
/* Reads a body over `before`, as agent_read does; *out (may be NULL) gets it taken apart, with the key
 * that it brings. That the address may be reached is for the caller to see. */
enum err provider_read(const struct json *body, struct str before,
	const struct members *more, struct arena *, struct str *json,
	struct provider *out, struct fault *why);
enum err provider_parse(
	struct str json, struct arena *, struct provider *out, struct fault *why);
/* NULL: it has no row of its own for this model. */
const struct provider_model *provider_model(const struct provider *, struct str id);
void provider_show(
	struct json_writer *, const struct provider_record *, struct str wrong);
/* The last four, where that leaves enough unknown; else nothing. */
struct str provider_key_last4(struct str key);
/* Why there is no secret, of a source that is an environment variable or a file. `token`: it is called so. */
struct str provider_key_absent(
	enum key_source, struct str from, bool token, struct arena *);
/* Why it cannot be used for lack of a key, and the line that mends it; empty: it can. */
struct str provider_key_wrong(const struct provider_record *, struct arena *);

/* ---- secrets that must not be seen, taken out of text that others wrote ---- */

enum { MASK_MIN = 8 }; /* shorter ones would tear ordinary words apart */

/* The text with every secret of MASK_MIN bytes or more as "[secret …WXYZ]", or "[secret]" when
 * it is too short to show any of. */
void mask_text(struct buf *out, struct str text, const struct str *secrets, size_t len);

/* ---- models that this program knows: context, longest answer and list price ---- */

extern const char *const known_models_date; /* "2026-11-17": when the table was made */
extern const char *const known_models_from; /* "@pydantic/genai-prices 0.1.8" */

/* Of a model by its name, with or without a date behind it ("-20250929", "-latest"), never by its beginning;
 * its price as of now. False: it is not in the table. */
bool known_model(struct str id, int64_t now_ms, struct provider_model *out);
/* All rows, in turn, of a model the newest price first; false behind the last. */
bool known_model_at(size_t i, struct provider_model *out);
/* The number between these two in an id, as known_model_newest reads it, a date behind it left out. False: it is
 * no such id. */
bool known_model_number(
	struct str id, const char *before, const char *behind, int out[2]);
/* The id with the highest number between these two: "claude-sonnet-" and "". NULL behind: anything but
 * light, image and speech models. Empty: there is none. */
struct str known_model_newest(const char *before, const char *behind);

/* ---- prices of models as others publish them: models.dev's and LiteLLM's files ---- */

enum { PRICE_LIST_MAX = 5000 };

/* Of models.dev: {provider: {"models": {id: {"cost": …}}}}, where the vendor's own prices win
 * over those of resellers. Of LiteLLM: {id: {"input_cost_per_token": …}}. In the arena, each
 * id once, at most PRICE_LIST_MAX. ERR_INVALID: neither of both. */
enum err price_list_read(const struct json *, struct arena *, struct provider_model **out,
	size_t *len, struct fault *why);

#endif
