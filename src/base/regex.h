/* regex.h - regular expressions that others wrote, tried in bounded time (PCRE2, with its limits). As
 * ECMAScript reads them with its flag u, as far as the two agree. */
#ifndef BASE_REGEX_H
#define BASE_REGEX_H

#include "base/fault.h"

struct regex;

enum regex_fit {
	REGEX_FITS,
	REGEX_MISSES,
	REGEX_COSTS, /* it was given up: it would have taken too long */
};

/* NULL: ERR_INVALID, it is none, and why says where. */
struct regex *regex_new(struct str pattern, struct fault *why);
struct regex *regex_free(struct regex *); /* NULL is fine; returns NULL */
/* Anywhere in the text, which is valid UTF-8. */
enum regex_fit regex_try(const struct regex *, struct str text);

#endif
