/* json_schema.h - the one validator of JSON Schema (2020-12): arguments of tools, edits of them, structured
 * output. Pure.
 *
 * Checked: type enum const properties required additionalProperties items prefixItems minimum maximum
 * minLength maxLength minItems maxItems minProperties maxProperties uniqueItems multipleOf pattern anyOf
 * oneOf allOf not $defs $ref (inside the schema). Annotations pass. A schema that says anything else is
 * refused when it is written, so that none is ever silently not checked. */
#ifndef CORE_JSON_SCHEMA_H
#define CORE_JSON_SCHEMA_H

#include "core/shared/body.h"

enum {
	JSON_SCHEMA_MAX = 64 * 1024, /* bytes */
	JSON_SCHEMA_DEPTH = 32,	     /* schemas in one another */
};

/* Notes every fault beneath `at`. */
void json_schema_check(
	struct check *, const struct json_place *at, const struct json *schema);

/* What does not fit, for who wrote the value. In the arena. */
struct json_miss {
	struct str at;	 /* a JSON pointer; empty: the whole */
	struct str must; /* "must be 1 to 5" */
};

struct json_schema_rules {
	bool nulls; /* a member that is null counts as left out */
};

/* `schema` was checked. False: *miss says what is wrong first; or, without memory, little. */
bool json_schema_fits(const struct json *schema, const struct json *value,
	const struct json_schema_rules *, struct arena *, struct json_miss *miss);

#endif
