/* copy.h - all of one store into another, of either engine, and the proof that it is the
 * same. */
#ifndef ADMIN_COPY_H
#define ADMIN_COPY_H

#include "base/fault.h"
#include "base/progress.h"

struct copy_report {
	int64_t tables, rows;
	bool there; /* the target was a copy already: nothing was written */
};

/* The target must be empty, or a copy of the source already; ERR_CONFLICT otherwise. It
 * gets everything or nothing. ERR_BUSY: a server has one of the files. */
enum err copy_store(struct str from, struct str to, progress_fn *, void *ctx,
	struct copy_report *, struct fault *why);

#endif
