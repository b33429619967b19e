/* json_schema_inner.h - what the two halves of the validator share. Prefix: json_schema_. */
#ifndef CORE_JSON_SCHEMA_INNER_H
#define CORE_JSON_SCHEMA_INNER_H

#include "core/shared/json_schema.h"

enum { REF_MAX = 1024 }; /* bytes of a $ref */

/* As flags, so that a list of types is one number. */
enum json_schema_types {
	TYPES_NONE = 0,
	TYPES_NULL = 1,
	TYPES_BOOLEAN = 2,
	TYPES_NUMBER = 4,
	TYPES_INTEGER = 8,
	TYPES_STRING = 16,
	TYPES_ARRAY = 32,
	TYPES_OBJECT = 64,
};

unsigned json_schema_type(struct str name); /* TYPES_NONE: there is none */
/* The schema that a $ref names. NULL: it names none. */
const struct json *json_schema_ref(const struct json *root, struct str ref);

#endif
