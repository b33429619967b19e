/* id.h - opaque, sortable ids: a prefix, '_' and 26 lowercase base-32 characters.
 * Prefix: random_. */
#ifndef BASE_ID_H
#define BASE_ID_H

#include "base/str.h"

enum { ID_SIZE = 32 }; /* "team_" + 26 + NUL */

/* A source of ids and random bytes. One for each thread that makes ids. { 0 } takes its
 * randomness from the system; ids_seed makes it repeatable, for simulations. */
struct ids {
	int64_t last_ms;
	uint32_t sequence; /* grows within a millisecond, so that ids keep order */
	uint64_t seed[2];
	bool seeded;
};

void ids_seed(struct ids *, uint64_t seed);
/* `prefix` has at most 4 letters ("ask"). Ids made later by the same source sort later. */
void id_make(struct ids *, const char *prefix, int64_t now_ms, char out[ID_SIZE]);
bool id_valid(struct str, const char *prefix); /* right prefix, length and alphabet */
void random_bytes(struct ids *, void *out, size_t len); /* NULL: from the system */
uint64_t random_u64(struct ids *);
/* 256 random bits behind a prefix: "prl_" + 52 base-32 characters. */
enum { SECRET_SIZE = 64 };
void secret_make(struct ids *, const char *prefix, char out[SECRET_SIZE]);

#endif
