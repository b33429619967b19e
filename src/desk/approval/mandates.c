/* mandates.c - mandates: asked for, listed, granted by a person, revoked. */
#include "desk/approval/mandates.h"

#include "base/clock.h"
#include "base/keep.h"
#include "core/ask/ask.h"
#include "core/shared/body.h"
#include "core/shared/field.h"
#include "core/shared/show.h"
#include "desk/ask/ask.h"
#include "desk/shared/collection.h"

enum { TITLE_MAX = 200 };

/* ---- asked ---- */

struct mandate_body {
	struct str title, session, reason;
	int64_t until_ms;
	struct mandate_lines *lines;
	const struct json *lines_json;
};

static enum err body_read(struct task *t, int64_t now_ms, struct arena *arena,
	struct mandate_body *b, struct fault *why)
{
	static const struct str names[] = { STR("title"), STR("session"), STR("reason"),
		STR("until"), STR("lines") };
	static const struct members known = { names, 5 };
	struct check c = { .why = why };
	struct json_place root = place_root(""), until = place_member(&root, names[3]),
			  lines = place_member(&root, names[4]);
	const struct json *m[5];

	b->lines = ARENA_NEW(arena, struct mandate_lines);
	if (!b->lines) return fail_memory(why);
	if (members_read(&c, &root, t->body, &known, NULL, m)) {
		b->title = text_read(&c, &root, names[0], m[0], TITLE_MAX,
			TEXT_LINE | TEXT_FILLED | TEXT_NEEDED);
		b->reason = text_read(&c, &root, names[2], m[2], REASON_MAX, TEXT_FREE);
		b->session = t->id.len ? t->id : json_text(m[1]);
		if (m[1] && t->id.len && !str_eq(json_text(m[1]), t->id))
			wrong_member(
				&c, &root, names[1], "is not the session of this path");
		/* A call that may leave its session to the default one is told nothing. */
		if (!id_valid(b->session, "ses") && !t->default_session_title.len)
			wrong_member(&c, &root, names[1], "required: a session's id");
		b->until_ms = mandate_until_read(&c, &until, m[3], now_ms);
		b->lines_json = m[4];
		mandate_lines_read(&c, &lines, m[4], arena, b->lines);
	}
	return check_end(&c, arena);
}

static enum err mandate_check(struct task *t, struct fault *why)
{
	struct mandate_body *b = TASK_CHECKED(t, struct mandate_body);

	return body_read(t, clock_now_ms(), &t->job.arena, b, why);
}

/* Its ask: an approval whose operation is the bundle. */
static struct str ask_text(const struct mandate_body *b, struct arena *arena)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	jw_object(&w);
	jw_put_text(&w, "kind", "approval");
	jw_put_str(&w, "title", b->title);
	if (b->reason.len) {
		jw_put_object(&w, "context");
		jw_put_str(&w, "text", b->reason);
		jw_object_end(&w);
	}
	jw_put_object(&w, "operation");
	jw_put_text(&w, "type", "mandate");
	jw_put_text(&w, "name", "mandate");
	jw_put_object(&w, "arguments");
	jw_put_json(&w, "lines", b->lines_json);
	show_time(&w, "until", b->until_ms);
	jw_object_end(&w);
	jw_put_text(&w, "risk", risk_name(mandate_risk(b->lines)));
	jw_object_end(&w);
	jw_object_end(&w);
	return buf_keep_done(&out, arena);
}

static enum err mandate_ask(struct task *t, struct rows *rows,
	const struct mandate_body *b, struct session *s, struct ask **out,
	struct fault *why)
{
	struct draft_limits limits = desk_limits(t->desk);
	struct ask_from from = { .origin = ASK_BY_MANDATE,
		.session = s,
		.was = s->status,
		.timeout_ms = b->until_ms - rows->now_ms };
	const struct json *body;
	struct draft d = { 0 };
	enum err e = json_read(ask_text(b, rows->arena), NULL, rows->arena, &body, why);

	if (!e) e = draft_read(body, &limits, rows->arena, &d, why);
	if (!e) e = session_may_ask(s, d.kind, why);
	return e ? e : ask_make(t, rows, &d, &from, out, why);
}

static enum err room_check(struct rows *rows, const struct session *s, struct fault *why)
{
	const struct mandate_record *m = NULL;
	enum err e = rows_fetch(rows, RECORD_MANDATES, SQL_MANDATES_OPEN,
		ARGS(s->ws, s->agent, STR_NONE), why);
	int open = 0;

