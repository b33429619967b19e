/* rows_policy.c - the version of a workspace's policy that a batch decides by. */
#include "store/rows.h"

int64_t rows_policy_raised(const struct rows *rows, int64_t ws)
{
	int64_t n = 0;

	for (const struct statement *s = rows->statements_first; s; s = s->next)
		n += s->call.sql == SQL_WORKSPACE_POLICY && s->call.args[0].integer == ws;
	return n;
}

bool rows_policy_seen(struct rows *rows, int64_t ws, int64_t version)
{
	struct policy_seen *seen = rows->policies;

	while (seen && seen->ws != ws)
		seen = seen->next;
	if (seen) return true;
	seen = ARENA_NEW(rows->arena, struct policy_seen);
	if (!seen) return false;
	*seen = (struct policy_seen){ rows->policies, ws, version };
	rows->policies = seen;
	return true;
}

bool rows_policy_known(const struct rows *rows, int64_t ws, int64_t *version)
{
	for (const struct policy_seen *p = rows->policies; p; p = p->next)
		if (p->ws == ws) return *version = p->version, true;
	for (const struct log_end *end = rows->log_ends; end; end = end->next)
		if (end->ws == ws && end->found)
			return *version = end->policy_version, true;
	return false;
}
