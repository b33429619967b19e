/* rows_policy.c - what a batch decides by in a workspace, and what it changes of that itself. */
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

int64_t rows_contacts_counted(const struct rows *rows, int64_t ws)
{
	int64_t n = 0;

	for (const struct statement *s = rows->statements_first; s; s = s->next)
		if (s->call.sql == SQL_WORKSPACE_CONTACTS &&
			s->call.args[0].integer == ws)
			n += s->call.args[1].integer;
	return n;
}
