/* expect.c - when will somebody answer? Numbers only: no names, never a promise. */
#include "desk/notify/notify_ask.h"
#include "desk/shared/forecasts.h"

static bool is_away(const struct user *u, int64_t now_ms, struct arena *arena)
{
	struct away away;

	return away_load(u, arena, &away) && away_holds(&away, now_ms);
}

static bool has_contact(const struct recipients *r, struct str user)
{
	for (size_t i = 0; i < r->contacts_len; i++)
		if (str_eq(r->contacts[i]->user, user) && contact_usable(r->contacts[i]))
			return true;
	return false;
}

static const struct plan_person *person_of(const struct recipients *r, struct str user)
{
	for (size_t i = 0; i < r->people_len; i++)
		if (str_eq(r->people[i].user, user)) return &r->people[i];
	return NULL;
}

/* Those who may answer: in sight; and those who can be told now. */
static void people_count_in(const struct recipients *r, const struct ask *probe,
	struct arena *arena, int64_t now_ms, int64_t *present, int64_t *reachable)
{
	*present = *reachable = 0;
	for (size_t i = 0; i < r->roster.users_len; i++) {
		const struct user *u = r->roster.users[i];
		const struct principal who = {
			.ws = probe->ws, .user = u->id, .role = u->role
		};
		const struct plan_person *p = person_of(r, u->id);
		bool seen = p && p->present_ms && now_ms - p->present_ms < PRESENT_MS;

		if (u->disabled || !role_may(u->role, MAY_SETTLE) ||
			entitled_to_settle(probe, &who, &r->roster) != REFUSED_NOT)
			continue;
		*present += seen;
		*reachable +=
			seen || (has_contact(r, u->id) && !is_away(u, now_ms, arena) &&
					!(p && prefs_quiet_until(&p->prefs, now_ms)));
	}
}

static enum err expect_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct str said = task_param(t, "kind");
	struct ask probe = { .ws = job->who.ws, .project = task_param(t, "project") };
	struct json_writer w = { .out = &job->out };
	struct recipients r = { 0 };
	struct estimate estimate = { 0 };
	enum forecast_basis basis = FORECAST_BASES;
	int64_t present, reachable;
	enum err e;

	if (said.len && !ask_kind_read(said, &probe.kind))
		return fail_at(why, "/kind",
			"must be blocking, non_blocking, approval or error_recovery");
	e = forecast_read(t->desk, rows, probe.ws, said.len ? &probe.kind : NULL,
		probe.project, &estimate, &basis, why);
	if (!e) e = recipients_load(rows, probe.ws, &r, why);
	if (e) return e;
	people_count_in(&r, &probe, &job->arena, rows->now_ms, &present, &reachable);
	jw_object(&w);
	estimate_write(&w, &estimate, t->words);
	jw_key(&w, "basis");
	if (basis == FORECAST_BASES)
		jw_null(&w);
	else
		jw_text(&w, forecast_basis_name(basis));
	jw_put_int(&w, "present", present);
	jw_put_int(&w, "reachable", reachable);
	jw_object_end(&w);
	return OK;
}

const struct use use_expect = READS("expect", 0, JOB_SLOW, expect_read, NULL);
