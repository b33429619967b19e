/* table.c - open addressing with linear probing.
 *
 * Invariants: cap is 0 or a power of two; at least a quarter of the slots are FREE, so
 * that every search ends; a key stands in at most one slot. */
#include "base/table.h"

#include "base/mem.h"

enum { FIRST_CAP = 16 };

/* Values of `hash` in a slot that holds no key; hashes of keys begin at FIRST_HASH. */
enum { FREE = 0, GRAVE = 1, FIRST_HASH = 2 };

struct table_slot {
	uint64_t hash;
	struct str key;
	void *value;
};

static uint64_t hash_of(struct str key)
{
	uint64_t hash = str_hash(key);

	return hash < FIRST_HASH ? hash + FIRST_HASH : hash;
}

static struct table_slot *find(const struct table *t, struct str key, uint64_t hash)
{
	size_t mask = t->cap - 1;

	if (t->cap == 0) return NULL;
	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		struct table_slot *s = &t->slots[i];

		if (s->hash == FREE) return NULL;
		if (s->hash == hash && str_eq(s->key, key)) return s;
	}
}

/* The first slot on the key's way that holds none. */
static struct table_slot *room(const struct table *t, uint64_t hash)
{
	size_t mask = t->cap - 1;
	size_t i = hash & mask;

	while (t->slots[i].hash >= FIRST_HASH)
		i = (i + 1) & mask;
	return &t->slots[i];
}

/* Makes place for one key more, and clears the graves. */
static bool grow(struct table *t)
{
	struct table bigger = { .cap = t->cap ? t->cap : FIRST_CAP, .len = t->len };

	if (bigger.len >= bigger.cap / 2) bigger.cap *= 2;
	if (bigger.cap > SIZE_MAX / sizeof *t->slots) return false;
	bigger.slots = mem_alloc(bigger.cap * sizeof *t->slots);
	if (!bigger.slots) return false;
	for (size_t i = 0; i < t->cap; i++) {
		if (t->slots[i].hash >= FIRST_HASH)
			*room(&bigger, t->slots[i].hash) = t->slots[i];
	}
	mem_free(t->slots);
	*t = bigger;
	return true;
}

void *table_get(const struct table *t, struct str key)
{
	struct table_slot *s = t->len ? find(t, key, hash_of(key)) : NULL;

	return s ? s->value : NULL;
}

bool table_put(struct table *t, struct str key, void *value)
{
	uint64_t hash = hash_of(key);
	struct table_slot *s = find(t, key, hash);

	if (!s) {
		if (t->len + t->graves + 1 > t->cap / 4 * 3 && !grow(t)) return false;
		s = room(t, hash);
		t->graves -= s->hash == GRAVE;
		t->len++;
	}
	*s = (struct table_slot){ hash, key, value };
	return true;
}

void *table_remove(struct table *t, struct str key)
{
	struct table_slot *s = t->len ? find(t, key, hash_of(key)) : NULL;
	void *value;

	if (!s) return NULL;
	value = s->value;
	*s = (struct table_slot){ .hash = GRAVE };
	t->len--;
	t->graves++;
	return value;
}

bool table_next(const struct table *t, size_t *at, struct str *key, void **value)
{
	while (*at < t->cap) {
		struct table_slot *s = &t->slots[(*at)++];

		if (s->hash < FIRST_HASH) continue;
		if (key) *key = s->key;
		if (value) *value = s->value;
		return true;
	}
	return false;
}

void table_clear(struct table *t)
{
	if (t->cap) memset(t->slots, 0, t->cap * sizeof *t->slots);
	t->len = t->graves = 0;
}

void table_done(struct table *t)
{
	mem_free(t->slots);
	*t = (struct table){ 0 };
}
