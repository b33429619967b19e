/* collection.c - the use cases that collections have in common. */
#include "desk/shared/collection.h"

enum { OWN_MAX = 1000 };

const struct collection *collection_of(const struct job *job)
{
	return ((const struct use *)(const void *)job->kind)->of;
}

static struct str text_at(const void *record, size_t at)
{
	return *(const struct str *)(const void *)((const char *)record + at);
}

static struct str id_of(const struct collection *r, const void *record)
{
	return text_at(record, r->id_at);
}

static int64_t *workspace_of(const struct collection *r, const void *record)
{
	return (int64_t *)(uintptr_t)((const char *)record + r->ws_at);
}

enum err collection_stored(struct rows *rows, enum record_id record, int64_t ws,
	struct str id, const void **out, struct fault *why)
{
	enum err e = OK;

	if (!rows_find(rows, record, id) && !rows_ended(rows, record, id))
		e = rows_fetch(
			rows, record, SQL_OF(record, RECORD_GET), ARGS(ws, id), why);
	*out = e ? NULL : rows_find(rows, record, id);
	if (*out && *(const int64_t *)*out != ws) *out = NULL;
	return e;
}

enum err collection_find(const struct collection *r, struct task *t, struct rows *rows,
	struct str which, const void **out, struct fault *why)
{
	enum err e = r->find ? r->find(r, t, rows, which, out, why)
			     : collection_stored(
				       rows, r->record, t->job.who.ws, which, out, why);

	if (!e && !*out)
		e = fail(why, ERR_NOT_FOUND, "no %s %.*s", r->noun,
			STR_ARGS(str_first(which, 64)));
	return e;
}

enum err collection_reply(const struct collection *r, struct task *t, struct rows *rows,
	const void *record, struct fault *why)
{
	return r->show(t, rows, TO_REPLY(&t->job), record, why);
}

static enum err collection_admit(
	const struct collection *r, struct task *t, struct rows *rows, struct fault *why)
{
	return r->admit ? r->admit(t, rows, why) : OK;
}

/* ---- list, get ---- */

struct collection_page {
	const struct collection *of;
	struct task *t;
	struct rows *rows;
	struct json_writer *w;
	struct str after, last; /* the cursor's id, and that of the last that was shown */
	int64_t left;
	bool begun, more;
};

static enum err item_list(
	struct collection_page *l, const void *record, struct fault *why)
{
	struct str id = id_of(l->of, record);

	if (l->of->lists && !l->of->lists(l->t, l->rows, record)) return OK;
	if (!l->begun) {
		l->begun = str_eq(id, l->after);
		return OK;
	}
	l->more |= l->left-- <= 0;
	if (l->more) return OK;
	l->last = id;
	return l->of->show(l->t, l->rows, l->w, record, why);
}

static enum err items_list(struct collection_page *l, struct fault *why)
{
	const struct collection *r = l->of;
	const void *at = NULL, *own[OWN_MAX], **behind = NULL;
	size_t len = 0, more = 0;
	enum err e = OK;

	while (r->own && len < OWN_MAX &&
		(own[len] = r->own(r, l->t, len, l->rows->arena)))
		len++;
	for (size_t i = 0; !e && i < len; i++)
		e = item_list(l, own[i], why);
	while (!e && (at = rows_next(l->rows, r->record, at))) {
		size_t i = 0;

		while (i < len && !str_eq(id_of(r, own[i]), id_of(r, at)))
			i++;
		if (i == len && *workspace_of(r, at) == l->t->job.who.ws)
			e = item_list(l, at, why);
	}
	if (!e && r->behind) e = r->behind(l->t, l->rows, &behind, &more, why);
	for (size_t i = 0; !e && i < more; i++)
		e = item_list(l, behind[i], why);
	return e;
}

struct view_list {
	const struct shape *of;
	struct json_writer *w;
	void *item;
};

static enum err view_row(void *ctx, const struct row *row, struct fault *why)
{
	struct view_list *v = ctx;

	(void)why;
	for (size_t i = 0; i < v->of->len; i++) {
		char *at = (char *)v->item + v->of->members[i].at;

		if (v->of->members[i].type == OF_TEXT)
			*(struct str *)(void *)at = row_text(row, (int)i);
		else
			*(int64_t *)(void *)at = row_int(row, (int)i);
	}
	shape_write(v->w, v->of, v->item);
	return OK;
}

static enum err view_list(
	const struct collection *r, struct task *t, struct rows *rows, struct fault *why)
{
	struct json_writer w = { .out = &t->job.out };
	struct view_list v = { r->view, &w, arena_alloc(rows->arena, r->view->size) };
	enum err e = v.item ? OK : fail_memory(why);

	jw_object(&w);
	jw_put_array(&w, "items");
	if (!e) e = rows_query(rows, r->list, ARGS(t->job.who.ws), view_row, &v, why);
	jw_array_end(&w);
	if (!e && r->tail) e = r->tail(t, rows, &w, why);
	jw_object_end(&w);
	return e;
}

enum err collection_list(struct job *job, struct rows *rows, struct fault *why)
{
	const struct collection *r = collection_of(job);
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct list_page p;
	struct val args[LIST_ARGS_MAX];
	int len = 1;
	enum err e = collection_admit(r, t, rows, why);

