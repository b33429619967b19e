/* utf8.h - code points: counting, checking, folding. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"
#include "base/str.h"

bool utf8_valid(struct str);
/* Bytes of the well-formed code point at the front of `left` bytes; 0: there is none. */
size_t utf8_length(const char *, size_t left);
size_t utf8_count(struct str);		     /* code points of valid text */
struct str utf8_first(struct str, size_t n); /* at most n code points */
/* At most n bytes, cut between two code points. */
struct str utf8_fit(struct str, size_t n);
/* One code point from the front of *rest; -1 at its end, U+FFFD for a bad byte. */
int32_t utf8_next(struct str *rest);
void utf8_add(struct buf *, uint32_t code_point); /* U+FFFD for what is no scalar value */
size_t utf8_put(char out[4], uint32_t code_point); /* the same; how many bytes */
void utf8_fold(struct buf *, struct str);	   /* Unicode case folding (utf8proc) */
/* The same, and NFKD: one form for what is composed, wide or small in different ways; without the
 * characters that are not shown. */
void utf8_fold_look(struct buf *, struct str);

#endif
