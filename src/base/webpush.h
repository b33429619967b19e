/* webpush.h - the cryptography of web push: messages encrypted for one browser (RFC 8291 over
 * RFC 8188, aes128gcm), and the server's signed name (VAPID, RFC 8292). Keys are on P-256; a
 * private key is 32 bytes, a public one 65. Nothing here opens a connection. */
#ifndef BASE_WEBPUSH_H
#define BASE_WEBPUSH_H

#include "base/buf.h"

enum {
	P256_PRIVATE_SIZE = 32,
	P256_PUBLIC_SIZE = 65,
	WEBPUSH_AUTH_SIZE = 16,
	WEBPUSH_SALT_SIZE = 16,
	WEBPUSH_RECORD = 4096, /* a message is one record, so it is shorter than this */
	WEBPUSH_PLAIN_MAX = WEBPUSH_RECORD - 17 - 86,
};

/* Makes 32 random bytes a private key. Nearly all are one as they are; the rest are hashed until
 * they are. */
void p256_private_from(
	const uint8_t random[P256_PRIVATE_SIZE], uint8_t out[P256_PRIVATE_SIZE]);
/* False: it is no private key, or there is no memory. */
bool p256_public(const uint8_t key[P256_PRIVATE_SIZE], uint8_t out[P256_PUBLIC_SIZE]);
/* Is this a point of the curve, uncompressed? */
bool p256_public_valid(const uint8_t key[P256_PUBLIC_SIZE]);

/* What a browser gave us to reach it with, and what is new with every message. */
struct webpush_keys {
	uint8_t browser[P256_PUBLIC_SIZE];
	uint8_t auth[WEBPUSH_AUTH_SIZE];
	uint8_t salt[WEBPUSH_SALT_SIZE];
	uint8_t once[P256_PRIVATE_SIZE];
};
/* The body of the request. The text with its delimiter is padded to `padded` bytes, or not at all
 * when it is longer. False: out of memory, or longer than WEBPUSH_PLAIN_MAX. */
bool webpush_seal(
	const struct webpush_keys *, struct str text, size_t padded, struct buf *out);
/* "vapid t=…, k=…", the value of Authorization. `origin`: of the push service; `subject`: who
 * we are, mailto: or https:. */
bool webpush_sign(const uint8_t key[P256_PRIVATE_SIZE], struct str origin,
	struct str subject, int64_t expires_s, struct buf *out);

#endif
