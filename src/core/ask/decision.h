/* decision.h - digests of an ask, carried by its events: what was asked, what was decided.
 * `check` makes them again from the rows and compares.
 *
 * The decision is "sha256:" and 64 hex digits, because anybody may make it again; "" when
 * there is no memory, which equals no digest. */
#ifndef CORE_DECISION_H
#define CORE_DECISION_H

#include "core/ask/ask.h"
#include "core/shared/digest.h"

/* The RFC 8785 form of {ask, status, answer, answered_by, approved_digest, reason}, each as
 * the ask shows it (null when there is none), and of `revoked` once it was taken back. */
struct str decision_write(const struct ask *, struct arena *);
void decision_digest(const struct ask *, char out[DIGEST_SIZE]);
/* The same in the memory of `arena`: part of every answer. */
void decision_digest_in(const struct ask *, struct arena *, char out[DIGEST_SIZE]);

/* What never changes once it was asked. Not assignees, deadline and thread. */
void asked_digest(const struct ask *, char out[SHORT_DIGEST_SIZE]);
/* What approvals an ask requires, and the votes for it. */
void votes_digest(const struct ask *, char out[SHORT_DIGEST_SIZE]);

#endif
