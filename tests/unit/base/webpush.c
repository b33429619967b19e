/* Web push: the examples of RFC 8291 and RFC 8292, and what must be refused. */
#include "base/webpush.h"
#include "base/hash.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* RFC 8291, section 5 and appendix A. */
#define TEXT	   "When I grow up, I want to be a watermelon"
#define AS_PRIVATE "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
#define AS_PUBLIC                                                                        \
	"BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLoc"                       \
	"InmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
#define UA_PUBLIC                                                                        \
	"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvT"                       \
	"BHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
#define AUTH "BTBZMqHH6r4Tts7J_aSIgg"
#define SALT "DGv6ra1nlYgDCS1FRnbzlw"
#define BODY                                                                             \
	"DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml"               \
	"mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"               \
	"pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

/* RFC 8292, section 2.4. */
#define JWT_TEXT                                                                         \
	"eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2gu"              \
	"ZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNo"               \
	"QGV4YW1wbGUuY29tIn0"
#define JWT_SIGNATURE                                                                    \
	"i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"
#define JWT_KEY                                                                          \
	"BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic"                       \
	"-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"

static void decoded(const char *text, void *out, size_t len)
{
	struct buf b = { 0 };

	assert_true(base64url_read(str_of(text), &b));
	assert_int_equal(b.len, len);
	memcpy(out, b.at, len);
	buf_done(&b);
}

static void example(struct webpush_keys *k)
{
	decoded(UA_PUBLIC, k->browser, sizeof k->browser);
	decoded(AUTH, k->auth, sizeof k->auth);
	decoded(SALT, k->salt, sizeof k->salt);
	decoded(AS_PRIVATE, k->once, sizeof k->once);
}

static void rfc_8291_is_met_to_the_byte(void **state)
{
	struct webpush_keys k;
	struct buf body = { 0 }, text = { 0 };
	uint8_t public[P256_PUBLIC_SIZE], expected[P256_PUBLIC_SIZE];

	(void)state;
	example(&k);
	assert_true(p256_public(k.once, public));
	decoded(AS_PUBLIC, expected, sizeof expected);
	assert_memory_equal(public, expected, sizeof expected);
	assert_true(webpush_seal(&k, STR(TEXT), 0, &body));
	base64url_write(&text, buf_str(&body));
	assert_string_equal(buf_text(&text), BODY);
	buf_done(&body);
	buf_done(&text);
}

static void every_length_below_the_padding_looks_the_same(void **state)
{
	struct webpush_keys k;
	char text[WEBPUSH_PLAIN_MAX + 2] = "";

	(void)state;
	memset(text, 'x', sizeof text - 1);
	example(&k);
	for (size_t n = 0; n < 512; n += 73) {
		struct buf body = { 0 };

		assert_true(webpush_seal(&k, str_make(text, n), 512, &body));
		assert_int_equal(body.len, 86 + 512 + 16);
		buf_done(&body);
	}
	struct buf most = { 0 };
	assert_true(webpush_seal(&k, str_make(text, WEBPUSH_PLAIN_MAX), 512, &most));
	assert_int_equal(most.len, WEBPUSH_RECORD);
	assert_false(webpush_seal(&k, str_make(text, WEBPUSH_PLAIN_MAX + 1), 0, &most));
	buf_done(&most);
}

/* "text.signature" by this key? */
static bool verifies(struct str text, struct str signature, const char *key)
{
	uint8_t public[P256_PUBLIC_SIZE], *der = NULL;
	struct buf raw = { 0 };
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
	EVP_PKEY *pkey = NULL;
	char curve[] = "prime256v1";
	OSSL_PARAM params[] = {
		OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, curve, 0),
		OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, public, sizeof public),
		OSSL_PARAM_END,
	};
	ECDSA_SIG *sig = ECDSA_SIG_new();
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	bool ok;

	decoded(key, public, sizeof public);
	assert_true(base64url_read(signature, &raw) && raw.len == 64);
	ECDSA_SIG_set0(sig, BN_bin2bn((uint8_t *)raw.at, 32, NULL),
		BN_bin2bn((uint8_t *)raw.at + 32, 32, NULL));
	int len = i2d_ECDSA_SIG(sig, &der);
	assert_int_equal(EVP_PKEY_fromdata_init(ctx), 1);
	assert_int_equal(EVP_PKEY_fromdata(ctx, &pkey, EVP_PKEY_PUBLIC_KEY, params), 1);
	ok = EVP_DigestVerifyInit(md, NULL, EVP_sha256(), NULL, pkey) == 1 &&
	     EVP_DigestVerify(md, der, (size_t)len, (const uint8_t *)text.at, text.len) ==
		     1;
	OPENSSL_free(der);
	ECDSA_SIG_free(sig);
	EVP_MD_CTX_free(md);
	EVP_PKEY_free(pkey);
	EVP_PKEY_CTX_free(ctx);
	buf_done(&raw);
	return ok;
}

static void signatures_are_those_of_rfc_8292(void **state)
{
	uint8_t key[P256_PRIVATE_SIZE];
	struct buf out = { 0 };
	struct str rest, token, claims, public;
	int dot;

	(void)state;
	assert_true(verifies(STR(JWT_TEXT), STR(JWT_SIGNATURE), JWT_KEY));
	decoded(AS_PRIVATE, key, sizeof key);
	/* The claims of the RFC's own example. */
	assert_true(webpush_sign(key, STR("https://push.example.net"),
		STR("mailto:push@example.com"), 1453523768, &out));
	rest = buf_str(&out);
	assert_true(str_starts(rest, "vapid t="));
	rest = str_from(rest, 8);
	int comma = str_find(rest, STR(", k="));
	assert_true(comma > 0);
	token = str_first(rest, (size_t)comma);
	public = str_from(rest, (size_t)comma + 4);
	assert_true(str_is(public, AS_PUBLIC));
	claims = str_first(token, strlen(JWT_TEXT));
	assert_true(str_is(claims, JWT_TEXT));
	dot = (int)claims.len;
	assert_int_equal(token.at[dot], '.');
	assert_true(verifies(claims, str_from(token, (size_t)dot + 1), AS_PUBLIC));
	buf_done(&out);
}

static void what_is_no_key_is_refused(void **state)
{
	uint8_t key[P256_PUBLIC_SIZE], none[P256_PRIVATE_SIZE] = { 0 },
				       all[P256_PRIVATE_SIZE], made[P256_PRIVATE_SIZE];
	struct webpush_keys k;
	struct buf out = { 0 };

	(void)state;
	decoded(UA_PUBLIC, key, sizeof key);
	assert_true(p256_public_valid(key));
	key[40] ^= 1;
	assert_false(p256_public_valid(key));
	example(&k);
	memcpy(k.browser, key, sizeof key);
	assert_false(webpush_seal(&k, STR(TEXT), 0, &out));
	assert_int_equal(out.len, 0);
	memset(all, 0xff, sizeof all);
	assert_false(p256_public(none, key));
	assert_false(p256_public(all, key));
	p256_private_from(all, made);
	assert_true(p256_public(made, key));
	p256_private_from(none, made);
	assert_true(p256_public(made, key));
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rfc_8291_is_met_to_the_byte),
		cmocka_unit_test(every_length_below_the_padding_looks_the_same),
		cmocka_unit_test(signatures_are_those_of_rfc_8292),
		cmocka_unit_test(what_is_no_key_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
