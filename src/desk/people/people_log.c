/* people_log.c - events about people, made from the rows that a job changed. */
#include "desk/people/people_log.h"

#include "base/clock.h"
#include "core/people/project.h"
#include "core/shared/digest.h"
#include "core/shared/show.h"
#include "desk/people/people.h"

enum { REFUSED_EVERY_MS = 60 * 1000 };

/* ---- what an event says ---- */

void log_by_write(struct json_writer *w, const struct job *job)
{
	const struct principal *p = &job->who;

	jw_key(w, "by");
	if (p->role == ROLE_NONE) {
		jw_null(w);
		return;
	}
	jw_object(w);
	jw_put_text(w, "role",
		p->role == ROLE_LOCAL_ADMIN ? "local_admin" : role_name(p->role));
	show_text(w, "user", p->user);
	show_text(w, "name", p->name);
	show_text(w, "token", p->token);
	show_text(w, "via", p->role == ROLE_LOCAL_ADMIN ? STR("local") : p->via);
	jw_object_end(w);
}

static void user_show(struct json_writer *w, const struct user *u)
{
	jw_put_str(w, "user", u->id);
	jw_put_str(w, "name", u->name);
	jw_put_text(w, "role", role_name(u->role));
	jw_put_bool(w, "disabled", u->disabled);
}

/* Which of its parts are others now. */
static void user_show_changes(
	struct json_writer *w, const struct user *now, const struct user *before)
{
	const struct {
		const char *name;
		bool changed;
	} parts[] = {
		{ "name", !str_eq(now->name, before->name) },
		{ "role", now->role != before->role },
		{ "password", !str_eq(now->password, before->password) },
		{ "language", !str_eq(now->language, before->language) },
		{ "disabled", now->disabled != before->disabled },
		{ "away", !str_eq(now->away, before->away) },
	};

	jw_put_array(w, "changed");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].changed) jw_text(w, parts[i].name);
	jw_array_end(w);
}

static void token_show(struct json_writer *w, const struct token *t)
{
	char at[TIME_SIZE];

	jw_put_str(w, "token", t->id);
	jw_put_str(w, "name", t->name);
	show_text(w, "role", t->role);
	show_text(w, "agent", t->agent);
	show_text(w, "user", t->user);
	if (t->kind == TOKEN_BEARER) {
		jw_key(w, "projects");
		project_bound_write(w, t->projects);
	}
	jw_key(w, "expires_at");
	if (t->expires_ms) time_write(t->expires_ms, at);
	jw_text(w, t->expires_ms ? at : NULL);
}

static void team_show(struct json_writer *w, const struct team *t)
{
	jw_put_str(w, "team", t->id);
	jw_put_str(w, "name", t->name);
	jw_put_raw(w, "members", t->members);
	show_text(w, "on_call", t->on_call);
	jw_put_raw(w, "projects", t->projects);
}

/* ---- which event it is ---- */

enum change { MADE, CHANGED, ENDED, RECORDED };

static const char *const user_types[] = { "user.created", "user.changed", "user.deleted",
	"user.recorded" };
static const char *const token_types[][4] = {
	[TOKEN_BEARER] = { "token.created", "token.changed", "token.deleted",
		"token.recorded" },
	[TOKEN_COOKIE] = { "login.created", "login.changed", "login.ended",
		"token.recorded" },
	[TOKEN_CODE] = { "login.link_created", "login.link_created", "login.link_ended",
		"token.recorded" },
};

struct people_event {
	struct rows *rows;
	const struct job *job; /* NULL: nobody's */
	struct buf data;
	struct json_writer w;
};

static void event_open(struct people_event *e, struct rows *rows, const struct job *job)
{
	*e = (struct people_event){ .rows = rows, .job = job, .data = { .max = 131072 } };
	e->w.out = &e->data;
	jw_object(&e->w);
}

static void event_stage(
	struct people_event *e, int64_t ws, const char *type, const char *digest)
{
	struct str data;

	if (digest) jw_put_text(&e->w, "record", digest);
	if (e->job) {
		log_by_write(&e->w, e->job);
		show_text(&e->w, "from", e->job->from);
	}
	jw_object_end(&e->w);
	if (e->data.failed) e->rows->arena->failed = true;
	data = arena_str(e->rows->arena, buf_str(&e->data));
	buf_done(&e->data);
	rows_event_of(e->rows, ws, type, data);
}

/* Did only their absence change? */
static bool only_away(const struct user *now, const struct user *before)
{
	char digest[SHORT_DIGEST_SIZE], was[SHORT_DIGEST_SIZE];
	struct user here = *now;

	here.away = before->away;
	user_digest(&here, digest);
	user_digest(before, was);
	return strcmp(digest, was) == 0;
}

