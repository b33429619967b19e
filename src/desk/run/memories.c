/* memories.c - notes that agents keep, as people see them: listed, added, deleted. */
#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/run/configured.h"
#include "desk/shared/collection.h"

/* ---- bodies ---- */

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
};

const struct use use_memory_list = LISTS("memory_list", 0, memories);
const struct use use_memory_add =
	CREATES("memory_add", MAY_SETTLE, 0, memories, memory_check);
const struct use use_memory_delete = DELETES("memory_delete", MAY_SETTLE, 0, memories);
