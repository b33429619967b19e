/* proof.c - what others hand us to be checked: keys (JWKS, JWK, PEM), receipts, approvals and exports. The bytes
 * are tried as each of them against a key; none of them is ever taken, as nobody but us has signed them. Then as
 * what we signed, which brings them to the checks behind the signature. */
#include "core/proof/export.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void export_try(struct str text, const struct proof_keys *keys)
{
	struct export_check c = { .keys = keys };
	struct str line;

	while (str_cut(&text, '\n', &line)) {
		struct arena scratch = { .max = 1 << 24 };
		enum export_wrong w = export_check_line(&c, line, &scratch);

		arena_done(&scratch);
		if (w) break;
		assert(c.keep <= c.at && c.after <= c.sums.last);
	}
	assert(export_check_over(&c) == EXPORT_CUT);
	export_check_done(&c);
}

static void signed_try(struct str payload, const uint8_t seed[SIGN_SEED_SIZE],
	const struct proof_keys *keys, const struct json *operation)
{
	struct arena arena = { .max = 1 << 24 };
	struct jws_signer signer = { 0 };
	struct approval_claims claims = { 0 };
	struct receipt_said said = { 0 };
	struct buf receipt = { 0 }, token = { 0 };
	enum proof_word w;

	memcpy(signer.seed, seed, SIGN_SEED_SIZE);
	memcpy(signer.kid, keys->at->kid.at, keys->at->kid.len);
	assert(jws_write_flat(&receipt, &signer, RECEIPT_TYP, payload));
	assert(jws_write_compact(&token, &signer, APPROVAL_TYP, payload));
	w = receipt_check(buf_str(&receipt), keys, &arena, &said);
	assert(w == PROOF_GOOD || w == PROOF_SHAPE || w >= PROOF_DECISION);
	w = approval_token_check(
		buf_str(&token), keys, STR("here"), operation, 0, &arena, &claims);
	assert(w == PROOF_SHAPE || w >= PROOF_AUD);
	buf_done(&receipt);
	buf_done(&token);
	arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t seed[SIGN_SEED_SIZE] = { 7 };
	struct str text = str_make((const char *)data, size);
	struct arena arena = { .max = 1 << 24 };
	struct proof_key key = { 0 };
	struct proof_keys keys = { &key, 1 }, read = { 0 };
	struct approval_claims claims = { 0 };
	struct receipt_said said = { 0 };
	struct fault why = { 0 };
	char kid[PROOF_KID_SIZE];
	const struct json operation = { .type = JSON_OBJECT };

	assert(sign_public(seed, key.at));
	proof_key_thumbprint(key.at, kid);
	key.kid = str_of(kid);
	if (!proof_keys_read(text, &arena, &read, &why))
		assert(read.len > 0 && read.len <= PROOF_KEYS_MAX);
	assert(receipt_check(text, &keys, &arena, &said) != PROOF_GOOD);
	assert(approval_token_check(text, &keys, STR("here"), &operation, 0, &arena,
		       &claims) != PROOF_GOOD);
	export_try(text, &keys);
	signed_try(text, seed, &keys, &operation);
	arena_done(&arena);
	return 0;
}
