/* sign.c - Ed25519 signatures, by libsodium. */
#include "base/sign.h"

#include <sodium.h>

_Static_assert(SIGN_SEED_SIZE == crypto_sign_ed25519_SEEDBYTES, "a seed");
_Static_assert(SIGN_KEY_SIZE == crypto_sign_ed25519_PUBLICKEYBYTES, "a public key");
_Static_assert(SIGN_SIZE == crypto_sign_ed25519_BYTES, "a signature");

static const unsigned char *bytes_of(struct str text)
{
	return (const unsigned char *)(text.at ? text.at : "");
}

bool sign_public(const uint8_t seed[SIGN_SEED_SIZE], uint8_t out[SIGN_KEY_SIZE])
{
	uint8_t secret[crypto_sign_ed25519_SECRETKEYBYTES];
	bool ok = sodium_init() >= 0 &&
		  crypto_sign_ed25519_seed_keypair(out, secret, seed) == 0;

	sodium_memzero(secret, sizeof secret);
	return ok;
}

bool sign_make(
	const uint8_t seed[SIGN_SEED_SIZE], struct str text, uint8_t out[SIGN_SIZE])
{
	uint8_t key[SIGN_KEY_SIZE], secret[crypto_sign_ed25519_SECRETKEYBYTES];
	bool ok = sodium_init() >= 0 &&
		  crypto_sign_ed25519_seed_keypair(key, secret, seed) == 0 &&
		  crypto_sign_ed25519_detached(
			  out, NULL, bytes_of(text), text.len, secret) == 0;

	sodium_memzero(secret, sizeof secret);
	return ok;
}

bool sign_fits(const uint8_t key[SIGN_KEY_SIZE], struct str text,
	const uint8_t signature[SIGN_SIZE])
{
	return sodium_init() >= 0 && crypto_sign_ed25519_verify_detached(signature,
					     bytes_of(text), text.len, key) == 0;
}
