/* progress.h - how far a long work has come. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdint.h>

/* done of all, in whatever unit; on the thread that works. */
typedef void progress_fn(void *ctx, int64_t done, int64_t all);

#endif
