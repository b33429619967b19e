/* str.h - borrowed text: a pointer and a length. Owns nothing. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *at; /* may be NULL only when len is 0 */
	size_t len;
};

#define STR(literal) ((struct str){ "" literal "", sizeof(literal) - 1 })
#define STR_NONE     ((struct str){ NULL, 0 })
#define STR_ARGS(s)  (int)(s).len, (s).at ? (s).at : "" /* for "%.*s" */

static inline struct str str_make(const char *at, size_t len)
{
	return (struct str){ at, len };
}

static inline struct str str_of(const char *text) /* NULL gives STR_NONE */
{
	return (struct str){ text, text ? strlen(text) : 0 };
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

static inline bool str_is(struct str a, const char *text)
{
	return str_eq(a, str_of(text));
}

static inline struct str str_from(struct str s, size_t start) /* the rest after start */
{
	return start >= s.len ? STR_NONE : (struct str){ s.at + start, s.len - start };
}

static inline struct str str_first(struct str s, size_t len)
{
	return (struct str){ s.at, len < s.len ? len : s.len };
}

/* A copy at *to, which moves behind it. */
static inline struct str str_put(char **to, struct str s)
{
	struct str copy = { *to, s.len };

	if (s.len) memcpy(*to, s.at, s.len);
	*to += s.len;
	return copy;
}

bool str_is_nocase(struct str, const char *ascii); /* ASCII case only */
bool str_eq_nocase(struct str, struct str);	   /* likewise */
bool str_starts(struct str, const char *prefix);
bool str_ends(struct str, const char *suffix);
struct str str_trim(struct str); /* ASCII blanks and line ends */
/* Cuts what stands before the first `by` off *rest; false at the end of *rest. */
bool str_cut(struct str *rest, char by, struct str *piece);
int str_find(struct str hay, struct str needle); /* offset, or -1 */
int str_cmp(struct str, struct str);		 /* bytewise, as memcmp */
uint64_t str_hash(struct str);			 /* for tables; seeded once a process */
/* Whole text is a decimal integer in [min, max]; outputs untouched otherwise. */
bool str_to_int(struct str, int64_t min, int64_t max, int64_t *out);

#endif
