/* stops.c - stops: set, listed, lifted. While one fits, nothing that asks goes on: approvals
 * are not used, rules allow nothing, resumers do not start. Asking and answering go on. */
#include "base/clock.h"
#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/policy/policy_snapshot.h"

enum { STOP_REASON_MAX = 500 };

struct stop_body {
	struct str match, reason;
	int64_t until_ms;
};

/* ---- the body ---- */

/* Agent, project and session, each as in a rule; absent: everything. */
static enum err match_read(
	const struct json *match, struct arena *arena, struct str *out, struct fault *why)
{
	struct rule_match parsed;
	struct buf b = { .max = 65536 };
	enum err e;

	*out = STR("{}");
	if (!match || match->type == JSON_NULL) return OK;
	e = rule_where_read(match, "/match", &parsed, why);
	if (e) return e;
	json_write(&b, match);
	*out = buf_keep_done(&b, arena);
	return OK;
}

static enum err stop_check(struct task *t, struct fault *why)
{
	static const char *const names[] = { "match", "reason", "until", NULL };
	struct stop_body *b = TASK_CHECKED(t, struct stop_body);
	const struct json *reason = json_get(t->body, "reason");
	const struct json *until = json_get(t->body, "until");
	enum err e;

	if (!t->body) return fail_at(why, "/reason", "required");
	e = members_only(t->body, names, why);
	if (match_read(json_get(t->body, "match"), &t->job.arena, &b->match, why))
		e = why->err;
	b->reason = str_trim(json_text(reason));
	if (!b->reason.len || text_longer(b->reason, STOP_REASON_MAX) ||
		!text_one_line(b->reason))
		e = fail_at(why, "/reason", "a line of 1 to %d characters: why",
			STOP_REASON_MAX);
	if (until && until->type != JSON_NULL &&
		(!json_is(until, JSON_STRING) || !time_read(until->text, &b->until_ms)))
		e = fail_at(why, "/until", "a time (RFC 3339) or null");
	return e;
}

/* ---- set ---- */

static void stop_reply(struct task *t, const struct stop_record *s, int64_t now_ms)
{
	struct json_writer w = { .out = &t->job.out };

	stop_show(&w, s, now_ms);
}

static enum err stops_count(
	struct rows *rows, int64_t ws, int64_t *out, struct fault *why)
{
	const struct val args[] = { val_int(ws) };
	const struct stop_record *s = NULL;
	enum err e = rows_fetch(rows, RECORD_STOPS, SQL_STOPS_LIVE, args, 1, why);

	*out = 0;
	while (!e && (s = rows_next(rows, RECORD_STOPS, s)))
		*out += s->ws == ws && stop_holds(s, rows->now_ms);
	return e;
}

static enum err stop_set_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct stop_body *b = t->checked;
	struct buf by = { .max = 4096 };
	struct stop_record *s;
	int64_t count;
	enum err e = stops_count(rows, job->who.ws, &count, why);

	if (e) return e;
	if (count >= STOPS_MAX)
		return fail(why, ERR_CONFLICT,
			"%d stops hold already; lift some of them first", STOPS_MAX);
	if (b->until_ms && b->until_ms <= rows->now_ms)
		return fail_at(why, "/until", "must be in the future");
	answered_by_write(&by, "human", &job->who);
	const struct stop_record fresh = { .ws = job->who.ws,
		.id = rows_new_id(rows, "stp"),
		.match = b->match,
		.reason = b->reason,
		.until_ms = b->until_ms,
		.made_by = buf_keep_done(&by, rows->arena),
		.made_user = job->who.user,
		.created_ms = rows->now_ms };
	s = rows_new(rows, RECORD_STOPS, &fresh);
	if (s->until_ms) rows_due_at(rows, s->until_ms);
	job->status = 201;
	desk_keep_id(t, "stop", s->id);
	stop_reply(t, s, rows->now_ms);
	return OK;
}

static enum err stop_find(struct task *t, struct rows *rows, struct str id,
	const struct stop_record **out, struct fault *why)
{
	const struct val key[] = { val_int(t->job.who.ws), val_text(id) };
	enum err e = OK;

	if (!rows_find(rows, RECORD_STOPS, id))
		e = rows_fetch(rows, RECORD_STOPS, SQL_OF(RECORD_STOPS, RECORD_GET), key,
			2, why);
	if (e) return e;
	*out = rows_find(rows, RECORD_STOPS, id);
	if (*out && (*out)->ws == t->job.who.ws) return OK;
	return fail(why, ERR_NOT_FOUND, "no stop %.*s", STR_ARGS(str_first(id, 64)));
}

