/* json_scan.h - how far text in a JSON string stands for itself. For json_*.c only. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* The first byte that is '"', '\\', a control character or no ASCII; or end. Eight bytes
 * at a time: the sums set the high bit of each such byte, and a borrow can only disturb
 * the bytes behind the first. */
static inline const char *json_plain_end(const char *at, const char *end)
{
	const uint64_t ones = 0x0101010101010101, highs = ones * 0x80;

	for (; end - at >= 8; at += 8) {
		uint64_t word, hits;

		memcpy(&word, at, 8);
		word = le64toh(word);
		hits = word | (word - ones * ' ') | ((word ^ ones * '"') - ones) |
		       ((word ^ ones * '\\') - ones);
		hits &= highs;
		if (hits) return at + __builtin_ctzll(hits) / 8;
	}
	while (at < end && *at != '"' && *at != '\\' && (signed char)*at >= ' ')
		at++;
	return at;
}

#endif
