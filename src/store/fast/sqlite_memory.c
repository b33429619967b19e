/* sqlite_memory.c - small blocks for SQLite, kept by the thread that freed them. */
#include "store/fast/sqlite_memory.h"

#include "base/mem.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

/* Blocks are of the sizes STEP, 2 × STEP … SMALL; larger ones go to the heap each time. */
enum { STEP = 64, SMALL = 2048, SIZES = SMALL / STEP, KEPT_BYTES = 16384 };

/* In front of what SQLite gets. */
struct block {
	struct block *next; /* while it is free */
	uint64_t size;	    /* of what SQLite gets */
};

struct free_blocks {
	struct block *first;
	int count;
};

static _Thread_local struct free_blocks kept[SIZES + 1];
static _Thread_local int
	known; /* to the key below: it empties `kept` at the thread's end */
static pthread_key_t end_key;

static struct block *block_of(void *at)
{
	return (struct block *)at - 1;
}

static int rounded(int size)
{
	return (size + STEP - 1) & ~(STEP - 1);
}

static struct free_blocks *blocks_of(uint64_t size)
{
	return size <= SMALL ? &kept[size / STEP] : NULL;
}

static void thread_ends(void *value)
{
	(void)value;
	known = 0;
	for (int i = 0; i <= SIZES; i++)
		while (kept[i].first) {
			struct block *b = kept[i].first;

			kept[i].first = b->next;
			kept[i].count = 0;
			mem_free(b);
		}
}

static void *block_take(int wanted)
{
	int size = rounded(wanted);
	struct free_blocks *k = blocks_of((uint64_t)size);
	struct block *b = k ? k->first : NULL;

	if (b && !mem_allowed()) return NULL;
	if (b) {
		k->first = b->next;
		k->count--;
		return b + 1;
	}
	b = mem_grow(NULL, sizeof *b + (size_t)size);
	if (!b) return NULL;
	b->size = (uint64_t)size;
	return b + 1;
}

static void block_free(void *at)
{
	struct block *b = block_of(at);
	struct free_blocks *k = blocks_of(b->size);

	if (!k || (uint64_t)k->count * b->size >= KEPT_BYTES) {
		mem_free(b);
		return;
	}
	if (!known) known = pthread_setspecific(end_key, kept) == 0;
	if (!known) {
		mem_free(b);
		return;
	}
	b->next = k->first;
	k->first = b;
	k->count++;
}

static int block_size(void *at)
{
	return at ? (int)block_of(at)->size : 0;
}

static void *block_resize(void *at, int wanted)
{
	int had = block_size(at);
	void *more;

	if (rounded(wanted) == had) return at;
	more = block_take(wanted);
	if (!more) return NULL;
	memcpy(more, at, (size_t)(had < wanted ? had : wanted));
	block_free(at);
	return more;
}

static int memory_start(void *data)
{
	(void)data;
	return SQLITE_OK;
}

static void memory_end(void *data)
{
	(void)data;
}

/* SQLite also counts its memory, under one lock for all threads, for figures that nobody
 * reads: off. */
static void memory_use(void)
{
	static const sqlite3_mem_methods methods = {
		.xMalloc = block_take,
		.xFree = block_free,
		.xRealloc = block_resize,
		.xSize = block_size,
		.xRoundup = rounded,
		.xInit = memory_start,
		.xShutdown = memory_end,
	};

	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	if (pthread_key_create(&end_key, thread_ends) == 0)
		sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

void sqlite_memory_use(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, memory_use);
}
