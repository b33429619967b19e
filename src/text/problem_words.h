/* problem_words.h - what the server says of a problem, in the reader's language. */
#ifndef TEXT_PROBLEM_WORDS_H
#define TEXT_PROBLEM_WORDS_H

#include "base/fault.h"
#include "text/msg.h"

/* The first of our languages that an Accept-Language header names; English otherwise. */
enum lang problem_lang(struct str accept_language);
/* A sentence that the program wrote in English: translated when the catalogue has it
 * (problem.*), else as it is. Words that fill {role} and {status} are translated, too. */
struct str problem_words(struct str english, enum lang, struct arena *);
/* The same for the messages whose id begins with `prefix`. */
struct str sentence_words(
	const char *prefix, struct str english, enum lang, struct arena *);
/* The same for all sentences of a fault. */
void problem_translate(struct fault *, enum lang);

#endif
