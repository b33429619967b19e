/* zone.c - a file of the tz database that somebody else wrote: what is read answers every time
 * with an offset of less than a day or so, and changes only forward. */
#include "base/zone.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t times[] = { INT64_MIN, -1, 0, 1700000000, 4102444800,
		INT64_MAX };
	struct arena arena = { 0 };
	const struct zone *z;

	if (zone_read(str_make((const char *)data, size), &arena, &z, NULL) == OK)
		for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
			int64_t offset = zone_offset_s(z, times[i]);
			int64_t next = zone_next_change_s(z, times[i]);

			assert(offset > -200000 && offset < 200000);
			assert(next > times[i] || times[i] > (int64_t)1 << 46);
		}
	arena_done(&arena);
	return 0;
}
