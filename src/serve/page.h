/* page.h - the files that are part of the program. The table is made by embed.py. */
#ifndef SERVE_PAGE_H
#define SERVE_PAGE_H

#include "base/embed.h"

#include <stdbool.h>

struct page_file {
	const char *path;
	const char *type;
	const char *tag; /* of its bytes, for the ETag */
	bool always;	 /* its name changes with its bytes */
	const char *at, *end;
	const char *packed_at, *packed_end; /* gzip */
};

extern const struct page_file page_files[]; /* the last has no path */

#endif
