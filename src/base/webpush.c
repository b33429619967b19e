/* webpush.c - web push with OpenSSL: ECDH and ES256 on P-256, AES-128-GCM. */
#include "base/webpush.h"

#include "base/hash.h"
#include "base/json.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

enum { KEY_SIZE = 16, NONCE_SIZE = 12, TAG_SIZE = 16, HALF = 32 };

/* ---- keys ---- */

static bool private_valid(const uint8_t key[P256_PRIVATE_SIZE], const EC_GROUP *group)
{
	BIGNUM *n = BN_bin2bn(key, P256_PRIVATE_SIZE, NULL);
	bool ok = n && !BN_is_zero(n) && BN_cmp(n, EC_GROUP_get0_order(group)) < 0;

	BN_clear_free(n);
	return ok;
}

void p256_private_from(
	const uint8_t random[P256_PRIVATE_SIZE], uint8_t out[P256_PRIVATE_SIZE])
{
	EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);

	memcpy(out, random, P256_PRIVATE_SIZE);
	while (group && !private_valid(out, group))
		sha256(str_make((const char *)out, P256_PRIVATE_SIZE), out);
	EC_GROUP_free(group);
}

bool p256_public(const uint8_t key[P256_PRIVATE_SIZE], uint8_t out[P256_PUBLIC_SIZE])
{
	EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
	EC_POINT *point = group ? EC_POINT_new(group) : NULL;
	BIGNUM *n = BN_bin2bn(key, P256_PRIVATE_SIZE, NULL);
	bool ok = point && n && private_valid(key, group) &&
		  EC_POINT_mul(group, point, n, NULL, NULL, NULL) == 1 &&
		  EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, out,
			  P256_PUBLIC_SIZE, NULL) == P256_PUBLIC_SIZE;

	BN_clear_free(n);
	EC_POINT_free(point);
	EC_GROUP_free(group);
	return ok;
}

bool p256_public_valid(const uint8_t key[P256_PUBLIC_SIZE])
{
	EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
	EC_POINT *point = group ? EC_POINT_new(group) : NULL;
	/* Reading a point checks that it is on the curve. */
	bool ok = point && key[0] == 0x04 &&
		  EC_POINT_oct2point(group, point, key, P256_PUBLIC_SIZE, NULL) == 1;

	EC_POINT_free(point);
	EC_GROUP_free(group);
	return ok;
}

/* `secret` NULL: the public half alone. */
static EVP_PKEY *key_new(const uint8_t *secret, const uint8_t public[P256_PUBLIC_SIZE])
{
	OSSL_PARAM_BLD *made = OSSL_PARAM_BLD_new();
	BIGNUM *n = secret ? BN_secure_new() : NULL;
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
	OSSL_PARAM *params = NULL;
	EVP_PKEY *key = NULL;

	if (made && ctx && (!secret || (n && BN_bin2bn(secret, P256_PRIVATE_SIZE, n))) &&
		OSSL_PARAM_BLD_push_utf8_string(
			made, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) &&
		OSSL_PARAM_BLD_push_octet_string(
			made, OSSL_PKEY_PARAM_PUB_KEY, public, P256_PUBLIC_SIZE) &&
		(!n || OSSL_PARAM_BLD_push_BN(made, OSSL_PKEY_PARAM_PRIV_KEY, n)))
		params = OSSL_PARAM_BLD_to_param(made);
	if (!params || EVP_PKEY_fromdata_init(ctx) != 1 ||
		EVP_PKEY_fromdata(ctx, &key,
			secret ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params) != 1)
		key = NULL;
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(made);
	BN_clear_free(n);
	EVP_PKEY_CTX_free(ctx);
	return key;
}

static bool ecdh(EVP_PKEY *ours, EVP_PKEY *theirs, uint8_t out[HALF])
{
	EVP_PKEY_CTX *ctx = ours && theirs ? EVP_PKEY_CTX_new(ours, NULL) : NULL;
	size_t len = HALF;
	bool ok = ctx && EVP_PKEY_derive_init(ctx) == 1 &&
		  EVP_PKEY_derive_set_peer(ctx, theirs) == 1 &&
		  EVP_PKEY_derive(ctx, out, &len) == 1 && len == HALF;

	EVP_PKEY_CTX_free(ctx);
	return ok;
}

/* ---- messages ---- */

static struct str bytes(const void *at, size_t len)
{
	return str_make(at, len);
}

/* HKDF with a result of at most one hash. */
static void hkdf(
	struct str salt, struct str secret, struct str info, uint8_t out[SHA256_SIZE])
{
	uint8_t prk[SHA256_SIZE], text[256];

	hmac_sha256(salt, secret, prk);
	memcpy(text, info.at, info.len);
	text[info.len] = 1;
	hmac_sha256(bytes(prk, sizeof prk), bytes(text, info.len + 1), out);
	OPENSSL_cleanse(prk, sizeof prk);
}

static bool gcm(const uint8_t key[KEY_SIZE], const uint8_t nonce[NONCE_SIZE],
	struct str plain, struct buf *out)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	uint8_t *at;
	int len = 0, rest = 0;
	bool ok = ctx && buf_reserve(out, plain.len + TAG_SIZE);

	if (ok) {
		at = (uint8_t *)out->at + out->len;
		ok = EVP_EncryptInit_ex(ctx, EVP_aes_128_gcm(), NULL, key, nonce) == 1 &&
		     EVP_EncryptUpdate(ctx, at, &len, (const uint8_t *)plain.at,
			     (int)plain.len) == 1 &&
		     EVP_EncryptFinal_ex(ctx, at + len, &rest) == 1 &&
		     EVP_CIPHER_CTX_ctrl(
			     ctx, EVP_CTRL_GCM_GET_TAG, TAG_SIZE, at + plain.len) == 1;
		if (ok) out->len += plain.len + TAG_SIZE;
	}
	EVP_CIPHER_CTX_free(ctx);
	return ok;
}

