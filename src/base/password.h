/* password.h - argon2id, by libsodium. Slow on purpose (about 40 ms): never on a loop. */
#ifndef BASE_PASSWORD_H
#define BASE_PASSWORD_H

#include "base/str.h"

enum { PASSWORD_HASH_SIZE = 128 };

bool password_hash(
	struct str password, char out[PASSWORD_HASH_SIZE]); /* false: no memory */
/* An empty hash takes as long as a wrong password: who exists is not told by the
 * clock. */
bool password_fits(struct str password, struct str hash);

#endif
