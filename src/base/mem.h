/* mem.h - the one way to the heap, so that tests can let the n-th allocation fail. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A large local variable whose parts are set before they are read: the compiler, which clears all
 * others, leaves it as it is. */
#define MEM_UNSET __attribute__((uninitialized))

/* Under AddressSanitizer, which sees what is written past an allocation of its own. */
#if defined(__SANITIZE_ADDRESS__)
#define MEM_WATCHED 1
#elif defined(__has_feature)
#define MEM_WATCHED __has_feature(address_sanitizer)
#else
#define MEM_WATCHED 0
#endif

void *mem_alloc(size_t size);		    /* zeroed; NULL when there is none */
void *mem_grow(void *old, size_t size);	    /* realloc; old stays valid on NULL */
char *mem_copy(const char *at, size_t len); /* NUL-terminated copy, yours */
void mem_free(void *);			    /* NULL is fine */
void mem_tidy(void); /* gives back to the system what lies free between what is used */

/* Counts an allocation that a cache serves in the heap's place; false: it must fail. */
bool mem_allowed(void);

/* Test hook: the n-th allocation from now on fails, and all after it when `onwards`;
 * 0 turns it off. Counts over all threads. */
void mem_fail_at(uint64_t n, int onwards);
uint64_t mem_count(void); /* allocations since the last mem_fail_at; 0 before the first */

#endif