	while (!e && (m = rows_next(rows, RECORD_MANDATES, m)))
		open += m->ws == s->ws && str_eq(m->agent, s->agent) &&
			!str_is(m->status, "ended") && m->until_ms > rows->now_ms;
	if (!e && open >= MANDATES_MAX)
		e = fail(why, ERR_CONFLICT,
			"%d approvals in advance are open already; end some of them first",
			MANDATES_MAX);
	return e;
}

static enum err session_find(struct task *t, struct rows *rows, struct str id,
	struct session **out, struct fault *why)
{
	struct session *s = NULL;
	enum err e;

	if (!id.len) id = t->id;
	if (!id.len) return session_default(t, rows, out, why);
	e = rows_fetch_session(rows, t->job.who.ws, id, &s, why);
	if (e && e != ERR_NOT_FOUND) return e;
	if (!s || !principal_sees(&t->job.who, s->agent))
		return desk_missing("session", id, why);
	e = desk_own(&t->job.who, s->agent, why);
	if (!e) e = project_admit(t->job.who.projects, s->project, why);
	if (!e) *out = s;
	return e;
}

static enum err mandate_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	const struct mandate_body *b = t->checked;
	struct mandate_record *m = record;
	struct mandate_count none[MANDATE_LINES_MAX] = { 0 };
	struct buf lines = { 0 };
	struct session *s;
	struct ask *a;
	enum err e = session_find(t, rows, b->session, &s, why);

	(void)was;
	if (!e) e = room_check(rows, s, why);
	if (!e) e = desk_rate(t, rows->now_ms, why);
	if (!e) e = mandate_ask(t, rows, b, s, &a, why);
	if (e) return e;
	json_write(&lines, b->lines_json);
	m->id = rows_new_id(rows, "man");
	m->title = b->title;
	m->reason = b->reason;
	m->agent = s->agent;
	m->agent_name = s->agent_name;
	m->session = s->id;
	m->project = s->project;
	m->ask = a->id;
	m->status = STR("asked");
	m->lines = buf_keep_done(&lines, rows->arena);
	m->counts = mandate_counts_text(b->lines, none, rows->arena);
	m->until_ms = b->until_ms;
	m->created_ms = rows->now_ms;
	rows_due_at(rows, m->until_ms);
	mandate_event(rows, m, "mandate.asked",
		fields_text(rows->arena,
			FIELDS(field_text("mandate", m->id), field_text("ask", m->ask),
				field_str("title", m->title),
				mandate_field(m, rows->arena))));
	return OK;
}

/* A rule may have denied it at once; its ask is settled before the mandate has a row. */
static enum err mandate_written(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	struct mandate_record *m = record;
	struct ask *a;
	enum err e = rows_fetch_ask(rows, m->ws, m->ask, &a, why);

	(void)t, (void)was;
	if (!e && a->status != ASK_PENDING)
		mandate_end(rows, m, NULL, "rejected", STR_NONE);
	return e;
}

/* ---- listed ---- */

static bool is_own_only(const struct task *t)
{
	return t->job.who.role == ROLE_AGENT;
}

static enum err mandate_args(
	struct task *t, struct rows *rows, struct val *args, int *len, struct fault *why)
{
	static const char *const statuses[] = { "asked", "live", "ended" };
	struct str status = task_param(t, "status");

	if (status.len && name_find(statuses, 3, status) < 0)
		return fail_at(why, "/status", "must be asked, live or ended");
	args[(*len)++] = val_text(task_param(t, "agent"));
	args[(*len)++] = val_text(task_param(t, "session"));
	args[(*len)++] = val_text(status);
	args[(*len)++] = val_int(rows->now_ms);
	args[(*len)++] = val_text(is_own_only(t) ? t->job.who.agent : STR_NONE);
	return OK;
}

static enum err mandate_find(const struct collection *r, struct task *t,
	struct rows *rows, struct str id, const void **out, struct fault *why)
{
	const struct mandate_record *m;
	enum err e = collection_stored(rows, r->record, t->job.who.ws, id, out, why);

	m = e ? NULL : *out;
	if (m && is_own_only(t) && !str_eq(m->agent, t->job.who.agent)) *out = NULL;
	return e;
}

static enum err mandate_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	(void)t, (void)why;
	mandate_show(w, record, rows->now_ms);
	return OK;
}

static const struct collection mandates = {
	.noun = "mandate",
	.nouns = "mandates",
	.record = RECORD_MANDATES,
	.id_at = offsetof(struct mandate_record, id),
	.list = SQL_MANDATES_LIST,
	.paged = true,
	.first = "~",
	.args = mandate_args,
	.find = mandate_find,
	.show = mandate_shown,
	.fill = mandate_fill,
	.written = mandate_written,
};

const struct use use_mandate_list = LISTS("mandate_list", 0, mandates);
const struct use use_mandate_get = GETS("mandate_get", 0, mandates);

