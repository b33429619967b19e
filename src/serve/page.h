/* page.h - the files that are part of the program. The table is made by embed.py. */
#ifndef SERVE_PAGE_H
#define SERVE_PAGE_H

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

/* Hidden, not local: through the table of a position-independent program two local labels
 * could come to share one entry. */
#define EMBED_LABEL(label) ".global " label "\n.hidden " label "\n" label ":\n"
#define EMBED(name, file)                                                                \
	__asm__(".pushsection .rodata\n.balign 16\n" EMBED_LABEL(                        \
		#name "_start") ".incbin \"" file                                        \
				"\"\n" EMBED_LABEL(#name "_end") ".popsection\n");       \
	extern const char name##_start[],                                                \
		name##_end[] __attribute__((visibility("hidden")))

#endif
