/* proof_key.c - public keys to check with: a JWKS, a JWK or PEM. A file that holds another kind of key is
 * refused with its name, so that whoever pinned the wrong one sees it. */
#include "core/proof/jws.h"

#include "base/hash.h"
#include "base/keep.h"

#include <stdio.h>
#include <string.h>

void proof_key_thumbprint(const uint8_t key[SIGN_KEY_SIZE], char out[PROOF_KID_SIZE])
{
	struct buf text = { .max = 256 };
	uint8_t hash[SHA256_SIZE];

	/* RFC 7638: the required members in the order of their names. */
	buf_add_text(&text, "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"");
	base64url_write(&text, str_make((const char *)key, SIGN_KEY_SIZE));
	buf_add_text(&text, "\"}");
	sha256(buf_str(&text), hash);
	buf_clear(&text);
	base64url_write(&text, str_make((const char *)hash, SHA256_SIZE));
	snprintf(out, PROOF_KID_SIZE, "%.*s", STR_ARGS(buf_str(&text)));
	buf_done(&text);
}

static struct str key_kid(const uint8_t key[SIGN_KEY_SIZE], struct arena *arena)
{
	char kid[PROOF_KID_SIZE];

	proof_key_thumbprint(key, kid);
	return arena_str(arena, str_of(kid));
}

/* ---- JWK ---- */

static enum err jwk_read(const struct json *j, struct arena *arena, struct proof_key *out,
	struct fault *why)
{
	struct str crv = json_text_of(j, "crv"), kty = json_text_of(j, "kty");
	const struct json *kid = json_get(j, "kid"), *revoked = json_get(j, "revoked");
	struct buf x = { .max = 64 };
	bool ok;

	if (!kty.len) return fail(why, ERR_INVALID, "it holds no key");
	if (!str_is(kty, "OKP") || !str_is(crv, "Ed25519"))
		return fail(why, ERR_INVALID,
			"it holds no Ed25519 key, but one of kind %.*s",
			STR_ARGS(str_first(crv.len ? crv : kty, 40)));
	if (json_get(j, "d"))
		return fail(why, ERR_INVALID,
			"it holds a private key: pin the public one (parley key export)");
	ok = base64url_read(json_text_of(j, "x"), &x) && x.len == SIGN_KEY_SIZE;
	if (ok) memcpy(out->at, x.at, SIGN_KEY_SIZE);
	buf_done(&x);
	if (!ok) return fail(why, ERR_INVALID, "its Ed25519 key is not 32 bytes long");
	out->kid = json_is(kid, JSON_STRING) ? arena_str(arena, kid->text)
					     : key_kid(out->at, arena);
	out->revoked = revoked && revoked->type != JSON_NULL;
	return OK;
}

/* Keys of other kinds may stand beside ours. */
static enum err jwks_read(const struct json *list, struct arena *arena,
	struct proof_keys *out, struct fault *why)
{
	enum err e = fail(why, ERR_INVALID, "it holds no key");

	if (list->count > PROOF_KEYS_MAX)
		return fail(
			why, ERR_INVALID, "it holds more than %d keys", PROOF_KEYS_MAX);
	out->at = ARENA_ARRAY(arena, struct proof_key, list->count + 1);
	if (!out->at) return fail_memory(why);
	for (size_t i = 0; i < list->count; i++)
		if (!jwk_read(&list->items[i], arena, &out->at[out->len], why))
			out->len++;
	return out->len ? OK : e;
}

/* ---- PEM ---- */

/* SubjectPublicKeyInfo of RFC 8410, before the key itself. */
static const uint8_t spki[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70,
	0x03, 0x21, 0x00 };

/* Object identifiers, as they are encoded. */
static const struct {
	const char *name;
	struct str oid;
} others[] = {
	{ "RSA", { "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01", 11 } },
	{ "EC", { "\x06\x07\x2a\x86\x48\xce\x3d\x02\x01", 9 } },
	{ "Ed448", { "\x06\x03\x2b\x65\x71", 5 } },
	{ "X25519", { "\x06\x03\x2b\x65\x6e", 5 } },
};

static enum err der_refuse(struct str der, struct fault *why)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (str_find(str_first(der, 64), others[i].oid) >= 0)
			return fail(why, ERR_INVALID,
				"it holds no Ed25519 key, but one of kind %s",
				others[i].name);
	return fail(why, ERR_INVALID, "it holds no Ed25519 key");
}

static enum err pem_read(
	struct str text, struct arena *arena, struct proof_keys *out, struct fault *why)
{
	static const char begin[] = "-----BEGIN ", end[] = "-----END PUBLIC KEY-----";
	struct str body = str_from(text, sizeof begin - 1), label;
	struct buf packed = { .max = 8192 }, der = { .max = 8192 };
	int at = str_find(body, STR("-----")), stop;
	enum err e = OK;

	if (at < 0) return fail(why, ERR_INVALID, "it is neither JSON nor PEM");
	label = str_first(body, (size_t)at);
	if (!str_is(label, "PUBLIC KEY"))
		return fail(why, ERR_INVALID,
			"it holds no public key, but '%.*s': pin the public one (parley key "
			"export)",
			STR_ARGS(str_first(label, 40)));
	body = str_from(body, (size_t)at + 5);
	stop = str_find(body, str_of(end));
	if (stop < 0) return fail(why, ERR_INVALID, "its PEM has no end");
	body = str_first(body, (size_t)stop);
	for (size_t i = 0; i < body.len; i++)
		if (!strchr(" \t\r\n", body.at[i]) || !body.at[i])
			buf_add_char(&packed, body.at[i]);
	if (packed.failed || !base64_read(buf_str(&packed), &der))
		e = fail(why, ERR_INVALID, "its PEM cannot be read");
	else if (der.len != sizeof spki + SIGN_KEY_SIZE ||
		 memcmp(der.at, spki, sizeof spki) != 0)
		e = der_refuse(buf_str(&der), why);
	out->at = e ? NULL : ARENA_NEW(arena, struct proof_key);
	if (out->at) {
		memcpy(out->at->at, der.at + sizeof spki, SIGN_KEY_SIZE);
		out->at->kid = key_kid(out->at->at, arena);
		out->len = 1;
	}
	buf_done(&packed);
	buf_done(&der);
	return e ? e : arena->failed ? fail_memory(why) : OK;
}

enum err proof_keys_read(
	struct str text, struct arena *arena, struct proof_keys *out, struct fault *why)
{
	struct str trimmed = str_trim(text);
	struct proof_keys found = { 0 };
	const struct json *j, *list;
	enum err e;

	if (str_starts(trimmed, "-----BEGIN ")) {
		e = pem_read(trimmed, arena, &found, why);
	} else if (json_read(text, NULL, arena, &j, NULL) || !json_is(j, JSON_OBJECT)) {
		return fail(why, ERR_INVALID, "it is neither JSON nor PEM");
	} else {
		list = json_get(j, "keys");
		if (json_is(list, JSON_ARRAY)) {
			e = jwks_read(list, arena, &found, why);
		} else {
			found.at = ARENA_NEW(arena, struct proof_key);
			found.len = 1;
			e = found.at ? jwk_read(j, arena, found.at, why)
				     : fail_memory(why);
		}
	}
	if (!e && arena->failed) e = fail_memory(why);
	if (!e) *out = found;
	return e;
}
