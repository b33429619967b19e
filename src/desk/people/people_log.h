/* people_log.h - events about people: whatever a use case does to a user, a token, a login,
 * a key or a workspace is an event, without its doing. */
#ifndef DESK_PEOPLE_LOG_H
#define DESK_PEOPLE_LOG_H

#include "desk/shared/inner.h"

/* The clerk's hook: stages an event for each of these records that the job changed. */
enum err people_logged(void *ctx, struct job *, struct rows *, struct fault *);
/* Users, tokens and keys from before there were such events are told of once, as they are
 * now, so that later changes behind our back are found; `first`: keys in any case, the
 * first workspace is new. */
enum err people_record(struct rows *, bool first, struct fault *);
/* A login was refused. One event a minute and user, and one for all names that nobody has;
 * it says how often. It stays although the job fails. */
void people_refused(struct task *, struct rows *, const struct user *, struct str reason);
/* The member `by`: who did it, and from where; null: the server itself. */
void log_by_write(struct json_writer *, const struct job *);
/* The digest of a key of the server, and of a workspace. */
void server_key_digest(const struct server_key *, char out[]);
void workspace_digest(const struct workspace *, char out[]);
/* The workspace whose log tells of a key: it is in its name, or the first. */
int64_t server_key_ws(struct str name);

#endif
