/* question_pattern.h - what is the same in a question that is asked again and again about other things.
 * Prefix: pattern_. */
#ifndef CORE_QUESTION_PATTERN_H
#define CORE_QUESTION_PATTERN_H

#include "base/arena.h"
#include "base/json.h"

enum { PATTERN_MAX = 200 }; /* code points */

/* Lower case, digits `#`; quoted parts, paths, addresses and ids `…`; blanks a single one. At most
 * PATTERN_MAX code points are looked at. Adds to `out`; time linear in the text. */
void pattern_of_text(struct buf *out, struct str text);
/* The tool and, of a command, its first two words, in the same way. */
void pattern_of_operation(
	struct buf *out, const struct json *operation, struct arena *scratch);

#endif
