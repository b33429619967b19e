/* notify_people.c - how a person wants to be told, and that they are looking. One's own; admins
 * anybody's. */

#include "desk/people/people.h"

static struct str prefs_whose(const struct task *t)
{
	return t->within.len ? t->within : t->job.who.user;
}

static enum err prefs_may(const struct task *t, struct fault *why)
{
	const struct principal *p = &t->job.who;

	if (p->role == ROLE_AGENT || !prefs_whose(t).len)
		return fail(why, ERR_FORBIDDEN, "only a person is told");
	return str_eq(prefs_whose(t), p->user) || role_may(p->role, MAY_ADMIN)
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "only an admin can do this for others");
}

static enum err prefs_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct notify_person *kept;
	struct notify_prefs p;
	const struct user *u;
	enum err e = prefs_may(t, why);

	if (!e) e = rows_fetch_user(rows, job->who.ws, prefs_whose(t), &u, why);
	if (!e)
		e = rows_get(rows, RECORD_NOTIFY_PEOPLE, KEY(job->who.ws, prefs_whose(t)),
			&kept, why);
	if (!e) e = prefs_load(kept ? kept->prefs : STR_NONE, rows->arena, &p, why);
	if (!e) prefs_write(TO_REPLY(job), &p);
	return e;
}

const struct use use_notify_prefs = READS("notify_prefs", 0, 0, prefs_get_read, NULL);

/* Their record, made when there is none. */
static enum err person_open(struct rows *rows, int64_t ws, struct str user,
	struct notify_person **out, struct fault *why)
{
	const struct notify_person fresh = { .ws = ws, .user = user };

	return rows_open(rows, RECORD_NOTIFY_PEOPLE, KEY(ws, user), &fresh, out, why);
}

static enum err prefs_put_check(struct task *t, struct fault *why)
{
	struct notify_prefs *p = TASK_CHECKED(t, struct notify_prefs);
	enum err e;

	e = prefs_read(t->body, &t->job.arena, p, why);
	return e ? e : prefs_zones(p, zone_load, &t->job.arena, why);
}

static enum err prefs_put_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct notify_prefs *p = t->checked;
	struct notify_person *n;
	const struct user *u;
	enum err e = prefs_may(t, why);

	if (!e) e = people_reached(rows, &job->who, prefs_whose(t), &u, why);
	if (!e) e = desk_refused(t, why);
	if (!e) e = person_open(rows, job->who.ws, u->id, &n, why);
	if (e) return e;
	prefs_write(TO_REPLY(job), p);
	n->prefs = arena_str(rows->arena, buf_str(&job->out));
	return OK;
}

const struct use use_notify_prefs_put = WRITES(
	"notify_prefs_put", 0, JOB_LATE, NULL, prefs_put_decide, NULL, prefs_put_check);

/* ---- in sight ---- */

static enum err present_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct notify_person *n;
	const struct user *u;
	enum err e = desk_person(&job->who, "only a person can be in sight", why);

	if (!e) e = people_reached(rows, &job->who, job->who.user, &u, why);
	if (!e) e = person_open(rows, job->who.ws, job->who.user, &n, why);
	if (e) return e;
	n->present_ms = rows->now_ms;
	job->status = 204;
	return OK;
}

const struct use use_present =
	WRITES("present", 0, 0, NULL, present_decide, NULL, desk_empty_check);
