/* approval_token.c - an approval that an agent brings to the target: what it says, and what the target
 * looks at before it acts. No argument of the operation stands in it. */
#include "core/proof/receipt.h"

#include "base/id.h"
#include "base/keep.h"
#include "core/policy/operation.h"
#include "core/shared/field.h"

bool approval_token_for(struct str name)
{
	if (!name.len || name.len > APPROVAL_FOR_MAX) return false;
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] <= ' ' || name.at[i] > '~') return false;
	return true;
}

struct str approval_token_payload(const struct approval_claims *c, struct arena *arena)
{
	struct buf canonical = { 0 };
	const struct json *whole;
	struct str text = fields_text(arena,
		FIELDS(field_str("iss", c->issuer), field_str("aud", c->audience),
			field_str("sub", c->agent), field_str("jti", c->jti),
			field_int("iat", c->issued_s), field_int("exp", c->expires_s),
			field_str("workspace", c->workspace), field_str("ask", c->ask),
			field_str("session", c->session), field_str("digest", c->digest),
			field_text("type", c->type), field_str("name", c->name),
			field_text("risk", c->risk), field_json("by", c->by),
			field_str("decision", c->decision)));

	if (arena->failed || json_read(text, NULL, arena, &whole, NULL)) return STR_NONE;
	json_canonical(&canonical, whole);
	return buf_keep_done(&canonical, arena);
}

static bool claims_read(const struct json *j, struct approval_claims *c)
{
	const struct {
		const char *name;
		struct str *to;
	} texts[] = { { "iss", &c->issuer }, { "aud", &c->audience },
		{ "sub", &c->agent }, { "jti", &c->jti }, { "workspace", &c->workspace },
		{ "ask", &c->ask }, { "session", &c->session }, { "digest", &c->digest },
		{ "name", &c->name }, { "decision", &c->decision } };
	const struct json *issued = json_get(j, "iat"), *expires = json_get(j, "exp");

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const struct json *value = json_get(j, texts[i].name);

		if (!json_is(value, JSON_STRING)) return false;
		*texts[i].to = value->text;
	}
	c->type = json_text_of(j, "type");
	c->risk = json_text_of(j, "risk");
	if (!json_is(issued, JSON_NUMBER) || !issued->is_int ||
		!json_is(expires, JSON_NUMBER) || !expires->is_int ||
		!json_is(json_get(j, "by"), JSON_ARRAY) || !id_valid(c->jti, "apv"))
		return false;
	c->issued_s = issued->integer;
	c->expires_s = expires->integer;
	return true;
}

enum proof_word approval_token_check(struct str token, const struct proof_keys *keys,
	struct str audience, const struct json *operation, int64_t now_ms,
	struct arena *arena, struct approval_claims *out)
{
	struct jws_parts parts;
	const struct json *payload;
	char digest[DIGEST_SIZE];
	struct str text;
	enum proof_word w;

	if (!jws_split_compact(token, &parts)) return PROOF_SHAPE;
	w = jws_check(&parts, APPROVAL_TYP, keys, arena, &payload, &text);
	if (w) return w;
	if (!claims_read(payload, out)) return PROOF_SHAPE;
	if (!str_eq(out->audience, audience)) return PROOF_AUD;
	if (out->issued_s > now_ms / 1000 + APPROVAL_SKEW_S ||
		now_ms / 1000 >= out->expires_s)
		return PROOF_EXP;
	operation_digest(operation, NULL, out->session, digest);
	return digest[0] && str_is(out->digest, digest) ? PROOF_GOOD : PROOF_DIGEST;
}
