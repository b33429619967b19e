/* seal.h - secrets that lie in the store, sealed under a key that does not (libsodium's
 * secretbox). */
#ifndef BASE_SEAL_H
#define BASE_SEAL_H

#include "base/buf.h"
#include "base/str.h"

enum { SEAL_KEY_SIZE = 32 };

/* Base64 of version, mark of the key, nonce and box. False: out of memory. */
bool seal_close(const uint8_t key[SEAL_KEY_SIZE], struct str secret, struct buf *out);
/* False: damaged, or sealed under another key; nothing is added then. */
bool seal_open(const uint8_t key[SEAL_KEY_SIZE], struct str sealed, struct buf *out);
/* Was it sealed under this key? Tells a lost key from damage. */
bool seal_fits(const uint8_t key[SEAL_KEY_SIZE], struct str sealed);

#endif
