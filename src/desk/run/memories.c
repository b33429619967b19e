/* memories.c - notes that agents keep, as people see them: listed, added, deleted. */
#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/run/configured.h"
#include "desk/shared/inner.h"

/* ---- list ---- */

struct memory_list {
	struct task *t;
	struct json_writer *w;
	int64_t left;
	bool more;
	struct str last;
};

static enum err memory_row(void *ctx, const struct row *row, struct fault *why)
{
	struct memory_list *l = ctx;
	struct arena scratch = { 0 };
	struct memory m;
	enum err e = record_read(&records[RECORD_MEMORIES], row, &scratch, &m, why);

	if (!e && !l->left) {
		l->more = true;
	} else if (!e) {
		l->left--;
		l->last = arena_str(&l->t->job.arena, m.id);
		memory_write(l->w, &m);
	}
	arena_done(&scratch);
	return e;
}

static enum err memory_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct str scope = task_param(t, "scope"), like, agent = STR_NONE;
	struct memory_list l = { .t = t, .w = &w };
	enum memory_scope known;
	struct list_page p;
	int64_t as_of = 0;
	enum err e =
		role_may(job->who.role, MAY_READ_ALL)
			? OK
			: fail(why, ERR_FORBIDDEN, "the role %s may not see memories",
				  role_name(job->who.role));

	if (!e) e = page_read(t, "memories", &p, why);
	if (!e && scope.len && !memory_scope_read(scope, &known))
		e = fail_at(why, "/scope", "workspace, agent or session");
	if (!e) e = desk_agent_param(t, rows, &agent, why);
	if (!e) e = like_read(task_param(t, "q"), &job->arena, &like, why);
	if (!e) e = last_event(rows, job->who.ws, &as_of, why);
	if (e) return e;
	const struct val args[] = { val_int(job->who.ws),
		val_text(p.has_cursor ? p.cursor[0] : STR("zz")), val_int(p.limit + 1),
		val_text(scope), val_text(agent), val_text(task_param(t, "session")),
		val_text(like) };

	l.left = p.limit;
	jw_object(&w);
	jw_put_array(&w, "items");
	e = rows_query(rows, SQL_MEMORY_LIST, args, 7, memory_row, &l, why);
	jw_array_end(&w);
	page_end(t, &w, "memories", l.more ? &l.last : NULL, 1, as_of);
	jw_object_end(&w);
	return e;
}

const struct use use_memory_list = READS("memory_list", 0, 0, memory_list_read, NULL);

/* ---- add ---- */

enum { M_SCOPE, M_AGENT, M_SESSION, M_TEXT, M_TAGS, M_LEN };

static const struct str names[M_LEN] = {
	[M_SCOPE] = STR("scope"),
	[M_AGENT] = STR("agent"),
	[M_SESSION] = STR("session"),
	[M_TEXT] = STR("text"),
	[M_TAGS] = STR("tags"),
};
static const struct members memory_members = { names, M_LEN };

static void tags_check(
	struct check *c, const struct json_place *root, const struct json *tags)
{
	struct json_place at = place_member(root, names[M_TAGS]);

	if (!tags) return;
	if (tags->type != JSON_ARRAY || tags->count > MEMORY_TAGS_MAX) {
		wrong(c, &at, "at most %d tags", MEMORY_TAGS_MAX);
		return;
	}
	for (uint32_t i = 0; i < tags->count; i++)
		if (!json_is(&tags->items[i], JSON_STRING) ||
			text_longer(tags->items[i].text, MEMORY_TAG_MAX))
			wrong(c, &at, "each tag is a text of at most %d characters",
				MEMORY_TAG_MAX);
}

static enum err memory_check(struct task *t, struct fault *why)
{
	struct memory *m = TASK_CHECKED(t, struct memory);
	struct check c = { .why = why };
	struct json_place root = place_root("");
	const struct json *v[M_LEN];
	struct buf tags = { 0 };

