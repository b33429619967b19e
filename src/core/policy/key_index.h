/* key_index.h - finds, of many keys, those with which a text begins. Private to core.
 *
 * Keys lie sorted, and each knows the longest other key it begins with. All keys with which
 * a text begins are then on one chain, which starts at the last key not behind the text. */
#ifndef CORE_KEY_INDEX_H
#define CORE_KEY_INDEX_H

#include "base/str.h"

struct key_entry {
	struct str key; /* borrowed */
	uint32_t rule;
	int32_t first;	     /* of those with this key, which lie together */
	const void *pattern; /* or NULL */
	int32_t up;	     /* the next in the chain; -1: the end */
	int32_t shorter;     /* the next whose key is another */
};

/* { 0 } is empty and ready. */
struct key_index {
	struct key_entry *entries;
	size_t len, room;
};

/* A text that is made of two, so that nobody has to join them. */
struct key_text {
	struct str head, tail;
};

bool key_index_add(
	struct key_index *, struct str key, uint32_t rule, const void *pattern);
void key_index_seal(struct key_index *); /* once, after the last; then find may be used */
void key_index_done(struct key_index *);
/* The first entry of the chain, or NULL; then key_index_next. The longest key comes first;
 * of equal keys the last added. */
const struct key_entry *key_index_find(const struct key_index *, struct key_text);
const struct key_entry *key_index_next(
	const struct key_index *, const struct key_entry *);
/* The last entry of the next key: for who goes over those of one key by themselves. */
const struct key_entry *key_index_shorter(
	const struct key_index *, const struct key_entry *);

#endif
