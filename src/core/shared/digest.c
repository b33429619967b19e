/* digest.c - short digests of our own records: a SHA-256 of their fields, cut. */
#include "core/shared/digest.h"

#include "base/hash.h"

static void short_write(const uint8_t digest[SHA256_SIZE], char out[SHORT_DIGEST_SIZE])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	size_t len = 0;

	for (size_t i = 0; i < 15; i += 3) {
		uint32_t bits = (uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 |
				digest[i + 2];

		for (int shift = 18; shift >= 0; shift -= 6)
			out[len++] = digits[bits >> shift & 63];
	}
	out[len++] = digits[digest[15] >> 2];
	out[len++] = digits[(digest[15] & 3) << 4];
	out[len] = '\0';
}

void digest_text(struct str text, char out[SHORT_DIGEST_SIZE])
{
	uint8_t digest[SHA256_SIZE];

	sha256(text, digest);
	short_write(digest, out);
}

void digest_fields(const struct str *fields, size_t len, char out[SHORT_DIGEST_SIZE])
{
	uint8_t digest[SHA256_SIZE];

	sha256_fields(fields, len, digest);
	short_write(digest, out);
}

struct str digest_number(int64_t n, char room[NUMBER_SIZE])
{
	size_t at = NUMBER_SIZE;
	uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	do
		room[--at] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0) room[--at] = '-';
	return str_make(room + at, NUMBER_SIZE - at);
}
