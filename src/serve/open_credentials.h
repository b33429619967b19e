/* open_credentials.h - the credentials behind open waits and streams.
 *
 * One record for each credential that holds something open, shared by all it holds open.
 * When somebody in a workspace may have lost a right, the credentials of that workspace
 * are looked up again, in one read. Until the outcome is known they are in doubt: what
 * they wait for is read again with the credential before it is shown. Those that are no longer good
 * lose what they hold open. A changed role ends the streams that were opened with the old one; the
 * reader reconnects and gets what the new role may see. Nobody else notices. */
#ifndef SERVE_OPEN_CREDENTIALS_H
#define SERVE_OPEN_CREDENTIALS_H

#include "base/fault.h"
#include "base/hash.h"
#include "core/shared/principal.h"

struct job;
struct serve;
struct committed;

struct open_credential {
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
bool open_credential_take(
	struct serve *, const struct job *, struct open_credential **out);
void open_credential_drop(struct serve *, struct open_credential *); /* NULL is fine */
/* What the store said of it, when a job of it was worked. NULL is fine. */
void open_credential_known(struct serve *, struct open_credential *, const struct job *);
/* May it have gone meanwhile? Then look before you show anything. NULL is fine. */
bool open_credential_doubtful(const struct open_credential *);
/* What whoever has lost the right to wait is told. */
enum err open_credential_refuse(struct fault *why);
/* The job is to be worked with these rights; role and ws are of who showed none. */
void open_credential_sign(
	const struct open_credential *, enum role, int64_t ws, struct job *);
/* Before what was committed is passed on: another node may have taken a right away before it,
 * and we have not heard of that yet. */
void open_credentials_told(struct serve *, const struct committed *);
/* Somebody in this workspace may have lost a right. */
void open_credentials_recheck(struct serve *, int64_t ws);
void open_credentials_done(struct serve *);

#endif
