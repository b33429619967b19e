/* logins.h - the end of a person's logins. Private to desk. */
#ifndef DESK_LOGINS_H
#define DESK_LOGINS_H

#include "desk/shared/inner.h"

/* Adds to *ended how many cookies are gone. */
enum err login_end(struct rows *, int64_t ws, struct str user, struct str login,
	size_t *ended, struct fault *);

#endif
