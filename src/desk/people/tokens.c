/* tokens.c - tokens: made once, shown once, kept as hashes. */
#include "desk/people/people.h"
#include "desk/shared/collection.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "core/run/run_tool.h"
#include "core/shared/body.h"
#include "core/shared/name.h"
#include "core/shared/show.h"

static void token_write(struct json_writer *w, const struct token *tok, struct str secret)
{
	jw_object(w);
	show_text(w, "id", tok->id);
	show_text(w, "name", tok->name);
	show_text(w, "role", tok->role);
	show_text(w, "agent", tok->agent);
	show_text(w, "user", tok->user);
	show_text(w, "last4", tok->last4);
	show_json(w, "tools", tok->tools);
	show_count(w, "mcp_wait", tok->mcp_wait_s);
	show_count(w, "again", tok->again_s);
	jw_put_bool(w, "local", tok->mcp_local);
	jw_put_bool(w, "runs", tok->runs);
	jw_key(w, "projects");
	project_bound_write(w, tok->projects);
	show_time(w, "created_at", tok->created_ms);
	show_time(w, "expires_at", tok->expires_ms);
	show_time(w, "last_used_at", tok->last_used_ms);
	jw_put_some(w, "token", secret);
	jw_object_end(w);
}

/* ---- create ---- */

struct token_body {
	struct str name, agent, tools, user, projects;
	enum role role;
	int64_t mcp_wait_s;
	int64_t again_s;
	int64_t expires_ms; /* 0: never */
	bool expires_in;    /* so long after it is made */
	bool local, runs;
};

enum { MCP_WAIT_MAX_S = 3600, AGAIN_MAX_S = 7 * 24 * 3600 };

static const int64_t EXPIRES_MAX_S = 1000ll * 366 * 24 * 3600;

/* A person's is compared with those of others when it is made. */
static enum err token_name(
	struct str name, bool agents, const char *at, struct fault *why)
{
	const char *flaw = name_flaw(name);

	if (!name.len || utf8_count(name) > NAME_MAX_LEN)
		return fail_at(why, at, "one line of 1 to %d characters", NAME_MAX_LEN);
	if (!flaw && agents && name_hides(name))
		flaw = "no characters that cannot be seen";
	return flaw ? fail_at(why, at, "%s", flaw) : OK;
}

static enum err token_tools(
	const struct json *tools, struct arena *arena, struct str *out, struct fault *why)
{
	struct buf b = { .max = 16384 };

	if (!json_is(tools, JSON_ARRAY))
		return fail_at(why, "/tools", "an array is needed");
	for (uint32_t i = 0; i < tools->count; i++)
		if (tools->items[i].type != JSON_STRING)
			return fail_at(why, "/tools", "an array of strings is needed");
		else if (!own_tool_name(tools->items[i].text))
			return fail_at(why, "/tools", "there is no tool %.*s",
				STR_ARGS(tools->items[i].text));
	json_write(&b, tools);
	*out = buf_keep_done(&b, arena);
	return OK;
}

/* An instant, or a duration: a number of seconds, or "90s", "30m", "24h", "7d". */
static enum err token_expires(
	const struct json *expires, struct token_body *b, struct fault *why)
{
	struct str text = json_text(expires);

	b->expires_in = duration_of(expires, &b->expires_ms);
	if (!b->expires_in &&
		(!json_is(expires, JSON_STRING) || !time_read(text, &b->expires_ms)))
		return fail_at(
			why, "/expires", "must be a time, or a duration such as 30d");
	return b->expires_ms > 0 && b->expires_ms / 1000 <= EXPIRES_MAX_S
		       ? OK
		       : fail_at(why, "/expires", "must be in the future");
}

/* Whole seconds; -1 when it is absent or null. */
static enum err token_seconds(const struct json *json, const char *at, int64_t max_s,
	int64_t *out, struct fault *why)
{
	int64_t ms = 0;

	*out = -1;
	if (!json || json->type == JSON_NULL) return OK;
	if (!duration_of(json, &ms) || ms % 1000 || ms > max_s * 1000)
		return fail_at(why, at, "0 to %d seconds, or a duration such as \"30s\"",
			(int)max_s);
	*out = ms / 1000;
	return OK;
}

/* null: not bound. */
static enum err token_projects(
	struct task *t, bool agents, struct str *out, struct fault *why)
{
	const struct json *projects = json_get(t->body, "projects");

	*out = STR_NONE;
	if (!projects || projects->type == JSON_NULL) return OK;
	if (!agents)
		return fail_at(why, "/projects", "only an agent's token can be bound");
	return project_bound_read(projects, "/projects", &t->job.arena, out, why);
}

