/* durations.c - how long things took: collected, sorted, and which part took at most how long. */
#include "desk/shared/durations.h"

#include "base/mem.h"

#include <stdlib.h>

bool durations_add(struct durations *d, int64_t ms)
{
	if (d->len == d->cap) {
		size_t cap = d->cap ? d->cap * 2 : 16;
		int64_t *at = mem_grow(d->ms, cap * sizeof *at);

		if (!at) return false;
		d->ms = at;
		d->cap = cap;
	}
	d->ms[d->len++] = ms;
	return true;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void durations_sort(int64_t *ms, size_t len)
{
	/* An empty array may be NULL, which qsort must not get. */
	if (len) qsort(ms, len, sizeof *ms, by_value);
}

void durations_part_write(
	struct json_writer *w, const int64_t *sorted, size_t len, size_t percent)
{
	if (len)
		jw_int(w, sorted[(len - 1) * percent / 100]);
	else
		jw_null(w);
}

void durations_done(struct durations *d)
{
	mem_free(d->ms);
	*d = (struct durations){ 0 };
}
