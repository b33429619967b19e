/* table.h - a hash table from text to pointer. Keys are borrowed, values too. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/str.h"

/* { 0 } is empty and ready. */
struct table {
	struct table_slot *slots;
	size_t cap;
	size_t len;
	size_t graves; /* slots of removed keys, cleared when the table grows */
};

void *table_get(const struct table *, struct str key); /* NULL: not there */
/* Puts or replaces; the key must outlive its stay. False: out of memory, unchanged. */
bool table_put(struct table *, struct str key, void *value);
void *table_remove(struct table *, struct str key); /* what was there, or NULL */
/* Goes over all, in no order: start with *at = 0; false at the end. Nothing may be put
 * meanwhile; removing what was just returned is fine. */
bool table_next(const struct table *, size_t *at, struct str *key, void **value);
void table_clear(struct table *); /* empty, memory kept */
void table_done(struct table *);  /* frees the slots, not the values */

#endif