static void mandate_needs(struct job *job, struct wants *w)
{
	const struct mandate_body *b = task_of(job)->checked;

	if (!b->session.len) session_needs_default(job, w);
}

/* What a model asks for again while it is asked for is the same; NULL: it is new. */
static enum err mandate_same(struct task *t, struct rows *rows,
	const struct mandate_record **out, struct fault *why)
{
	const struct mandate_body *b = t->checked;
	const struct mandate_record *m = NULL;
	struct str lines = json_keep(b->lines_json, rows->arena);
	struct session *s;
	enum err e = OK;

	*out = NULL;
	if (!t->default_session_title.len) return OK;
	e = session_find(t, rows, b->session, &s, why);
	if (!e)
		e = rows_fetch(rows, RECORD_MANDATES, SQL_MANDATES_OPEN,
			ARGS(s->ws, STR_NONE, s->id), why);
	while (!e && !*out && (m = rows_next(rows, RECORD_MANDATES, m)))
		if (m->ws == s->ws && str_eq(m->session, s->id) &&
			str_is(m->status, "asked") && str_eq(m->title, b->title) &&
			str_eq(m->lines, lines))
			*out = m;
	return e;
}

static enum err create_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct mandate_record *m;
	enum err e = mandate_same(t, rows, &m, why);

	if (e) return e;
	return m ? collection_reply(&mandates, t, rows, m, why)
		 : collection_create(job, rows, why);
}

const struct use use_mandate_create = {
	.job = { "mandate_create", .may = MAY_ASK, .flags = JOB_ASKS,
		.needs = mandate_needs, .decide = create_decide,
		.again = collection_again },
	.check = mandate_check,
	.of = &mandates,
};

/* ---- revoked ---- */

static enum err revoke_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct settlement how = { .verb = SETTLE_CANCEL };
	const struct mandate_record *m;
	struct str person = principal_person(&job->who);
	const void *at;
	struct ask *a;
	enum err e = collection_find(&mandates, t, rows, t->id, &at, why);

	if (e) return e;
	m = at;
	if (!role_may(job->who.role, MAY_ADMIN) &&
		!(person.len && str_eq(person, m->granted_user)) &&
		!str_eq(job->who.agent, m->agent))
		return fail(why, ERR_FORBIDDEN,
			"only who granted it, an admin or its agent can revoke it");
	if (m->ended_ms || m->until_ms <= rows->now_ms)
		return fail(why, ERR_CONFLICT, "it has already ended");
	e = desk_reason_read(t->body, &how.reason, why);
	if (e) return e;
	mandate_end(rows, m, &job->who, "revoked", how.reason);
	e = rows_fetch_ask(rows, m->ws, m->ask, &a, why);
	if (!how.reason.len) how.reason = STR("the agent does not need it any more");
	if (!e && a->status == ASK_PENDING) e = ask_settle(t, rows, a, &how, why);
	return e ? e : collection_reply(&mandates, t, rows, m, why);
}

const struct use use_mandate_revoke =
	WRITES("mandate_revoke", 0, 0, NULL, revoke_decide, NULL, desk_reason_check);

/* ---- what becomes of its ask ---- */

static bool is_mandate(const struct ask *a)
{
	return a && a->kind == ASK_APPROVAL &&
	       str_find(a->fixed, STR("\"type\":\"mandate\"")) >= 0;
}

static enum err mandate_of(struct rows *rows, const struct ask *a,
	const struct mandate_record **out, struct fault *why)
{
	const struct mandate_record *m = NULL;
	enum err e = rows_fetch(rows, RECORD_MANDATES, SQL_MANDATE_OF_ASK,
		ARGS(a->ws, a->session, a->id), why);

	*out = NULL;
	while (!e && (m = rows_next(rows, RECORD_MANDATES, m)))
		if (m->ws == a->ws && str_eq(m->ask, a->id)) *out = m;
	return e;
}

enum err mandate_edit_admit(struct rows *rows, const struct ask *a,
	const struct ask_parts *parts, const struct json *body,
	const struct answer *answer, struct fault *why)
{
	struct json_place at =
		place_root(json_get(body, "answer") ? "/answer/arguments"
						    : "/answers/decision/arguments");
	struct check c = { .why = why };
	const struct mandate_record *m;
	struct str lines;
	int64_t until_ms;
	enum err e;

	if (operation_type_of(parts->operation) != TYPE_MANDATE) return OK;
	e = mandate_of(rows, a, &m, why);
	/* A bundle that no mandate stands behind: nothing comes of it, however it is edited. */
	if (e || !m) return e;
	mandate_narrow(&c, &at, m, answer->arguments, rows->now_ms, rows->arena, &lines,
		&until_ms);
	return check_end(&c, rows->arena);
}

