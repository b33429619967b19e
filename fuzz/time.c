/* time.c - times and durations: what is read can be written, and reads as the same again.
 */
#include "base/clock.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_make((const char *)data, size);
	int64_t ms = 7, again = 8;
	char out[TIME_SIZE];

	if (time_read(text, &ms)) {
		time_write(ms, out);
		assert(time_read(str_of(out), &again) && again == ms);
	} else {
		assert(ms == 7); /* untouched on failure */
	}
	ms = 7;
	if (duration_read(text, &ms))
		assert(ms >= 0 && ms <= INT64_C(101) * 366 * 86400 * 1000);
	else
		assert(ms == 7);
	return 0;
}
