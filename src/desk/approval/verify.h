/* verify.h - verifiers of approvals. Private to desk. */
#ifndef DESK_VERIFY_H
#define DESK_VERIFY_H

#include "core/policy/verifier.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/shared/happened.h"

react_fn verify_asked; /* calls those that are due */
/* ERR_VERIFYING while nobody can approve it. */
enum err verify_pending(const struct ask *, struct rows *, struct fault *);
/* What came of the delivery to a verifier. */
enum err verify_done(struct task *, struct rows *, const struct delivery *,
	const struct delivery_outcome *, struct fault *);

#endif
