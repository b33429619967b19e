/* dice.h - random but repeatable: requests of each dialect that are right, and answers
 * that are right for an ask. */
#ifndef TESTS_UNIT_DIALECT_DICE_H
#define TESTS_UNIT_DIALECT_DICE_H

#include "kit.h"

struct dice {
	uint64_t state; /* the seed, at first */
	uint64_t words; /* so that none comes twice */
};

uint32_t dice_below(struct dice *, uint32_t n);
bool dice_often(struct dice *);	 /* three times of four */
bool dice_seldom(struct dice *); /* once of four */
const char *dice_pick(struct dice *, const char *const *list, size_t len);
#define DICE_PICK(dice, ...)                                                             \
	dice_pick((dice), (const char *const[]){ __VA_ARGS__ },                          \
		sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

struct str dice_word(struct dice *);  /* short, plain, never the same again */
struct str dice_label(struct dice *); /* one line, a few words; with commas, too */
struct str dice_text(struct dice *);  /* whatever people and models write */

/* A request that keeps all rules of its dialect. */
const struct json *dice_request(struct dice *, const char *dialect);

enum { TOKENS_MAX = 64 };

/* A settle body for the ask, and what must not get lost of it. */
struct dice_answer {
	const struct json *body;
	struct str tokens[TOKENS_MAX]; /* texts, numbers, ids of options */
	size_t tokens_len;
	bool denies;  /* some approval was rejected */
	bool refuses; /* some yes or no was a no */
	bool edits;
};
struct dice_answer dice_answer(struct dice *, const struct draft *);

#endif
