/* credential_cache.h - whom the credentials of the last batches belong to, as the only writer found them.
 *
 * Where nobody else writes, a token that is shown again and again need not be looked up in each
 * batch.
 *
 * Invariants:
 * 1. What is here is as the store has it: forgotten when anything changes that it was found in
 *    (workspaces, users, tokens), after any failure, and when the connection is closed.
 * 2. Only what was found is here. That it runs out is for who asks to see. */
#ifndef STORE_CREDENTIAL_CACHE_H
#define STORE_CREDENTIAL_CACHE_H

#include "store/clerk.h"

enum { CREDENTIALS_MAX = 16 };

struct holder {
	uint8_t hash[SHA256_SIZE];
	struct principal who;
	struct credential credential;
	char *texts; /* of both */
};

struct credential_cache {
	struct holder at[CREDENTIALS_MAX];
	size_t len;
	size_t oldest; /* the next to make room, once there are CREDENTIALS_MAX */
};

/* NULL: not known. */
const struct holder *credential_cache_find(
	const struct credential_cache *, const uint8_t hash[]);
/* Whom the job's hash belongs to, which was just looked up. */
void credential_cache_keep(struct credential_cache *, const struct job *);
void credential_cache_clear(struct credential_cache *);

#endif
