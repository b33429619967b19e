/* generator.h - random, repeatable tests of dialects: requests of each dialect that are
 * right, and answers that are right for an ask. */
#ifndef TESTS_UNIT_DIALECT_GENERATOR_H
#define TESTS_UNIT_DIALECT_GENERATOR_H

#include "kit.h"

struct generator {
	uint64_t state; /* the seed, at first */
	uint64_t words; /* so that none comes twice */
};

uint32_t generator_below(struct generator *, uint32_t n);
bool generator_often(struct generator *);  /* three times of four */
bool generator_seldom(struct generator *); /* once of four */
const char *generator_pick(struct generator *, const char *const *list, size_t len);
#define GENERATOR_PICK(generator, ...)                                                   \
	generator_pick((generator), (const char *const[]){ __VA_ARGS__ },                \
		sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

struct str generator_word(struct generator *); /* short, plain, never the same again */
struct str generator_label(
	struct generator *); /* one line, a few words; with commas, too */
struct str generator_text(struct generator *); /* whatever people and models write */

/* A request that keeps all rules of its dialect. */
const struct json *generator_request(struct generator *, const char *dialect);

enum { TOKENS_MAX = 64 };

/* A settle body for the ask, and what must not get lost of it. */
struct generator_answer {
	const struct json *body;
	struct str tokens[TOKENS_MAX]; /* texts, numbers, ids of options */
	size_t tokens_len;
	bool denies;  /* some approval was rejected */
	bool refuses; /* some yes or no was a no */
	bool edits;
};
struct generator_answer generator_answer(struct generator *, const struct draft *);

#endif
