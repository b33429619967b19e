/* fast.c - the caches of the only writer, kept and dropped together. */
#include "store/fast/fast.h"

void fast_committed(struct fast *f, const struct rows *rows)
{
	row_cache_keep(&f->rows, rows);
	if (rows_change_credentials(rows)) credential_cache_clear(&f->credentials);
}

void fast_forget(struct fast *f)
{
	row_cache_clear(&f->rows);
	credential_cache_clear(&f->credentials);
}

void fast_done(struct fast *f)
{
	fast_forget(f);
	row_cache_done(&f->rows);
}
