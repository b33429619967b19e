/* maintenance.c - the check of the store, and removal of what is old. For the local admin
 * only. */
#include "desk/check/check.h"
#include "desk/shared/inner.h"

enum { DONE_DAYS = 7, DEAD_DAYS = 90 };
#define DAYS_MS(n) ((int64_t)(n)*24 * 3600 * 1000)

static enum err check_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct checking c = { .rows = rows };
	enum err e = desk_local_admin(job, why);

	return e ? e : check_store(&c, TO_REPLY(job), why);
}

const struct use use_check = READS("check", 0, JOB_SLOW, check_read, NULL);

/* ---- forgetting ---- */

/* How long each table keeps what is over. */
static const struct {
	enum sql sql;
	int args_len;
	int days[2];
} retention[] = {
	{ SQL_DELIVERY_PURGE, 2, { DONE_DAYS, DEAD_DAYS } },
	{ SQL_TOKENS_PURGE, 1, { 0 } }, /* logins and links that have run out */
	{ SQL_KEYS_PURGE, 1, { 1 } },
	{ SQL_RULES_PURGE, 1, { RULE_KEPT_DAYS } },
	{ SQL_STOPS_PURGE, 1, { RULE_KEPT_DAYS } },
	{ SQL_TALLIES_PURGE, 1, { 1 } },
	{ SQL_ALERTS_PURGE, 1, { RULE_KEPT_DAYS } },
	/* A day beyond the life of a session: the clocks of nodes differ. */
	{ SQL_MCP_PURGE, 1, { MCP_SESSION_DAYS + 1 } },
};

static enum err purge_decide(struct job *job, struct rows *rows, struct fault *why)
{
	(void)job;
	(void)why;
	for (size_t i = 0; i < sizeof(retention) / sizeof(retention[0]); i++) {
		const struct val args[] = {
			val_int(rows->now_ms - DAYS_MS(retention[i].days[0])),
			val_int(rows->now_ms - DAYS_MS(retention[i].days[1])),
		};

		rows_purge(rows, retention[i].sql, args, retention[i].args_len);
	}
	return OK;
}

const struct use use_purge = WRITES("purge", 0, JOB_OPEN, NULL, purge_decide, NULL, NULL);
