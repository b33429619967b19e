/* match.c - the log that must be against the log that is. */
#include "world.h"

#include <stdio.h>

static int place_of(const struct model *m, const struct model_event *e)
{
	return m->sessions[e->session].place;
}

static bool ids_fit(
	const struct model *m, const struct model_event *e, const struct seen *s)
{
	const char *ask = e->ask == NOBODY ? "" : m->asks[e->ask].id;
	const char *session = m->sessions[e->session].id;

	/* What has no id yet is made by this event, or by the one before. */
	if (session[0] && strcmp(session, s->session) != 0) return false;
	if (e->ask == NOBODY) return !s->ask[0];
	return ask[0] ? strcmp(ask, s->ask) == 0 : s->ask[0] != '\0';
}

static bool fits(const struct model *m, const struct model_event *e, const struct seen *s)
{
	char status[60];

	if (strcmp(e->type, s->type) != 0 || e->at_ms != s->at_ms) return false;
	if (e->session == NOBODY) return !s->session[0]; /* of people, before all else */
	if (!ids_fit(m, e, s)) return false;
	if (strcmp(base_agent(m->sessions[e->session].agent), s->agent) != 0)
		return false;
	if (strcmp(e->type, "session.status") != 0) return true;
	snprintf(status, sizeof status, "{\"status\":\"%s\"",
		session_status_name(e->status));
	/* Its data goes with its session. */
	return !s->data[0] || strncmp(s->data, status, strlen(status)) == 0;
}

/* The ids of what is new, and the digest that has the session's id in it. */
static void learn(struct model *m, const struct model_event *e, const struct seen *s)
{
	struct model_session *session = &m->sessions[e->session];

	if (!session->id[0]) snprintf(session->id, sizeof session->id, "%s", s->session);
	if (e->ask == NOBODY || m->asks[e->ask].id[0]) return;
	struct model_ask *a = &m->asks[e->ask];
	snprintf(a->id, sizeof a->id, "%s", s->ask);
	if (a->has_digest) model_digest(m, a, 0, a->digest);
}

/* The staged event that this one is: the first that is left, or another of a group that
 * may come in any order. -1: none. */
static int pick(const struct model *m, int place, const bool done[], const struct seen *s)
{
	for (int i = 0; i < m->staged_len; i++) {
		const struct model_event *e = &m->staged[i];

		if (done[i] || place_of(m, e) != place) continue;
		if (fits(m, e, s)) return i;
		if (!e->any_order) return -1;
	}
	return -1;
}

static const struct model_event *missing(const struct model *m, const bool done[])
{
	for (int i = 0; i < m->staged_len; i++)
		if (!done[i]) return &m->staged[i];
	return NULL;
}

static void describe(
	char why[200], const struct model_event *want, const struct seen *got)
{
	snprintf(why, 200,
		"the log should go on with %s of session %d, ask %d, and has %s %s",
		want->type, want->session, want->ask, got ? got->type : "nothing",
		got ? got->ask[0] ? got->ask : got->session : "");
}

bool model_match(struct model *m, const struct seen *const at[PLACES],
	const int len[PLACES], int taken[PLACES], char why[200])
{
	bool done[STAGED_MAX] = { false };
	const struct model_event *want;

	for (int place = 0; place < PLACES; place++) {
		while (taken[place] < len[place]) {
			const struct seen *s = &at[place][taken[place]];
			int i = pick(m, place, done, s);

			if (i < 0) break;
			learn(m, &m->staged[i], s);
			done[i] = true;
			m->log[place][m->log_len[place]++] = m->staged[i];
			taken[place]++;
		}
	}
	want = missing(m, done);
	m->staged_len = 0;
	if (!want) return true;
	int place = place_of(m, want);
	describe(why, want, taken[place] < len[place] ? &at[place][taken[place]] : NULL);
	return false;
}

bool model_same_event(const struct model *m, int place, int64_t n, const struct seen *s)
{
	return s->n == n && n >= 1 && n <= m->log_len[place] &&
	       fits(m, &m->log[place][n - 1], s);
}
