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
/* Which pairs of bytes stand side by side, roughly: a text that lacks one which the pattern
 * has cannot fit it. Tells most patterns apart without looking at the text again. */
enum { GLOB_PAIRS = 256 };
struct glob_pairs {
	uint64_t bits[GLOB_PAIRS / 64];
};
void glob_pairs_text(struct glob_pairs *, struct str text); /* adds those of the text */
struct glob_pairs glob_pairs_pattern(struct str pattern);
static inline bool glob_pairs_may(
	const struct glob_pairs *pattern, const struct glob_pairs *text)
{
	return !((pattern->bits[0] & ~text->bits[0]) |
		 (pattern->bits[1] & ~text->bits[1]) |
		 (pattern->bits[2] & ~text->bits[2]) |
		 (pattern->bits[3] & ~text->bits[3]));
}
static inline bool glob_pairs_has(const struct glob_pairs *p, int bit)
{
	return p->bits[bit >> 6] >> (bit & 63) & 1;
}
/* Certainly every text that fits `narrow` fits `wide`. May say no where it is so. */
bool glob_covers(struct str wide, struct str narrow);

#endif
