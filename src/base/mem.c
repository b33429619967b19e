/* mem.c - the heap, and the test hook that makes it fail. */
#include "base/mem.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Nothing is counted before the first mem_fail_at: threads share no cache line then. */
static atomic_bool watched;
static _Atomic uint64_t count;
static _Atomic uint64_t fail_nth;
static atomic_bool fail_onwards;

static bool watched_allowed(void)
{
	uint64_t n = atomic_fetch_add(&count, 1) + 1;
	uint64_t nth = atomic_load(&fail_nth);

	if (nth == 0 || n < nth) return true;
	return n > nth && !atomic_load(&fail_onwards);
}

bool mem_allowed(void)
{
	if (!atomic_load_explicit(&watched, memory_order_relaxed)) return true;
	return watched_allowed();
}

void *mem_alloc(size_t size)
{
	return mem_allowed() ? calloc(1, size ? size : 1) : NULL;
}

void *mem_grow(void *old, size_t size)
{
	return mem_allowed() ? realloc(old, size ? size : 1) : NULL;
}

char *mem_copy(const char *at, size_t len)
{
	char *copy = len == SIZE_MAX ? NULL : mem_grow(NULL, len + 1);

	if (!copy) return NULL;
	if (len) memcpy(copy, at, len);
	copy[len] = '\0';
	return copy;
}

void mem_free(void *at)
{
	free(at);
}

void mem_tidy(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

void mem_fail_at(uint64_t n, int onwards)
{
	atomic_store(&fail_nth, n);
	atomic_store(&fail_onwards, onwards != 0);
	atomic_store(&count, 0);
	atomic_store(&watched, true);
}

uint64_t mem_count(void)
{
	return atomic_load(&count);
}
