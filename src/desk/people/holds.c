/* holds.c - holds: set, listed, lifted, and asked before a session or a user is deleted. One that is lifted
 * stays in the list. */
#include "desk/people/holds.h"

#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/field.h"
#include "core/shared/show.h"
#include "desk/shared/collection.h"

/* ---- the body ---- */

enum { NAME_MOST = 200 };

static const char *const held_names[] = { "project", "session", "agent", "user" };
enum { HELD_KINDS = sizeof held_names / sizeof *held_names };

static enum err hold_check(struct task *t, struct fault *why)
{
	struct legal_hold *h = TASK_CHECKED(t, struct legal_hold);
	struct str *const parts[HELD_KINDS] = { &h->project, &h->session, &h->agent,
		&h->user };
	size_t given = 0;
	enum err e = MEMBERS_ONLY(
		t->body, why, "project", "session", "agent", "user", "reason");

	for (size_t i = 0; i < HELD_KINDS; i++) {
		const struct json *value = json_get(t->body, held_names[i]);

		if (!value || value->type == JSON_NULL) continue;
		given++;
		if (!json_is(value, JSON_STRING) || !value->text.len ||
			text_longer(value->text, NAME_MOST))
			e = fail_at(why, POINTER("/%s", held_names[i]),
				"must be a text of 1 to %d characters", NAME_MOST);
		else
			*parts[i] = value->text;
	}
	if (given != 1)
		e = fail_at(why, "", "exactly one of project, session, agent and user");
	h->reason = str_trim(json_text_of(t->body, "reason"));
	if (!h->reason.len || text_longer(h->reason, HOLD_REASON_MAX) ||
		!text_one_line(h->reason))
		e = fail_at(why, "/reason", "a line of 1 to %d characters: why",
			HOLD_REASON_MAX);
	return e;
}

/* ---- the collection ---- */

/* All of them, unless it is said otherwise. */
static enum err hold_args(
	struct task *t, struct rows *rows, struct val *args, int *len, struct fault *why)
{
	int64_t state = 2;
	enum err e = task_has_param(t, "state") ? desk_state_read(t, &state, why) : OK;

	(void)rows;
	args[(*len)++] = val_int(state);
	return e;
}

static enum err hold_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	(void)t, (void)rows, (void)why;
	legal_hold_show(w, record);
	return OK;
}

static bool hold_stands(const struct legal_hold *h, int64_t ws)
{
	return h->ws == ws && !h->lifted.len;
}

static enum err hold_room(struct rows *rows, int64_t ws, struct fault *why)
{
	const struct legal_hold *h = NULL;
	size_t count = 0;
	enum err e = rows_fetch(rows, RECORD_HOLDS, SQL_HOLDS_LIVE, ARGS(ws), why);

	while (!e && (h = rows_next(rows, RECORD_HOLDS, h)))
		count += hold_stands(h, ws);
	if (!e && count >= HOLDS_MAX)
		e = fail(why, ERR_CONFLICT,
			"%d holds stand already; lift some of them first", HOLDS_MAX);
	return e;
}

static enum err hold_known(
	struct task *t, struct rows *rows, const struct legal_hold *h, struct fault *why)
{
	struct session *s;
	const struct user *u = NULL;
	enum err e = OK;

	if (h->session.len)
		e = rows_fetch_session(rows, t->job.who.ws, h->session, &s, why);
	if (e == ERR_NOT_FOUND) return fail_at(why, "/session", "no such session");
	if (!e && h->user.len) {
		e = rows_get(rows, RECORD_USERS, KEY(t->job.who.ws, h->user), &u, why);
		if (!e && !u) e = fail_at(why, "/user", "no such user");
	}
	return e;
}

static enum err hold_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	const struct legal_hold *b = t->checked;
	struct legal_hold *h = record;
	struct buf by = { .max = 4096 };
	enum err e = hold_known(t, rows, b, why);

	(void)was;
	if (!e) e = hold_room(rows, t->job.who.ws, why);
	if (e) return e;
	answered_by_write(&by, "human", &t->job.who);
	h->id = rows_new_id(rows, "hld");
	h->project = b->project;
	h->session = b->session;
	h->agent = b->agent;
	h->user = b->user;
	h->reason = b->reason;
	h->made_by = buf_keep_done(&by, rows->arena);
	h->created_ms = rows->now_ms;
	return OK;
}

