/* bearer.h - the credentials behind open waits and streams.
 *
 * One record for each credential that holds something open, shared by all it holds open.
 * When somebody in a workspace may have lost a right, the credentials of that workspace
 * are looked up again, in one read. Until the outcome is known they are in doubt: what
 * they wait for is read again with the credential before it is shown. Those that are no longer good
 * lose what they hold open. A changed role ends the streams that were opened with the old one; the
 * reader reconnects and gets what the new role may see. Nobody else notices. */
#ifndef SERVE_BEARER_H
#define SERVE_BEARER_H

#include "base/fault.h"
#include "base/hash.h"
#include "base/table.h"
#include "core/principal.h"

struct job;
struct serve;
struct told;

struct bearer {
	uint8_t hash[SHA256_SIZE]; /* of what was shown */
	int64_t ws;		   /* 0: not known yet */
	int64_t expires_ms;	   /* 0: never */
	enum role role;		   /* as it was looked up last */
	uint32_t refs;
	bool due;   /* to be looked up again */
	bool asked; /* the lookup is with a clerk */
	bool ended; /* no longer good: what it holds open is ended */
};

/* A reference to the record of who the job comes from. *out is NULL for who came without
 * a credential. False: out of memory. */
bool bearer_take(struct serve *, const struct job *, struct bearer **out);
void bearer_drop(struct serve *, struct bearer *); /* NULL is fine */
/* What the store said of it, when a job of it was worked. NULL is fine. */
void bearer_known(struct serve *, struct bearer *, const struct job *);
/* May it have gone meanwhile? Then look before you show anything. NULL is fine. */
bool bearer_doubtful(const struct bearer *);
/* What whoever has lost the right to wait is told. */
enum err bearer_refuse(struct fault *why);
/* The job is to be worked with these rights; role and ws are of who showed none. */
void bearer_sign(const struct bearer *, enum role, int64_t ws, struct job *);
/* Before what was committed is passed on: another node may have taken a right away before it,
 * and we have not heard of that yet. */
void bearers_told(struct serve *, const struct told *);
/* Somebody in this workspace may have lost a right. */
void bearers_recheck(struct serve *, int64_t ws);
void bearers_done(struct serve *);

#endif
