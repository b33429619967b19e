/* answer_many.h - parley answer with several asks: what would run is printed, and decided on
 * once. */
#ifndef CLI_VERB_ANSWER_MANY_H
#define CLI_VERB_ANSWER_MANY_H

#include "cli/cli_call.h"

/* How many words from the first on are ids of asks. */
size_t answer_ids(const struct cli *);
/* Approves or rejects them, as the word behind them says. */
int answer_many(struct cli *, size_t ids);
/* Approves or rejects the asks that the words are: each operation is shown, and the person at the
 * terminal is asked once. */
int answer_decide(struct cli *, size_t ids, bool approve);
/* The same of the first word alone, with these answers: {KEY: value, …}. */
int answer_seen(struct cli *, bool approve, struct str answers);
/* {"for", "what", …}: an approval that holds for longer, by --for, --pattern and --open; `at` NULL
 * without --for. The server checks what is wanted of whom. */
struct str answer_scope(struct cli *);

#endif
