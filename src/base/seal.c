/* seal.c - a byte of version, four bytes that tell keys apart, the nonce, the box. */
#include "base/seal.h"

#include <sodium.h>

#include "base/hash.h"

enum {
	VERSION = 1,
	MARK = 4,
	NONCE_AT = 1 + MARK,
	BOX_AT = NONCE_AT + crypto_secretbox_NONCEBYTES,
	SEALED_MAX = 64 * 1024
};
_Static_assert(SEAL_KEY_SIZE == crypto_secretbox_KEYBYTES, "a key of secretbox");

static void mark_make(const uint8_t key[SEAL_KEY_SIZE], uint8_t out[MARK])
{
	uint8_t hash[SHA256_SIZE];

	hmac_sha256(str_make((const char *)key, SEAL_KEY_SIZE), STR("which key"), hash);
	memcpy(out, hash, MARK);
}

bool seal_close(const uint8_t key[SEAL_KEY_SIZE], struct str secret, struct buf *out)
{
	struct buf raw = { .max = SEALED_MAX };
	size_t len = BOX_AT + crypto_secretbox_MACBYTES + secret.len;
	uint8_t *at;

	if (sodium_init() < 0 || !buf_reserve(&raw, len)) return false;
	at = (uint8_t *)raw.at;
	at[0] = VERSION;
	mark_make(key, at + 1);
	randombytes_buf(at + NONCE_AT, crypto_secretbox_NONCEBYTES);
	crypto_secretbox_easy(at + BOX_AT, (const uint8_t *)(secret.at ? secret.at : ""),
		secret.len, at + NONCE_AT, key);
	raw.len = len;
	base64_write(out, buf_str(&raw));
	buf_done(&raw);
	return !out->failed;
}

static bool raw_read(struct str sealed, struct buf *raw)
{
	return base64_read(sealed, raw) &&
	       raw->len >= BOX_AT + crypto_secretbox_MACBYTES && raw->at[0] == VERSION;
}

bool seal_fits(const uint8_t key[SEAL_KEY_SIZE], struct str sealed)
{
	struct buf raw = { .max = SEALED_MAX };
	uint8_t mark[MARK];
	bool fits;

	mark_make(key, mark);
	fits = raw_read(sealed, &raw) && memcmp(raw.at + 1, mark, MARK) == 0;
	buf_done(&raw);
	return fits;
}

bool seal_open(const uint8_t key[SEAL_KEY_SIZE], struct str sealed, struct buf *out)
{
	struct buf raw = { .max = SEALED_MAX };
	const uint8_t *at;
	size_t len;
	bool good = sodium_init() >= 0 && raw_read(sealed, &raw);

	if (good) {
		at = (const uint8_t *)raw.at;
		len = raw.len - BOX_AT - crypto_secretbox_MACBYTES;
		good = buf_reserve(out, len) &&
		       crypto_secretbox_open_easy((uint8_t *)out->at + out->len,
			       at + BOX_AT, raw.len - BOX_AT, at + NONCE_AT, key) == 0;
		if (good) out->len += len;
	}
	buf_done(&raw);
	return good;
}
