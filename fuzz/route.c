/* route.c - tables of routes and wishes of people: what is read is written and read again the
 * same. */
#include "core/notify/notify_prefs.h"
#include "core/notify/notify_route.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct arena arena = { 0 };
	struct fault why = { 0 };
	const struct json *json, *again;
	struct route_table table, second;
	struct notify_prefs prefs;
	struct buf once = { 0 }, twice = { 0 };
	struct json_writer a = { .out = &once }, b = { .out = &twice };

	if (json_read(text, NULL, &arena, &json, NULL) == OK) {
		if (routes_read(json, "", &arena, &table, &why) == OK) {
			routes_write(&a, &table);
			assert(json_read(buf_str(&once), NULL, &arena, &again, NULL) ==
				OK);
			assert(routes_read(again, "", &arena, &second, NULL) == OK);
			routes_write(&b, &second);
			assert(str_eq(buf_str(&once), buf_str(&twice)));
		}
		if (prefs_read(json, &arena, &prefs, NULL) == OK) {
			buf_clear(&once);
			a.more = false;
			prefs_write(&a, &prefs);
			assert(json_read(buf_str(&once), NULL, &arena, &again, NULL) ==
				OK);
			assert(prefs_read(again, &arena, &prefs, NULL) == OK);
		}
	}
	buf_done(&once);
	buf_done(&twice);
	arena_done(&arena);
	return 0;
}