	if (r->view) return e ? e : view_list(r, t, rows, why);
	if (!e) e = page_read(t, rows, r->nouns, &p, why);
	args[0] = val_int(job->who.ws);
	if (!e && r->paged) {
		args[len++] = val_text(
			p.has_cursor || !r->first ? p.cursor[0] : str_of(r->first));
		args[len++] = val_int(p.limit + 1);
	}
	if (!e && r->args) e = r->args(t, rows, args, &len, why);
	if (!e) e = rows_fetch(rows, r->record, r->list, args, len, why);
	if (e) return e;
	struct collection_page l = { .of = r,
		.t = t,
		.rows = rows,
		.w = &w,
		.after = p.cursor[0],
		.left = p.limit,
		.begun = r->paged || !p.has_cursor };
	page_begin(&w);
	e = items_list(&l, why);
	page_end(t, &w, &p, l.more ? &l.last : NULL, 1);
	return e;
}

enum err collection_get(struct job *job, struct rows *rows, struct fault *why)
{
	const struct collection *r = collection_of(job);
	struct task *t = task_of(job);
	const void *found;
	enum err e = collection_admit(r, t, rows, why);

	if (!e) e = collection_find(r, t, rows, t->id, &found, why);
	return e ? e : collection_reply(r, t, rows, found, why);
}

/* ---- create, change, delete ---- */

enum err collection_room(const struct collection *r, struct task *t, struct rows *rows,
	size_t most, struct fault *why)
{
	const void *at = NULL;
	size_t n = 0;
	enum err e = rows_fetch(rows, r->record, r->list, ARGS(t->job.who.ws), why);

	while (!e && (at = rows_next(rows, r->record, at)))
		n += *workspace_of(r, at) == t->job.who.ws;
	return e || n < most ? e
			     : fail(why, ERR_CONFLICT, "there are already %zu %s", most,
				       r->nouns);
}

enum err collection_create(struct job *job, struct rows *rows, struct fault *why)
{
	const struct collection *r = collection_of(job);
	struct task *t = task_of(job);
	void *fresh = arena_alloc(rows->arena, records[r->record].size);
	void *record;
	enum err e = fresh ? collection_admit(r, t, rows, why) : fail_memory(why);

	if (e) return e;
	*workspace_of(r, fresh) = job->who.ws;
	e = r->fill(t, rows, NULL, fresh, why);
	if (e) return e;
	record = rows_new(rows, r->record, fresh);
	job->status = 201;
	desk_keep_id(t, r->noun, id_of(r, record));
	e = collection_reply(r, t, rows, record, why);
	return e || !r->written ? e : r->written(t, rows, NULL, record, why);
}

enum err collection_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	const struct collection *r = collection_of(job);
	struct task *t = task_of(job);
	const void *found;
	struct str id;
	enum err e = desk_kept_id(t, k, r->noun, &id, why);

	if (!e) e = collection_find(r, t, rows, id, &found, why);
	return e ? e : collection_reply(r, t, rows, found, why);
}

/* What the configuration defines is not changed here. */
static enum err stored_of(const struct collection *r, struct task *t, struct rows *rows,
	const void **out, struct fault *why)
{
	enum err e = collection_admit(r, t, rows, why);

	if (!e) e = collection_find(r, t, rows, t->id, out, why);
	if (e || !r->own || record_version(&records[r->record], *out)) return e;
	return fail(why, ERR_READ_ONLY,
		"%.*s is defined by the server's configuration: change it there and restart",
		STR_ARGS(str_first(text_at(*out, r->name_at), 64)));
}

static const struct str version_names[] = { STR("version") };
const struct members version_also = { version_names, 1 };

enum err version_read(const struct json *body, int64_t *out, struct fault *why)
{
	const struct json *version = json_get(body, "version");

	if (!json_is(body, JSON_OBJECT)) return fail_at(why, "", "must be an object");
	if (!version || !version->is_int || version->integer < 0)
		return fail_at(why, "/version", "is missing: give the one that was read");
	*out = version->integer;
	return OK;
}

enum err version_patch_check(struct task *t, struct fault *why)
{
	int64_t version;
	enum err e = version_read(t->body, &version, why);

	if (!e && t->body->count == 1) e = fail_at(why, "", "nothing to change");
	return e;
}

enum err version_match(const char *what, int64_t said, int64_t now, struct fault *why)
{
	return said == now ? OK
			   : fail(why, ERR_CONFLICT, "%s changed since: version %lld now",
				     what, (long long)now);
}

/* A body that names no version changes whichever there is: the check sees to it where it must. */
enum err collection_patch(struct job *job, struct rows *rows, struct fault *why)
{
	const struct collection *r = collection_of(job);
	const struct record *kept = &records[r->record];
	struct task *t = task_of(job);
	const struct json *said = json_get(t->body, "version");
	void *before = arena_alloc(rows->arena, kept->size);
	void *after = arena_alloc(rows->arena, kept->size), *record;
	const void *was;
	enum err e =
		before && after ? stored_of(r, t, rows, &was, why) : fail_memory(why);

	if (e) return e;
	memcpy(before, was, kept->size);
	memcpy(after, was, kept->size);
	e = r->fill(t, rows, before, after, why);
	if (!e && said && said->is_int)
		e = version_match(arena_print(rows->arena, "the %s has", r->noun).at,
			said->integer, record_version(kept, was), why);
	if (e) return e;
	record = rows_change(rows, was);
	record_set_version(kept, after, record_version(kept, record));
	memcpy(record, after, kept->size);
	e = collection_reply(r, t, rows, record, why);
	return e || !r->written ? e : r->written(t, rows, before, record, why);
}

enum err collection_delete(struct job *job, struct rows *rows, struct fault *why)
{
	const struct collection *r = collection_of(job);
	struct task *t = task_of(job);
	const void *found;
	enum err e = stored_of(r, t, rows, &found, why);

	if (!e && r->before_delete) e = r->before_delete(t, rows, found, why);
	if (e) return e;
	rows_delete(rows, found);
	job->status = 204;
	return OK;
}
