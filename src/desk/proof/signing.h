/* signing.h - what a workspace signs with. Private to desk. */
#ifndef DESK_SIGNING_H
#define DESK_SIGNING_H

#include "core/proof/receipt.h"
#include "core/proof/signing_key.h"
#include "desk/shared/inner.h"

/* The key that signs now, opened. ERR_NO_KEY: this node cannot open it; or, in a read, there is none yet
 * (task.keyless): jobs that write make it. */
enum err signing_open(
	struct task *, struct rows *, int64_t ws, struct jws_signer *out, struct fault *);
/* All keys of the workspace, to check with. */
enum err signing_keys(struct rows *, int64_t ws, struct proof_keys *out, struct fault *);

/* How many of the first events of the task's workspace were hashed in form 1. */
enum err signing_old_events(struct rows *, int64_t ws, int64_t *out, struct fault *);
/* The receipt of an ask, `facts` filled but for workspace: a JWS in flattened JSON. */
enum err receipt_sign(const struct jws_signer *, const struct receipt_facts *,
	struct arena *, struct buf *out, struct fault *);

#endif
