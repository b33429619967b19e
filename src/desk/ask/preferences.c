/* preferences.c - preferred answers: listed, made, changed, removed. One's own are one's own; those of the
 * workspace and its projects are the admins'. */
#include "base/keep.h"
#include "core/ask/preference.h"
#include "core/shared/show.h"
#include "desk/shared/collection.h"

/* ---- the body ---- */

struct preference_body {
	struct str question, project;
	bool mine;
	const struct json *value;
};

static const struct shape_member preference_members[] = {
	{ STR("question"), OF_TEXT, AT(preference_body, question), 1, QUESTION_TEXT_MAX,
		TEXT_FILLED | TEXT_NEEDED | SHAPE_FIXED },
	{ STR("project"), OF_TEXT, AT(preference_body, project), 1, 100,
		TEXT_LINE | TEXT_FILLED | SHAPE_FIXED },
	{ STR("mine"), OF_BOOL, AT(preference_body, mine), .flags = SHAPE_FIXED },
	{ STR("value"), OF_JSON, AT(preference_body, value) },
};
/* As PreferenceRequest in openapi.json. */
static const struct shape preference_shape = { SHAPE(
	preference_members, preference_body) };

static enum err value_check(const struct preference_body *b, struct fault *why)
{
	struct buf text = { .max = PREFERENCE_VALUE_MAX };
	bool wrong;

	if (b->value) json_write(&text, b->value);
	wrong = !b->value || b->value->type == JSON_NULL || text.failed;
	buf_done(&text);
	return wrong ? fail_at(why, "/value", "an answer of at most %d bytes",
			       PREFERENCE_VALUE_MAX)
		     : OK;
}

static enum err preference_check(struct task *t, struct fault *why)
{
	struct preference_body *b = TASK_CHECKED(t, struct preference_body);
	enum err e = shape_take(&preference_shape, t->body, NULL, &t->job.arena, b, why);

	return e ? e : value_check(b, why);
}

static enum err preference_patch_check(struct task *t, struct fault *why)
{
	struct preference_body *b = TASK_CHECKED(t, struct preference_body);
	enum err e = version_patch_check(t, why);

	if (!e) e = MEMBERS_ONLY(t->body, why, "value", "version");
	b->value = json_get(t->body, "value");
	return e ? e : value_check(b, why);
}

/* ---- the collection ---- */

static bool is_own(const struct task *t, const struct preference *p)
{
	return p->owner.len && str_eq(p->owner, t->job.who.user);
}

static enum err preference_may(
	const struct task *t, const struct preference *p, struct fault *why)
{
	return is_own(t, p) || (!p->owner.len && role_may(t->job.who.role, MAY_ADMIN))
		       ? OK
		       : fail(why, ERR_FORBIDDEN,
				 "what a workspace or a project prefers is set by admins");
}

static bool preference_listed(struct task *t, struct rows *rows, const void *record)
{
	const struct preference *p = record;

	(void)rows;
	return !p->owner.len || is_own(t, p);
}

static enum err preference_found(const struct collection *r, struct task *t,
	struct rows *rows, struct str which, const void **out, struct fault *why)
{
	enum err e = collection_stored(rows, r->record, t->job.who.ws, which, out, why);

	if (!e && *out && !preference_listed(t, rows, *out)) *out = NULL;
	return e;
}

static enum err preference_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	(void)t, (void)rows, (void)why;
	preference_write(w, record);
	return OK;
}

static enum err preference_new(
	struct task *t, struct rows *rows, struct preference *fresh, struct fault *why)
{
	const struct preference_body *b = t->checked;
	const struct preference *p = NULL;
	size_t count = 0;
	enum err e;

	fresh->owner = b->mine ? t->job.who.user : STR_NONE;
	fresh->project = b->project;
	fresh->question = b->question;
	e = preference_may(t, fresh, why);
	if (!e)
		e = rows_fetch(rows, RECORD_PREFERENCES,
			SQL_OF(RECORD_PREFERENCES, RECORD_PAGE),
			ARGS(t->job.who.ws, "", PREFERENCES_MAX), why);
	while (!e && (p = rows_next(rows, RECORD_PREFERENCES, p))) {
		if (p->ws != t->job.who.ws) continue;
		count++;
		if (str_eq(p->owner, fresh->owner) &&
			str_eq(p->project, fresh->project) &&
			str_eq(p->question, fresh->question))
			e = fail(why, ERR_CONFLICT,
				"there is one for this question: change %.*s",
				STR_ARGS(p->id));
	}
	if (!e && count >= PREFERENCES_MAX)
		e = fail(why, ERR_CONFLICT, "there are already %d; delete some first",
			PREFERENCES_MAX);
	fresh->id = rows_new_id(rows, "prf");
	fresh->created_ms = rows->now_ms;
	return e;
}

static enum err preference_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	const struct preference_body *b = t->checked;
	struct preference *p = record;
	struct buf value = { 0 }, by = { .max = 4096 };
	enum err e = was ? preference_may(t, was, why) : preference_new(t, rows, p, why);

	if (e) return e;
	json_write(&value, b->value);
	p->value = buf_keep_done(&value, rows->arena);
	answered_by_write(&by, "human", &t->job.who);
	p->made_by = buf_keep_done(&by, rows->arena);
	return OK;
}

static enum err preference_before_delete(
	struct task *t, struct rows *rows, const void *record, struct fault *why)
{
	(void)rows;
	return preference_may(t, record, why);
}

static const struct collection preferences = {
	.noun = "preference",
	.nouns = "preferences",
	.record = RECORD_PREFERENCES,
	.id_at = offsetof(struct preference, id),
	.list = SQL_OF(RECORD_PREFERENCES, RECORD_PAGE),
	.paged = true,
	.lists = preference_listed,
	.find = preference_found,
	.show = preference_shown,
	.fill = preference_fill,
	.before_delete = preference_before_delete,
};

const struct use use_preference_list =
	LISTS("preference_list", MAY_READ_ALL, preferences);
const struct use use_preference_get = GETS("preference_get", MAY_READ_ALL, preferences);
const struct use use_preference_create =
	CREATES("preference_create", MAY_SETTLE, 0, preferences, preference_check);
const struct use use_preference_patch =
	PATCHES("preference_patch", MAY_SETTLE, 0, preferences, preference_patch_check);
const struct use use_preference_delete =
	DELETES("preference_delete", MAY_SETTLE, 0, preferences);
