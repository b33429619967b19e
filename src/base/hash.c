/* hash.c - OpenSSL's SHA-256 on a context of our own stack: nothing to fetch, to allocate
 * or to fail, which is worth the use of an interface OpenSSL calls old. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/hash.h"

#include <assert.h>
#include <endian.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sodium.h>

static_assert(SHA256_SIZE == SHA256_DIGEST_LENGTH, "the size of a SHA-256");

static void add(SHA256_CTX *c, struct str s)
{
	if (s.len) SHA256_Update(c, s.at, s.len);
}

void sha256(struct str s, uint8_t out[SHA256_SIZE])
{
	sha256_2(s, STR_NONE, out);
}

void sha256_2(struct str a, struct str b, uint8_t out[SHA256_SIZE])
{
	sha256_3(a, b, STR_NONE, out);
}

void sha256_3(struct str a, struct str b, struct str d, uint8_t out[SHA256_SIZE])
{
	SHA256_CTX c;

	SHA256_Init(&c);
	add(&c, a);
	add(&c, b);
	add(&c, d);
	SHA256_Final(out, &c);
}

/* The sizes of all fields. At most 9 bytes each. */
static char *sizes_write(char *to, const struct str *fields, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		uint64_t whole = htobe64(fields[i].len);

		if (fields[i].len < 0xff) {
			*to++ = (char)fields[i].len;
			continue;
		}
		*to++ = (char)0xff;
		memcpy(to, &whole, sizeof whole);
		to += sizeof whole;
	}
	return to;
}

/* Usual ones are gathered: a call of the library costs more than most fields have bytes. */
void sha256_fields(const struct str *fields, size_t len, uint8_t out[SHA256_SIZE])
{
	enum { SIZES = 512, TEXTS = 1536 };
	char room[SIZES + TEXTS], *to = room;
	SHA256_CTX c;
	size_t size = 0;

	assert(len <= SIZES / 9);
	SHA256_Init(&c);
	for (size_t i = 0; i < len; i++)
		size += fields[i].len;
	to = sizes_write(to, fields, len);
	for (size_t i = 0; size <= TEXTS && i < len; i++) {
		if (fields[i].len) memcpy(to, fields[i].at, fields[i].len);
		to += fields[i].len;
	}
	SHA256_Update(&c, room, (size_t)(to - room));
	for (size_t i = 0; size > TEXTS && i < len; i++)
		add(&c, fields[i]);
	SHA256_Final(out, &c);
}

void sha256_hex(struct str s, char out[SHA256_HEX_SIZE])
{
	uint8_t digest[SHA256_SIZE];

	sha256(s, digest);
	hex_write(digest, sizeof digest, out);
}

void hmac_sha256(struct str key, struct str text, uint8_t out[SHA256_SIZE])
{
	uint8_t block[SHA256_CBLOCK] = { 0 }, inner[SHA256_SIZE];
	struct str pad = str_make((const char *)block, sizeof block);

	if (key.len > sizeof block)
		sha256(key, block);
	else if (key.len)
		memcpy(block, key.at, key.len);
	for (size_t i = 0; i < sizeof block; i++)
		block[i] ^= 0x36;
	sha256_2(pad, text, inner);
	for (size_t i = 0; i < sizeof block; i++)
		block[i] ^= 0x36 ^ 0x5c;
	sha256_2(pad, str_make((const char *)inner, sizeof inner), out);
	OPENSSL_cleanse(block, sizeof block);
}

bool same_secret(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || CRYPTO_memcmp(a.at, b.at, a.len) == 0);
}

void hex_write(const uint8_t *bytes, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

int hex_digit(char c)
{
	if (c >= '0' && c <= '9') return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool hex_read(struct str s, uint8_t *out, size_t n)
{
	if (s.len % 2 || s.len / 2 != n) return false;
	for (size_t i = 0; i < s.len; i++) {
		if (hex_digit(s.at[i]) < 0) return false;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)(hex_digit(s.at[2 * i]) << 4 |
				   hex_digit(s.at[2 * i + 1]));
	return true;
}

static void base64_add(struct buf *out, struct str s, int variant)
{
	size_t size = sodium_base64_encoded_len(s.len, variant); /* with its NUL */

	if (!buf_reserve(out, size - 1)) return;
	sodium_bin2base64(
		out->at + out->len, size, (const uint8_t *)s.at, s.len, variant);
	out->len += size - 1;
}

void base64url_write(struct buf *out, struct str s)
{
	base64_add(out, s, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

void base64_write(struct buf *out, struct str s)
{
	base64_add(out, s, sodium_base64_VARIANT_ORIGINAL);
}

/* `digits` without the padding. libsodium refuses stray bits and wrong padding, but takes some bytes above
 * ASCII for digits. */
static bool base64_take(struct str s, size_t digits, struct buf *out, int variant)
{
	size_t room = digits / 4 * 3 + digits % 4 * 3 / 4, len;

	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.at[i] > 0x7f) return false;
	if (!buf_reserve(out, room) ||
		sodium_base642bin((uint8_t *)out->at + out->len, room, s.at, s.len, NULL,
			&len, NULL, variant) != 0)
		return false;
	out->len += len;
	return true;
}

bool base64url_read(struct str s, struct buf *out)
{
	return base64_take(s, s.len, out, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool base64_read(struct str s, struct buf *out)
{
	size_t digits = s.len;

	while (digits > 0 && s.at[digits - 1] == '=')
		digits--;
	return base64_take(s, digits, out, sodium_base64_VARIANT_ORIGINAL);
}