	if (members_read(&c, &root, t->body, &memory_members, NULL, v)) {
		m->text = text_read(&c, &root, names[M_TEXT], v[M_TEXT], MEMORY_TEXT_MAX,
			TEXT_FILLED | TEXT_NEEDED);
		m->agent = text_read(&c, &root, names[M_AGENT], v[M_AGENT], 100,
			TEXT_LINE | TEXT_FILLED);
		m->session = text_read(&c, &root, names[M_SESSION], v[M_SESSION], 64,
			TEXT_LINE | TEXT_FILLED);
		if (v[M_SCOPE] && !memory_scope_read(json_text(v[M_SCOPE]), &m->scope))
			wrong_member(
				&c, &root, names[M_SCOPE], "workspace, agent or session");
		if (m->scope == MEMORY_AGENT && !m->agent.len)
			wrong_member(
				&c, &root, names[M_AGENT], "required for this scope");
		if (m->scope == MEMORY_SESSION && !m->session.len)
			wrong_member(
				&c, &root, names[M_SESSION], "required for this scope");
		if (m->scope != MEMORY_SESSION && m->session.len)
			wrong_member(
				&c, &root, names[M_SESSION], "only for scope session");
		tags_check(&c, &root, v[M_TAGS]);
		if (v[M_TAGS] && !c.failed) json_write(&tags, v[M_TAGS]);
	}
	m->tags = buf_keep_done(&tags, &t->job.arena);
	return check_end(&c, &t->job.arena);
}

static enum err memory_add_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct memory m = *(struct memory *)task_of(job)->checked;
	struct json_writer w = { .out = &job->out };
	struct buf folded = { 0 };
	struct session *s;
	enum err e = OK;

	if (m.session.len) e = rows_fetch_session(rows, job->who.ws, m.session, &s, why);
	if (e == ERR_NOT_FOUND) e = fail_at(why, "/session", "no such session");
	if (e) return e;
	m.ws = job->who.ws;
	m.id = rows_new_id(rows, "mem");
	m.created_ms = rows->now_ms;
	utf8_fold(&folded, m.text);
	buf_add_char(&folded, ' ');
	utf8_fold(&folded, m.tags);
	m.search = buf_keep_done(&folded, rows->arena);
	rows_new(rows, RECORD_MEMORIES, &m);
	job->status = 201;
	desk_keep_id(task_of(job), "memory", m.id);
	memory_write(&w, &m);
	return OK;
}

static enum err memory_find(struct job *job, struct rows *rows, struct str id,
	const struct memory **out, struct fault *why)
{
	const struct val key[] = { val_int(job->who.ws), val_text(id) };
	enum err e = rows_fetch(
		rows, RECORD_MEMORIES, SQL_OF(RECORD_MEMORIES, RECORD_GET), key, 2, why);

	if (e) return e;
	*out = rows_find(rows, RECORD_MEMORIES, id);
	if (*out && (*out)->ws == job->who.ws) return OK;
	return fail(why, ERR_NOT_FOUND, "no memory %.*s", STR_ARGS(str_first(id, 64)));
}

static enum err memory_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct json_writer w = { .out = &job->out };
	const struct memory *m;
	struct str id;
	enum err e = desk_kept_id(task_of(job), k, "memory", &id, why);

	if (!e) e = memory_find(job, rows, id, &m, why);
	if (!e) memory_write(&w, m);
	return e;
}

const struct use use_memory_add = WRITES(
	"memory_add", MAY_SETTLE, 0, NULL, memory_add_decide, memory_again, memory_check);

/* ---- delete ---- */

static enum err memory_delete_decide(
	struct job *job, struct rows *rows, struct fault *why)
{
	const struct memory *m;
	enum err e = memory_find(job, rows, task_of(job)->id, &m, why);

	if (e) return e;
	job->status = 204;
	rows_delete(rows, m);
	return OK;
}

const struct use use_memory_delete =
	WRITES("memory_delete", MAY_SETTLE, 0, NULL, memory_delete_decide, NULL, NULL);
