/* rule_set_inner.h - how one rule is compared with one operation; the rules of a set as they
 * lie in memory. Private to core. */
#ifndef CORE_RULE_SET_INNER_H
#define CORE_RULE_SET_INNER_H

#include "base/str.h"
#include "core/policy/rule_set.h"

/* Everything but the tool. */
enum fit rule_match_rest(const struct rule_match *, const struct operation_view *,
	enum risk, struct arena *, enum doubt *);
bool tool_pattern_named(const struct tool_pattern *, const struct operation_view *);
/* Patterns as a deny or an ask has them. */
enum fit tools_stop(
	const struct tool_pattern *, size_t len, const struct operation_view *);
/* How many commands an allow must fit; 1 for what is no command line. */
size_t operation_parts(const struct operation_view *);
bool tools_allow_part(const struct tool_pattern *, size_t len,
	const struct operation_view *, size_t part);
bool rule_match_allows_part(
	const struct rule_match *, const struct operation_view *, size_t part);

/* ---- finds, of many keys, those with which a text begins ----
 *
 * Keys lie sorted, and each knows the longest other key it begins with. All keys with which
 * a text begins are then on one chain, which starts at the last key not behind the text. */

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

struct set_rule {
	const struct rule_record *kept;
	enum effect effect;
	struct rule_match match;
	struct rule_ask ask;
	bool broken; /* cannot be parsed: stops everything, or allows nothing */
};

/* Enough of a rule to pass over it without touching the rest. */
struct rule_brief {
	char agent[8]; /* how the agent's name must begin */
	uint8_t agent_len;
	uint8_t min, max; /* risk */
	int8_t type;	  /* -1: any */
};

/* A pattern that begins with a wildcard, or a host. Those of one key lie together, sorted by
 * the rarest pair of bytes they have: a text without that pair passes over all of them. */
struct loose_pattern {
	struct glob_pairs pairs;
	uint32_t entry; /* of `loose` */
	uint32_t past;	/* where those with another rarest pair begin */
	int16_t rarest; /* a bit of `pairs`; -1: it has none, and any text may fit */
};

/* Stops (deny and ask) and allows lie apart. */
enum { SET_STOPS, SET_ALLOWS, SET_SIDES };

struct rule_set {
	struct arena arena;
	struct set_rule *rules;
	struct rule_brief *briefs; /* by rule; made by rule_set_seal */
	size_t len, room;
	struct key_index names[SET_SIDES];  /* a tool's name alone */
	struct key_index agents[SET_SIDES]; /* no tool: by how the agent's name begins */
	/* Patterns with brackets, by how they begin. */
	struct key_index subjects[SET_SIDES];
	/* Those that begin with a wildcard, or a host. */
	struct key_index loose[SET_SIDES];
	struct loose_pattern *patterns[SET_SIDES]; /* of `loose`, key by key as they lie
						      there */
	struct key_index same[SET_SIDES];	   /* digests */
};

bool set_rule_live(const struct set_rule *, int64_t now_ms);
/* Fills `fits`, given what was decided. */
void rule_set_explain(const struct rule_set *, const struct operation_view *, enum risk,
	int64_t now_ms, unsigned flags, struct arena *, struct ruling *);

#endif
