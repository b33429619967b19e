/* json_scan.h - how far text in a JSON string stands for itself. For json_*.c only. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The high bit of the first of eight bytes that is '"', '\\', a control character or no ASCII
 * is set, and of none before it: a borrow can only disturb the bytes behind the first. */
static inline uint64_t json_special(const char *at)
{
	const uint64_t ones = 0x0101010101010101, highs = ones * 0x80;
	uint64_t word;

	memcpy(&word, at, 8);
	word = le64toh(word);
	return (word | (word - ones * ' ') | ((word ^ ones * '"') - ones) |
		       ((word ^ ones * '\\') - ones)) &
	       highs;
}

#ifdef __SSE2__
/* Of sixteen bytes: a bit for each that does not stand for itself. As signed numbers, bytes that are
 * no ASCII are less than a blank, too. */
static inline unsigned json_special_of_16(const char *at)
{
	const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
	const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
	const __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
	const __m128i others = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));

	return (unsigned)_mm_movemask_epi8(
		_mm_or_si128(others, _mm_or_si128(quotes, slashes)));
}
#endif

/* The first byte that does not stand for itself, or end. Eight bytes at a time, or sixteen; the last eight
 * of a longer text are looked at together, with some before them that were seen to be plain. */
static inline const char *json_plain_end(const char *at, const char *end)
{
	bool long_enough = end - at >= 8;
	uint64_t hits = 0;

#ifdef __SSE2__
	for (; end - at >= 16; at += 16) {
		unsigned found = json_special_of_16(at);

		if (found) return at + __builtin_ctz(found);
	}
#endif
	for (; end - at >= 8; at += 8)
		if ((hits = json_special(at))) return at + __builtin_ctzll(hits) / 8;
	if (long_enough && at < end) {
		hits = json_special(end - 8);
		return hits ? end - 8 + __builtin_ctzll(hits) / 8 : end;
	}
	while (at < end && *at != '"' && *at != '\\' && (signed char)*at >= ' ')
		at++;
	return at;
}

#endif
