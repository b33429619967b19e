/* dialect.c - ?dialect=: foreign requests in, foreign replies out. */
#include "serve/inner.h"

static enum err params_read(struct request *r, struct fault *why)
{
	struct str name = task_param(&r->task, "dialect"),
		   strict = task_param(&r->task, "strict");

	r->strict = str_is(strict, "true");
	if (strict.len && !r->strict && !str_is(strict, "false"))
		return fail_at(why, "/strict", "must be true or false");
	if (!name.len) return OK;
	r->dialect = dialect_find(name);
	if (r->dialect) return OK;
	return fail_at(why, "/dialect", "must be %.*s",
		STR_ARGS(dialect_names(&r->task.job.arena)));
}

enum err request_translate(struct request *r, struct fault *why)
{
	struct task *t = &r->task;
	struct translated in;
	enum err e = params_read(r, why);

	if (e || !r->dialect || !(r->route->flags & BODY_JSON)) return e;
	if (!t->body)
		return fail(why, ERR_MEDIA_TYPE,
			"with a dialect, Content-Type: application/json is needed");
	e = dialect_to_ask(r->dialect, t->body, r->strict, &t->job.arena, &in, why);
	if (e) return e;
	t->body = in.body;
	t->foreign = in.foreign;
	return OK;
}

enum err reply_translate(const struct dialect *d, bool strict, struct str shown,
	struct buf *out, struct fault *why)
{
	struct arena arena = { 0 };
	const struct json *ask;
	struct str reply;
	enum err e = shown_read(shown, &arena, &ask, why);

	if (!e) e = dialect_from_ask(d, ask, strict, &arena, &reply, why);
	if (!e) {
		buf_add_text(out, "{\"ask\":");
		buf_add(out, shown);
		buf_add_text(out, ",\"reply\":");
		buf_add(out, reply.len ? reply : STR("null"));
		buf_add_char(out, '}');
	}
	arena_done(&arena);
	if (!e && out->failed) e = fail(why, ERR_MEMORY, "out of memory");
	return e;
}
