/* people_log.h - events about people: whatever a use case does to a user, a token, a login,
 * a key or a workspace is an event, without its doing. */
#ifndef DESK_PEOPLE_LOG_H
#define DESK_PEOPLE_LOG_H

#include "core/shared/field.h"
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
/* ---- for whoever logs changes of records ---- */

/* What the log says a record is: another digest once people would see another record. */
void log_digest(enum record_id, const void *record, char out[SHORT_DIGEST_SIZE]);
/* It was changed, but not so that people see it. */
bool log_unchanged(const struct row_change *);
/* An event with these members (FIELDS), the digest of the record as `record` (NULL: without, "":
 * null), and who did it (`job` NULL: nobody). */
void log_event(struct rows *, const struct job *, int64_t ws, const char *type,
	const char *digest, const struct field *, size_t len);
/* The workspace whose log tells of a key: it is in its name, or the first. */
int64_t server_key_ws(struct str name);

#endif
