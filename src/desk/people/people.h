/* people.h - what the use cases of people share. Private to desk. */
#ifndef DESK_PEOPLE_H
#define DESK_PEOPLE_H

#include "desk/shared/inner.h"

/* The user of this name in a workspace, as it is in this batch; *out is NULL when there is
 * none. */
enum err user_by_name(struct rows *, int64_t ws, struct str name, const struct user **out,
	struct fault *);
/* ERR_CONFLICT: another than `but` has this name, or one that looks like it. */
enum err user_name_free(
	struct rows *, int64_t ws, struct str name, struct str but, struct fault *);
/* The user of this id. ERR_FORBIDDEN: one above the caller, or the caller's own person, whose token
 * may less than they do. */
enum err people_reached(struct rows *, const struct principal *, struct str id,
	const struct user **out, struct fault *);
/* NULL: out of memory. */
struct user *user_new(struct rows *, int64_t ws, struct str name, enum role);
void user_write(struct json_writer *, const struct user *, struct str login_code);

/* Gives the token a new id and secret, which goes to out; and adds it. */
void token_make(struct rows *, struct token *, char out[SECRET_SIZE]);
const struct token *token_new(struct rows *, const struct token *, char out[SECRET_SIZE]);
/* The token that the job showed. */
enum err token_shown(
	struct job *, struct rows *, const struct token **out, struct fault *);
/* Everything that lets a person in, tokens, logins and links: into the rows, and then one by
 * one, from at = NULL on. */
enum err tokens_fetch(struct rows *, int64_t ws, struct str user, struct fault *);
const struct token *tokens_next(
	const struct rows *, int64_t ws, struct str user, const struct token *at);
bool token_is_own(const struct job *, const struct token *); /* the job came with it */
/* A login link of this user; `maker`: the user who made it, or empty. False: out of memory. */
void code_new(
	struct rows *, const struct user *, struct str maker, char out[SECRET_SIZE]);
/* The teams of a workspace into the rows; nothing is read where there are none. */
enum err teams_fetch(
	struct rows *, int64_t ws, const struct credential *, struct fault *);
/* All of the workspace, whatever its counter says. */
enum err teams_load(struct rows *, int64_t ws, struct fault *);
/* Those that teams_fetch found, from at = NULL on. */
const struct team *teams_next(const struct rows *, int64_t ws, const struct team *at);
/* ERR_NOT_FOUND, with a line that names it, when there is none. */
enum err team_fetch(struct rows *, int64_t ws, struct str id, const struct team **out,
	struct fault *);
/* Takes somebody who is deleted out of every team. */
enum err teams_drop_user(
	struct job *, struct rows *, const struct user *, struct fault *);
/* Nobody stands in any more for those whom they stood in for. */
enum err away_drop_delegate(struct rows *, const struct user *, struct fault *);
enum { CODE_MS = 7 * 24 * 3600 * 1000, COOKIE_DAYS = 30 };

#endif
