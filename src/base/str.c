/* str.c - looking into borrowed text. */
#include "base/str.h"

#include "base/id.h"

#include <limits.h>
#include <pthread.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool str_is_nocase(struct str s, const char *ascii)
{
	return str_eq_nocase(s, str_of(ascii));
}

bool str_eq_nocase(struct str a, struct str b)
{
	if (a.len != b.len) return false;
	for (size_t i = 0; i < a.len; i++)
		if (lower(a.at[i]) != lower(b.at[i])) return false;
	return true;
}

bool str_starts(struct str s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s.len >= len && (len == 0 || memcmp(s.at, prefix, len) == 0);
}

bool str_ends(struct str s, const char *suffix)
{
	size_t len = strlen(suffix);

	return s.len >= len && (len == 0 || memcmp(s.at + s.len - len, suffix, len) == 0);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
	while (s.len && is_blank(s.at[0])) {
		s.at++;
		s.len--;
	}
	while (s.len && is_blank(s.at[s.len - 1]))
		s.len--;
	return s;
}

bool str_cut(struct str *rest, char by, struct str *piece)
{
	const char *hit;

	if (rest->len == 0) return false;
	hit = memchr(rest->at, by, rest->len);
	if (!hit) {
		*piece = *rest;
		*rest = STR_NONE;
		return true;
	}
	*piece = str_make(rest->at, (size_t)(hit - rest->at));
	*rest = str_make(hit + 1, rest->len - piece->len - 1);
	return true;
}

int str_find(struct str hay, struct str needle)
{
	const char *hit;

	if (needle.len == 0) return 0;
	if (hay.len < needle.len) return -1;
	hit = memmem(hay.at, hay.len, needle.at, needle.len);
	return hit && hit - hay.at <= INT_MAX ? (int)(hit - hay.at) : -1;
}

int str_cmp(struct str a, struct str b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.at, b.at, len) : 0;

	if (order) return order;
	return (a.len > b.len) - (a.len < b.len);
}

/* SipHash-1-3: keys come from strangers, who must not be able to choose collisions. */
struct sip {
	uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static inline void sip_round(struct sip *s)
{
	s->a += s->b;
	s->b = rotate(s->b, 13) ^ s->a;
	s->a = rotate(s->a, 32);
	s->c += s->d;
	s->d = rotate(s->d, 16) ^ s->c;
	s->a += s->d;
	s->d = rotate(s->d, 21) ^ s->a;
	s->c += s->b;
	s->b = rotate(s->b, 17) ^ s->c;
	s->c = rotate(s->c, 32);
}

static inline void sip_add(struct sip *s, uint64_t word)
{
	s->d ^= word;
	sip_round(s);
	s->a ^= word;
}

static uint64_t hash_key[2];

static void hash_seed(void)
{
	random_bytes(NULL, hash_key, sizeof hash_key);
}

uint64_t str_hash(struct str text)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t word = 0;
	struct str rest = text;
	struct sip s;

	pthread_once(&once, hash_seed);
	s = (struct sip){
		hash_key[0] ^ 0x736f6d6570736575,
		hash_key[1] ^ 0x646f72616e646f6d,
		hash_key[0] ^ 0x6c7967656e657261,
		hash_key[1] ^ 0x7465646279746573,
	};
	for (; rest.len >= 8; rest = str_make(rest.at + 8, rest.len - 8)) {
		memcpy(&word, rest.at, 8);
		sip_add(&s, word);
	}
	word = 0;
	if (rest.len) memcpy(&word, rest.at, rest.len);
	sip_add(&s, word ^ (uint64_t)text.len << 56);
	s.c ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(&s);
	return s.a ^ s.b ^ s.c ^ s.d;
}

bool str_to_int(struct str s, int64_t min, int64_t max, int64_t *out)
{
	bool negative = s.len && s.at[0] == '-';
	int64_t value = 0;

	s = str_from(s, negative);
	if (s.len == 0) return false;
	for (size_t i = 0; i < s.len; i++) {
		int digit = s.at[i] - '0';

		if (digit < 0 || digit > 9) return false;
		if (__builtin_mul_overflow(value, 10, &value)) return false;
		if (__builtin_add_overflow(value, negative ? -digit : digit, &value))
			return false;
	}
	if (value < min || value > max) return false;
	*out = value;
	return true;
}
