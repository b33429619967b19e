/* recheck.c - which credentials still let somebody in, and as whom. */
#include "desk/inner.h"

#include "store/credential.h"

static enum err recheck_read(
	struct job *job, struct db *db, int64_t now_ms, struct fault *why)
{
	struct recheck *r = task_of(job)->recheck;

	return credentials_check(
		db, r->hashes, r->roles, r->len, now_ms, &job->arena, why);
}

const struct use use_recheck =
	READS("recheck", 0, JOB_SLOW | JOB_OPEN, recheck_read, NULL);
