/* name.h - what people and agents may be called, and which names look alike.
 *
 * A name stands beside every decision. Somebody whose name differs from another's in characters that
 * nobody sees, or in letters of another script that look the same, would be taken for them. */
#ifndef CORE_NAME_H
#define CORE_NAME_H

#include "base/buf.h"
#include "base/str.h"

enum { NAME_MAX_LEN = 100 };

/* What is wrong with it, in the words of a refusal; NULL: nothing. */
const char *name_flaw(struct str);

/* Has it characters without a look of their own? Agents of one name have several tokens, so likeness
 * does not keep a second one out. */
bool name_hides(struct str);

/* What a name is compared by: names that look alike have the same. Case, width and accents that are
 * composed in another way do not count, nor do characters without a look of their own; Cyrillic and
 * Greek letters count as the Latin ones that they look like. */
void name_likeness(struct buf *, struct str);

#endif
