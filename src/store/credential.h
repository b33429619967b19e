/* credential.h - principals from the credentials of requests. */
#ifndef STORE_CREDENTIAL_H
#define STORE_CREDENTIAL_H

#include "store/clerk.h"

/* Whose credentials were looked up, each once. In an arena, but for a table. */
struct lookups;
void lookups_done(struct lookups *); /* NULL is fine */

/* Fills `who` and `credential` of every job that has a hash; a hash nobody knows, or one
 * that has run out, fails that job alone with ERR_NO_TOKEN. *now_ms is the store's time
 * then. `out` may be NULL. */
struct credential_cache;
enum err credentials_load(struct db *, struct job **, size_t len,
	struct credential_cache *, /* or NULL */
	int64_t *now_ms, struct arena *, struct lookups **out, struct fault *why);
/* Is the job's credential among them? */
bool credential_known(const struct lookups *, const struct job *);
/* By what was looked up: fills in jobs whose credential is among them, as above. */
void credentials_settle(struct lookups *, struct job **, size_t len, int64_t now_ms);
/* Where the turn is taken after that, what was found may be over: looked up again with what
 * the jobs want, and settled once that was loaded. NULL: out of memory, and so is `wants`. */
struct lookups *credentials_want(
	struct wants *, struct job **, size_t len, struct arena *);
/* ws[i], which is 0: the workspace of the i-th job's credential. What cannot be found stays. */
void credentials_workspaces(
	struct db *, struct job **, int64_t *ws, size_t len, struct arena *);
/* roles[i]: as whom the i-th hash lets somebody in now; ROLE_NONE: not any more. */
enum err credentials_check(struct rows *, uint8_t (*hashes)[SHA256_SIZE],
	enum role *roles, size_t len, struct fault *why);
/* Once more, right before it decides: what this batch has changed since. */
enum err credential_recheck(struct job *, const struct rows *);

#endif
