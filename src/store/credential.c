/* credential.c - looks up the credentials of a batch, each once. */
#include "store/credential.h"

#include "store/fast/credential_cache.h"

/* How exactly it is known when a token was last used. */
enum { NOTE_USE_MS = 60 * 1000 };

/* Codes let nobody in by themselves, nor does what belongs to a user who is gone or
 * disabled. */
static bool row_lets_in(const struct row *row)
{
	bool user = row_text(row, 6).len > 0;

	return !str_is(row_text(row, 2), "code") &&
	       !(user && (row_int(row, 12) || !row_text(row, 11).len));
}

/* How a person answers unless the request says otherwise: by the page or the API. */
static struct str via_of(struct str kind)
{
	return str_is(kind, "cookie") ? STR("web") : STR("api");
}

/* ROLE_NONE: the store holds none that is known. A person's token may say less than the
 * person, never more. */
static enum role row_role(const struct row *row)
{
	bool person = row_text(row, 6).len > 0;
	struct str own = row_text(row, 3);
	enum role role, limit;

	if (!role_read(row_text(row, person ? 11 : 3), &role)) return ROLE_NONE;
	return person && own.len && role_read(own, &limit) && limit < role ? limit : role;
}

struct lookup {
	struct job *job;
	bool found;
};

static enum err credential_row(void *ctx, const struct row *row, struct fault *why)
{
	struct lookup *l = ctx;
	struct job *job = l->job;
	struct arena *arena = &job->arena;
	struct principal *p = &job->who;
	struct str kind = row_text(row, 2), user = row_text(row, 6);
	bool agents = str_is(row_text(row, 3), role_name(ROLE_AGENT));
	struct str name = row_text(row, user.len && !agents ? 10 : 4);

	if (!row_lets_in(row)) return OK;
	p->role = row_role(row);
	if (!p->role) return fail(why, ERR_INTERNAL, "the store holds an unknown role");
	p->runs = agents && row_int(row, 23) != 0;
	p->projects = arena_str(arena, row_text(row, 24));
	p->ws = row_int(row, 0);
	p->token = arena_str(arena, row_text(row, 1));
	p->user = arena_str(arena, user);
	p->name = arena_str(arena, name);
	/* A person may take any name, so that theirs is no agent's: their id is. */
	p->agent = user.len && !agents ? p->user : arena_str(arena, row_text(row, 5));
	if (!p->via.len) p->via = via_of(kind);
	job->credential = (struct credential){
		.kind = arena_str(arena, kind),
		.workspace = arena_str(arena, row_text(row, 14)),
		.tools = arena_str(arena, row_text(row, 7)),
		.language = arena_str(arena, row_text(row, 13)),
		.created_ms = row_int(row, 8),
		.expires_ms = row_int(row, 9),
		.mcp_wait_s = row_int(row, 15),
		.mcp_local = row_int(row, 16) != 0,
		.again_s = row_int(row, 18),
		.last_used_ms = row_int(row, 17),
		.policy_version = row_int(row, 19),
		.teams = row_int(row, 20),
		.revocations = row_int(row, 21),
		.contacts = row_int(row, 22),
	};
	l->found = true;
	return arena->failed ? fail_memory(why) : OK;
}

/* The texts of what another job of the batch found, or one before it, are theirs: copy them. */
static void credential_copy(
	struct job *to, const struct principal *p, const struct credential *c)
{
	struct arena *a = &to->arena;

	to->who = (struct principal){ p->ws, p->role, arena_str(a, p->token),
		arena_str(a, p->user), arena_str(a, p->name), arena_str(a, p->agent),
		to->who.via.len ? to->who.via
		: p->via.len	? arena_str(a, p->via)
				: via_of(c->kind),
		p->runs, arena_str(a, p->projects) };
	to->credential = (struct credential){ arena_str(a, c->kind),
		arena_str(a, c->workspace), arena_str(a, c->tools),
		arena_str(a, c->language), c->created_ms, c->expires_ms, c->mcp_wait_s,
		c->mcp_local, c->last_used_ms, c->again_s, c->policy_version, c->teams,
		c->revocations, c->contacts, false };
}

/* May this job be worked at all? The role comes first, then what was wrong with the
 * body. */
static void credential_admit(struct job *job)
{
	if (job->kind->flags & JOB_LATE) return;
	if (job->kind->may && !principal_may(&job->who, job->kind->may))
		job->err = fail(&job->why, ERR_FORBIDDEN, "the role %s may not do this",
			role_name(job->who.role));
	else if (job->refused)
		job->why = *job->refused, job->err = job->why.err;
}

static enum err workspace_row(void *ctx, const struct row *row, struct fault *why)
{
	struct job *job = ctx;

	(void)why;
	job->who.ws = row_int(row, 0);
	job->credential.workspace = arena_str(&job->arena, row_text(row, 1));
	job->credential.kind = STR("local_admin");
	return OK;
}

/* The local admin names a workspace; the first one when it names none. */
static enum err credential_local_admin(struct db *db, struct job *job, struct fault *why)
{
	struct str name = job->credential.workspace;
	enum err e;

