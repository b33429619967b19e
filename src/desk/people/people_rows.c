/* people_rows.c - users and tokens as rows of a batch: finding and making them.
 * Prefixes: user_, token_, tokens_. */
#include "desk/people/people.h"

/* What a secret is can be seen from its first letters, by people and by secret scanners. */
static const char *const prefixes[] = {
	[TOKEN_BEARER] = "prl",
	[TOKEN_CODE] = "plc",
	[TOKEN_COOKIE] = "plk",
};

enum err user_by_name(struct rows *rows, int64_t ws, struct str name,
	const struct user **out, struct fault *why)
{
	const struct user *u = NULL;
	enum err e =
		rows_fetch(rows, RECORD_USERS, SQL_USER_BY_NAME, ARGS(name, ws), why);

	if (e) return e;
	while ((u = rows_next(rows, RECORD_USERS, u)))
		if (u->ws == ws && str_eq(u->name, name)) break;
	*out = u;
	return OK;
}

struct user *user_new(struct rows *rows, int64_t ws, struct str name, enum role role)
{
	const struct user fresh = { .ws = ws,
		.id = rows_new_id(rows, "usr"),
		.name = name,
		.role = role,
		.created_ms = rows->now_ms };

	return rows_new(rows, RECORD_USERS, &fresh);
}

void token_make(struct rows *rows, struct token *tok, char out[SECRET_SIZE])
{
	secret_make(rows->ids, prefixes[tok->kind], out);
	sha256(str_of(out), tok->hash);
	tok->id = rows_new_id(rows, "tok");
	tok->last4 = arena_str(rows->arena, str_from(str_of(out), strlen(out) - 4));
	tok->created_ms = rows->now_ms;
}

const struct token *token_new(
	struct rows *rows, const struct token *like, char out[SECRET_SIZE])
{
	struct token tok = *like;

	token_make(rows, &tok, out);
	return rows_new(rows, RECORD_TOKENS, &tok);
}

enum err tokens_fetch(struct rows *rows, int64_t ws, struct str user, struct fault *why)
{
	return rows_fetch(rows, RECORD_TOKENS, SQL_TOKENS_OF_USER, ARGS(ws, user), why);
}

const struct token *tokens_next(
	const struct rows *rows, int64_t ws, struct str user, const struct token *at)
{
	while ((at = rows_next(rows, RECORD_TOKENS, at)))
		if (at->ws == ws && str_eq(at->user, user)) return at;
	return NULL;
}

bool token_is_own(const struct job *job, const struct token *tok)
{
	return job->has_hash && memcmp(tok->hash, job->hash, SHA256_SIZE) == 0;
}

enum err token_shown(
	struct job *job, struct rows *rows, const struct token **out, struct fault *why)
{
	enum err e = rows_get(
		rows, RECORD_TOKENS, KEY(val_bytes(job->hash, SHA256_SIZE)), out, why);

	return e || *out ? e : fail(why, ERR_NO_TOKEN, "this token is not known");
}
