/* notify_session.c - people are told that a session has ended, or how far it is, if they want that: each by
 * the first contact of their own order that works, and nobody who is looking. */
#include "desk/notify/notify_ask.h"
#include "desk/shared/workspace.h"

enum { PROGRESS_EVERY_MS = 10 * 60 * 1000, MINE_MAX = 200 };

/* Who started a session or settled something in it. */
struct session_people {
	struct str at[MINE_MAX];
	size_t len;
};

static enum err people_find(struct rows *rows, const struct session *s,
	struct session_people *out, struct fault *why)
{
	enum err e = rows_texts(rows, SQL_SESSION_SETTLERS, ARGS(s->ws, s->id), out->at,
		MINE_MAX - 1, &out->len, why);

	if (!e) out->at[out->len++] = s->starter;
	return e;
}

static bool person_wants(const struct plan_person *p, struct str user,
	enum delivery_purpose purpose, const struct session_people *mine)
{
	enum notify_finished wanted = p ? p->prefs.finished : FINISHED_MINE;

	if (purpose == DELIVERY_PROGRESS) return p && p->prefs.progress;
	if (wanted != FINISHED_MINE) return wanted == FINISHED_ALL;
	for (size_t i = 0; i < mine->len; i++)
		if (str_eq(mine->at[i], user)) return true;
	return false;
}

static void person_tell(struct rows *rows, const struct session *s,
	const struct plan_facts *f, struct str user, enum delivery_purpose purpose)
{
	const struct plan_person *p = plan_person(f, user);
	const struct contact *c = plan_next_contact(f, user, 0);
	const struct delivery like = { .session = s->id,
		.agent = s->agent,
		.purpose = purpose,
		.next_ms = p ? prefs_quiet_until(&p->prefs, f->now_ms) : 0 };

	if (c) notify_stage(rows, NULL, c, like, NULL);
}

static enum err session_tell(
	const struct happened *h, enum delivery_purpose purpose, struct fault *why)
{
	const struct session *s = h->session;
	struct rows *rows = h->rows;
	struct session_people mine = { 0 };
	struct workspace_facts facts;
	struct recipients t = { 0 };
	struct plan_facts f;
	enum err e = workspace_facts(&h->task->job, rows, s->ws, &facts, why);

	if (e || !facts.contacts) return e;
	e = recipients_load(rows, s->ws, &t, why);
	if (!e && purpose == DELIVERY_FINISHED) e = people_find(rows, s, &mine, why);
	if (e) return e;
	f = (struct plan_facts){ .roster = &t.roster,
		.contacts = t.contacts,
		.contacts_len = t.contacts_len,
		.people = t.people,
		.people_len = t.people_len,
		.now_ms = rows->now_ms,
		.arena = rows->arena };
	for (size_t i = 0; i < t.roster.users_len; i++) {
		const struct user *u = t.roster.users[i];
		const struct plan_person *p = plan_person(&f, u->id);

		if (!u->disabled && !(p && plan_present(p, f.now_ms)) &&
			person_wants(p, u->id, purpose, &mine))
			person_tell(rows, s, &f, u->id, purpose);
	}
	return OK;
}

/* One that was made for a single ask ends with it, which was told. */
enum err notify_session_moved(const struct happened *h, struct fault *why)
{
	const struct session *s = h->session;

	return s && session_ended(s) && !s->for_ask
		       ? session_tell(h, DELIVERY_FINISHED, why)
		       : OK;
}

enum err notify_session_progress(const struct happened *h, struct fault *why)
{
	const struct session *s = h->session;
	const struct delivery *d = NULL;
	int64_t last_ms = 0;
	enum err e = OK;

	if (!s || s->for_ask) return OK;
	e = rows_int(
		h->rows, SQL_SESSION_PROGRESS_TOLD, ARGS(s->ws, s->id), &last_ms, why);
	while (!e && (d = rows_next(h->rows, RECORD_DELIVERIES, d)))
		if (d->purpose == DELIVERY_PROGRESS && str_eq(d->session, s->id) &&
			d->created_ms > last_ms)
			last_ms = d->created_ms;
	if (e || (last_ms && h->rows->now_ms - last_ms < PROGRESS_EVERY_MS)) return e;
	return session_tell(h, DELIVERY_PROGRESS, why);
}