/* Key and nonce of this message; `ours` is the public half of keys->once. */
static bool keys_derive(const struct webpush_keys *k,
	const uint8_t ours[P256_PUBLIC_SIZE], uint8_t key[SHA256_SIZE],
	uint8_t nonce[SHA256_SIZE])
{
	static const char about[] = "WebPush: info";
	EVP_PKEY *mine = key_new(k->once, ours), *theirs = key_new(NULL, k->browser);
	uint8_t shared[HALF], ikm[SHA256_SIZE], info[sizeof about + 2 * P256_PUBLIC_SIZE];
	bool ok = ecdh(mine, theirs, shared);

	EVP_PKEY_free(mine);
	EVP_PKEY_free(theirs);
	if (!ok) return false;
	memcpy(info, about, sizeof about);
	memcpy(info + sizeof about, k->browser, P256_PUBLIC_SIZE);
	memcpy(info + sizeof about + P256_PUBLIC_SIZE, ours, P256_PUBLIC_SIZE);
	hkdf(bytes(k->auth, sizeof k->auth), bytes(shared, sizeof shared),
		bytes(info, sizeof info), ikm);
	hkdf(bytes(k->salt, sizeof k->salt), bytes(ikm, sizeof ikm),
		bytes("Content-Encoding: aes128gcm", 28), key);
	hkdf(bytes(k->salt, sizeof k->salt), bytes(ikm, sizeof ikm),
		bytes("Content-Encoding: nonce", 24), nonce);
	OPENSSL_cleanse(shared, sizeof shared);
	OPENSSL_cleanse(ikm, sizeof ikm);
	return true;
}

bool webpush_seal(
	const struct webpush_keys *k, struct str text, size_t padded, struct buf *out)
{
	static const uint8_t size[] = { 0, 0, WEBPUSH_RECORD >> 8, WEBPUSH_RECORD & 255,
		P256_PUBLIC_SIZE };
	uint8_t ours[P256_PUBLIC_SIZE], key[SHA256_SIZE], nonce[SHA256_SIZE];
	struct buf plain = { .max = WEBPUSH_RECORD };
	bool ok = text.len <= WEBPUSH_PLAIN_MAX && p256_public(k->once, ours) &&
		  keys_derive(k, ours, key, nonce);

	if (!ok) return false;
	buf_add(&plain, text);
	buf_add_char(&plain, 2); /* the last record */
	while (!plain.failed && plain.len < padded && plain.len <= WEBPUSH_PLAIN_MAX)
		buf_add_char(&plain, 0);
	buf_add(out, bytes(k->salt, sizeof k->salt));
	buf_add(out, bytes(size, sizeof size));
	buf_add(out, bytes(ours, sizeof ours));
	ok = !plain.failed && !out->failed && gcm(key, nonce, buf_str(&plain), out);
	buf_done(&plain);
	OPENSSL_cleanse(key, sizeof key);
	return ok;
}

/* ---- VAPID ---- */

/* As JWS has it: r and s, 32 bytes each. */
static bool es256(EVP_PKEY *key, struct str text, uint8_t out[2 * HALF])
{
	EVP_MD_CTX *ctx = key ? EVP_MD_CTX_new() : NULL;
	uint8_t der[80];
	const uint8_t *at = der;
	size_t len = sizeof der;
	ECDSA_SIG *sig = NULL;
	bool ok = ctx && EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key) == 1 &&
		  EVP_DigestSign(ctx, der, &len, (const uint8_t *)text.at, text.len) == 1;

	if (ok) sig = d2i_ECDSA_SIG(NULL, &at, (long)len);
	ok = sig && BN_bn2binpad(ECDSA_SIG_get0_r(sig), out, HALF) == HALF &&
	     BN_bn2binpad(ECDSA_SIG_get0_s(sig), out + HALF, HALF) == HALF;
	ECDSA_SIG_free(sig);
	EVP_MD_CTX_free(ctx);
	return ok;
}

static void claims_write(
	struct buf *out, struct str origin, struct str subject, int64_t expires_s)
{
	struct json_writer w = { .out = &(struct buf){ .max = 4096 } };

	jw_object(&w);
	jw_put_str(&w, "aud", origin);
	jw_put_int(&w, "exp", expires_s);
	jw_put_str(&w, "sub", subject);
	jw_object_end(&w);
	if (w.out->failed) out->failed = true;
	base64url_write(out, STR("{\"typ\":\"JWT\",\"alg\":\"ES256\"}"));
	buf_add_char(out, '.');
	base64url_write(out, buf_str(w.out));
	buf_done(w.out);
}

bool webpush_sign(const uint8_t key[P256_PRIVATE_SIZE], struct str origin,
	struct str subject, int64_t expires_s, struct buf *out)
{
	struct buf token = { .max = 8192 };
	uint8_t public[P256_PUBLIC_SIZE], signature[2 * HALF];
	EVP_PKEY *pair = p256_public(key, public) ? key_new(key, public) : NULL;
	bool ok;

	claims_write(&token, origin, subject, expires_s);
	ok = pair && !token.failed && es256(pair, buf_str(&token), signature);
	EVP_PKEY_free(pair);
	if (ok) {
		buf_add(out, STR("vapid t="));
		buf_add(out, buf_str(&token));
		buf_add_char(out, '.');
		base64url_write(out, bytes(signature, sizeof signature));
		buf_add(out, STR(", k="));
		base64url_write(out, bytes(public, sizeof public));
	}
	buf_done(&token);
	return ok && !out->failed;
}
