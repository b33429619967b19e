/* credential.c - looks up what each job showed, once for each thing shown. */
#include "store/credential.h"

struct lookup {
	struct job *job;
	int64_t now_ms;
	bool found;
};

static enum err credential_row(void *ctx, const struct row *row, struct fault *why)
{
	struct lookup *l = ctx;
	struct job *job = l->job;
	struct arena *arena = &job->arena;
	struct principal *p = &job->who;
	struct str kind = row_text(row, 2), user = row_text(row, 6);
	struct str own = row_text(row, 3), role = row_text(row, user.len ? 11 : 3);
	struct str name = row_text(row, user.len ? 10 : 4);
	int64_t expires_ms = row_int(row, 9);
	enum role limit;

	if (str_is(kind, "code") || (expires_ms && expires_ms <= l->now_ms)) return OK;
	if (user.len && (row_int(row, 12) || !role.len)) return OK;
	if (!role_read(role, &p->role))
		return fail(why, ERR_INTERNAL, "the store holds an unknown role");
	/* A person's token may say less than the person, never more. */
	if (user.len && own.len && role_read(own, &limit) && limit < p->role) p->role = limit;
	p->ws = row_int(row, 0);
	p->token = arena_str(arena, row_text(row, 1));
	p->user = arena_str(arena, user);
	p->name = arena_str(arena, name);
	p->agent = arena_str(arena, row_text(row, 5));
	if (!p->via.len) p->via = str_is(kind, "cookie") ? STR("web") : STR("api");
	job->credential = (struct credential){
		.kind = arena_str(arena, kind),
		.workspace = arena_str(arena, row_text(row, 14)),
		.tools = arena_str(arena, row_text(row, 7)),
		.language = arena_str(arena, row_text(row, 13)),
		.created_ms = row_int(row, 8),
		.expires_ms = expires_ms,
	};
	l->found = true;
	return arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

/* The texts of a principal found for another job of the batch are that job's: copy them. */
static void credential_copy(struct job *to, const struct job *from)
{
	struct arena *a = &to->arena;
	const struct principal *p = &from->who;
	const struct credential *c = &from->credential;

	to->who = (struct principal){ p->ws, p->role, arena_str(a, p->token),
		arena_str(a, p->user), arena_str(a, p->name), arena_str(a, p->agent),
		to->who.via.len ? to->who.via : arena_str(a, p->via) };
	to->credential = (struct credential){ arena_str(a, c->kind),
		arena_str(a, c->workspace), arena_str(a, c->tools), arena_str(a, c->language),
		c->created_ms, c->expires_ms };
}

static const struct job *credential_known(struct job **jobs, size_t len, const struct job *job)
{
	/* Looking back a few jobs finds the busy agents of a batch without a table. */
	for (size_t back = 0; back < len && back < 8; back++) {
		const struct job *other = jobs[len - 1 - back];

		if (other->has_hash && other->who.role != ROLE_NONE &&
			memcmp(other->hash, job->hash, SHA256_SIZE) == 0)
			return other;
	}
	return NULL;
}

/* May this job be worked at all? The role comes first, then what was wrong with the body. */
static void credential_admit(struct job *job)
{
	if (job->kind->late) return;
	if (job->kind->needs_deed && !role_may(job->who.role, job->kind->deed))
		job->err = fail(&job->why, ERR_FORBIDDEN, "the role %s may not do this",
			role_name(job->who.role));
	else if (job->refused)
		job->why = *job->refused, job->err = job->why.err;
}

static enum err credential_find(struct db *db, struct job **jobs, size_t i, int64_t now_ms,
	struct fault *why)
{
	struct job *job = jobs[i];
	struct lookup l = { job, now_ms, false };
	const struct val args[] = { val_bytes(job->hash, SHA256_SIZE) };
	const struct job *known = credential_known(jobs, i, job);
	enum err e;

	if (known) {
		credential_copy(job, known);
		return OK;
	}
	e = db_one(db, SQL_CREDENTIAL, args, 1, credential_row, &l, why);
	if (!e && !l.found)
		job->err = fail(&job->why, ERR_NO_TOKEN, "this token is not known");
	return e;
}

static enum err workspace_row(void *ctx, const struct row *row, struct fault *why)
{
	struct job *job = ctx;

	(void)why;
	job->who.ws = row_int(row, 0);
	job->credential.workspace = arena_str(&job->arena, row_text(row, 1));
	job->credential.kind = STR("keeper");
	return OK;
}

/* The keeper names a workspace; the first one when it names none. */
static enum err credential_keeper(struct db *db, struct job *job, struct fault *why)
{
	struct str name = job->credential.workspace;
	const struct val args[] = { name.len ? val_text(name)
					     : val_int(job->who.ws ? job->who.ws : 1) };
	enum err e;

	e = db_one(db, name.len ? SQL_WORKSPACE_BY_NAME : SQL_WORKSPACE_GET, args, 1,
		workspace_row, job, why);
	if (!e && !str_is(job->credential.kind, "keeper") && name.len)
		job->err = fail(&job->why, ERR_NOT_FOUND, "no workspace %.*s", STR_ARGS(name));
	return e;
}

enum err credentials_load(struct db *db, struct job **jobs, size_t len, int64_t now_ms,
	struct fault *why)
{
	for (size_t i = 0; i < len; i++) {
		struct job *job = jobs[i];
		enum err e = OK;

		if (job->has_hash)
			e = credential_find(db, jobs, i, now_ms, why);
		else if (job->who.role == ROLE_KEEPER)
			e = credential_keeper(db, job, why);
		else if (!job->kind->open && job->who.role == ROLE_NONE)
			job->err = fail(&job->why, ERR_NO_TOKEN, "a token is needed");
		if (e) return e;
		if (!job->err) credential_admit(job);
	}
	return OK;
}