static enum err stop_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct task *t = task_of(job);
	const struct stop_record *s;
	struct str id;
	enum err e = desk_kept_id(t, k, "stop", &id, why);

	if (!e) e = stop_find(t, rows, id, &s, why);
	if (!e) stop_reply(t, s, rows->now_ms);
	return e;
}

const struct use use_stop_set =
	WRITES("stop_set", MAY_SETTLE, 0, NULL, stop_set_decide, stop_again, stop_check);

/* ---- lift ---- */

static enum err stop_lift_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct stop_record *found;
	struct str person = principal_person(&job->who);
	struct stop_record *s;
	enum err e = stop_find(t, rows, t->id, &found, why);

	if (e) return e;
	if (!role_may(job->who.role, MAY_ADMIN) &&
		!(person.len && str_eq(person, found->made_user)))
		return fail(why, ERR_FORBIDDEN,
			"only the person who set it or an admin can lift it");
	if (!stop_holds(found, rows->now_ms))
		return fail(why, ERR_CONFLICT, "it has already ended");
	s = rows_change(rows, found);
	s->ended_ms = rows->now_ms;
	s->ended = ended_write(&job->who, rows->now_ms, "lifted", rows->arena);
	job->status = 204;
	return OK;
}

const struct use use_stop_lift =
	WRITES("stop_lift", MAY_SETTLE, 0, NULL, stop_lift_decide, NULL, NULL);

/* ---- list ---- */

struct stop_list {
	struct task *t;
	struct json_writer *w;
	int64_t left, now_ms;
	struct str last;
	bool more;
};

static enum err stop_listed(void *ctx, const struct row *row, struct fault *why)
{
	struct stop_list *l = ctx;
	struct stop_record s;
	enum err e;

	if (l->left-- == 0) {
		l->more = true;
		return OK;
	}
	e = record_read(&records[RECORD_STOPS], row, &l->t->job.arena, &s, why);
	if (e) return e;
	stop_show(l->w, &s, l->now_ms);
	l->last = s.id;
	return OK;
}

static enum err stop_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct stop_list l = { .t = t, .w = &w, .now_ms = rows->now_ms };
	struct list_page p;
	int64_t as_of = 0, state;
	enum err e = page_read(t, "stops", &p, why);

	if (!e) e = desk_state_read(t, &state, why);
	if (!e) e = last_event(rows, job->who.ws, &as_of, why);
	if (e) return e;
	const struct val args[] = { val_int(job->who.ws),
		val_text(p.has_cursor ? p.cursor[0] : STR("~")), val_int(p.limit + 1),
		val_int(state), val_int(rows->now_ms) };
	l.left = p.limit;
	jw_object(&w);
	jw_put_array(&w, "items");
	e = rows_query(rows, SQL_STOPS_LIST, args, 5, stop_listed, &l, why);
	jw_array_end(&w);
	page_end(t, &w, "stops", l.more ? &l.last : NULL, 1, as_of);
	jw_object_end(&w);
	return e;
}

const struct use use_stop_list =
	READS("stop_list", MAY_READ_ALL, 0, stop_list_read, NULL);

/* ---- what the clock ends ---- */

enum err desk_end_due(struct rows *rows, int64_t limit, struct fault *why)
{
	const struct val args[] = { val_int(rows->now_ms), val_int(limit) };
	const struct stop_record *stop = NULL;
	const struct rule_record *rule = NULL;
	enum err e = rows_fetch(rows, RECORD_STOPS, SQL_STOPS_DUE, args, 2, why);

	if (!e) e = rows_fetch(rows, RECORD_RULES, SQL_RULES_DUE, args, 2, why);
	while (!e && (stop = rows_next(rows, RECORD_STOPS, stop))) {
		struct stop_record *s;

		if (stop->ended_ms || stop_holds(stop, rows->now_ms)) continue;
		s = rows_change(rows, stop);
		s->ended_ms = s->until_ms;
		s->ended = ended_write(NULL, s->until_ms, "expired", rows->arena);
	}
	while (!e && (rule = rows_next(rows, RECORD_RULES, rule))) {
		struct rule_record *r;

		if (rule->ended_ms || rule_holds(rule, rows->now_ms)) continue;
		r = rows_change(rows, rule);
		r->ended_ms = r->expires_ms;
		r->ended = ended_write(NULL, r->expires_ms, "expired", rows->arena);
	}
	return e;
}
