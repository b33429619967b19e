/* schema.h - enough of JSON Schema to hold replies against: type, const, enum,
 * properties, required, additionalProperties, items, oneOf, anyOf, and the usual bounds.
 */
#ifndef TESTS_UNIT_DIALECT_SCHEMA_H
#define TESTS_UNIT_DIALECT_SCHEMA_H

#include "base/json.h"

/* NULL: it fits; else where it does not, in words. */
const char *schema_misfit(const struct json *schema, const struct json *value);

#endif