static const struct collection holds = {
	.noun = "hold",
	.nouns = "holds",
	.record = RECORD_HOLDS,
	.id_at = offsetof(struct legal_hold, id),
	.list = SQL_HOLDS_LIST,
	.paged = true,
	.first = "~",
	.args = hold_args,
	.show = hold_shown,
	.fill = hold_fill,
};

static enum err hold_lift_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct legal_hold *found;
	struct buf by = { .max = 4096 };
	struct legal_hold *h;
	const void *at;
	enum err e = desk_reach(&job->who, ROLE_OWNER, why);

	if (!e) e = collection_find(&holds, t, rows, t->id, &at, why);
	if (e) return e;
	found = at;
	if (found->lifted.len) return fail(why, ERR_CONFLICT, "it has already ended");
	answered_by_write(&by, "human", &job->who);
	h = rows_change(rows, found);
	h->lifted = fields_text(
		rows->arena, FIELDS(field_time("at", rows->now_ms),
				     field_json("by", buf_keep_done(&by, rows->arena))));
	job->status = 204;
	return OK;
}

const struct use use_hold_list = LISTS("hold_list", MAY_ADMIN, holds);
const struct use use_hold_get = GETS("hold_get", MAY_ADMIN, holds);
const struct use use_hold_set = CREATES("hold_set", MAY_ADMIN, 0, holds, hold_check);
const struct use use_hold_lift =
	WRITES("hold_lift", MAY_ADMIN, 0, NULL, hold_lift_decide, NULL, NULL);

/* ---- asked before something is deleted ---- */

static enum err held_refuse(struct task *t, const struct str *ids, size_t len,
	const char *what, struct fault *why)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	for (size_t i = 0; i < len; i++)
		jw_str(&w, ids[i]);
	jw_array_end(&w);
	t->job.conflict = buf_keep_done(&b, &t->job.arena);
	return fail(why, ERR_HELD, "a hold keeps this %s: it cannot be deleted", what);
}

/* Does a hold that was made in this batch, and is not in the store yet, fit the session? */
static bool new_hold_fits(const struct legal_hold *h, const struct session *s)
{
	return (h->project.len && str_eq(h->project, s->project)) ||
	       (h->session.len && str_eq(h->session, s->id)) ||
	       (h->agent.len &&
		       (str_eq(h->agent, s->agent) || str_eq(h->agent, s->agent_name))) ||
	       (h->user.len &&
		       (str_eq(h->user, s->starter) || str_eq(h->user, s->agent)));
}

enum err holds_on_session(
	struct task *t, struct rows *rows, const struct session *s, struct fault *why)
{
	struct str ids[HOLDS_MAX + 1];
	const struct legal_hold *h = NULL;
	size_t len = 0;
	enum err e = rows_texts(
		rows, SQL_SESSION_HOLDS, ARGS(s->ws, s->id), ids, HOLDS_MAX, &len, why);

	while (!e && len <= HOLDS_MAX && (h = rows_next(rows, RECORD_HOLDS, h)))
		if (hold_stands(h, s->ws) && rows_is_new(h) && new_hold_fits(h, s))
			ids[len++] = h->id;
	return e || !len ? e : held_refuse(t, ids, len, "session", why);
}

enum err holds_on_user(
	struct task *t, struct rows *rows, const struct user *u, struct fault *why)
{
	struct str ids[HOLDS_MAX + 1];
	const struct legal_hold *h = NULL;
	size_t len = 0;
	enum err e = rows_fetch(rows, RECORD_HOLDS, SQL_HOLDS_LIVE, ARGS(u->ws), why);

	while (!e && len <= HOLDS_MAX && (h = rows_next(rows, RECORD_HOLDS, h)))
		if (hold_stands(h, u->ws) && str_eq(h->user, u->id)) ids[len++] = h->id;
	return e || !len ? e : held_refuse(t, ids, len, "user", why);
}
