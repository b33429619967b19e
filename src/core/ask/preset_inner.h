/* preset_inner.h - placeholders of templates. Private to the files of presets. */
#ifndef CORE_PRESET_INNER_H
#define CORE_PRESET_INNER_H

#include "base/str.h"

/* The next `{{name}}` of a text: what stands before it, its name, and the rest. False: there is
 * none any more, and `before` is all that is left. Braces around anything else are text. */
bool preset_placeholder_next(struct str *rest, struct str *before, struct str *name);

#endif
