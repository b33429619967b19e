/* mask.h - secrets that must not be seen, taken out of text that others wrote. */
#ifndef CORE_MASK_H
#define CORE_MASK_H

#include "base/buf.h"

enum { MASK_MIN = 8 }; /* shorter ones would tear ordinary words apart */

/* The text with every secret of MASK_MIN bytes or more as "[secret …WXYZ]", or "[secret]" when
 * it is too short to show any of. */
void mask_text(struct buf *out, struct str text, const struct str *secrets, size_t len);

#endif
