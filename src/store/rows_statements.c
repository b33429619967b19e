/* rows_statements.c - what a batch does beside its records: counters that it raises, what it removes,
 * and what it decides by. */
#include "store/rows.h"

#include <assert.h>

static void statement_add(
	struct rows *rows, enum sql sql, const struct val *args, int len)
{
	struct statement *s = ARENA_NEW(rows->arena, struct statement);
	struct val *copy = ARENA_ARRAY(rows->arena, struct val, (size_t)len);

	if (!s || !copy) return;
	memcpy(copy, args, (size_t)len * sizeof *copy);
	s->call = (struct call){ .sql = sql, .args = copy, .args_len = len };
	*rows->so_far.statements_end = s;
	rows->so_far.statements_end = &s->next;
}

void rows_raise_revocations(struct rows *rows, int64_t ws)
{
	statement_add(rows, SQL_WORKSPACE_REVOKE, ARGS(ws));
}

void rows_count_teams(struct rows *rows, int64_t ws, int64_t more)
{
	statement_add(rows, SQL_WORKSPACE_TEAMS, ARGS(ws, more));
}

void rows_count_contacts(struct rows *rows, int64_t ws, int64_t more)
{
	statement_add(rows, SQL_WORKSPACE_CONTACTS, ARGS(ws, more));
}

/* The earliest look of the batch is the one that counts. */
void rows_guard_people(struct rows *rows, int64_t ws, int64_t revocations)
{
	struct people_guard *guard;

	for (guard = rows->guards; guard; guard = guard->next) {
		if (guard->ws != ws) continue;
		if (revocations < guard->revocations) guard->revocations = revocations;
		return;
	}
	guard = ARENA_NEW(rows->arena, struct people_guard);
	if (!guard) return;
	*guard = (struct people_guard){ rows->guards, ws, revocations };
	rows->guards = guard;
}

void rows_raise_policy(struct rows *rows, int64_t ws)
{
	statement_add(rows, SQL_WORKSPACE_POLICY, ARGS(ws));
}

void rows_rule_hit(struct rows *rows, int64_t ws, struct str rule)
{
	statement_add(rows, SQL_RULE_HIT,
		ARGS(ws, arena_str(rows->arena, rule), 1, rows->now_ms));
}

void rows_go_on(struct rows *rows, int64_t ws)
{
	rows->so_far.delivers = rows->so_far.runs = true;
	statement_add(rows, SQL_RESUMERS_GO, ARGS(ws, rows->now_ms));
	statement_add(rows, SQL_RUNS_GO, ARGS(ws, rows->now_ms));
}

void rows_fetched(struct rows *rows, int64_t ws, const struct str *asks, size_t len)
{
	struct val args[2 + FETCHED_AT_ONCE] = { val_int(ws), val_int(rows->now_ms) };

	assert(len > 0 && len <= FETCHED_AT_ONCE);
	for (size_t i = 0; i < FETCHED_AT_ONCE; i++)
		args[2 + i] = val_text(asks[i < len ? i : len - 1]);
	statement_add(rows, SQL_ASKS_FETCHED, args, 2 + FETCHED_AT_ONCE);
}

void rows_end_snoozes(struct rows *rows, int64_t ws, struct str ask)
{
	statement_add(rows, SQL_MARKS_END_SNOOZE, ARGS(ws, ask));
}

void rows_purge(struct rows *rows, enum sql sql, const struct val *args, int len)
{
	statement_add(rows, sql, args, len);
}

void rows_word(struct rows *rows, enum sql sql, const struct val *args, int len)
{
	statement_add(rows, sql, args, len);
}

/* ---- what it decides by ---- */

int64_t rows_policy_raised(const struct rows *rows, int64_t ws)
{
	int64_t n = 0;

	for (const struct statement *s = rows->statements_first; s; s = s->next)
		n += s->call.sql == SQL_WORKSPACE_POLICY && s->call.args[0].integer == ws;
	return n;
}

void rows_policy_seen(struct rows *rows, int64_t ws, int64_t version)
{
	struct policy_seen *seen = rows->policies;

	while (seen && seen->ws != ws)
		seen = seen->next;
	if (seen) return;
	seen = ARENA_NEW(rows->arena, struct policy_seen);
	if (!seen) return;
	*seen = (struct policy_seen){ rows->policies, ws, version };
	rows->policies = seen;
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
