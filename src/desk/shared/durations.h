/* durations.h - how long things took. Private to desk. */
#ifndef DESK_DURATIONS_H
#define DESK_DURATIONS_H

#include "base/json.h"

struct durations {
	int64_t *ms;
	size_t len, cap;
};

bool durations_add(struct durations *, int64_t ms); /* false: out of memory */
void durations_sort(int64_t *ms, size_t len);
/* So many percent took at most this long, or null. They are sorted. */
void durations_part_write(
	struct json_writer *, const int64_t *sorted, size_t len, size_t percent);
void durations_done(struct durations *);

#endif