/* How long this person may give it. */
static enum err until_most(const struct happened *h, const struct mandate_lines *lines,
	int64_t *out, struct fault *why)
{
	struct policy_snapshot *snapshot;
	enum err e = snapshot_of(h->task, h->rows, h->ask->ws, &snapshot, why);
	int64_t most;

	if (e) return e;
	most = role_may(h->task->job.who.role, MAY_ADMIN) ? MANDATE_LONGEST_MS
	       : mandate_risk(lines) == RISK_HIGH	  ? snapshot->policy.scope_high_ms
						  : snapshot->policy.scope_member_ms;
	*out = h->rows->now_ms + most;
	return OK;
}

static enum err mandate_grant(
	const struct happened *h, const struct mandate_record *at, struct fault *why)
{
	struct rows *rows = h->rows;
	struct mandate_lines *lines = ARENA_NEW(rows->arena, struct mandate_lines);
	struct mandate_count none[MANDATE_LINES_MAX] = { 0 };
	const struct json *edited = NULL;
	struct json_place root = place_root("");
	struct check c = { 0 };
	struct str narrow = at->lines;
	int64_t until_ms = at->until_ms, most;
	struct mandate_record *m;
	struct ask_parts parts;
	enum err e =
		lines ? ask_parts(h->ask, rows->arena, &parts, why) : fail_memory(why);

	if (!e) e = ask_edited(h->ask, &parts, rows->arena, &edited, why);
	if (e) return e;
	if (edited)
		mandate_narrow(&c, &root, at, edited, rows->now_ms, rows->arena, &narrow,
			&until_ms);
	if (c.failed || !mandate_lines_load(narrow, rows->arena, lines))
		return fail(why, ERR_INTERNAL, "mandate %.*s cannot be read",
			STR_ARGS(at->id));
	e = until_most(h, lines, &most, why);
	if (e) return e;
	m = rows_change(rows, at);
	m->status = STR("live");
	m->lines = narrow;
	m->counts = mandate_counts_text(lines, none, rows->arena);
	m->until_ms = until_ms < most ? until_ms : most;
	m->granted_by = h->ask->answered_by;
	m->granted_user = h->ask->settled_user;
	rows_due_at(rows, m->until_ms);
	rows_raise_policy(rows, m->ws);
	mandate_event(rows, m, "mandate.granted",
		fields_text(rows->arena, FIELDS(field_text("mandate", m->id),
						 field_json("by", m->granted_by),
						 field_json("lines", m->lines),
						 field_time("until", m->until_ms),
						 mandate_field(m, rows->arena))));
	return OK;
}

enum err mandate_settled(const struct happened *h, struct fault *why)
{
	const struct mandate_record *m;
	bool approved = false;
	enum err e;

	if (!is_mandate(h->ask)) return OK;
	e = mandate_of(h->rows, h->ask, &m, why);
	if (e || !m || m->ended_ms) return e;
	e = ask_approved(h->ask, h->rows->arena, &approved, why);
	if (e) return e;
	if (approved) return mandate_grant(h, m, why);
	mandate_end(h->rows, m, h->ask->settled_user.len ? &h->task->job.who : NULL,
		h->ask->status == ASK_EXPIRED ? "expired"
		: h->ask->status == ASK_CANCELLED
			? session_ended(h->session) ? "session" : "revoked"
			: "rejected",
		h->ask->settled_user.len ? h->ask->reason : STR_NONE);
	return OK;
}

enum err mandate_taken_back(const struct happened *h, struct fault *why)
{
	const struct mandate_record *m;
	const struct json *revoked;
	enum err e;

	if (!is_mandate(h->ask)) return OK;
	e = mandate_of(h->rows, h->ask, &m, why);
	if (!e) e = json_read(h->ask->revoked, NULL, h->rows->arena, &revoked, why);
	if (!e && m)
		mandate_end(h->rows, m, &h->task->job.who, "revoked",
			json_text_of(revoked, "reason"));
	return e;
}

enum err mandates_of_session(const struct happened *h, struct fault *why)
{
	const struct mandate_record *m = NULL;
	struct rows *rows = h->rows;
	enum err e;

	if (!session_ended(h->session)) return OK;
	e = rows_fetch(rows, RECORD_MANDATES, SQL_MANDATES_OPEN,
		ARGS(h->session->ws, STR_NONE, h->session->id), why);
	while (!e && (m = rows_next(rows, RECORD_MANDATES, m)))
		if (m->ws == h->session->ws && str_eq(m->session, h->session->id))
			mandate_end(rows, m, NULL, "session", STR_NONE);
	return e;
}
