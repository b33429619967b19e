/* arena.c - a list of blocks, newest first, freed together.
 *
 * Blocks of the usual size are kept for each thread, so that an arena a request costs no
 * malloc once a thread has warmed up. Under AddressSanitizer each allocation is a block
 * of its own and none is kept: writing past an allocation is seen. */
#include "base/arena.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>

enum {
	ALIGN = 16,
	BLOCK_ROOM = 16 * 1024, /* of a usual block, without its head */
	KEPT_MAX = 128,		/* blocks that a thread keeps */
	DEFAULT_MAX = 64 * 1024 * 1024,
};

struct arena_block {
	struct arena_block *next;
	size_t room; /* bytes in all */
	size_t used;
	alignas(ALIGN) char bytes[];
};

struct kept {
	struct arena_block *top;
	int len;
	bool known; /* to the thread's end, which frees them */
};

static _Thread_local struct kept kept;
static _Thread_local int kept_max = KEPT_MAX;
static pthread_key_t kept_key;
static bool kept_key_made;

static void kept_free(void *arg)
{
	struct kept *k = arg;

	while (k->top) {
		struct arena_block *next = k->top->next;

		mem_free(k->top);
		k->top = next;
	}
	*k = (struct kept){ 0 };
}

void arena_keep_most(int blocks)
{
	kept_max = blocks;
}

void arena_tidy(void)
{
	bool known = kept.known;

	kept_free(&kept);
	kept.known = known;
}

static void kept_key_make(void)
{
	kept_key_made = pthread_key_create(&kept_key, kept_free) == 0;
}

static bool kept_put(struct arena_block *b)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (MEM_WATCHED || b->room != BLOCK_ROOM || kept.len >= kept_max) return false;
	if (!kept.known) {
		pthread_once(&once, kept_key_make);
		if (!kept_key_made || pthread_setspecific(kept_key, &kept) != 0)
			return false;
		kept.known = true;
	}
	b->next = kept.top;
	kept.top = b;
	kept.len++;
	return true;
}

static struct arena_block *kept_take(void)
{
	struct arena_block *b = kept.top;

	if (!b || !mem_allowed()) return NULL;
	kept.top = b->next;
	kept.len--;
	return b;
}

static struct arena_block *block_new(size_t room)
{
	struct arena_block *b;

	if (room == BLOCK_ROOM && kept.top) {
		b = kept_take();
	} else {
		b = mem_grow(NULL, sizeof *b + room);
		if (b) b->room = room;
	}
	if (b) b->used = 0;
	return b;
}

/* A block with room for size bytes, on top unless it is for this allocation only. */
static struct arena_block *block_for(struct arena *a, size_t size)
{
	bool alone = MEM_WATCHED || size > BLOCK_ROOM / 4;
	struct arena_block *b = block_new(alone ? size : BLOCK_ROOM);

	if (!b) return NULL;
	if (alone && a->top) {
		b->next = a->top->next;
		a->top->next = b;
	} else {
		b->next = a->top;
		a->top = b;
	}
	return b;
}

static void *refuse(struct arena *a)
{
	a->failed = true;
	return NULL;
}

/* Not zeroed. */
static void *take(struct arena *a, size_t size)
{
	size_t max = a->max ? a->max : DEFAULT_MAX;
	size_t room = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	struct arena_block *b = a->top;
	void *at;

	if (a->failed || room < size || room > max || a->used > max - room)
		return refuse(a);
	if (!b || b->room - b->used < room) b = block_for(a, MEM_WATCHED ? size : room);
	if (!b) return refuse(a);
	at = b->bytes + b->used;
	b->used = MEM_WATCHED ? b->room : b->used + room;
	a->used += room;
	return at;
}

void *arena_alloc(struct arena *a, size_t size)
{
	void *at = take(a, size);

	return at ? memset(at, 0, size) : NULL;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) return refuse(a);
	return arena_alloc(a, bytes);
}

char *arena_copy(struct arena *a, struct str s)
{
	char *copy = s.len == SIZE_MAX ? refuse(a) : take(a, s.len + 1);

	if (!copy) return NULL;
	if (s.len) memcpy(copy, s.at, s.len);
	copy[s.len] = '\0';
	return copy;
}

struct str arena_str(struct arena *a, struct str s)
{
	char *copy = arena_copy(a, s);

	return copy ? str_make(copy, s.len) : STR_NONE;
}

/* Printed where the next allocation would be; once more only if it does not fit there. */
struct str arena_print(struct arena *a, const char *format, ...)
{
	size_t room = a->top ? a->top->room - a->top->used : 0;
	char *there = room ? a->top->bytes + a->top->used : NULL, *text;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(there, room, format, args);
	va_end(args);
	text = len < 0 ? refuse(a) : take(a, (size_t)len + 1);
	if (!text) return STR_NONE;
	if (text != there) {
		va_start(args, format);
		vsnprintf(text, (size_t)len + 1, format, args);
		va_end(args);
	}
	return str_make(text, (size_t)len);
}

void arena_done(struct arena *a)
{
	struct arena_block *b = a->top;

	while (b) {
		struct arena_block *next = b->next;

		if (!kept_put(b)) mem_free(b);
		b = next;
	}
	*a = (struct arena){ .max = a->max };
}