static void user_event(struct rows *rows, const struct job *job, enum change change,
	const struct user *now, const struct user *before)
{
	char digest[SHORT_DIGEST_SIZE], was[SHORT_DIGEST_SIZE];
	struct people_event e;

	user_digest(now, digest);
	if (before) user_digest(before, was);
	if (change == CHANGED && strcmp(digest, was) == 0) return;
	event_open(&e, rows, job);
	user_show(&e.w, now);
	if (change == CHANGED) user_show_changes(&e.w, now, before);
	if (!before || !str_eq(now->away, before->away))
		jw_put_raw(&e.w, "away", now->away.len ? now->away : STR("null"));
	event_stage(&e, now->ws,
		change == CHANGED && only_away(now, before) ? "user.away"
							    : user_types[change],
		change == ENDED ? NULL : digest);
}

static void token_event(struct rows *rows, const struct job *job, enum change change,
	const struct token *now, const struct token *before)
{
	char digest[SHORT_DIGEST_SIZE], was[SHORT_DIGEST_SIZE];
	struct people_event e;

	token_digest(now, digest);
	if (before) token_digest(before, was);
	if (change == CHANGED && strcmp(digest, was) == 0) return;
	event_open(&e, rows, job);
	token_show(&e.w, now);
	event_stage(&e, now->ws, token_types[now->kind][change],
		change == ENDED ? NULL : digest);
}

static void team_event(struct rows *rows, const struct job *job, enum change change,
	const struct team *now, const struct team *before)
{
	static const char *const changes[] = { "created", "changed", "deleted" };
	char digest[SHORT_DIGEST_SIZE], was[SHORT_DIGEST_SIZE];
	struct people_event e;

	team_digest(now, digest);
	if (before) team_digest(before, was);
	if (change == CHANGED && strcmp(digest, was) == 0) return;
	event_open(&e, rows, job);
	team_show(&e.w, now);
	jw_put_text(&e.w, "change", changes[change]);
	event_stage(&e, now->ws, "team.changed", change == ENDED ? NULL : digest);
}

void server_key_digest(const struct server_key *k, char out[])
{
	const struct str fields[] = { k->name, k->value };

	digest_fields(fields, 2, out);
}

void workspace_digest(const struct workspace *w, char out[])
{
	digest_text(w->name, out);
}

int64_t server_key_ws(struct str name)
{
	int64_t ws = 0;
	struct str rest = name, part;

	while (str_cut(&rest, '/', &part))
		if (str_to_int(part, 1, INT64_MAX, &ws)) return ws;
	return 1;
}

static void key_event(
	struct rows *rows, const struct job *job, const struct server_key *k)
{
	char digest[SHORT_DIGEST_SIZE];
	struct people_event e;

	server_key_digest(k, digest);
	event_open(&e, rows, job);
	jw_put_text(&e.w, "setting",
		str_starts(k->name, "webhook/") ? "webhook_secret" : "server_key");
	jw_put_str(&e.w, "key", k->name);
	event_stage(&e, server_key_ws(k->name), "settings.changed", digest);
}

static void workspace_event(
	struct rows *rows, const struct job *job, const struct workspace *ws)
{
	char digest[SHORT_DIGEST_SIZE];
	struct people_event e;

	workspace_digest(ws, digest);
	event_open(&e, rows, job);
	jw_put_text(&e.w, "setting", "workspace");
	jw_put_str(&e.w, "name", ws->name);
	event_stage(&e, ws->id, "settings.changed", digest);
}

static enum err there_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)row, (void)why;
	*(bool *)ctx = true;
	return OK;
}

/* A server makes its key before there is a workspace; people_record logs it later. */
static enum err key_change(struct rows *rows, const struct job *job,
	const struct server_key *k, struct fault *why)
{
	bool there = false;
	enum err e = rows_query(rows, SQL_WORKSPACE_GET, ARGS(server_key_ws(k->name)),
		there_row, &there, why);

	if (!e && there) key_event(rows, job, k);
	return e;
}

static enum err change_event(struct rows *rows, const struct job *job,
	const struct row_change *c, struct fault *why)
{
	enum change change = c->deleted ? ENDED : c->before ? CHANGED : MADE;

	if (c->deleted && !c->before) return OK; /* it came and went in one job */
	/* Approvals may have become impossible: the deliverer wakes up and looks. */
	if (c->before && (c->id == RECORD_USERS || c->id == RECORD_TEAMS))
		rows->delivers = true;
	switch (c->id) {
	case RECORD_USERS: user_event(rows, job, change, c->now, c->before); break;
	case RECORD_TOKENS: token_event(rows, job, change, c->now, c->before); break;
	case RECORD_TEAMS: team_event(rows, job, change, c->now, c->before); break;
	case RECORD_SERVER_KEYS: return key_change(rows, job, c->now, why);
	case RECORD_WORKSPACES: workspace_event(rows, job, c->now); break;
	default: break;
	}
	return OK;
}

