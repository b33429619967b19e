/* maintenance.c - looking after the store: backup, the check of store and audit chain,
 * and forgetting what is old. Only for whoever holds the machine. */
#include "desk/inner.h"

#include "base/mem.h"

#include <stdio.h>

enum { CHAIN_PAGE = 1000, DONE_DAYS = 7, DEAD_DAYS = 90 };
#define DAYS_MS(n) ((int64_t)(n)*24 * 3600 * 1000)

struct chain {
	struct db *db;
	struct arena arena;
	struct fault *why;
	int64_t ws;
	int64_t last;
	uint8_t hash[SHA256_SIZE];
	int64_t seen, emptied;
	struct emptied *gone; /* of this page, in the arena */
};

/* An event without data: its session must be gone too. */
struct emptied {
	struct emptied *next;
	int64_t n;
	struct str session;
};

static enum err exists_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	*(int64_t *)ctx = row_int(row, 0);
	return OK;
}

static enum err chain_data(struct chain *c, const struct event *e, struct fault *why)
{
	uint8_t digest[SHA256_SIZE];
	struct emptied *gone;

	if (e->data.len) {
		sha256(e->data, digest);
		return memcmp(digest, e->digest, SHA256_SIZE) == 0
			       ? OK
			       : fail(why, ERR_CONFLICT,
					 "the data of event %lld was changed",
					 (long long)e->n);
	}
	gone = ARENA_NEW(&c->arena, struct emptied);
	if (!gone) return fail(why, ERR_MEMORY, "out of memory");
	*gone = (struct emptied){ c->gone, e->n, e->session };
	c->gone = gone;
	c->emptied++;
	return OK;
}

/* Data may be missing only where its session is gone. */
static enum err chain_emptied(struct chain *c, struct fault *why)
{
	enum err e = OK;

	for (struct emptied *g = c->gone; !e && g; g = g->next) {
		const struct val args[] = { val_int(c->ws), val_text(g->session) };
		int64_t sessions = 0;

		e = db_one(
			c->db, SQL_SESSION_EXISTS, args, 2, exists_row, &sessions, why);
		if (!e && sessions)
			e = fail(why, ERR_CONFLICT, "the data of event %lld is gone",
				(long long)g->n);
	}
	c->gone = NULL;
	return e;
}

static enum err chain_row(void *ctx, const struct row *row, struct fault *why)
{
	struct chain *c = ctx;
	uint8_t hash[SHA256_SIZE];
	struct event e;
	enum err err = event_from_row(row, &c->arena, &e, why);

	if (err) return err;
	if (e.n != c->last + 1)
		return fail(why, ERR_CONFLICT, "event %lld is missing",
			(long long)c->last + 1);
	event_hash(&e, c->hash, hash);
	if (memcmp(hash, e.hash, SHA256_SIZE) != 0)
		return fail(why, ERR_CONFLICT,
			"event %lld does not follow from the one before", (long long)e.n);
	err = chain_data(c, &e, why);
	memcpy(c->hash, hash, SHA256_SIZE);
	c->last = e.n;
	c->seen++;
	return err;
}

static enum err chain_check(
	struct chain *c, int64_t last, struct str head, struct fault *why)
{
	enum err e = OK;

	while (!e && c->last < last) {
		const struct val args[] = { val_int(c->ws), val_int(c->last),
			val_int(CHAIN_PAGE) };
		int64_t before = c->last;

		e = db_one(c->db, SQL_EVENTS_CHAIN, args, 3, chain_row, c, why);
		if (!e) e = chain_emptied(c, why);
		arena_done(&c->arena);
		if (!e && c->last == before)
			e = fail(why, ERR_CONFLICT, "the log ends at event %lld of %lld",
				(long long)c->last, (long long)last);
	}
	if (!e && (c->last != last || head.len != SHA256_SIZE ||
			  memcmp(head.at, c->hash, SHA256_SIZE) != 0))
		e = fail(
			why, ERR_CONFLICT, "the log does not end where its counter says");
	return e;
}

struct workspaces {
	struct task *t;
	struct {
		int64_t id, last;
		struct str name, head;
	} at[256];
	size_t len;
};

static enum err workspace_row(void *ctx, const struct row *row, struct fault *why)
{
	struct workspaces *all = ctx;
	struct arena *arena = &all->t->job.arena;

	(void)why;
	if (all->len == sizeof(all->at) / sizeof(all->at[0])) return OK;
	all->at[all->len].id = row_int(row, 0);
	all->at[all->len].name = arena_str(arena, row_text(row, 1));
	all->at[all->len].last = row_int(row, 2);
	all->at[all->len].head = arena_str(arena, row_text(row, 3));
	all->len++;
	return OK;
}

static enum err local_admin_only(struct job *job, struct fault *why)
{
	return job->who.role == ROLE_LOCAL_ADMIN
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "only on the server's own machine");
}

static enum err check_read(
	struct job *job, struct db *db, int64_t now_ms, struct fault *why)
{
	struct workspaces *all = ARENA_NEW(&job->arena, struct workspaces);
	struct json_writer w = { .out = &job->out };
	int64_t events = 0, emptied = 0;
	enum err e = local_admin_only(job, why);

	(void)now_ms;
	if (!e && !all) e = fail(why, ERR_MEMORY, "out of memory");
	if (e) return e;
	all->t = task_of(job);
	e = db->driver->verify(db, why);
	if (!e) e = db_one(db, SQL_WORKSPACE_LIST, NULL, 0, workspace_row, all, why);
	for (size_t i = 0; !e && i < all->len; i++) {
		struct chain c = { .db = db, .ws = all->at[i].id };

		e = chain_check(&c, all->at[i].last, all->at[i].head, why);
		events += c.seen;
		emptied += c.emptied;
	}
	if (e && e != ERR_CONFLICT && e != ERR_UNAVAILABLE) return e;
	jw_object(&w);
	jw_key(&w, "ok");
	jw_bool(&w, e == OK);
	jw_key(&w, "detail");
	jw_text(&w, e ? why->detail : NULL);
	jw_key(&w, "workspaces");
	jw_int(&w, (int64_t)all->len);
	jw_key(&w, "events");
	jw_int(&w, events);
	jw_key(&w, "emptied");
	jw_int(&w, emptied);
	jw_object_end(&w);
	return OK;
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
