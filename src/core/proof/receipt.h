/* receipt.h - who decided what on an ask, as a text that is signed and checked without us. Pure.
 * Prefixes: receipt_, approval_token. */
#ifndef CORE_RECEIPT_H
#define CORE_RECEIPT_H

#include "core/ask/ask.h"
#include "core/proof/jws.h"
#include "core/shared/event.h"

#define RECEIPT_TYP  "parley-receipt"
#define APPROVAL_TYP "parley-approval"

/* ---- receipts ---- */

/* What stands around an ask in its receipt. */
struct receipt_facts {
	const struct ask *ask;
	struct str workspace;
	const struct event *event; /* that carries the decision */
	uint8_t before[SHA256_SIZE];
	int form; /* 1: hashed without the agent */
};

/* Its event: the settling one, or the one that took it back. */
bool receipt_hangs_on(const struct ask *, const char *event_type);
/* The payload, in RFC 8785 form; in the arena. */
enum err receipt_payload(
	const struct receipt_facts *, struct arena *, struct str *out, struct fault *why);

/* What a good one says; borrowed from its payload. */
struct receipt_said {
	const struct json *payload;
	bool unlogged; /* it was settled before decisions were in the log */
};
enum proof_word receipt_check(struct str text, const struct proof_keys *, struct arena *,
	struct receipt_said *out);
/* The same of a receipt that was read already. */
enum proof_word receipt_check_json(const struct json *, const struct proof_keys *,
	struct arena *, struct receipt_said *out);

/* An event as receipts and exports show it; without its data and their digest. */
bool receipt_event_read(const struct json *, int64_t ws, struct event *out);
bool receipt_hash_read(const struct json *, const char *name, uint8_t out[SHA256_SIZE]);
/* Its hash, by its form; false: there is no such form. */
bool receipt_event_hash(const struct json *, const struct event *,
	const uint8_t before[SHA256_SIZE], uint8_t out[SHA256_SIZE]);

/* ---- approvals that are sent to a target ---- */

struct approval_claims {
	struct str issuer, audience, agent, jti, workspace, ask, session, digest, type,
		name;
	struct str risk, decision; /* risk may be empty */
	struct str by;		   /* JSON array of names */
	int64_t issued_s, expires_s;
};

enum { APPROVAL_FOR_MAX = 200, APPROVAL_SKEW_S = 30 };

/* 1 to APPROVAL_FOR_MAX printable ASCII characters, no blank. */
bool approval_token_for(struct str);
struct str approval_token_payload(const struct approval_claims *, struct arena *);
/* In this order: shape, alg, kid, revoked, signature, aud, exp, digest. Whether it was seen before is the
 * caller's to know. */
enum proof_word approval_token_check(struct str token, const struct proof_keys *,
	struct str audience, const struct json *operation, int64_t now_ms, struct arena *,
	struct approval_claims *out);

#endif
