/* decision.h - digests of records, carried by their events: what was asked, what was
 * decided. `check` makes them again from the rows and compares.
 *
 * The decision is "sha256:" and 64 hex digits, because anybody may make it again; "" when
 * there is no memory, which equals no digest. The others are for `check` alone and go with
 * every ask, so they are short: the first 128 bits of a SHA-256, in base64url. */
#ifndef CORE_DECISION_H
#define CORE_DECISION_H

#include "core/people/people.h"
#include "core/people/team.h"
#include "core/session/session.h"

/* The RFC 8785 form of {ask, status, answer, answered_by, approved_digest, reason}, each as
 * the ask shows it (null when there is none), and of `revoked` once it was taken back. */
struct str decision_write(const struct ask *, struct arena *);
void decision_digest(const struct ask *, char out[DIGEST_SIZE]);
/* The same in the memory of `arena`: part of every answer. */
void decision_digest_in(const struct ask *, struct arena *, char out[DIGEST_SIZE]);

enum { SHORT_DIGEST_SIZE = 23 }; /* 22 characters and a NUL */
/* What never changes once it was asked. Not assignees, deadline and thread. */
void asked_digest(const struct ask *, char out[SHORT_DIGEST_SIZE]);
/* What never changes once the session was made. Not title, status, progress, callback. */
void session_digest(const struct session *, char out[SHORT_DIGEST_SIZE]);
/* What an event of people tells of; not when they came last, nor views of their own. */
void user_digest(const struct user *, char out[SHORT_DIGEST_SIZE]);
void token_digest(const struct token *, char out[SHORT_DIGEST_SIZE]);
/* What approvals an ask requires, and the votes for it. */
void votes_digest(const struct ask *, char out[SHORT_DIGEST_SIZE]);
void team_digest(const struct team *, char out[SHORT_DIGEST_SIZE]);
/* Of one text as it is. */
void text_digest(struct str, char out[SHORT_DIGEST_SIZE]);
enum { NUMBER_SIZE = 24 };
/* A number as a field, in `room`. */
struct str digest_number(int64_t, char room[NUMBER_SIZE]);
/* Of fields, each of its own length. */
void fields_digest(const struct str *fields, size_t len, char out[SHORT_DIGEST_SIZE]);

#endif
