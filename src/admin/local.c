/* local.c - runs administration calls on the store itself. */
#include "admin/local.h"

#include "base/mem.h"
#include "base/password.h"
#include "desk/desk.h"

#include <sys/stat.h>

struct local {
	struct desk *desk;
	admin_use_fn *use;
};

static void local_done(struct job *job)
{
	(void)job; /* the caller's thread did the work and looks itself */
}

static enum err local_use(
	struct local *l, const struct use *use, struct task *t, struct fault *why)
{
	t->job.done = local_done;
	desk_do(l->desk, use, t);
	if (t->job.err) *why = t->job.why;
	return t->job.err;
}

static enum err local_bootstrap(struct local *l, struct fault *why)
{
	struct task t = { 0 };
	enum err e = local_use(l, &use_bootstrap, &t, why);

	task_empty(&t);
	return e;
}

struct local *local_open(struct str store, admin_use_fn *use, struct fault *why)
{
	struct desk_settings set = { .set = { .store = store,
					     .timeout_min_ms = 1000,
					     .timeout_max_ms =
						     (int64_t)30 * 24 * 3600 * 1000 },
		.alone = true };
	struct local *l = mem_alloc(sizeof *l);

	umask(0077); /* the store is its owner's alone */
	if (!l) {
		fail(why, ERR_MEMORY, "out of memory");
		return NULL;
	}
	l->use = use;
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
	struct task t = { .job.who.role = ROLE_LOCAL_ADMIN };
	int mark = str_find(path, STR("?"));
	struct str bare = mark < 0 ? path : str_first(path, (size_t)mark);
	const struct use *use = l->use(str_of(method), bare, &t.id);
	enum err e;

	t.job.credential.workspace = arena_str(&t.job.arena, workspace);
	if (mark >= 0) local_query(&t, str_from(path, (size_t)mark + 1));
	e = use ? local_fill(&t, body, why) : fail(why, ERR_NOT_FOUND, "no such request");
	if (!e) e = local_use(l, use, &t, why);
	if (!e) *reply = arena_str(arena, buf_str(&t.job.out));
	task_empty(&t);
	return e;
}
