/* maintenance.c - looking after the store: backup, the check, and forgetting what is old. Only for whoever holds the machine. */
#include "desk/check.h"
#include "desk/inner.h"

enum { DONE_DAYS = 7, DEAD_DAYS = 90 };
#define DAYS_MS(n) ((int64_t)(n)*24 * 3600 * 1000)

static enum err local_admin_only(struct job *job, struct fault *why)
{
	return job->who.role == ROLE_LOCAL_ADMIN
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "only on the server's own machine");
}

static enum err check_read(
	struct job *job, struct db *db, int64_t now_ms, struct fault *why)
{
	struct checking c = { .db = db, .now_ms = now_ms, .arena = &job->arena };
	struct json_writer w = { .out = &job->out };
	enum err e = local_admin_only(job, why);

	return e ? e : check_store(&c, &w, why);
}

const struct use use_check = {
	.job = { .name = "check", .read = check_read, .slow = true }
};

static enum err backup_check(struct task *t, struct fault *why)
{
	struct str path;
	enum err e = note_read(t->body, "path", 4000, true, &path, why);

	return !e && path.at[0] != '/' ? fail_at(why, "/path", "must be absolute") : e;
}

static enum err backup_read(
	struct job *job, struct db *db, int64_t now_ms, struct fault *why)
{
	char *path =
		arena_copy(&job->arena, json_text(json_get(task_of(job)->body, "path")));
	enum err e = local_admin_only(job, why);

	(void)now_ms;
	if (!e && !path) e = fail(why, ERR_MEMORY, "out of memory");
	if (!e) e = db->driver->backup(db, path, why);
	if (!e) buf_add_text(&job->out, "{\"ok\":true}");
	return e;
}

const struct use use_backup = {
	.job = { .name = "backup", .read = backup_read, .slow = true },
	.check = backup_check,
};

/* ---- forgetting ---- */

/* A day beyond the life of a session: the clocks of nodes differ. */
static enum err purge_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct val deliveries[] = { val_int(rows->now_ms - DAYS_MS(DONE_DAYS)),
		val_int(rows->now_ms - DAYS_MS(DEAD_DAYS)) };
	const struct val sessions[] = { val_int(
		rows->now_ms - DAYS_MS(MCP_SESSION_DAYS + 1)) };
	enum err e;

	(void)job;
	rows->wrote = true;
	e = db_one(rows->db, SQL_DELIVERY_PURGE, deliveries, 2, NULL, NULL, why);
	return e ? e : db_one(rows->db, SQL_MCP_PURGE, sessions, 1, NULL, NULL, why);
}

const struct use use_purge = {
	.job = { .name = "purge", .open = true, .decide = purge_decide },
};
