/* digest.h - short digests of records, for `check` alone: the first 128 bits of a SHA-256, in
 * base64url. They go with every event, so they are short. */
#ifndef CORE_DIGEST_H
#define CORE_DIGEST_H

#include "base/str.h"

enum { SHORT_DIGEST_SIZE = 23 }; /* 22 characters and a NUL */

void digest_text(struct str, char out[SHORT_DIGEST_SIZE]);
/* Hashes each field with its length before it. */
void digest_fields(const struct str *fields, size_t len, char out[SHORT_DIGEST_SIZE]);

enum { NUMBER_SIZE = 24 };
/* A number as a field, in `room`. */
struct str digest_number(int64_t, char room[NUMBER_SIZE]);

#endif
