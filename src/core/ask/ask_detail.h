/* ask_detail.h - what a person has to read before they decide: the operation, its diff and the error, as
 * plain text. Every channel shows these texts, and none takes an approval where they do not fit. */
#ifndef CORE_ASK_DETAIL_H
#define CORE_ASK_DETAIL_H

#include "core/ask/ask.h"

enum detail_part { DETAIL_OPERATION, DETAIL_DIFF, DETAIL_ERROR, DETAIL_PARTS };

/* Harmless text (base/safe.h) in the arena; empty: there is none. */
struct ask_detail {
	struct str parts[DETAIL_PARTS];
	size_t len; /* bytes of all, and of the question where nothing else says what is approved */
};
/* False: out of memory. */
bool ask_detail_draw(const struct ask_parts *, struct arena *, struct ask_detail *out);

/* The operation alone: its name, and its arguments one below the other. Texts stand as they are, an argv
 * as a line of shell, the lines of a text of several lines are indented. */
struct str operation_draw(const struct json *operation, struct arena *);

#endif
