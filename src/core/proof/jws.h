/* jws.h - signed texts (RFC 7515, EdDSA alone): made, and checked without us against keys that were
 * pinned. Pure. Prefixes: jws_, proof_key, proof_word. */
#ifndef CORE_JWS_H
#define CORE_JWS_H

#include "base/json.h"
#include "base/sign.h"

/* Why something signed is not taken: in the order in which it is looked at. */
enum proof_word {
	PROOF_GOOD,
	PROOF_SHAPE,
	PROOF_ALG,
	PROOF_KID,
	PROOF_REVOKED,
	PROOF_SIGNATURE,
	PROOF_AUD,
	PROOF_EXP,
	PROOF_DIGEST,
	PROOF_ONCE,
	PROOF_DECISION,
	PROOF_EVENT,
};
const char *proof_word_name(enum proof_word);

/* ---- keys ---- */

enum { PROOF_KID_SIZE = 44, PROOF_KEYS_MAX = 1000 }; /* a thumbprint and a NUL */

struct proof_key {
	struct str kid;
	uint8_t at[SIGN_KEY_SIZE];
	bool revoked;
};

struct proof_keys {
	struct proof_key *at;
	size_t len;
};

/* RFC 7638, of the public key. */
void proof_key_thumbprint(const uint8_t key[SIGN_KEY_SIZE], char out[PROOF_KID_SIZE]);
/* A JWKS, a JWK or PEM. ERR_INVALID: it holds no Ed25519 key, and what it holds instead. */
enum err proof_keys_read(
	struct str text, struct arena *, struct proof_keys *out, struct fault *why);

/* ---- made ---- */

struct jws_signer {
	char kid[PROOF_KID_SIZE];
	uint8_t seed[SIGN_SEED_SIZE];
};

/* {"protected", "payload", "signature"}; and with points between. False: the key does not work. */
bool jws_write_flat(
	struct buf *, const struct jws_signer *, const char *typ, struct str payload);
bool jws_write_compact(
	struct buf *, const struct jws_signer *, const char *typ, struct str payload);

/* ---- checked ---- */

struct jws_parts {
	struct str protected, payload, signature; /* base64url */
};
bool jws_split_flat(const struct json *, struct jws_parts *out);
bool jws_split_compact(struct str token, struct jws_parts *out);
/* A good one's payload, read, with its text; in the arena. */
enum proof_word jws_check(const struct jws_parts *, const char *typ,
	const struct proof_keys *, struct arena *, const struct json **payload,
	struct str *text);

#endif
