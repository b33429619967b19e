/* mandates.h - mandates and their asks. Private to desk. */
#ifndef DESK_MANDATES_H
#define DESK_MANDATES_H

#include "desk/policy/policy_snapshot.h"
#include "desk/shared/happened.h"

/* A person approves with other arguments: of a mandate these may only be narrower. */
enum err mandate_edit_admit(struct rows *, const struct ask *, const struct ask_parts *,
	const struct json *body, const struct answer *, struct fault *);

/* Reactions: it is granted or refused with its ask, taken back with it, and ends with its session. */
enum err mandate_settled(const struct happened *, struct fault *);
enum err mandate_taken_back(const struct happened *, struct fault *);
enum err mandates_of_session(const struct happened *, struct fault *);

#endif
