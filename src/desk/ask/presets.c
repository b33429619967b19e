/* presets.c - templates of asks and lists of options: listed, put, deleted, asked with. People
 * read them, admins write them; agents see of a template what they need to ask with it. */
#include "base/keep.h"
#include "core/ask/preset.h"
#include "core/shared/show.h"

#include "desk/shared/inner.h"

/* What a PUT brings, checked. */
struct preset_body {
	struct str body;
	int64_t version;
};

static struct str kind_text(enum preset_kind kind)
{
	return str_of(preset_kind_name(kind));
}

static enum err preset_missing(enum preset_kind kind, struct str name, struct fault *why)
{
	return kind == PRESET_LIST ? fail(why, ERR_NOT_FOUND, "no list %.*s",
					     STR_ARGS(str_first(name, 64)))
				   : fail(why, ERR_NOT_FOUND, "no template %.*s",
					     STR_ARGS(str_first(name, 64)));
}

/* NULL in *out: there is none. */
static enum err preset_fetch(struct rows *rows, int64_t ws, enum preset_kind kind,
	struct str name, const struct preset_record **out, struct fault *why)
{
	const struct record *r = &records[RECORD_PRESETS];
	const struct val key[] = { val_int(ws), val_text(kind_text(kind)),
		val_text(name) };
	struct str id = record_key_name(r, key, rows->arena);
	enum err e = OK;

	if (!rows_find(rows, RECORD_PRESETS, id) && !rows_ended(rows, RECORD_PRESETS, id))
		e = rows_fetch(rows, RECORD_PRESETS, SQL_OF(RECORD_PRESETS, RECORD_GET),
			key, 3, why);
	if (!e) *out = rows_find(rows, RECORD_PRESETS, id);
	return e;
}

/* ---- asked with ---- */

struct preset_finding {
	struct rows *rows;
	int64_t ws;
};

static enum err preset_found(void *ctx, enum preset_kind kind, struct str name,
	const struct json **out, struct fault *why)
{
	struct preset_finding *f = ctx;
	const struct preset_record *p = NULL;
	enum err e = preset_fetch(f->rows, f->ws, kind, name, &p, why);

	return e || !p ? e : json_read(p->body, NULL, f->rows->arena, out, why);
}

enum err desk_expand(struct rows *rows, int64_t ws, const struct json *body,
	const struct json **out, struct fault *why)
{
	struct preset_finding f = { rows, ws };

	return preset_expand(body, preset_found, &f, rows->arena, out, why);
}

/* ---- list, get ---- */

static enum err preset_listed(void *ctx, const struct row *row, struct fault *why)
{
	struct listed *l = ctx;
	struct preset_record p = { 0 };
	enum err e;

	if (l->left-- == 0) {
		l->more = true;
		return OK;
	}
	e = record_read(&records[RECORD_PRESETS], row, &l->t->job.arena, &p, why);
	if (!e && l->t->job.who.role == ROLE_AGENT)
		e = template_show_short(l->w, &p, &l->t->job.arena, why);
	else if (!e)
		preset_show(l->w, &p);
	l->last = p.name;
	l->found = true;
	return e;
}

static enum err preset_get(
	struct job *job, struct rows *rows, enum preset_kind kind, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct listed l = { .t = t, .w = &w, .left = 1 };
	const struct val key[] = { val_int(job->who.ws), val_text(kind_text(kind)),
		val_text(t->id) };
	enum err e = rows_query(
		rows, SQL_OF(RECORD_PRESETS, RECORD_GET), key, 3, preset_listed, &l, why);

	return e || l.found ? e : preset_missing(kind, t->id, why);
}

/* ---- put, delete ---- */

static enum err preset_check(struct task *t, enum preset_kind kind, struct fault *why)
{
	struct preset_body *b = TASK_CHECKED(t, struct preset_body);

	if (!t->body) return fail_at(why, "", "must be an object");
	return preset_read(
		kind, t->id, t->body, &t->job.arena, &b->body, &b->version, why);
}

static enum err presets_room(
	struct rows *rows, int64_t ws, enum preset_kind kind, struct fault *why)
{
	const struct val args[] = { val_int(ws), val_text(kind_text(kind)) };
	const struct preset_record *p = NULL;
	size_t n = 0;
	enum err e = rows_fetch(rows, RECORD_PRESETS, SQL_PRESETS_OF, args, 2, why);

