/* rule_words.h - a rule as a sentence: "Allow `npm test` for ci-bot in web". */
#ifndef CLI_VERB_RULE_WORDS_H
#define CLI_VERB_RULE_WORDS_H

#include "cli/table.h"

/* What it does to what: effect, match and what an ask rule asks for. */
void rule_says(struct buf *, const struct json *rule, struct cli *);
/* How lists show rules on a terminal. */
extern const struct table_column rule_columns[];
/* A line on stdout that begins with its id. */
void rule_print(struct cli *, const struct json *rule);

#endif
