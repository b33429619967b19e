/* password.c - argon2id hashes of passwords, by libsodium. */
#include "base/password.h"

#include <sodium.h>

_Static_assert(PASSWORD_HASH_SIZE >= crypto_pwhash_STRBYTES, "a hash fits");

bool password_hash(struct str password, char out[PASSWORD_HASH_SIZE])
{
	return sodium_init() >= 0 &&
	       crypto_pwhash_str(out, password.at ? password.at : "", password.len,
		       crypto_pwhash_OPSLIMIT_INTERACTIVE,
		       crypto_pwhash_MEMLIMIT_INTERACTIVE) == 0;
}

bool password_fits(struct str password, struct str hash)
{
	char text[PASSWORD_HASH_SIZE] = "";

	if (sodium_init() < 0 || hash.len >= sizeof text) return false;
	if (!hash.len) {
		password_hash(password, text);
		return false;
	}
	memcpy(text, hash.at, hash.len);
	return crypto_pwhash_str_verify(
		       text, password.at ? password.at : "", password.len) == 0;
}
