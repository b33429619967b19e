/* views.c - a person's saved filters of the inbox: a name and a query each. */
#include "core/shared/body.h"
#include "desk/people/people.h"

#include "base/utf8.h"

enum { VIEWS_MAX = 20, VIEW_NAME_MAX = 100, VIEW_QUERY_MAX = 2000 };

static void views_write(struct buf *out, struct str views)
{
	buf_add(out, views.len ? views : STR("[]"));
}

static enum err views_read(struct job *job, struct rows *rows, struct fault *why)
{
	const struct user *u;
	enum err e = desk_person(&job->who, "only a person has views", why);

	if (!e) e = rows_fetch_user(rows, job->who.ws, job->who.user, &u, why);
	if (!e) views_write(&job->out, u->views);
	return e;
}

const struct use use_views = READS("views", 0, 0, views_read, NULL);

static enum err view_text(const struct json *view, const char *name, size_t i, size_t max,
	bool needed, struct fault *why)
{
	const struct json *text = json_get(view, name);

	if (!json_is(text, JSON_STRING) || (needed && !text->text.len) ||
		utf8_count(text->text) > max)
		return fail_at(why, POINTER("/%zu/%s", i, name),
			"a text of %d to %zu characters", needed, max);
	return OK;
}

static enum err view_check(const struct json *view, size_t i, struct fault *why)
{
	enum err e = OK;

	if (!json_is(view, JSON_OBJECT) || view->count != 2)
		return fail_at(
			why, POINTER("/%zu", i), "{\"name\", \"query\"} is needed");
	if (view_text(view, "name", i, VIEW_NAME_MAX, true, why)) e = why->err;
	if (view_text(view, "query", i, VIEW_QUERY_MAX, false, why)) e = why->err;
	return e;
}

static enum err views_put_check(struct task *t, struct fault *why)
{
	enum err e = OK;

	if (!json_is(t->body, JSON_ARRAY) || t->body->count > VIEWS_MAX)
		return fail_at(why, "", "an array of at most %d views", VIEWS_MAX);
	for (uint32_t i = 0; i < t->body->count; i++)
		if (view_check(&t->body->items[i], i, why)) e = why->err;
	return e;
}

static void views_needs(struct job *job, struct wants *w)
{
	wants_user(w, job->who.ws, job->who.user);
}

static enum err views_put_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct user *found;
	struct user *u;
	enum err e = desk_person(&job->who, "only a person has views", why);

	if (!e) e = people_reached(rows, &job->who, job->who.user, &found, why);
	if (e) return e;
	u = rows_change(rows, found);
	u->views = json_keep(task_of(job)->body, rows->arena);
	views_write(&job->out, u->views);
	return OK;
}

const struct use use_views_put =
	WRITES("views_put", 0, 0, views_needs, views_put_decide, NULL, views_put_check);
