/* fast.h - what the only writer of a store remembers, so that it reads less: the rows it wrote last,
 * and whom credentials belong to. The seam of the caches: where `rows.fast` is NULL, because
 * others write too, everything is read from the store. */
#ifndef STORE_FAST_H
#define STORE_FAST_H

#include "store/fast/credential_cache.h"
#include "store/fast/row_cache.h"

struct fast {
	struct row_cache rows;
	struct credential_cache credentials;
};

void fast_committed(struct fast *, const struct rows *);
void fast_forget(struct fast *); /* the store may have changed */
void fast_done(struct fast *);

#endif
