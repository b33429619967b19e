/* own.h - what Parley itself asks, in the reader's language. It is stored in English. */
#ifndef TEXT_OWN_H
#define TEXT_OWN_H

#include "text/msg.h"

/* A text of a question with this key, of one of its options, or of the ask whose first question
 * has this key: translated when it is one that Parley wrote (core/ask/draft_keep.c, desk/run), else
 * as it is. */
struct str own_words(struct str key, struct str text, enum lang, struct arena *);

#endif
