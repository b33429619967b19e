/* key_index.c - sorted keys and their chains. */
#include "core/policy/rule_set_inner.h"

#include "base/mem.h"

#include <stdlib.h>

bool key_index_add(
	struct key_index *x, struct str key, uint32_t rule, const void *pattern)
{
	if (x->len == x->room) {
		size_t room = x->room ? x->room * 2 : 64;
		void *grown = mem_grow(x->entries, room * sizeof *x->entries);

		if (!grown) return false;
		x->entries = grown;
		x->room = room;
	}
	x->entries[x->len++] = (struct key_entry){ key, rule, 0, pattern, -1, -1 };
	return true;
}

static bool begins(struct str text, struct str key)
{
	return str_eq(str_first(text, key.len), key);
}

static int entry_cmp(const void *a, const void *b)
{
	const struct key_entry *x = a, *y = b;
	int keys = str_cmp(x->key, y->key);

	return keys ? keys : (x->rule > y->rule) - (x->rule < y->rule);
}

void key_index_seal(struct key_index *x)
{
	if (x->len) qsort(x->entries, x->len, sizeof *x->entries, entry_cmp);
	for (size_t i = 0; i < x->len; i++) {
		int32_t up = (int32_t)i - 1;
		bool again = i && str_eq(x->entries[i].key, x->entries[i - 1].key);

		x->entries[i].first = again ? x->entries[i - 1].first : (int32_t)i;

		while (up >= 0 && !begins(x->entries[i].key, x->entries[up].key))
			up = x->entries[up].shorter;
		x->entries[i].up = up;
		x->entries[i].shorter =
			up >= 0 && str_eq(x->entries[up].key, x->entries[i].key)
				? x->entries[up].shorter
				: up;
	}
}

void key_index_done(struct key_index *x)
{
	mem_free(x->entries);
	*x = (struct key_index){ 0 };
}

/* Below 0, 0, above 0: the key sorts before the text or begins it, is it, sorts behind. */
static int text_cmp(struct str key, struct key_text t, bool *begins_it)
{
	size_t head = key.len < t.head.len ? key.len : t.head.len;
	int d = head ? memcmp(key.at, t.head.at, head) : 0;
	struct str rest = str_from(key, t.head.len);
	size_t tail = rest.len < t.tail.len ? rest.len : t.tail.len;

	*begins_it = false;
	if (d) return d;
	if (tail) d = memcmp(rest.at, t.tail.at, tail);
	if (d) return d;
	*begins_it = rest.len <= t.tail.len;
	return *begins_it ? -1 : 1;
}

const struct key_entry *key_index_find(const struct key_index *x, struct key_text t)
{
	size_t low = 0, high = x->len;
	bool begins_it = false;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (text_cmp(x->entries[mid].key, t, &begins_it) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (int32_t i = (int32_t)low - 1; i >= 0; i = x->entries[i].shorter) {
		text_cmp(x->entries[i].key, t, &begins_it);
		if (begins_it) return &x->entries[i];
	}
	return NULL;
}

const struct key_entry *key_index_shorter(
	const struct key_index *x, const struct key_entry *e)
{
	return e->shorter < 0 ? NULL : &x->entries[e->shorter];
}

const struct key_entry *key_index_next(
	const struct key_index *x, const struct key_entry *e)
{
	return e->up < 0 ? NULL : &x->entries[e->up];
}
