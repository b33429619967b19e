/* people_log.c - events about people, made from the rows that a job changed. */
#include "desk/people/people_log.h"

#include "base/keep.h"
#include "core/ask/preset.h"
#include "core/notify/contact.h"
#include "core/notify/notify_route.h"
#include "core/people/project.h"
#include "core/policy/rulebook.h"
#include "core/run/agent.h"
#include "core/run/mcp_server.h"
#include "core/run/own_tool.h"
#include "core/run/provider.h"
#include "core/shared/digest.h"
#include "core/shared/show.h"
#include "desk/people/people.h"

enum { REFUSED_EVERY_MS = 60 * 1000, EVENT_BYTES = 1 << 20 };

/* ---- digests ---- */

static void server_key_digest(const struct server_key *k, char out[SHORT_DIGEST_SIZE])
{
	const struct str fields[] = { k->name, k->value };

	digest_fields(fields, 2, out);
}

static void workspace_digest(const struct workspace *w, char out[SHORT_DIGEST_SIZE])
{
	digest_text(w->name, out);
}

void log_digest(enum record_id id, const void *record, char out[SHORT_DIGEST_SIZE])
{
	switch (id) {
	case RECORD_USERS: user_digest(record, out); break;
	case RECORD_TOKENS: token_digest(record, out); break;
	case RECORD_TEAMS: team_digest(record, out); break;
	case RECORD_SERVER_KEYS: server_key_digest(record, out); break;
	case RECORD_WORKSPACES: workspace_digest(record, out); break;
	case RECORD_RULES: rule_digest(record, out); break;
	case RECORD_STOPS: stop_digest(record, out); break;
	case RECORD_POLICIES: policy_digest(record, out); break;
	case RECORD_ROUTES: routes_digest(record, out); break;
	case RECORD_PRESETS: preset_digest(record, out); break;
	case RECORD_AGENTS: agent_digest(record, out); break;
	case RECORD_PROVIDERS: provider_digest(record, out); break;
	case RECORD_TOOLS: own_tool_digest(record, out); break;
	case RECORD_SIGNING_KEYS: signing_key_digest(record, out); break;
	case RECORD_HOLDS: legal_hold_digest(record, out); break;
	case RECORD_MCP_SERVERS: mcp_server_digest(record, out); break;
	case RECORD_CONTACTS: contact_digest(record, out); break;
	default: out[0] = '\0';
	}
}

bool log_unchanged(const struct row_change *c)
{
	char now[SHORT_DIGEST_SIZE], before[SHORT_DIGEST_SIZE];

	if (c->deleted || !c->before) return false;
	log_digest(c->id, c->now, now);
	log_digest(c->id, c->before, before);
	return strcmp(now, before) == 0;
}

/* ---- what an event says ---- */

/* Who did it, and from where; null: the server itself. */
static struct str by_text(const struct principal *p, struct arena *arena)
{
	bool local = p->role == ROLE_LOCAL_ADMIN;

	if (p->role == ROLE_NONE) return STR_NONE;
	return fields_text(arena,
		FIELDS(field_word("role", local ? "local_admin" : role_name(p->role)),
			field_text("user", p->user), field_text("name", p->name),
			field_text("token", p->token),
			field_text("via", local ? STR("local") : p->via)));
}

void log_event(struct rows *rows, const struct job *job, int64_t ws, const char *type,
	const char *digest, const struct field *members, size_t len)
{
	struct buf b = { .max = EVENT_BYTES };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	fields_write(&w, members, len);
	if (digest) show_text(&w, "record", str_of(digest));
	if (job) show_json(&w, "by", by_text(&job->who, rows->arena));
	if (job) show_text(&w, "from", job->from);
	jw_object_end(&w);
	rows_event_of(rows, ws, type, buf_keep_done(&b, rows->arena));
}

/* The names of the members that have changed. */
static struct str user_changes(
	const struct user *now, const struct user *before, struct arena *arena)
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
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].changed) jw_text(&w, parts[i].name);
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

