/* decision.h - digests of records, carried by their events: what was asked, what was
 * decided. `check` makes them again from the rows and compares. All are "sha256:" and 64
 * hex digits; "" when there is no memory, which equals no digest. */
#ifndef CORE_DECISION_H
#define CORE_DECISION_H

#include "core/session.h"

/* The RFC 8785 form of {ask, status, answer, answered_by, approved_digest, reason}, each as
 * the ask shows it (null when there is none). Anybody can make it again from the ask. */
struct str decision_write(const struct ask *, struct arena *);
void decision_digest(const struct ask *, char out[DIGEST_SIZE]);

/* What never changes once it was asked. Not assignees, deadline and thread. */
void asked_digest(const struct ask *, char out[DIGEST_SIZE]);
/* What never changes once the session was made. Not title, status, progress, callback. */
void session_digest(const struct session *, char out[DIGEST_SIZE]);
/* Of one text as it is. */
void text_digest(struct str, char out[DIGEST_SIZE]);

#endif
