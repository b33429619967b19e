/* jws.c - signed texts, made and checked. What a header may say is one object of three members: a token
 * chooses neither its algorithm nor its key. */
#include "core/proof/jws.h"

#include "base/hash.h"
#include "base/keep.h"

#include <string.h>

const char *proof_word_name(enum proof_word w)
{
	static const char *const names[] = {
		[PROOF_GOOD] = "good",
		[PROOF_SHAPE] = "shape",
		[PROOF_ALG] = "alg",
		[PROOF_KID] = "kid",
		[PROOF_REVOKED] = "revoked",
		[PROOF_SIGNATURE] = "signature",
		[PROOF_AUD] = "aud",
		[PROOF_EXP] = "exp",
		[PROOF_DIGEST] = "digest",
		[PROOF_ONCE] = "once",
		[PROOF_DECISION] = "decision",
		[PROOF_EVENT] = "event",
	};

	return names[w];
}

/* ---- made ---- */

static struct str bytes(const uint8_t *at, size_t len)
{
	return str_make((const char *)at, len);
}

/* "PROTECTED.PAYLOAD", and the signature over it. */
static bool signed_make(struct buf *out, const struct jws_signer *key, const char *typ,
	struct str payload, size_t *dot, uint8_t signature[SIGN_SIZE])
{
	struct buf head = { .max = 512 };

	buf_print(&head, "{\"alg\":\"EdDSA\",\"kid\":\"%s\",\"typ\":\"%s\"}", key->kid,
		typ);
	base64url_write(out, buf_str(&head));
	*dot = out->len;
	buf_add_char(out, '.');
	base64url_write(out, payload);
	out->failed |= head.failed;
	buf_done(&head);
	return !out->failed && sign_make(key->seed, buf_str(out), signature);
}

bool jws_write_flat(struct buf *out, const struct jws_signer *key, const char *typ,
	struct str payload)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = out };
	struct buf last = { .max = 128 };
	uint8_t signature[SIGN_SIZE];
	size_t dot;
	bool ok = signed_make(&text, key, typ, payload, &dot, signature);

	if (ok) {
		base64url_write(&last, bytes(signature, SIGN_SIZE));
		jw_object(&w);
		jw_put_str(&w, "protected", str_first(buf_str(&text), dot));
		jw_put_str(&w, "payload", str_from(buf_str(&text), dot + 1));
		jw_put_str(&w, "signature", buf_str(&last));
		jw_object_end(&w);
	}
	ok = ok && !last.failed && !out->failed;
	buf_done(&text);
	buf_done(&last);
	return ok;
}

bool jws_write_compact(struct buf *out, const struct jws_signer *key, const char *typ,
	struct str payload)
{
	struct buf text = { 0 };
	uint8_t signature[SIGN_SIZE];
	size_t dot;
	bool ok = signed_make(&text, key, typ, payload, &dot, signature);

	buf_add_char(&text, '.');
	base64url_write(&text, bytes(signature, SIGN_SIZE));
	if (ok) buf_add(out, buf_str(&text));
	ok = ok && !text.failed && !out->failed;
	buf_done(&text);
	return ok;
}

/* ---- checked ---- */

bool jws_split_flat(const struct json *j, struct jws_parts *out)
{
	const struct json *head = json_get(j, "protected"),
			  *body = json_get(j, "payload"),
			  *signature = json_get(j, "signature");

	if (!json_is(head, JSON_STRING) || !json_is(body, JSON_STRING) ||
		!json_is(signature, JSON_STRING) || j->count != 3)
		return false;
	*out = (struct jws_parts){ head->text, body->text, signature->text };
	return true;
}

bool jws_split_compact(struct str token, struct jws_parts *out)
{
	struct str rest = token, *const parts[] = { &out->protected, &out->payload,
		&out->signature };

	for (size_t i = 0; i < 3; i++)
		if (!str_cut(&rest, '.', parts[i]) || !parts[i]->len) return false;
	return !rest.len && token.at[token.len - 1] != '.';
}

static bool part_read(struct str part, struct arena *arena, struct str *out)
{
	struct buf b = { 0 };
	bool ok = part.len && base64url_read(part, &b);

	*out = buf_keep_done(&b, arena);
	return ok && !arena->failed;
}

/* Other members than these three say how the token wants to be checked. */
static enum proof_word header_check(
	struct str text, const char *typ, struct arena *arena, struct str *kid)
{
	const struct json *head, *k;

	if (json_read(text, NULL, arena, &head, NULL) || !json_is(head, JSON_OBJECT))
		return PROOF_SHAPE;
	k = json_get(head, "kid");
	if (!str_is(json_text_of(head, "alg"), "EdDSA") ||
		!str_is(json_text_of(head, "typ"), typ))
		return PROOF_ALG;
	if (!json_is(k, JSON_STRING)) return PROOF_SHAPE;
	if (head->count != 3) return PROOF_ALG;
	*kid = k->text;
	return PROOF_GOOD;
}

static enum proof_word key_find(
	const struct proof_keys *keys, struct str kid, const struct proof_key **out)
{
	for (size_t i = 0; i < keys->len; i++) {
		if (!str_eq(keys->at[i].kid, kid)) continue;
		*out = &keys->at[i];
		return keys->at[i].revoked ? PROOF_REVOKED : PROOF_GOOD;
	}
	return PROOF_KID;
}

enum proof_word jws_check(const struct jws_parts *p, const char *typ,
	const struct proof_keys *keys, struct arena *arena, const struct json **payload,
	struct str *text)
{
	static const struct json_limits limits = { .depth = 110, .values = 2000000 };
	struct str head, signature, kid;
	const struct proof_key *key;
	struct buf over = { 0 };
	enum proof_word w;

	if (!part_read(p->protected, arena, &head) ||
		!part_read(p->payload, arena, text) ||
		!part_read(p->signature, arena, &signature) ||
		signature.len != SIGN_SIZE ||
		json_read(*text, &limits, arena, payload, NULL) ||
		!json_is(*payload, JSON_OBJECT))
		return PROOF_SHAPE;
	w = header_check(head, typ, arena, &kid);
	if (!w) w = key_find(keys, kid, &key);
	if (w) return w;
	buf_add(&over, p->protected);
	buf_add_char(&over, '.');
	buf_add(&over, p->payload);
	if (over.failed ||
		!sign_fits(key->at, buf_str(&over), (const uint8_t *)signature.at))
		w = PROOF_SIGNATURE;
	buf_done(&over);
	return w;
}
