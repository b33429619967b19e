/* holders.h - whom the credentials of the last batches belong to, as the only writer found them.
 *
 * Where nobody else writes, a token that is shown again and again need not be looked up in each
 * batch.
 *
 * Invariants:
 * 1. What is here is as the store has it: forgotten when anything changes that it was found in
 *    (workspaces, users, tokens), after any failure, and when the connection is closed.
 * 2. Only what was found is here. That it runs out is for who asks to see. */
#ifndef STORE_HOLDERS_H
#define STORE_HOLDERS_H

#include "store/clerk.h"

enum { HOLDERS_MAX = 16 };

struct holder {
	uint8_t hash[SHA256_SIZE];
	struct principal who;
	struct credential credential;
	char *texts; /* of both */
};

struct holders {
	struct holder at[HOLDERS_MAX];
	size_t len;
	size_t oldest; /* the next to make room, once there are HOLDERS_MAX */
};

/* NULL: not known. */
const struct holder *holders_find(const struct holders *, const uint8_t hash[]);
/* Whom the job's hash belongs to, which was just looked up. */
void holders_keep(struct holders *, const struct job *);
void holders_clear(struct holders *);

#endif
