/* resume.h - the text that gives a stopped agent its questions and answers back.
 *
 * It is built from the newest ask back and is never longer than RESUME_MAX: what does not fit
 * is the oldest, and the text says how many asks are left out. */
#ifndef CORE_RESUME_H
#define CORE_RESUME_H

#include "core/session/session.h"

enum { RESUME_MAX = 256 * 1024 };

struct resume_entry {
	struct resume_entry *next; /* the one asked or settled after it */
	struct str text;
};

/* { .arena } is empty and ready. */
struct resume {
	struct arena *arena; /* of the entries; holds no more than RESUME_MAX of them */
	struct resume_entry *settled, *open; /* oldest first */
	size_t settled_len, open_len;
	size_t used; /* bytes of the entries */
	bool full;   /* nothing older fits */
};

/* Adds one ask: those that are open before those that are settled, the newest first. False:
 * it does not fit, or there is no memory (the arena has failed then). */
bool resume_add(struct resume *, const struct ask *);
/* The whole text, in the arena. */
struct str resume_text(const struct resume *, const struct session *);

#endif