	e = db_one(db, name.len ? SQL_WORKSPACE_BY_NAME : SQL_WORKSPACE_GET,
		ARGS(name.len ? val_text(name) : val_int(job->who.ws ? job->who.ws : 1)),
		workspace_row, job, why);
	if (!e && !str_is(job->credential.kind, "local_admin") && name.len)
		job->err = fail(
			&job->why, ERR_NOT_FOUND, "no workspace %.*s", STR_ARGS(name));
	return e;
}

/* A person who came by a channel of theirs. */
static enum err credential_person(struct db *db, struct job *job, struct fault *why)
{
	struct lookup l = { job, false };
	enum err e = db_one(db, SQL_PERSON, ARGS(job->who.ws, job->who.user),
		credential_row, &l, why);

	if (!e && !l.found)
		job->err = fail(&job->why, ERR_FORBIDDEN, "this person may not log in");
	return e;
}

static bool lookup_ran_out(const struct lookup *l, int64_t now_ms)
{
	int64_t expires_ms = l->job->credential.expires_ms;

	return expires_ms && expires_ms <= now_ms;
}

/* The credentials that the batch's requests showed, each looked up once. */
struct lookups {
	struct lookup *at;
	struct val *args;
	size_t len;
	struct table shown; /* hash → struct lookup */
};

void lookups_done(struct lookups *l)
{
	if (l) table_done(&l->shown);
}

/* NULL: out of memory. */
static struct lookups *lookups_new(struct job **jobs, size_t len, struct arena *arena)
{
	struct lookups *l = ARENA_NEW(arena, struct lookups);

	if (!l) return NULL;
	*l = (struct lookups){ .at = ARENA_ARRAY(arena, struct lookup, len),
		.args = ARENA_ARRAY(arena, struct val, len) };
	if (!l->at || !l->args) return NULL;
	for (size_t i = 0; i < len; i++) {
		struct str hash = str_make((const char *)jobs[i]->hash, SHA256_SIZE);

		if (!jobs[i]->has_hash || table_get(&l->shown, hash)) continue;
		l->at[l->len] = (struct lookup){ jobs[i], false };
		l->args[l->len] = val_bytes(hash.at, hash.len);
		if (table_put(&l->shown, hash, &l->at[l->len++])) continue;
		lookups_done(l);
		return NULL;
	}
	return l;
}

static struct lookup *lookup_of(const struct lookups *l, const struct job *job)
{
	struct str hash = str_make((const char *)job->hash, SHA256_SIZE);

	return job->has_hash ? table_get(&l->shown, hash) : NULL;
}

bool credential_known(const struct lookups *l, const struct job *job)
{
	return lookup_of(l, job) != NULL;
}

static struct call lookup_call(struct lookups *l, size_t i)
{
	return (struct call){ SQL_CREDENTIAL, &l->args[i], 1, credential_row, &l->at[i],
		0 };
}

static void lookups_settle(
	const struct lookups *l, struct job **jobs, size_t len, int64_t now_ms)
{
	for (size_t i = 0; i < len; i++) {
		const struct lookup *found = lookup_of(l, jobs[i]);

		if (!found) continue;
		if (!found->found || lookup_ran_out(found, now_ms))
			jobs[i]->err = fail(
				&jobs[i]->why, ERR_NO_TOKEN, "this token is not known");
		else if (found->job != jobs[i])
			credential_copy(
				jobs[i], &found->job->who, &found->job->credential);
		jobs[i]->credential.note_use =
			!jobs[i]->err && found->job == jobs[i] &&
			(str_is(jobs[i]->credential.kind, "token") ||
				str_is(jobs[i]->credential.kind, "cookie")) &&
			now_ms - jobs[i]->credential.last_used_ms >= NOTE_USE_MS;
	}
}

/* From what is known already. */
static bool lookup_held(struct lookup *l, const struct credential_cache *holders)
{
	const struct holder *k =
		holders ? credential_cache_find(holders, l->job->hash) : NULL;

	if (k) credential_copy(l->job, &k->who, &k->credential);
	l->found = k != NULL;
	return l->found;
}

/* Looks up the credentials that are not in the cache, and puts them there. */
static enum err lookups_run(struct lookups *l, struct db *db,
	struct credential_cache *holders, struct arena *arena, struct fault *why)
{
	struct call *calls = ARENA_ARRAY(arena, struct call, l->len);
	size_t len = 0;
	enum err e;

	if (!calls) return fail_memory(why);
	for (size_t i = 0; i < l->len; i++)
		if (!lookup_held(&l->at[i], holders)) calls[len++] = lookup_call(l, i);
	e = len ? db_run(db, calls, len, why) : OK;
	for (size_t i = 0; !e && holders && i < len; i++) {
		const struct lookup *found = calls[i].ctx;

		if (found->found) credential_cache_keep(holders, found->job);
	}
	return e;
}

static enum err credentials_find(struct db *db, struct lookups *l,
	struct credential_cache *holders, int64_t *now_ms, struct arena *arena,
	struct fault *why)
{
	enum err e = l ? lookups_run(l, db, holders, arena, why) : fail_memory(why);

