/* local.c - runs administration calls on the store itself; owns their table of routes. */
#include "admin/local.h"

#include "base/mem.h"
#include "base/password.h"
#include "desk/desk.h"

#include <sys/stat.h>

struct local {
	struct desk *desk;
};

/* The part of the contract that is administration. An id stands between `path` and
 * `tail`. */
static const struct {
	const char *method;
	const char *path;
	bool with_id;
	const struct use *use;
	const char *tail;
} routes[] = {
	{ "GET", "/v1/users", false, &use_user_list },
	{ "POST", "/v1/users", false, &use_user_create },
	{ "GET", "/v1/users/", true, &use_user_get },
	{ "PATCH", "/v1/users/", true, &use_user_patch },
	{ "DELETE", "/v1/users/", true, &use_user_delete },
	{ "GET", "/v1/tokens", false, &use_token_list },
	{ "POST", "/v1/tokens", false, &use_token_create },
	{ "PATCH", "/v1/tokens/", true, &use_token_patch },
	{ "DELETE", "/v1/tokens/", true, &use_token_delete },
	{ "GET", "/v1/teams", false, &use_team_list },
	{ "POST", "/v1/teams", false, &use_team_create },
	{ "PATCH", "/v1/teams/", true, &use_team_patch },
	{ "DELETE", "/v1/teams/", true, &use_team_delete },
	{ "GET", "/v1/agents", false, &use_agent_list },
	{ "POST", "/v1/agents", false, &use_agent_create },
	{ "GET", "/v1/agents/", true, &use_agent_get },
	{ "PATCH", "/v1/agents/", true, &use_agent_patch },
	{ "DELETE", "/v1/agents/", true, &use_agent_delete },
	{ "GET", "/v1/providers", false, &use_provider_list },
	{ "POST", "/v1/providers", false, &use_provider_create },
	{ "GET", "/v1/providers/", true, &use_provider_get },
	{ "PATCH", "/v1/providers/", true, &use_provider_patch },
	{ "DELETE", "/v1/providers/", true, &use_provider_delete },
	{ "GET", "/v1/prices", false, &use_price_list },
	{ "PUT", "/v1/prices", false, &use_price_put },
	{ "GET", "/v1/templates", false, &use_template_list },
	{ "GET", "/v1/templates/", true, &use_template_get },
	{ "PUT", "/v1/templates/", true, &use_template_put },
	{ "DELETE", "/v1/templates/", true, &use_template_delete },
	{ "GET", "/v1/lists", false, &use_list_list },
	{ "GET", "/v1/lists/", true, &use_list_get },
	{ "PUT", "/v1/lists/", true, &use_list_put },
	{ "DELETE", "/v1/lists/", true, &use_list_delete },
	{ "GET", "/v1/deliveries", false, &use_delivery_list },
	{ "POST", "/v1/deliveries/", true, &use_delivery_replay, "/replay" },
	{ "POST", "/v1/webhook-secret", false, &use_webhook_secret },
	{ "GET", "/v1/workspaces", false, &use_workspace_list },
	{ "POST", "/v1/workspaces", false, &use_workspace_create },
};

static void local_done(struct job *job)
{
	(void)job; /* the caller's thread did the work and looks itself */
}

static enum err local_bootstrap(struct local *l, struct fault *why)
{
	struct task *t = mem_alloc(sizeof *t);
	enum err e;

	if (!t) return fail(why, ERR_MEMORY, "out of memory");
	t->job.done = local_done;
	desk_do(l->desk, &use_bootstrap, t);
	e = t->job.err;
	if (e) *why = t->job.why;
	arena_done(&t->job.arena);
	mem_free(t);
	return e;
}

struct local *local_open(struct str store, struct fault *why)
{
	struct desk_settings set = { .store = store,
		.timeout_min_ms = 1000,
		.timeout_max_ms = (int64_t)30 * 24 * 3600 * 1000,
		.alone = true };
	struct local *l = mem_alloc(sizeof *l);

	umask(0077); /* the store is its owner's alone */
	if (!l) {
		fail(why, ERR_MEMORY, "out of memory");
		return NULL;
	}
	l->desk = desk_open(&set, why);
	if (l->desk && local_bootstrap(l, why) == OK) return l;
	return local_close(l);
}

struct local *local_close(struct local *l)
{
	if (!l) return NULL;
	desk_close(l->desk);
	mem_free(l);
	return NULL;
}

static const struct use *local_use(const char *method, struct str path, struct str *id)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		const char *tail = routes[i].tail ? routes[i].tail : "";
		size_t n = strlen(routes[i].path), m = strlen(tail);

		if (strcmp(routes[i].method, method) != 0) continue;
		if (routes[i].with_id ? str_starts(path, routes[i].path) &&
						str_ends(path, tail) && path.len > n + m
				      : str_is(path, routes[i].path)) {
			*id = str_from(str_first(path, path.len - m), n);
			return routes[i].use;
		}
	}
	return NULL;
}

/* "a=b&c=d" needs no decoding here: admin sends plain words. */
static void local_query(struct task *t, struct str query)
{
	struct str pair;

	t->params = ARENA_ARRAY(&t->job.arena, struct param, 8);
	while (t->params && t->params_len < 8 && str_cut(&query, '&', &pair)) {
		int eq = str_find(pair, STR("="));

		if (eq < 0) continue;
		t->params[t->params_len++] = (struct param){
			arena_str(&t->job.arena, str_first(pair, (size_t)eq)),
			arena_str(&t->job.arena, str_from(pair, (size_t)eq + 1))
		};
	}
}

static enum err local_fill(struct task *t, struct str body, struct fault *why)
{
	static const struct json empty = { .type = JSON_OBJECT };
	char hash[PASSWORD_HASH_SIZE];
	const struct json *password;
	enum err e = OK;

	t->body = &empty;
	if (body.len)
		e = json_read(arena_str(&t->job.arena, body), NULL, &t->job.arena,
			&t->body, why);
	password = e ? NULL : json_get(t->body, "password");
	if (!json_is(password, JSON_STRING)) return e;
	if (!password_hash(password->text, hash))
		return fail(why, ERR_MEMORY, "out of memory");
	t->password_hash = arena_str(&t->job.arena, str_of(hash));
	return OK;
}

enum err local_do(struct local *l, struct str workspace, const char *method,
	struct str path, struct str body, struct arena *arena, struct str *reply,
	struct fault *why)
{
	struct task *t = mem_alloc(sizeof *t);
	int mark = str_find(path, STR("?"));
	struct str bare = mark < 0 ? path : str_first(path, (size_t)mark);
	struct str id = STR_NONE;
	const struct use *use = local_use(method, bare, &id);
	enum err e;

	if (!t) return fail(why, ERR_MEMORY, "out of memory");
	t->job.who.role = ROLE_LOCAL_ADMIN;
	t->job.credential.workspace = arena_str(&t->job.arena, workspace);
	t->job.done = local_done;
	t->id = id;
	if (mark >= 0) local_query(t, str_from(path, (size_t)mark + 1));
	e = use ? local_fill(t, body, why) : fail(why, ERR_NOT_FOUND, "no such request");
	if (!e) {
		desk_do(l->desk, use, t);
		e = t->job.err;
		if (e)
			*why = t->job.why;
		else
			*reply = arena_str(arena, buf_str(&t->job.out));
	}
	buf_done(&t->job.out);
	arena_done(&t->job.arena);
	mem_free(t);
	return e;
}
