/* signing_key.h - the keys that a workspace signs with, newest first: one signs, the ones before stay, so
 * that what they signed can be checked. Pure. */
#ifndef CORE_SIGNING_KEY_H
#define CORE_SIGNING_KEY_H

#include "core/proof/jws.h"
#include "core/shared/digest.h"

/* Borrowed texts. Empty means null. */
struct signing_key {
	int64_t ws;
	struct str kid;	   /* RFC 7638 thumbprint */
	int64_t number;	   /* 1, 2, 3 … in its workspace: the last one signs */
	struct str x;	   /* the public key, base64url */
	struct str sealed; /* its seed, as base/seal has it */
	int64_t from_ms;
	int64_t revoked_ms; /* nothing it signed counts any more; 0: it was not */
	struct str reason;  /* of that */
	int64_t version;
};

/* A JWK with `from`, `until` (when the next one took its place; 0: it signs) and `revoked`. */
void signing_key_show(struct json_writer *, const struct signing_key *, int64_t until_ms);
/* To check with. False: it is no key. */
bool signing_key_public(const struct signing_key *, struct proof_key *out);
void signing_key_digest(const struct signing_key *, char out[SHORT_DIGEST_SIZE]);

#endif
