/* workspace.c - what a batch knows of a workspace. A request brings it along with its credential;
 * for what runs by itself the batch knows it from the end of the log, or it is looked up. */
#include "desk/shared/workspace.h"

static enum err facts_row(void *ctx, const struct row *row, struct fault *why)
{
	struct workspace_facts *f = ctx;

	(void)why;
	f->policy_version = row_int(row, 0);
	f->contacts = row_int(row, 1);
	return OK;
}

static enum err facts_find(const struct job *job, struct rows *rows, int64_t ws,
	struct workspace_facts *out, struct fault *why)
{
	const struct credential *c = &job->credential;
	const struct log_end *end;

	if (job->has_hash && c->kind.len && job->who.ws == ws) {
		*out = (struct workspace_facts){ c->policy_version, c->contacts };
		return OK;
	}
	end = rows_log_end(rows, ws);
	if (end) {
		*out = (struct workspace_facts){ end->policy_version, end->contacts };
		return OK;
	}
	*out = (struct workspace_facts){ 0 };
	return rows_query(rows, SQL_WORKSPACE_POLICY_GET, ARGS(ws), facts_row, out, why);
}

enum err workspace_facts(const struct job *job, struct rows *rows, int64_t ws,
	struct workspace_facts *out, struct fault *why)
{
	enum err e = facts_find(job, rows, ws, out, why);

	if (!e) out->contacts += rows_contacts_counted(rows, ws);
	return e;
}
