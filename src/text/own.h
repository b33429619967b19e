/* own.h - what Parley itself asks, in the reader's language. */
#ifndef TEXT_OWN_H
#define TEXT_OWN_H

#include "base/arena.h"

/* A text of a question with this key, or of one of its options: translated when it is one
 * that Parley wrote for an agent that left it out (core/ask/draft_keep.c), else as it is. */
struct str own_words(struct str key, struct str text, struct arena *);

#endif