/* In the order in which records are written: a user before its tokens. */
enum err people_logged(void *ctx, struct job *job, struct rows *rows, struct fault *why)
{
	static const enum record_id ids[] = { RECORD_WORKSPACES, RECORD_USERS,
		RECORD_TOKENS, RECORD_TEAMS, RECORD_SERVER_KEYS };
	struct row_change c = { 0 };
	bool some = false;
	enum err e = OK;

	(void)ctx;
	while (!some && rows_next_change(rows, &c))
		for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
			some |= c.id == ids[i];
	for (size_t i = 0; some && !e && i < sizeof ids / sizeof *ids; i++) {
		c = (struct row_change){ 0 };
		while (!e && rows_next_change(rows, &c))
			if (c.id == ids[i]) e = change_event(rows, job, &c, why);
	}
	return e;
}

/* ---- what was there before ---- */

struct unrecorded {
	struct arena *arena;
	struct unrecorded_ws {
		struct unrecorded_ws *next;
		struct workspace ws;
	} * first;
};

static enum err unrecorded_row(void *ctx, const struct row *row, struct fault *why)
{
	struct unrecorded *u = ctx;
	struct unrecorded_ws *at = ARENA_NEW(u->arena, struct unrecorded_ws);

	if (!at) return fail_memory(why);
	at->ws.id = row_int(row, 0);
	at->ws.name = arena_str(u->arena, row_text(row, 1));
	at->next = u->first;
	u->first = at;
	return OK;
}

static enum err record_workspace(
	struct rows *rows, const struct workspace *ws, struct fault *why)
{
	const struct val args[] = { val_int(ws->id) };
	const struct user *u = NULL;
	const struct token *t = NULL;
	enum err e = rows_fetch(rows, RECORD_USERS, SQL_USERS_OF, args, 1, why);

	if (!e) e = rows_fetch(rows, RECORD_TOKENS, SQL_TOKENS_OF, args, 1, why);
	if (!e) workspace_event(rows, NULL, ws);
	while (!e && (u = rows_next(rows, RECORD_USERS, u)))
		if (u->ws == ws->id) user_event(rows, NULL, RECORDED, u, NULL);
	while (!e && (t = rows_next(rows, RECORD_TOKENS, t)))
		if (t->ws == ws->id) token_event(rows, NULL, RECORDED, t, NULL);
	return e;
}

enum err people_record(struct rows *rows, bool first, struct fault *why)
{
	struct unrecorded u = { .arena = rows->arena };
	const struct server_key *k = NULL;
	enum err e = rows_query(
		rows, SQL_WORKSPACES_UNRECORDED, NULL, 0, unrecorded_row, &u, why);

	if (e || !(u.first || first)) return e;
	for (const struct unrecorded_ws *at = u.first; !e && at; at = at->next)
		e = record_workspace(rows, &at->ws, why);
	if (!e) e = rows_fetch(rows, RECORD_SERVER_KEYS, SQL_SERVER_KEYS, NULL, 0, why);
	while (!e && (k = rows_next(rows, RECORD_SERVER_KEYS, k)))
		key_event(rows, NULL, k);
	return e;
}

/* ---- refused ---- */

/* True when it is to be told; *count: how often since the last time, this one included. */
static bool refused_due(struct desk *d, struct str user, int64_t now_ms, int64_t *count)
{
	struct refused_name *at = &d->refused[str_hash(user) % REFUSED_NAMES];

	at->count++;
	if (at->told_ms && now_ms - at->told_ms < REFUSED_EVERY_MS &&
		now_ms >= at->told_ms)
		return false;
	*count = at->count;
	*at = (struct refused_name){ .told_ms = now_ms };
	return true;
}

void people_refused(
	struct task *t, struct rows *rows, const struct user *u, struct str reason)
{
	struct people_event e;
	int64_t count = 0;

	if (!refused_due(t->desk, u ? u->id : STR_NONE, rows->now_ms, &count)) return;
	event_open(&e, rows, NULL);
	show_text(&e.w, "user", u ? u->id : STR_NONE);
	show_text(&e.w, "name", u ? u->name : STR_NONE);
	jw_put_str(&e.w, "reason", reason);
	jw_put_int(&e.w, "count", count);
	show_text(&e.w, "from", t->job.from);
	event_stage(&e, u ? u->ws : 1, "login.refused", NULL);
	rows_savepoint(rows);
}
