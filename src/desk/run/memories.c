/* memories.c - notes that agents keep, as people see them: listed, added, deleted. */
#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"
#include "desk/run/configured.h"
#include "desk/run/memory_index.h"
#include "desk/shared/collection.h"

/* ---- bodies ---- */

/* An array, kept as it is. */
static void tags_read(const struct shape_reading *r, const struct shape_member *m,
	const struct json *tags)
{
	struct json_place at = place_member(r->at, m->name);
	struct memory *memory = r->out;
	struct buf text = { 0 };

	if (!tags) return;
	if (tags->type != JSON_ARRAY || tags->count > MEMORY_TAGS_MAX) {
		wrong(r->check, &at, "at most %d tags", MEMORY_TAGS_MAX);
		return;
	}
	for (uint32_t i = 0; i < tags->count; i++)
		if (!json_is(&tags->items[i], JSON_STRING) ||
			text_longer(tags->items[i].text, MEMORY_TAG_MAX))
			wrong(r->check, &at,
				"each tag is a text of at most %d characters",
				MEMORY_TAG_MAX);
	json_write(&text, tags);
	memory->tags = buf_keep_done(&text, r->arena);
}

static void scope_check(const struct shape_reading *r)
{
	const struct memory *m = r->out;

	if (m->scope == MEMORY_AGENT && !m->agent.len)
		wrong_member(r->check, r->at, STR("agent"), "required for this scope");
	if (m->scope == MEMORY_SESSION && !m->session.len)
		wrong_member(r->check, r->at, STR("session"), "required for this scope");
	if (m->scope != MEMORY_SESSION && m->session.len)
		wrong_member(r->check, r->at, STR("session"), "only for scope session");
}

static const struct shape_member memory_members[] = {
	{ STR("text"), OF_TEXT, AT(memory, text), 1, MEMORY_TEXT_MAX,
		TEXT_FILLED | TEXT_NEEDED },
	{ STR("agent"), OF_TEXT, AT(memory, agent), 1, 100, TEXT_LINE | TEXT_FILLED },
	{ STR("session"), OF_TEXT, AT(memory, session), 1, 64, TEXT_LINE | TEXT_FILLED },
	{ STR("scope"), OF_WORD, AT(memory, scope), .must = "workspace, agent or session",
		WORDS(memory_scope_names) },
	{ STR("tags"), OF_OWN, .read = tags_read },
};
/* As MemoryRequest in openapi.json. */
static const struct shape memory_shape = { SHAPE(memory_members, memory),
	.together = scope_check };

static enum err memory_check(struct task *t, struct fault *why)
{
	struct memory *m = TASK_CHECKED(t, struct memory);

	return shape_take(&memory_shape, t->body, NULL, &t->job.arena, m, why);
}

/* ---- the collection ---- */

static enum err memory_admit(struct task *t, struct rows *rows, struct fault *why)
{
	(void)rows;
	return role_may(t->job.who.role, MAY_READ_ALL)
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "the role %s may not see memories",
				 role_name(t->job.who.role));
}

static enum err memory_args(
	struct task *t, struct rows *rows, struct val *args, int *len, struct fault *why)
{
	struct str scope = task_param(t, "scope"), like = STR_NONE, agent = STR_NONE;
	enum memory_scope known;
	enum err e = OK;

	if (scope.len && !memory_scope_read(scope, &known))
		e = fail_at(why, "/scope", "workspace, agent or session");
	if (!e) e = agents_param(t, rows, &agent, why);
	if (!e) e = like_read(task_param(t, "q"), &t->job.arena, &like, why);
	args[(*len)++] = val_text(scope);
	args[(*len)++] = val_text(agent);
	args[(*len)++] = val_text(task_param(t, "session"));
	args[(*len)++] = val_text(like);
	return e;
}

static enum err memory_show(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	(void)t, (void)rows, (void)why;
	memory_write(w, record);
	return OK;
}

static enum err memory_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	struct memory *m = record;
	struct buf folded = { 0 };
	struct session *s;
	enum err e = OK;

	(void)was;
	*m = *(const struct memory *)t->checked;
	m->ws = t->job.who.ws;
	if (m->session.len) e = rows_fetch_session(rows, m->ws, m->session, &s, why);
	if (e == ERR_NOT_FOUND) e = fail_at(why, "/session", "no such session");
	if (e) return e;
	m->id = rows_new_id(rows, "mem");
	m->created_ms = rows->now_ms;
	utf8_fold(&folded, m->text);
	buf_add_char(&folded, ' ');
	utf8_fold(&folded, m->tags);
	m->search = buf_keep_done(&folded, rows->arena);
	return memory_index_add(rows, m, why);
}

static enum err memory_unindex(
	struct task *t, struct rows *rows, const void *record, struct fault *why)
{
	(void)t, (void)why;
	memory_index_remove(rows, record);
	return OK;
}

static const struct collection memories = {
	.noun = "memory",
	.nouns = "memories",
	.record = RECORD_MEMORIES,
	.id_at = offsetof(struct memory, id),
	.list = SQL_MEMORY_LIST,
	.paged = true,
	.first = "zz",
	.admit = memory_admit,
	.args = memory_args,
	.show = memory_show,
	.fill = memory_fill,
	.before_delete = memory_unindex,
};

/* ---- search ---- */

struct memory_asked {
	struct str scope, agent, session; /* empty: any */
};

static bool memory_shown(void *ctx, const struct memory *m)
{
	const struct memory_asked *a = ctx;

	return (!a->scope.len || str_is(a->scope, memory_scope_name(m->scope))) &&
	       (!a->agent.len || str_eq(a->agent, m->agent)) &&
	       (!a->session.len || str_eq(a->session, m->session));
}

/* One page: the best. */
static enum err memory_search(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct val args[LIST_ARGS_MAX];
	struct memory_asked asked;
	const struct memory **found = NULL;
	struct list_page p;
	size_t len = 0;
	int args_len = 0;
	enum err e = memory_admit(t, rows, why);

	if (!e) e = page_read(t, rows, "memories", &p, why);
	if (!e) e = memory_args(t, rows, args, &args_len, why);
	if (e) return e;
	asked = (struct memory_asked){ args[0].text, args[1].text, args[2].text };
	struct memory_search s = { .ws = job->who.ws,
		.shown = memory_shown,
		.ctx = &asked,
		.most = (size_t)p.limit };
	memory_query_read(task_param(t, "q"), &job->arena, &s.query);
	found = ARENA_ARRAY(&job->arena, const struct memory *, s.most);
	e = found ? memory_index_find(rows, &s, found, &len, why) : fail_memory(why);
	if (e) return e;
	page_begin(&w);
	for (size_t i = 0; i < len; i++)
		memory_write(&w, found[i]);
	page_end(t, &w, &p, NULL, 1);
	return OK;
}

static enum err memory_list(struct job *job, struct rows *rows, struct fault *why)
{
	return task_param(task_of(job), "q").len ? memory_search(job, rows, why)
						 : collection_list(job, rows, why);
}

const struct use use_memory_list =
	COLLECTION_READS("memory_list", 0, memory_list, memories);
const struct use use_memory_add =
	CREATES("memory_add", MAY_SETTLE, 0, memories, memory_check);
const struct use use_memory_delete = DELETES("memory_delete", MAY_SETTLE, 0, memories);
