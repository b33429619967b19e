/* estimate.h - how many tokens a request will be, before a provider has counted it. Pure. */
#ifndef CORE_ESTIMATE_H
#define CORE_ESTIMATE_H

#include "base/str.h"

enum { ESTIMATE_IMAGE = 1600 }; /* tokens of an image, whatever its bytes */

/* What a request has: bytes, those of images' data left out, and how many images there are. */
struct estimate_size {
	int64_t bytes, images;
};

/* The last count of this model in this run: of what was sent (with the tools and the prompt), and how many
 * tokens that was for the provider, from its caches or not. Zeroed: it has counted nothing yet. */
struct estimate_count {
	struct estimate_size of;
	int64_t tokens;
};

/* A message's content, a JSON array of parts. What cannot be read counts by its bytes. */
struct estimate_size estimate_content(struct str content);
/* How many tokens that will be: bytes by the ratio of the last count (a third before there is one; between a
 * sixth and 1), rounded up. */
int64_t estimate_tokens(const struct estimate_count *last, const struct estimate_size *);
/* So many bytes are at most that many tokens. */
int64_t estimate_bytes(const struct estimate_count *last, int64_t tokens);

#endif
