/* people.c - the names of what people hold. */
#include "core/people/people.h"

#include "core/shared/body.h"

static const char *const kinds[] = {
	[TOKEN_BEARER] = "token",
	[TOKEN_COOKIE] = "cookie",
	[TOKEN_CODE] = "code",
};

ENUM_NAMES(token_kind, kinds)

struct str token_login(const struct token *t)
{
	return t->login.len ? t->login : t->id;
}

void user_digest(const struct user *u, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE];
	const struct str fields[] = { u->id, u->name, str_of(role_name(u->role)),
		u->password, u->language, u->disabled ? STR("1") : STR("0"),
		digest_number(u->created_ms, created), u->away };

	/* Newer columns are hashed only when set: older events were hashed without them. */
	digest_fields(fields, sizeof fields / sizeof *fields - !u->away.len, out);
}

void token_digest(const struct token *t, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE], expires[NUMBER_SIZE], wait[NUMBER_SIZE],
		again[NUMBER_SIZE], begun[NUMBER_SIZE];
	const struct str fields[] = { str_make((const char *)t->hash, SHA256_SIZE), t->id,
		str_of(token_kind_name(t->kind)), t->role, t->name, t->agent, t->user,
		t->tools, t->last4, digest_number(t->created_ms, created),
		digest_number(t->expires_ms, expires), digest_number(t->mcp_wait_s, wait),
		t->mcp_local ? STR("1") : STR("0"), digest_number(t->again_s, again),
		t->maker, t->runs ? STR("runs") : STR_NONE, t->login,
		digest_number(t->begun_ms, begun), t->origin, t->client, t->projects };
	bool login = t->login.len || t->begun_ms || t->origin.len || t->client.len;
	/* How many of the newer columns to leave out, as in older events. */
	size_t without = t->projects.len ? 0
			 : login	 ? 1
			 : t->runs	 ? 5
			 : t->maker.len	 ? 6
					 : 7;

	digest_fields(fields, sizeof fields / sizeof *fields - without, out);
}