	while (!e && (p = rows_next(rows, RECORD_PRESETS, p)))
		n += p->ws == ws && str_eq(p->kind, kind_text(kind));
	if (!e && n >= PRESETS_MAX)
		e = fail(why, ERR_CONFLICT, "there are already %d; delete some first",
			PRESETS_MAX);
	return e;
}

static enum err preset_put(
	struct job *job, struct rows *rows, enum preset_kind kind, struct fault *why)
{
	struct task *t = task_of(job);
	const struct preset_body *b = t->checked;
	struct json_writer w = { .out = &job->out };
	struct buf by = { .max = 4096 };
	const struct preset_record *found;
	struct preset_record *p;
	enum err e = preset_fetch(rows, job->who.ws, kind, t->id, &found, why);

	if (!e && b->version != (found ? found->version : 0))
		e = found ? fail(why, ERR_CONFLICT,
				    "it has changed since: version %lld now",
				    (long long)found->version)
			  : fail(why, ERR_CONFLICT, "it has been deleted since");
	if (!e && !found) e = presets_room(rows, job->who.ws, kind, why);
	if (e) return e;
	answered_by_write(&by, "human", &job->who);
	struct preset_record fresh = { .ws = job->who.ws,
		.kind = kind_text(kind),
		.name = t->id,
		.body = b->body,
		.changed_by = buf_keep_done(&by, rows->arena),
		.changed_ms = rows->now_ms };
	p = found ? rows_change(rows, found) : rows_new(rows, RECORD_PRESETS, &fresh);
	p->body = fresh.body;
	p->changed_by = fresh.changed_by;
	p->changed_ms = fresh.changed_ms;
	if (!found) job->status = 201;
	preset_show(&w, p);
	return OK;
}

static enum err preset_delete(
	struct job *job, struct rows *rows, enum preset_kind kind, struct fault *why)
{
	struct task *t = task_of(job);
	const struct preset_record *found;
	enum err e = preset_fetch(rows, job->who.ws, kind, t->id, &found, why);

	if (e) return e;
	if (!found) return preset_missing(kind, t->id, why);
	rows_delete(rows, found);
	job->status = 204;
	return OK;
}

/* ---- the use cases of each kind ---- */

#define PRESET_USES(word, of, list_sql, lists, reads)                                    \
	static enum err word##_list_read(                                                \
		struct job *job, struct rows *rows, struct fault *why)                   \
	{                                                                                \
		return page_list(                                                        \
			task_of(job), rows, lists, list_sql, preset_listed, why);        \
	}                                                                                \
	static enum err word##_get_read(                                                 \
		struct job *job, struct rows *rows, struct fault *why)                   \
	{                                                                                \
		return preset_get(job, rows, of, why);                                   \
	}                                                                                \
	static enum err word##_put_check(struct task *t, struct fault *why)              \
	{                                                                                \
		return preset_check(t, of, why);                                         \
	}                                                                                \
	static enum err word##_put_decide(                                               \
		struct job *job, struct rows *rows, struct fault *why)                   \
	{                                                                                \
		return preset_put(job, rows, of, why);                                   \
	}                                                                                \
	static enum err word##_delete_decide(                                            \
		struct job *job, struct rows *rows, struct fault *why)                   \
	{                                                                                \
		return preset_delete(job, rows, of, why);                                \
	}                                                                                \
	const struct use use_##word##_list =                                             \
		READS(#word "_list", reads, 0, word##_list_read, NULL);                  \
	const struct use use_##word##_get =                                              \
		READS(#word "_get", reads, 0, word##_get_read, NULL);                    \
	const struct use use_##word##_put = WRITES(#word "_put", MAY_ADMIN, 0, NULL,     \
		word##_put_decide, NULL, word##_put_check);                              \
	const struct use use_##word##_delete = WRITES(                                   \
		#word "_delete", MAY_ADMIN, 0, NULL, word##_delete_decide, NULL, NULL)

PRESET_USES(template, PRESET_TEMPLATE, SQL_TEMPLATE_LIST, "templates", MAY_ENTER);
PRESET_USES(list, PRESET_LIST, SQL_LIST_LIST, "lists", MAY_READ_ALL);
