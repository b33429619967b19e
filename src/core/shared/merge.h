/* merge.h - a body that changes some members of what is kept. Private to core. */
#ifndef CORE_MERGE_H
#define CORE_MERGE_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/json.h"

/* Members of `body` over those of the JSON object `before` (empty: none), as one object in
 * the arena. ERR_INVALID: no object, or another value for a member in `fixed` (up to NULL).
 */
enum err body_merge(const struct json *body, struct str before, const char *const *fixed,
	struct arena *, const struct json **out, struct fault *why);

#endif
