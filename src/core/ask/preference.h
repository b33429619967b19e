/* preference.h - answers that a workspace, a project or a person prefers. Shown beside a question like what
 * was answered before; never chosen, pre-filled or used at a deadline. Pure. */
#ifndef CORE_PREFERENCE_H
#define CORE_PREFERENCE_H

#include "core/ask/question.h"
#include "core/shared/resources.h"

enum { PREFERENCES_MAX = 500, PREFERENCE_VALUE_MAX = 4096 };

/* Strings are borrowed. Empty means null. */
struct preference {
	RESOURCE_MEMBERS(PREFERENCE_COLUMNS)
};

/* Whether it is for this question of an ask of this project, asked of this person. */
bool preference_fits(const struct preference *, const struct question *,
	struct str project, struct str user);
/* Of two that fit: a person's comes before a project's, and that before the workspace's. */
bool preference_is_nearer(const struct preference *, const struct preference *than);
void preference_write(struct json_writer *, const struct preference *);

#endif
