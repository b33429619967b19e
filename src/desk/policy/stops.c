/* stops.c - stops: set, listed, lifted. While one fits, nothing that asks goes on: approvals
 * are not used, rules allow nothing, resumers do not start. Asking and answering go on. */
#include "base/clock.h"
#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/shared/collection.h"

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
	struct stop_body *b = TASK_CHECKED(t, struct stop_body);
	const struct json *reason = json_get(t->body, "reason");
	const struct json *until = json_get(t->body, "until");
	enum err e;

	if (!t->body) return fail_at(why, "/reason", "required");
	e = MEMBERS_ONLY(t->body, why, "match", "reason", "until");
	if (match_read(json_get(t->body, "match"), &t->job.arena, &b->match, why))
		e = why->err;
	b->reason = str_trim(json_text(reason));
	if (!b->reason.len || text_longer(b->reason, STOP_REASON_MAX) ||
		!text_one_line(b->reason))
		e = fail_at(why, "/reason", "a line of 1 to %d characters: why",
			STOP_REASON_MAX);
	if (until && until->type != JSON_NULL &&
		(!json_is(until, JSON_STRING) || !time_read(until->text, &b->until_ms)))
		e = fail_at(why, "/until",
			"must be a time such as 2026-11-01T00:00:00Z, or null");
	return e;
}

/* ---- the collection ---- */

static enum err stop_args(
	struct task *t, struct rows *rows, struct val *args, int *len, struct fault *why)
{
	int64_t state = 0;
	enum err e = desk_state_read(t, &state, why);

	args[(*len)++] = val_int(state);
	args[(*len)++] = val_int(rows->now_ms);
	return e;
}

static enum err stop_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	(void)t, (void)why;
	stop_show(w, record, rows->now_ms);
	return OK;
}

static enum err stops_count(
	struct rows *rows, int64_t ws, int64_t *out, struct fault *why)
{
	const struct stop_record *s = NULL;
	enum err e = rows_fetch(rows, RECORD_STOPS, SQL_STOPS_LIVE, ARGS(ws), why);

	*out = 0;
	while (!e && (s = rows_next(rows, RECORD_STOPS, s)))
		*out += s->ws == ws && stop_holds(s, rows->now_ms);
	return e;
}

static enum err stop_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	const struct stop_body *b = t->checked;
	struct stop_record *s = record;
	struct buf by = { .max = 4096 };
	int64_t count;
	enum err e = stops_count(rows, s->ws, &count, why);

	(void)was;
	if (e) return e;
	if (count >= STOPS_MAX)
		return fail(why, ERR_CONFLICT,
			"%d stops hold already; lift some of them first", STOPS_MAX);
	if (b->until_ms && b->until_ms <= rows->now_ms)
		return fail_at(why, "/until", "must be in the future");
	answered_by_write(&by, "human", &t->job.who);
	s->id = rows_new_id(rows, "stp");
	s->match = b->match;
	s->reason = b->reason;
	s->until_ms = b->until_ms;
	s->made_by = buf_keep_done(&by, rows->arena);
	s->made_user = t->job.who.user;
	s->created_ms = rows->now_ms;
	if (s->until_ms) rows_due_at(rows, s->until_ms);
	return OK;
}

static const struct collection stops = {
	.noun = "stop",
	.nouns = "stops",
	.record = RECORD_STOPS,
	.id_at = offsetof(struct stop_record, id),
	.list = SQL_STOPS_LIST,
	.paged = true,
	.first = "~",
	.args = stop_args,
	.show = stop_shown,
	.fill = stop_fill,
};

/* A stop that is lifted stays in the list. */
static enum err stop_lift_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct str person = principal_person(&job->who);
	const struct stop_record *found;
	const void *at;
	struct stop_record *s;
	enum err e = collection_find(&stops, t, rows, t->id, &at, why);

	if (e) return e;
	found = at;
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

const struct use use_stop_list = LISTS("stop_list", MAY_READ_ALL, stops);
const struct use use_stop_set = CREATES("stop_set", MAY_SETTLE, 0, stops, stop_check);
const struct use use_stop_lift =
	WRITES("stop_lift", MAY_SETTLE, 0, NULL, stop_lift_decide, NULL, NULL);

/* ---- what the clock ends ---- */

enum err stops_end_due(struct rows *rows, int64_t limit, struct fault *why)
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
