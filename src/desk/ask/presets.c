/* presets.c - templates of asks and lists of options: listed, put, deleted, asked with. People
 * read them, admins write them; agents see of a template what they need to ask with it. */
#include "base/keep.h"
#include "core/ask/preset.h"
#include "core/shared/show.h"

#include "desk/shared/collection.h"

/* What a PUT brings, checked. */
struct preset_body {
	struct str body;
	int64_t version;
};

static struct str kind_text(enum preset_kind kind)
{
	return str_of(preset_kind_name(kind));
}

/* NULL in *out: there is none. */
static enum err preset_fetch(struct rows *rows, int64_t ws, enum preset_kind kind,
	struct str name, const void **out, struct fault *why)
{
	return rows_get(
		rows, RECORD_PRESETS, KEY(ws, preset_kind_name(kind), name), out, why);
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
	const void *p;
	enum err e = preset_fetch(f->rows, f->ws, kind, name, &p, why);

	return e || !p ? e
		       : json_read(((const struct preset_record *)p)->body, NULL,
				 f->rows->arena, out, why);
}

enum err presets_expand(struct rows *rows, int64_t ws, const struct json *body,
	const struct json **out, struct fault *why)
{
	struct preset_finding f = { rows, ws };

	return preset_expand(body, preset_found, &f, rows->arena, out, why);
}

enum err presets_templates(struct rows *rows, int64_t ws, struct arena *arena,
	struct str *out, struct fault *why)
{
	enum { TOLD = 50 };
	struct str names[TOLD];
	struct buf b = { 0 };
	size_t len = 0;
	enum err e = rows_texts(
		rows, SQL_TEMPLATE_NAMES, ARGS(ws, TOLD), names, TOLD, &len, why);

	for (size_t i = 0; i < len; i++)
		buf_print(&b, "%s%.*s", i ? ", " : "", STR_ARGS(names[i]));
	*out = buf_keep_done(&b, arena);
	return e;
}

/* ---- listed, put, deleted ---- */

static const struct collection templates, lists;

static enum preset_kind kind_of(const struct collection *r)
{
	return r == &lists ? PRESET_LIST : PRESET_TEMPLATE;
}

static enum err preset_find(const struct collection *r, struct task *t, struct rows *rows,
	struct str which, const void **out, struct fault *why)
{
	return preset_fetch(rows, t->job.who.ws, kind_of(r), which, out, why);
}

static enum err preset_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	if (t->job.who.role == ROLE_AGENT)
		return preset_show_short(w, record, rows->arena, why);
	preset_show(w, record);
	return OK;
}

static enum err preset_check(struct task *t, struct fault *why)
{
	struct preset_body *b = TASK_CHECKED(t, struct preset_body);

	if (!t->body) return fail_at(why, "", "must be an object");
	return preset_read(kind_of(collection_of(&t->job)), t->id, t->body, &t->job.arena,
		&b->body, &b->version, why);
}

static enum err presets_room(
	struct rows *rows, int64_t ws, enum preset_kind kind, struct fault *why)
{
	const struct preset_record *p = NULL;
	size_t n = 0;
	enum err e = rows_fetch(
		rows, RECORD_PRESETS, SQL_PRESETS_OF, ARGS(ws, kind_text(kind)), why);

	while (!e && (p = rows_next(rows, RECORD_PRESETS, p)))
		n += p->ws == ws && str_eq(p->kind, kind_text(kind));
	if (!e && n >= PRESETS_MAX)
		e = fail(why, ERR_CONFLICT, "there are already %d; delete some first",
			PRESETS_MAX);
	return e;
}

static enum err preset_put(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct preset_body *b = t->checked;
	enum preset_kind kind = kind_of(collection_of(job));
	struct buf by = { .max = 4096 };
	const struct preset_record *found;
	const void *at;
	struct preset_record *p;
	enum err e = preset_fetch(rows, job->who.ws, kind, t->id, &at, why);

	found = at;
	if (!e && !found && b->version)
		e = fail(why, ERR_CONFLICT, "it has been deleted since");
	if (!e && found) e = version_match("it has", b->version, found->version, why);
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
	preset_show(TO_REPLY(job), p);
	return OK;
}

#define PRESETS(word, words, sql)                                                        \
	{                                                                                \
		.noun = word, .nouns = words, .record = RECORD_PRESETS,                  \
		.id_at = offsetof(struct preset_record, name), .list = sql,              \
		.paged = true, .find = preset_find, .show = preset_shown                 \
	}

static const struct collection templates =
	PRESETS("template", "templates", SQL_TEMPLATE_LIST);
static const struct collection lists = PRESETS("list", "lists", SQL_LIST_LIST);

const struct use use_template_list = LISTS("template_list", MAY_ENTER, templates);
const struct use use_template_get = GETS("template_get", MAY_ENTER, templates);
const struct use use_template_put = COLLECTION_WRITES(
	"template_put", MAY_ADMIN, 0, preset_put, NULL, templates, preset_check);
const struct use use_template_delete =
	DELETES("template_delete", MAY_ADMIN, 0, templates);
const struct use use_list_list = LISTS("list_list", MAY_READ_ALL, lists);
const struct use use_list_get = GETS("list_get", MAY_READ_ALL, lists);
const struct use use_list_put = COLLECTION_WRITES(
	"list_put", MAY_ADMIN, 0, preset_put, NULL, lists, preset_check);
const struct use use_list_delete = DELETES("list_delete", MAY_ADMIN, 0, lists);
