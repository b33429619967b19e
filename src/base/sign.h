/* sign.h - Ed25519 signatures (RFC 8032), by libsodium. */
#ifndef BASE_SIGN_H
#define BASE_SIGN_H

#include "base/str.h"

enum { SIGN_SEED_SIZE = 32, SIGN_KEY_SIZE = 32, SIGN_SIZE = 64 };

/* The public key of a seed. False: libsodium does not work. */
bool sign_public(const uint8_t seed[SIGN_SEED_SIZE], uint8_t out[SIGN_KEY_SIZE]);
bool sign_make(
	const uint8_t seed[SIGN_SEED_SIZE], struct str text, uint8_t out[SIGN_SIZE]);
/* Strict: one form of a signature alone, no key of small order. */
bool sign_fits(const uint8_t key[SIGN_KEY_SIZE], struct str text,
	const uint8_t signature[SIGN_SIZE]);

#endif
