/* id.c - ids: 48 bits of milliseconds, 16 of sequence, 64 of chance; and random bytes. */
#include "base/id.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

/* Crockford's alphabet: no i, l, o, u. Its order is that of the bytes. */
static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

enum { PREFIX_MAX = 4, ID_DIGITS = 26, SECRET_BYTES = 32, SECRET_DIGITS = 52 };

/* System randomness fetched ahead, for this thread. Handed out once, then wiped. */
struct random_pool {
	size_t left; /* the last `left` bytes are fresh */
	unsigned char bytes[512];
};

static _Thread_local struct random_pool pool;

/* A forked child must not repeat what its parent hands out; it has one thread only. */
static void pool_forget(void)
{
	pool.left = 0;
}

static void fork_watch(void)
{
	if (pthread_atfork(NULL, NULL, pool_forget) != 0) abort();
}

/* Without randomness no id and no token can be made: there is no way to go on. */
static void system_bytes(unsigned char *out, size_t len)
{
	while (len) {
		ssize_t got = getrandom(out, len, 0);

		if (got < 0 && errno != EINTR) abort();
		if (got <= 0) continue;
		out += got;
		len -= (size_t)got;
	}
}

static void pool_take(void *out, size_t len)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	unsigned char *from;

	if (len > sizeof pool.bytes) {
		system_bytes(out, len);
		return;
	}
	if (pool.left < len) {
		pthread_once(&once, fork_watch);
		system_bytes(pool.bytes, sizeof pool.bytes);
		pool.left = sizeof pool.bytes;
	}
	from = pool.bytes + sizeof pool.bytes - pool.left;
	memcpy(out, from, len);
	explicit_bzero(from, len);
	pool.left -= len;
}

/* splitmix64: spreads a small seed over 64 bits. */
static uint64_t seed_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void ids_seed(struct ids *ids, uint64_t seed)
{
	*ids = (struct ids){ .seeded = true };
	ids->seed[0] = seed_next(&seed);
	ids->seed[1] = seed_next(&seed);
}

/* xorshift128+: repeatable, for simulations; never the source of a secret. */
static uint64_t seeded_u64(struct ids *ids)
{
	uint64_t a = ids->seed[0], b = ids->seed[1];

	a ^= a << 23;
	ids->seed[0] = b;
	ids->seed[1] = a ^ b ^ a >> 17 ^ b >> 26;
	return ids->seed[1] + b;
}

uint64_t random_u64(struct ids *ids)
{
	uint64_t value;

	if (ids && ids->seeded) return seeded_u64(ids);
	pool_take(&value, sizeof value);
	return value;
}

void random_bytes(struct ids *ids, void *out, size_t len)
{
	unsigned char *at = out;

	if (!ids || !ids->seeded) {
		if (len) pool_take(out, len);
		return;
	}
	while (len) {
		uint64_t word = seeded_u64(ids);
		size_t n = len < sizeof word ? len : sizeof word;

		memcpy(at, &word, n);
		at += n;
		len -= n;
	}
}

/* The time never goes back and a full sequence borrows the next millisecond. */
static void tick(struct ids *ids, int64_t now_ms)
{
	if (now_ms > ids->last_ms) {
		ids->last_ms = now_ms;
		ids->sequence = 0;
	} else if (ids->sequence < 0xffff) {
		ids->sequence++;
	} else {
		ids->last_ms++;
		ids->sequence = 0;
	}
}

/* The last 5 * digits bits of high:low, the highest first. */
static char *put_base32(char *out, uint64_t high, uint64_t low, int digits)
{
	for (int i = digits; i-- > 0;) {
		out[i] = alphabet[low & 31];
		low = low >> 5 | high << 59;
		high >>= 5;
	}
	return out + digits;
}

void id_make(struct ids *ids, const char *prefix, int64_t now_ms, char out[ID_SIZE])
{
	size_t len = strlen(prefix);

	assert(len <= PREFIX_MAX);
	tick(ids, now_ms);
	memcpy(out, prefix, len);
	out[len] = '_';
	*put_base32(out + len + 1, (uint64_t)ids->last_ms << 16 | ids->sequence,
		random_u64(ids), ID_DIGITS) = '\0';
}

bool id_valid(struct str id, const char *prefix)
{
	size_t len = strlen(prefix);

	if (id.len != len + 1 + ID_DIGITS || !str_starts(id, prefix)) return false;
	if (id.at[len] != '_') return false;
	for (size_t i = len + 1; i < id.len; i++) {
		if (id.at[i] == '\0' || !strchr(alphabet, id.at[i])) return false;
	}
	return true;
}

void secret_make(struct ids *ids, const char *prefix, char out[SECRET_SIZE])
{
	unsigned char bytes[SECRET_BYTES];
	size_t len = strlen(prefix);
	uint32_t bits = 0;
	int held = 0;

	assert(len + 1 + SECRET_DIGITS < SECRET_SIZE);
	random_bytes(ids, bytes, sizeof bytes);
	memcpy(out, prefix, len);
	out += len;
	*out++ = '_';
	for (size_t i = 0; i < sizeof bytes; i++) {
		bits = bits << 8 | bytes[i];
		for (held += 8; held >= 5; held -= 5)
			*out++ = alphabet[bits >> (held - 5) & 31];
	}
	*out++ = alphabet[bits << (5 - held) & 31];
	*out = '\0';
	explicit_bzero(bytes, sizeof bytes);
}
