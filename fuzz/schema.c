/* A line of schema, then a value: what is accepted as a schema is checked in bounded time, and what it says of a miss
 * has words. */
#include "core/shared/json_schema.h"

#include <stdlib.h>

#define CHECK(condition)                                                                 \
	do {                                                                             \
		if (!(condition)) abort();                                               \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_make((const char *)data, size), first;
	const struct json *schema, *value;
	struct arena arena = { 0 };
	struct check check = { 0 };
	const struct json_place root = place_root("");
	struct json_miss miss;

	if (size < JSON_SCHEMA_MAX && str_cut(&rest, '\n', &first) &&
		!json_read(first, NULL, &arena, &schema, NULL) &&
		!json_read(rest, NULL, &arena, &value, NULL)) {
		json_schema_check(&check, &root, schema);
		if (!check.failed &&
			!json_schema_fits(schema, value, NULL, &arena, &miss))
			CHECK(miss.must.len || arena.failed);
	}
	arena_done(&arena);
	return 0;
}
