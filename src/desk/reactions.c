/* reactions.c - the table of what follows from events.
 *
 * 1. A reaction decides over rows alone, in the savepoint of the job that caused it.
 * 2. What it stages goes through the table again, at most ROUNDS_MAX deep.
 * 3. No concept calls another's reaction: a new capability is a row here. */
#include "desk/reactions.h"

#include "desk/approval/mandates.h"
#include "desk/approval/verify.h"
#include "desk/delivery/callbacks.h"
#include "desk/notify/notify_ask.h"
#include "desk/people/people_log.h"
#include "desk/policy/policy_log.h"
#include "desk/policy/rules.h"
#include "desk/run/gateway_call.h"
#include "desk/run/run_inner.h"

#include <assert.h>

enum { ROUNDS_MAX = 8 };

/* The kinds of events that something follows from. */
enum happening {
	NOTHING,
	ASKED,
	SETTLED,
	REPLIED,
	VOTED,
	ASSIGNED,
	EXTENDED,
	REVOKED,
	SESSION_MOVED,
	SESSION_TOLD,
	ALERTED,
	CALMED,
};

static const struct {
	const char *type;
	enum happening is;
} happenings[] = {
	{ "ask.created", ASKED },
	{ "ask.answered", SETTLED },
	{ "ask.skipped", SETTLED },
	{ "ask.expired", SETTLED },
	{ "ask.cancelled", SETTLED },
	{ "ask.replied", REPLIED },
	{ "ask.assigned", ASSIGNED },
	{ "ask.voted", VOTED },
	{ "ask.retracted", VOTED },
	{ "ask.extended", EXTENDED },
	{ "ask.revoked", REVOKED },
	{ "session.status", SESSION_MOVED },
	{ "session.progress", SESSION_TOLD },
	{ "alert.raised", ALERTED },
	{ "alert.cleared", CALMED },
};

static const struct reaction {
	const char *name;
	enum happening to;
	react_fn *react;
	void (*needs)(const struct job *, struct wants *); /* or NULL */
} reactions[] = {
	{ "verifier", ASKED, verify_asked, NULL },
	{ "first message", ASKED, notify_asked, notify_wants },
	{ "settled everywhere", SETTLED, notify_settled, NULL },
	{ "webhook", SETTLED, webhook_settled, NULL },
	{ "run", SETTLED, run_settled, NULL },
	{ "held call", SETTLED, gateway_settled, NULL },
	{ "mandate", SETTLED, mandate_settled, NULL },
	{ "resumer", SETTLED, resumer_settled, NULL },
	{ "message of a reply", REPLIED, notify_replied, NULL },
	{ "call of a reply", REPLIED, call_replied, NULL },
	{ "message to new assignees", ASSIGNED, notify_assigned, NULL },
	{ "edit after a vote", VOTED, notify_voted, NULL },
	{ "steps of a route", EXTENDED, notify_moved, NULL },
	{ "rules of an answer", REVOKED, rules_revoked, NULL },
	{ "mandate taken back", REVOKED, mandate_taken_back, NULL },
	{ "rules of a session", SESSION_MOVED, rules_of_session, NULL },
	{ "mandates of a session", SESSION_MOVED, mandates_of_session, NULL },
	{ "message of an end", SESSION_MOVED, notify_session_moved, NULL },
	{ "message of progress", SESSION_TOLD, notify_session_progress, NULL },
	{ "alert by its route", ALERTED, notify_alert_raised, NULL },
	{ "end of an alert", CALMED, notify_alert_cleared, NULL },
};

enum { REACTIONS = sizeof reactions / sizeof *reactions };

static enum happening happening_of(const char *type)
{
	for (size_t i = 0; i < sizeof happenings / sizeof *happenings; i++)
		if (strcmp(happenings[i].type, type) == 0) return happenings[i].is;
	return NOTHING;
}

void reactions_need(void *desk, const struct job *job, struct wants *w)
{
	(void)desk;
	for (size_t i = 0; (job->kind->flags & JOB_ASKS) && i < REACTIONS; i++)
		if (reactions[i].needs) reactions[i].needs(job, w);
}

static enum err event_react(
	struct job *job, struct rows *rows, const struct staged *st, struct fault *why)
{
	enum happening is = happening_of(st->event.type);
	const struct happened h = { task_of(job), rows, st, st->of_ask, st->of_session };
	enum err e = OK;

	/* A session that the same job deleted: nothing follows any more. */
	if (!is || rows_session_deleted(rows, st->event.session)) return OK;
	for (size_t i = 0; !e && i < REACTIONS; i++)
		if (reactions[i].to == is) e = reactions[i].react(&h, why);
	return e;
}

static enum err events_react(struct job *job, struct rows *rows, struct fault *why)
{
	enum err e = OK;

	for (int round = 0; !e && *rows->so_far.reacted; round++) {
		struct staged **end = rows->so_far.staged_end;

		assert(round < ROUNDS_MAX);
		while (!e && rows->so_far.reacted != end) {
			const struct staged *st = *rows->so_far.reacted;

			e = event_react(job, rows, st, why);
			rows->so_far.reacted = &(*rows->so_far.reacted)->next;
		}
	}
	return e;
}

/* Events about people and rules are made from the rows that the job, and what followed,
 * changed. */
enum err reactions_run(void *desk, struct job *job, struct rows *rows, struct fault *why)
{
	enum err e = events_react(job, rows, why);

	if (!e) e = people_logged(desk, job, rows, why);
	if (!e) policy_logged(job, rows);
	return e ? e : events_react(job, rows, why);
}
