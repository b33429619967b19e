/* mark.c - a person's own mark on an ask: read, and snoozed until some time. Nobody else sees
 * it, and the ask does not change. */
#include "desk/ask/ask_rule.h"
#include "desk/people/roster.h"

#include "base/clock.h"

enum { SNOOZE_MAX_DAYS = 366 };

struct mark_body {
	bool has_read, read, has_snooze;
	int64_t snoozed_ms;
};

static enum err mark_check(struct task *t, struct fault *why)
{
	struct mark_body *b = TASK_CHECKED(t, struct mark_body);
	const struct json *read = json_get(t->body, "read");
	const struct json *until = json_get(t->body, "snoozed_until");
	enum err e = MEMBERS_ONLY(t->body, why, "read", "snoozed_until");

	b->has_read = read != NULL;
	b->read = json_is(read, JSON_TRUE);
	b->has_snooze = until != NULL;
	if (read && !json_is_bool(read)) e = fail_at(why, "/read", "true or false");
	if (until && until->type != JSON_NULL &&
		(!json_is(until, JSON_STRING) || !time_read(until->text, &b->snoozed_ms)))
		e = fail_at(why, "/snoozed_until",
			"must be a time such as 2026-11-01T00:00:00Z, or null");
	if (!e && !read && !until) e = fail_at(why, "", "nothing to mark");
	return e;
}

static void mark_needs(struct job *job, struct wants *w)
{
	wants_ask(w, job->who.ws, task_of(job)->id);
	wants_record(w, RECORD_MARKS, KEY(job->who.ws, job->who.user, task_of(job)->id));
}

/* The mark of the caller, made when there is none. */
static struct mark *mark_open(struct job *job, struct rows *rows, const struct ask *a)
{
	struct mark fresh = {
		.ws = a->ws, .user = job->who.user, .ask = a->id, .session = a->session
	};
	const struct mark *found =
		rows_find_key(rows, RECORD_MARKS, KEY(a->ws, job->who.user, a->id));

	return found ? rows_change(rows, found) : rows_new(rows, RECORD_MARKS, &fresh);
}

static enum err mark_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct mark_body *b = t->checked;
	const char *refused;
	struct ask now, fresh;
	struct mark *m;
	struct ask *a;
	enum err e = desk_admit(t, rows, MAY_READ_ALL, &a, why);

	if (!e) e = desk_person(&job->who, "only a person has marks", why);
	if (e) return e;
	if (b->snoozed_ms > rows->now_ms + (int64_t)SNOOZE_MAX_DAYS * 24 * 3600 * 1000)
		return fail_at(why, "/snoozed_until", "within a year");
	m = mark_open(job, rows, a);
	if (b->has_read) m->read_ms = b->read ? rows->now_ms : 0;
	if (b->has_snooze) m->snoozed_ms = b->snoozed_ms;
	t->ask = arena_str(&job->arena, a->id);
	e = ask_rule_since(t, rows, a, &now, why);
	if (!e) e = ask_fresh_for(t, rows, &now, &fresh, &refused, why);
	if (!e) desk_reply_marked(t, rows, &fresh, m, refused);
	return e;
}

const struct use use_mark = WRITES(
	"mark", 0, JOB_LATE | JOB_BRIEF, mark_needs, mark_decide, NULL, mark_check);