static enum err token_create_check(struct task *t, struct fault *why)
{
	struct token_body *b = TASK_CHECKED(t, struct token_body);
	const struct json *agent = json_get(t->body, "agent");
	const struct json *tools = json_get(t->body, "tools");
	const struct json *wait = json_get(t->body, "mcp_wait");
	const struct json *again = json_get(t->body, "again");
	const struct json *local = json_get(t->body, "local");
	const struct json *runs = json_get(t->body, "runs");
	const struct json *expires = json_get(t->body, "expires");
	const struct json *user = json_get(t->body, "user");
	enum err e = MEMBERS_ONLY(t->body, why, "role", "name", "agent", "tools",
		"mcp_wait", "again", "local", "runs", "expires", "user", "projects");

	b->name = str_trim(json_text(json_get(t->body, "name")));
	b->agent = agent ? str_trim(json_text(agent)) : b->name;
	if (!role_read(json_text(json_get(t->body, "role")), &b->role) ||
		b->role > ROLE_OWNER || b->role == ROLE_NONE)
		e = fail_at(why, "/role", "agent, viewer, member, admin or owner");
	if (token_name(b->name, b->role == ROLE_AGENT, "/name", why)) e = why->err;
	if (agent && agent->type != JSON_NULL &&
		token_name(b->agent, true, "/agent", why))
		e = why->err;
	if (!b->agent.len) b->agent = b->name;
	if (tools && tools->type != JSON_NULL &&
		token_tools(tools, &t->job.arena, &b->tools, why))
		e = why->err;
	if (token_seconds(wait, "/mcp_wait", MCP_WAIT_MAX_S, &b->mcp_wait_s, why) ||
		token_seconds(again, "/again", AGAIN_MAX_S, &b->again_s, why))
		e = why->err;
	if (local && local->type != JSON_NULL && !json_is_bool(local))
		e = fail_at(why, "/local", "true or false");
	b->local = json_is(local, JSON_TRUE);
	b->runs = json_is(runs, JSON_TRUE);
	if (runs && runs->type != JSON_NULL &&
		(!json_is_bool(runs) || (b->runs && b->role != ROLE_AGENT)))
		e = fail_at(why, "/runs",
			"true or false, and only for an agent's token: members may run agents anyway");
	if (expires && expires->type != JSON_NULL && token_expires(expires, b, why))
		e = why->err;
	if (token_projects(t, b->role == ROLE_AGENT, &b->projects, why)) e = why->err;
	/* What a person asks goes under their id: no agent is called so. */
	if (str_starts(b->agent, "usr_"))
		e = fail_at(why, "/agent", "this is a user's id");
	/* In a rule they stand for other characters, and such an agent could not be named. */
	if (b->role == ROLE_AGENT &&
		(str_find(b->agent, STR("*")) >= 0 || str_find(b->agent, STR("?")) >= 0))
		e = fail_at(why, str_eq(b->agent, b->name) ? "/name" : "/agent",
			"an agent's name cannot contain * or ?");
	b->user = json_text(user);
	if (user && user->type != JSON_NULL &&
		(!json_is(user, JSON_STRING) || b->role != ROLE_AGENT))
		e = fail_at(why, "/user",
			"the id of the person an agent's token is made for");
	return e;
}

/* A person's token needs a person: the user of that name, made when there is none. An
 * agent's may name the person whose agent it is. */
static enum err token_user(struct task *t, struct rows *rows, const struct token_body *b,
	struct str *user, struct fault *why)
{
	bool person = b->role != ROLE_AGENT;
	const struct user *u = NULL;
	enum err e = OK;

	if (person)
		e = user_by_name(rows, t->job.who.ws, b->name, &u, why);
	else if (b->user.len)
		e = rows_fetch_user(rows, t->job.who.ws, b->user, &u, why);
	if (e == ERR_NOT_FOUND) e = fail_at(why, "/user", "no such user");
	if (!e && u) e = desk_reach(&t->job.who, u->role, why);
	if (e || (!person && !u)) return e;
	if (u && u->role < b->role)
		return fail(why, ERR_CONFLICT, "%.*s is %s: change the user's role first",
			STR_ARGS(b->name), role_name(u->role));
	if (!u) e = user_name_free(rows, t->job.who.ws, b->name, STR_NONE, why);
	if (e) return e;
	if (!u) u = user_new(rows, t->job.who.ws, b->name, b->role);
	*user = u->id;
	return OK;
}

/* ---- the collection ---- */