	db->driver->now_ms(db, now_ms);
	return e;
}

struct lookups *credentials_want(
	struct wants *w, struct job **jobs, size_t len, struct arena *arena)
{
	struct lookups *l = lookups_new(jobs, len, arena);

	if (!l) w->failed = true;
	for (size_t i = 0; l && i < l->len; i++) {
		struct call call = lookup_call(l, i);

		wants_also(w, &call);
	}
	return l;
}

void credentials_settle(struct lookups *l, struct job **jobs, size_t len, int64_t now_ms)
{
	lookups_settle(l, jobs, len, now_ms);
	for (size_t i = 0; i < len; i++)
		if (!jobs[i]->err) credential_admit(jobs[i]);
}

enum err credentials_load(struct db *db, struct job **jobs, size_t len,
	struct credential_cache *holders, int64_t *now_ms, struct arena *arena,
	struct lookups **out, struct fault *why)
{
	struct lookups *l = lookups_new(jobs, len, arena);
	enum err e = credentials_find(db, l, holders, now_ms, arena, why);

	if (!e) lookups_settle(l, jobs, len, *now_ms);
	for (size_t i = 0; !e && i < len; i++) {
		struct job *job = jobs[i];

		if (!job->has_hash && job->who.role == ROLE_LOCAL_ADMIN)
			e = credential_local_admin(db, job, why);
		else if (job->person)
			e = credential_person(db, job, why);
		else if (!job->has_hash && !(job->kind->flags & JOB_OPEN) &&
			 job->who.role == ROLE_NONE)
			job->err = fail(&job->why, ERR_NO_TOKEN, "a token is required");
		if (!e && !job->err) credential_admit(job);
	}
	if (!e && out)
		*out = l;
	else
		lookups_done(l);
	return e;
}

void credentials_workspaces(
	struct db *db, struct job **jobs, int64_t *ws, size_t len, struct arena *arena)
{
	struct call *calls = ARENA_ARRAY(arena, struct call, len);
	struct val *args = ARENA_ARRAY(arena, struct val, len);

	if (!calls || !args) return;
	for (size_t i = 0; i < len; i++) {
		args[i] = val_bytes(jobs[i]->hash, SHA256_SIZE);
		calls[i] = (struct call){ SQL_CREDENTIAL, &args[i], 1, row_take_int,
			&ws[i], 0 };
	}
	db_run(db, calls, len, NULL);
}

/* ---- once more, for those that hold something open ---- */

enum { CHECKS_MAX = 500 }; /* in one go */

struct credential_check {
	int64_t now_ms;
	enum role *role;
};

static enum err check_row(void *ctx, const struct row *row, struct fault *why)
{
	const struct credential_check *c = ctx;
	int64_t expires_ms = row_int(row, 9);

	(void)why;
	if (row_lets_in(row) && (!expires_ms || expires_ms > c->now_ms))
		*c->role = row_role(row);
	return OK;
}

enum err credentials_check(struct rows *rows, uint8_t (*hashes)[SHA256_SIZE],
	enum role *roles, size_t len, struct fault *why)
{
	struct arena *arena = rows->arena;
	struct call *calls = ARENA_ARRAY(arena, struct call, CHECKS_MAX);
	struct credential_check *checks =
		ARENA_ARRAY(arena, struct credential_check, CHECKS_MAX);
	struct val *args = ARENA_ARRAY(arena, struct val, CHECKS_MAX);
	enum err e = OK;

	if (!calls || !checks || !args) return fail_memory(why);
	for (size_t i = 0, n; !e && i < len; i += n) {
		for (n = 0; n < CHECKS_MAX && i + n < len; n++) {
			roles[i + n] = ROLE_NONE;
			checks[n] =
				(struct credential_check){ rows->now_ms, &roles[i + n] };
			args[n] = val_bytes(hashes[i + n], SHA256_SIZE);
			calls[n] = (struct call){ SQL_CREDENTIAL, &args[n], 1, check_row,
				&checks[n], 0 };
		}
		e = db_run(rows->db, calls, n, why);
	}
	return e;
}

/* The credential was looked up when the batch began. An earlier job of it may have ended it,
 * or taken a right from its user. */
enum err credential_recheck(struct job *job, const struct rows *rows)
{
	const struct user *u;
	const struct token *tok;
	struct str hash = str_make((const char *)job->hash, SHA256_SIZE);

	if (!rows->people_changed || !(job->has_hash || job->person)) return OK;
	u = job->who.user.len ? rows_find(rows, RECORD_USERS, job->who.user) : NULL;
	if ((job->has_hash && rows_ended(rows, RECORD_TOKENS, hash)) ||
		(job->who.user.len && rows_ended(rows, RECORD_USERS, job->who.user)) ||
		(u && u->disabled))
		return fail(&job->why, ERR_NO_TOKEN, "this token is not known");
	if (u && u->role < job->who.role) job->who.role = u->role;
	tok = job->has_hash ? rows_find(rows, RECORD_TOKENS, hash) : NULL;
	if (tok) job->who.projects = arena_str(&job->arena, tok->projects);
	credential_admit(job);
	return job->err;
}
