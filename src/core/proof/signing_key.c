/* signing_key.c - a workspace's signing key: shown as a JWK, and what its events tell of it. */
#include "core/proof/signing_key.h"

#include "base/hash.h"
#include "core/shared/show.h"

void signing_key_show(
	struct json_writer *w, const struct signing_key *k, int64_t until_ms)
{
	jw_object(w);
	jw_put_text(w, "kty", "OKP");
	jw_put_text(w, "crv", "Ed25519");
	jw_put_text(w, "alg", "EdDSA");
	jw_put_text(w, "use", "sig");
	jw_put_str(w, "kid", k->kid);
	jw_put_str(w, "x", k->x);
	show_time(w, "from", k->from_ms);
	show_time(w, "until", until_ms);
	jw_key(w, "revoked");
	if (k->revoked_ms) {
		jw_object(w);
		show_time(w, "at", k->revoked_ms);
		jw_put_str(w, "reason", k->reason);
		jw_object_end(w);
	} else {
		jw_null(w);
	}
	jw_object_end(w);
}

bool signing_key_public(const struct signing_key *k, struct proof_key *out)
{
	struct buf x = { .max = 64 };
	bool ok = base64url_read(k->x, &x) && x.len == SIGN_KEY_SIZE;

	if (ok) {
		memcpy(out->at, x.at, SIGN_KEY_SIZE);
		out->kid = k->kid;
		out->revoked = k->revoked_ms > 0;
	}
	buf_done(&x);
	return ok;
}

void signing_key_digest(const struct signing_key *k, char out[SHORT_DIGEST_SIZE])
{
	char number[NUMBER_SIZE], from[NUMBER_SIZE], revoked[NUMBER_SIZE];
	const struct str fields[] = { k->kid, digest_number(k->number, number), k->x,
		k->sealed, digest_number(k->from_ms, from),
		digest_number(k->revoked_ms, revoked), k->reason };

	digest_fields(fields, sizeof fields / sizeof *fields, out);
}