static struct str projects_text(struct str projects, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	project_bound_write(&w, projects);
	return buf_keep_done(&b, arena);
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

/* Did only their absence change? */
static bool only_away(const struct user *now, const struct user *before)
{
	struct user here = *now;

	here.away = before->away;
	return log_unchanged(&(struct row_change){
		.id = RECORD_USERS, .now = &here, .before = before });
}

static void user_event(struct rows *rows, const struct job *job, enum change change,
	const struct user *now, const struct user *before)
{
	bool away = !before || !str_eq(now->away, before->away);
	struct str changed = STR_NONE;
	char digest[SHORT_DIGEST_SIZE];

	user_digest(now, digest);
	if (change == CHANGED) changed = user_changes(now, before, rows->arena);
	log_event(rows, job, now->ws,
		change == CHANGED && only_away(now, before) ? "user.away"
							    : user_types[change],
		change == ENDED ? NULL : digest,
		FIELDS(field_str("user", now->id), field_str("name", now->name),
			field_word("role", role_name(now->role)),
			field_bool("disabled", now->disabled),
			field_some(field_json("changed", changed)),
			field_some(field_json("away", !away	      ? STR_NONE
						      : now->away.len ? now->away
								      : STR("null")))));
}

static void token_event(struct rows *rows, const struct job *job, enum change change,
	const struct token *t)
{
	struct str projects = STR_NONE;
	char digest[SHORT_DIGEST_SIZE];

	token_digest(t, digest);
	if (t->kind == TOKEN_BEARER) projects = projects_text(t->projects, rows->arena);
	log_event(rows, job, t->ws, token_types[t->kind][change],
		change == ENDED ? NULL : digest,
		FIELDS(field_str("token", t->id), field_str("name", t->name),
			field_text("role", t->role), field_text("agent", t->agent),
			field_text("user", t->user),
			field_some(field_json("projects", projects)),
			field_time("expires_at", t->expires_ms)));
}

static void team_event(struct rows *rows, const struct job *job, enum change change,
	const struct team *t)
{
	static const char *const changes[] = { "created", "changed", "deleted" };
	char digest[SHORT_DIGEST_SIZE];

	team_digest(t, digest);
	log_event(rows, job, t->ws, "team.changed", change == ENDED ? NULL : digest,
		FIELDS(field_str("team", t->id), field_str("name", t->name),
			field_json("members", t->members),
			field_text("on_call", t->on_call),
			field_json("projects", t->projects),
			field_word("change", changes[change])));
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
	bool webhook = str_starts(k->name, "webhook/");
	char digest[SHORT_DIGEST_SIZE];

	server_key_digest(k, digest);
	log_event(rows, job, server_key_ws(k->name), "settings.changed", digest,
		FIELDS(field_word("setting", webhook ? "webhook_secret" : "server_key"),
			field_str("key", k->name)));
}

static void workspace_event(
	struct rows *rows, const struct job *job, const struct workspace *ws)
{
	char digest[SHORT_DIGEST_SIZE];

	workspace_digest(ws, digest);
	log_event(rows, job, ws->id, "settings.changed", digest,
		FIELDS(field_word("setting", "workspace"), field_str("name", ws->name)));
}

/* A server makes its key before there is a workspace; people_record logs it later. */
static enum err key_change(struct rows *rows, const struct job *job,
	const struct server_key *k, struct fault *why)
{
	int64_t there = 0;
	enum err e = rows_int(
		rows, SQL_WORKSPACE_GET, ARGS(server_key_ws(k->name)), &there, why);

	if (!e && there) key_event(rows, job, k);
	return e;
}

static enum err change_event(struct rows *rows, const struct job *job,
	const struct row_change *c, struct fault *why)
{
	enum change change = c->deleted ? ENDED : c->before ? CHANGED : MADE;

	if (c->deleted && !c->before) return OK; /* it came and went in one job */
	if ((c->id == RECORD_USERS || c->id == RECORD_TOKENS || c->id == RECORD_TEAMS) &&
		log_unchanged(c))
		return OK;
	/* Approvals may have become impossible: the deliverer wakes up and looks. */
	if (c->before && (c->id == RECORD_USERS || c->id == RECORD_TEAMS))
		rows->so_far.delivers = true;
	switch (c->id) {
	case RECORD_USERS: user_event(rows, job, change, c->now, c->before); break;
	case RECORD_TOKENS: token_event(rows, job, change, c->now); break;
	case RECORD_TEAMS: team_event(rows, job, change, c->now); break;
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
		if (t->ws == ws->id) token_event(rows, NULL, RECORDED, t);
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
	struct str name = u ? u->name : STR_NONE, id = u ? u->id : STR_NONE;
	int64_t count = 0;

	if (!refused_due(t->desk, id, rows->now_ms, &count)) return;
	log_event(rows, NULL, u ? u->ws : 1, "login.refused", NULL,
		FIELDS(field_text("user", id), field_text("name", name),
			field_str("reason", reason), field_int("count", count),
			field_text("from", t->job.from)));
	rows_savepoint(rows);
}
