/* arena.h - memory that belongs to one request or job and goes with it. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

struct arena_block;

/* A zeroed arena is empty and ready, with the default bound. */
struct arena {
	struct arena_block *top;
	size_t used; /* bytes handed out */
	size_t max;  /* bytes it may hand out; 0: 64 MiB */
	bool failed; /* sticky: an allocation was refused */
};

/* Zeroed, aligned to 16. NULL: refused, and failed from now on. */
void *arena_alloc(struct arena *, size_t size);
char *arena_copy(struct arena *, struct str); /* NUL-terminated; NULL and failed */
struct str arena_str(struct arena *, struct str);
struct str arena_print(struct arena *, const char *format, ...)
	__attribute__((format(printf, 2, 3))); /* STR_NONE and failed */
/* How many blocks (16 KB) this thread keeps at most; 128 unless this was called. */
void arena_keep_most(int blocks);
void arena_tidy(void); /* frees what this thread keeps of arenas that are done */
void arena_done(struct arena *); /* frees all; the arena is empty again */

#define ARENA_NEW(arena, type)	    ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, n) ((type *)arena_array((arena), (n), sizeof(type)))
void *arena_array(struct arena *, size_t n, size_t size); /* checks the product */

#endif
