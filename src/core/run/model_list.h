/* model_list.h - the models that a provider says it has, as they are kept: what is known of each, which is
 * the newest of its kind, which are gone. Pure. Prefixes: model_, listed_. */
#ifndef CORE_MODEL_LIST_H
#define CORE_MODEL_LIST_H

#include "core/run/provider.h"

enum {
	MODEL_LIST_MAX = 5000,
	MODEL_LIST_HOURS = 24, /* then it is read again */
	MODEL_RETIRES_DAYS =
		30, /* from then on it is said, and such a model is not chosen */
	MODEL_OTHERS_MAX = 5, /* names of others, where one is gone */
};

#define MODEL_AUTO STR("auto")

enum model_life { LIFE_UNKNOWN, LIFE_ACTIVE, LIFE_DEPRECATED, LIFE_RETIRED, LIVES };
extern const char *const model_life_names[LIVES]; /* NULL for unknown */

/* One model of a list. Borrowed texts. */
struct listed_model {
	struct provider_model known; /* id, context, output, price */
	struct str line;	     /* "sonnet"; or empty */
	enum model_life life;
	int64_t created_ms, retires_ms; /* 0: not known */
	struct str effort;		/* "low medium high"; or empty */
	enum { TELLS_NOT, TELLS_YES, TELLS_NO } images, structured;
};

struct model_list {
	struct listed_model *items;
	size_t len;
};

/* As it is stored: a row for each provider of a workspace. */
struct model_list_record {
	int64_t ws;
	struct str provider; /* its name */
	struct str body;     /* JSON array, as listed_write has it; or empty */
	int64_t listed_ms;   /* when that came; 0: never */
	int64_t tried_ms;
	struct str error; /* of the last try; or empty */
	int64_t version;
};

void listed_write(struct json_writer *, const struct listed_model *); /* to be kept */
/* Empty text is an empty list. */
enum err model_list_parse(
	struct str body, struct arena *, struct model_list *out, struct fault *why);
const struct listed_model *model_list_find(const struct model_list *, struct str id);
/* Is it time to read it? NULL: there is none. */
bool model_list_due(const struct model_list_record *, int64_t now_ms);

/* The model that `auto` stands for; of an empty list by the built-in table. Empty: there is none. */
struct str model_auto(enum model_wire, const struct model_list *, int64_t now_ms);
/* Retired, or past its date. */
bool model_gone(const struct listed_model *, int64_t now_ms);
/* Does it retire within MODEL_RETIRES_DAYS? */
bool model_retires(const struct listed_model *, int64_t now_ms);
/* "claude-sonnet-4-5 was retired by anthropic on 2026-11-30. It offers claude-sonnet-5, …" */
struct str model_gone_words(struct str provider, struct str model,
	const struct model_list *, int64_t now_ms, struct arena *);
/* "retires on 2026-11-30" */
struct str model_retires_words(const struct listed_model *, struct arena *);

#endif
