/* pool.c - cells of one size in mapped pages; a page goes back with its last cell. */
#include "base/pool.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 256 * 1024, ALIGN = 16 };

struct cell {
	struct cell *next;
};

/* At the start of PAGE bytes that are aligned to PAGE: a thing's address tells its page.
 * Straight from the system: the heap would leave holes around them.
 * Invariant: it is in the list `room` unless it is full, or the spare. */
struct pool_page {
	LIST_ENTRY(pool_page) others;
	struct cell *free;  /* were used before */
	unsigned used;	    /* how many are out */
	unsigned untouched; /* offset of the first cell that was never used */
};

_Static_assert(sizeof(struct pool_page) % ALIGN == 0, "things are aligned");

/* Under a sanitizer (MEM_WATCHED) each thing is allocated by itself, so that it sees overruns. */

static size_t cell_size(const struct pool *p)
{
	return (p->size + ALIGN - 1) / ALIGN * ALIGN;
}

static struct pool_page *page_of(void *thing)
{
	return (struct pool_page *)((uintptr_t)thing & ~(uintptr_t)(PAGE - 1));
}

static bool page_full(const struct pool *p, const struct pool_page *page)
{
	return !page->free && page->untouched + cell_size(p) > PAGE;
}

static struct pool_page *page_map(void)
{
	char *at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (at == MAP_FAILED) return NULL;
	before = (size_t)(-(uintptr_t)at & (PAGE - 1));
	if (before) munmap(at, before);
	munmap(at + before + PAGE, PAGE - before);
	return (struct pool_page *)(void *)(at + before);
}

static void page_free(struct pool_page *page)
{
	if (page) munmap(page, PAGE);
}

static struct pool_page *page_new(struct pool *p)
{
	struct pool_page *page = p->spare;

	p->spare = NULL;
	if (!page) page = page_map();
	if (!page) return NULL;
	*page = (struct pool_page){ .untouched = sizeof *page };
	LIST_INSERT_HEAD(&p->room, page, others);
	return page;
}

void *pool_get(struct pool *p)
{
	struct pool_page *page;
	struct cell *cell;

	assert(p->size && p->size <= POOL_THING_MAX);
	if (MEM_WATCHED) return mem_alloc(p->size);
	if (!mem_allowed()) return NULL;
	page = LIST_EMPTY(&p->room) ? page_new(p) : LIST_FIRST(&p->room);
	if (!page) return NULL;
	cell = page->free;
	if (cell) {
		page->free = cell->next;
	} else {
		cell = (struct cell *)(void *)((char *)page + page->untouched);
		page->untouched += (unsigned)cell_size(p);
	}
	page->used++;
	if (page_full(p, page)) LIST_REMOVE(page, others);
	return memset(cell, 0, p->size);
}

void pool_put(struct pool *p, void *thing)
{
	struct pool_page *page = page_of(thing);
	struct cell *cell = thing;

	if (!thing) return;
	if (MEM_WATCHED) {
		mem_free(thing);
		return;
	}
	if (page_full(p, page)) LIST_INSERT_HEAD(&p->room, page, others);
	cell->next = page->free;
	page->free = cell;
	if (--page->used) return;
	LIST_REMOVE(page, others);
	if (p->spare)
		page_free(page);
	else
		p->spare = page;
}

void pool_done(struct pool *p)
{
	page_free(p->spare);
	while (!LIST_EMPTY(&p->room)) {
		struct pool_page *page = LIST_FIRST(&p->room);

		LIST_REMOVE(page, others);
		page_free(page);
	}
	p->spare = NULL;
}
