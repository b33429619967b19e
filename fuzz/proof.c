/* proof.c - what others hand us to be checked: keys (JWKS, JWK, PEM), receipts, approvals and exports. The bytes
 * are tried as each of them against a key; none of them is ever taken, as nobody but us has signed them. */
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
	arena_done(&arena);
	return 0;
}
