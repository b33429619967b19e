/* alert_words.h - an alert in a sentence: "Unanswered for 2 h". */
#ifndef TEXT_ALERT_WORDS_H
#define TEXT_ALERT_WORDS_H

#include "text/msg.h"

/* As the API has it; empty where that has null. */
struct alert_said {
	struct str kind, key, detail;
	double value;
};
struct str alert_words(const struct alert_said *, enum lang, struct arena *);
/* "2 h", in the largest unit that is there. */
struct str alert_span(int64_t ms, enum lang, struct arena *);

#endif