static enum err token_find(const struct collection *r, struct task *t, struct rows *rows,
	struct str which, const void **out, struct fault *why)
{
	const struct token *tok = NULL;
	enum err e = rows_fetch_token(rows, t->job.who.ws, which, &tok, why);

	(void)r;
	*out = !e && tok->kind == TOKEN_BEARER ? tok : NULL;
	return e == ERR_NOT_FOUND ? OK : e;
}

/* The secret is shown once, with the reply that makes it. */
static enum err token_show(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	(void)rows, (void)why;
	token_write(w, record, str_of(t->secret));
	return OK;
}

/* May the caller change or end it? */
static enum err token_may(
	struct task *t, struct rows *rows, const struct token *tok, struct fault *why)
{
	const struct user *u;
	enum err e = OK;

	if (tok->user.len) e = rows_fetch_user(rows, tok->ws, tok->user, &u, why);
	if (!e && tok->user.len) e = desk_reach(&t->job.who, u->role, why);
	return e == ERR_NOT_FOUND ? OK : e; /* the user is gone already */
}

static enum err token_fresh(
	struct task *t, struct rows *rows, struct token *tok, struct fault *why)
{
	const struct token_body *b = t->checked;
	enum err e = desk_reach(&t->job.who, b->role, why);

	tok->kind = TOKEN_BEARER;
	tok->role = str_of(role_name(b->role));
	tok->name = b->name;
	tok->agent = b->agent;
	tok->tools = b->tools;
	tok->mcp_wait_s = b->mcp_wait_s;
	tok->mcp_local = b->local;
	tok->again_s = b->again_s;
	tok->runs = b->runs;
	tok->projects = b->projects;
	tok->maker = t->job.who.user;
	if (b->expires_ms)
		tok->expires_ms = b->expires_ms + (b->expires_in ? rows->now_ms : 0);
	if (!e) e = token_user(t, rows, b, &tok->user, why);
	if (!e && b->expires_ms && tok->expires_ms <= rows->now_ms)
		e = fail_at(why, "/expires", "must be in the future");
	if (!e) token_make(rows, tok, t->secret);
	return e;
}

static enum err token_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	struct token *tok = record;
	enum err e = was ? token_may(t, rows, was, why) : OK;

	if (!was) return token_fresh(t, rows, tok, why);
	tok->projects = *(const struct str *)t->checked;
	if (!e && tok->projects.len && !str_is(tok->role, role_name(ROLE_AGENT)))
		e = fail_at(why, "/projects", "only an agent's token can be bound");
	if (!e) rows_raise_revocations(rows, tok->ws);
	return e;
}

static enum err token_patch_check(struct task *t, struct fault *why)
{
	struct str *out = TASK_CHECKED(t, struct str);
	enum err e = MEMBERS_ONLY(t->body, why, "projects");

	if (!json_get(t->body, "projects")) e = fail_at(why, "/projects", "required");
	return e ? e : token_projects(t, true, out, why);
}

static enum err token_before_delete(
	struct task *t, struct rows *rows, const void *record, struct fault *why)
{
	enum err e = token_may(t, rows, record, why);

	if (!e) rows_raise_revocations(rows, t->job.who.ws);
	return e;
}

static const struct collection tokens = {
	.noun = "token",
	.nouns = "tokens",
	.record = RECORD_TOKENS,
	.ws_at = offsetof(struct token, ws),
	.id_at = offsetof(struct token, id),
	.list = SQL_TOKEN_LIST,
	.paged = true,
	.find = token_find,
	.show = token_show,
	.fill = token_fill,
	.before_delete = token_before_delete,
};

const struct use use_token_list = LISTS("token_list", MAY_ADMIN, tokens);
const struct use use_token_get = GETS("token_get", MAY_ADMIN, tokens);
const struct use use_token_create =
	CREATES("token_create", MAY_ADMIN, 0, tokens, token_create_check);
const struct use use_token_patch =
	PATCHES("token_patch", MAY_ADMIN, 0, tokens, token_patch_check);
const struct use use_token_delete = DELETES("token_delete", MAY_ADMIN, 0, tokens);

/* ---- when it was last used ---- */

static enum err token_used_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct token *was;
	struct token *tok;
	enum err e = token_shown(job, rows, &was, why);

	if (e) return e;
	if (was->last_used_ms >= rows->now_ms) return OK;
	tok = rows_change(rows, was);
	tok->last_used_ms = rows->now_ms;
	return OK;
}

const struct use use_token_used =
	WRITES("token_used", 0, 0, NULL, token_used_decide, NULL, NULL);
