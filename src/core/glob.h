/* glob.h - patterns with `*` (any text) and `?` (one character). Nothing else is special:
 * no brackets, no escapes, no regular expressions. Time is linear in the text. */
#ifndef CORE_GLOB_H
#define CORE_GLOB_H

#include "base/str.h"

/* The whole text fits the pattern. A character is a code point; of text that is not
 * UTF-8, a byte. */
bool glob_fits(struct str pattern, struct str text);
/* The same from the beginning of the text or of any word in it on: behind a space or a
 * slash. */
bool glob_fits_words(struct str pattern, struct str text);
/* The beginning of the pattern up to its first `*` or `?`. */
struct str glob_literal(struct str pattern);
/* Certainly every text that fits `narrow` fits `wide`. May say no where it is so. */
bool glob_covers(struct str wide, struct str narrow);

#endif
