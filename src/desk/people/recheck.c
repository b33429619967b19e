/* recheck.c - which credentials still let somebody in, and as whom. */
#include "desk/shared/inner.h"

#include "store/credential.h"

static enum err recheck_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct recheck *r = task_of(job)->recheck;

	return credentials_check(rows, r->hashes, r->roles, r->len, why);
}

const struct use use_recheck =
	READS("recheck", 0, JOB_SLOW | JOB_OPEN, recheck_read, NULL);
