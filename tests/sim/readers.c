/* readers.c - who follows the log, who waits for an ask, who reads pages.
 *
 * What they are told while a batch is told is only noted; it is compared with the model
 * once the model knows what the batch did. */
#include "world.h"

#include "base/mem.h"

#include <stdio.h>

/* ---- told ---- */

static void listener_told(
	struct follower *f, const struct committed_event *events, size_t len)
{
	struct listener *l = LINK_OF(f, struct listener, follower);

	for (size_t i = 0; i < len; i++, l->got_len++)
		if (l->got_len < GOT_MAX)
			look_seen(&l->got[l->got_len], &events[i].event);
}

static void listener_lost(struct follower *f)
{
	LINK_OF(f, struct listener, follower)->world->lost = true;
}

static void sleeper_wake(struct waiter *waiter, const struct committed_event *told)
{
	struct sleeper *s = LINK_OF(waiter, struct sleeper, waiter);

	s->woken++;
	s->told = told != NULL;
	s->settled = told && told->ask->ask.status != ASK_PENDING;
}

static void told_note(struct world *w, const struct committed *told)
{
	for (size_t i = 0; i < told->len; i++) {
		const struct event *e = &told->events[i].event;
		int place = e->ws == base_place(1);

		if (w->feed_last[place] >= 0 && e->n != w->feed_last[place] + 1)
			w->lost = true;
		w->feed_last[place] = e->n;
		w->told_last[place] = e->n;
		w->told_at[place][e->n % GOT_MAX] = cut_position();
	}
	w->tally.events += (int64_t)told->len;
}

/* The planted faults of the feed: the last event is dropped, or nobody is woken. */
static struct committed *told_flawed(struct world *w, const struct committed *told)
{
	size_t size = sizeof *told + told->len * sizeof told->events[0];
	struct committed *copy;

	if (w->flaw != FLAW_DROP_EVENT && w->flaw != FLAW_NO_WAKE) return NULL;
	if (!one_in(w, 6)) return NULL;
	copy = mem_alloc(size);
	if (!copy) return NULL;
	memcpy(copy, told, size);
	if (w->flaw == FLAW_DROP_EVENT) copy->len--;
	for (size_t i = 0; w->flaw == FLAW_NO_WAKE && i < copy->len; i++)
		copy->events[i].ask = NULL;
	w->flawed++;
	return copy;
}

void readers_told(void *ctx, struct committed *told)
{
	struct world *w = ctx;
	struct committed *flawed = told ? told_flawed(w, told) : NULL;

	if (told)
		told_note(w, told);
	else
		w->lost = true;
	feed_tell(&w->feed, flawed ? flawed : told);
	mem_free(flawed);
}

/* ---- coming and going ---- */

void readers_start(struct world *w)
{
	for (int place = 0; place < PLACES; place++)
		w->feed_last[place] = -1;
	for (int i = 0; i < FOLLOWERS; i++) {
		struct listener *l = &w->listeners[i];

		l->place = i == FOLLOWERS - 1;
		l->world = w;
		l->got_len = 0;
		l->follower = (struct follower){ .ws = base_place(l->place),
			.seen = l->checked,
			.told = listener_told,
			.lost = listener_lost };
		feed_follow(&w->feed, &l->follower);
	}
}

void readers_stop(struct world *w)
{
	for (int i = 0; i < WAITERS; i++) {
		feed_unpark(&w->feed, &w->sleepers[i].waiter);
		w->sleepers[i] = (struct sleeper){ .ask = NOBODY };
	}
	if (w->feed.followers)
		for (int i = 0; i < FOLLOWERS; i++)
			feed_unfollow(&w->feed, &w->listeners[i].follower);
	feed_done(&w->feed);
	w->feed = (struct feed){ 0 };
}

/* ---- after a round ---- */

static bool listener_check(struct world *w, struct listener *l, int i)
{
	const struct model *m = &w->model;

	if (l->got_len > GOT_MAX)
		return world_fail(w, "follower %d was told too much", i);
	for (int k = 0; k < l->got_len; k++) {
		const struct seen *s = &l->got[k];

		if (!model_same_event(m, l->place, l->checked + 1, s))
			return world_fail(w,
				"follower %d saw event %lld (%s %s) after %lld; the log has %s",
				i, (long long)s->n, s->type, s->ask,
				(long long)l->checked,
				l->checked < m->log_len[l->place]
					? m->log[l->place][l->checked].type
					: "none");
		l->checked++;
	}
	l->got_len = 0;
	if (l->follower.live && l->follower.seen != m->log_len[l->place])
		return world_fail(w, "follower %d is live and saw %lld of %d events", i,
			(long long)l->follower.seen, m->log_len[l->place]);
	return true;
}

static bool woken_by(
	const struct model *m, int ask, const int before[PLACES], bool *settled)
{
	int place = m->asks[ask].place;
	bool woken = false;

	for (int n = before[place]; n < m->log_len[place]; n++) {
		const struct model_event *e = &m->log[place][n];

		if (e->ask != ask || !e->wakes) continue;
		if (!woken) *settled = strcmp(e->type, "ask.replied") != 0;
		woken = true;
	}
	return woken;
}

static bool sleeper_check(struct world *w, struct sleeper *s, const int before[PLACES])
{
	bool settled = false, due;

	if (s->ask == NOBODY) return true;
	due = woken_by(&w->model, s->ask, before, &settled);
	if (due && !s->woken)
		return world_fail(w, "who waits for ask #%d was not woken", s->ask);
	if (s->woken > 1)
		return world_fail(
			w, "who waits for ask #%d was woken %d times", s->ask, s->woken);
	if (!due && s->woken && (s->told || !w->lost))
		return world_fail(
			w, "who waits for ask #%d was woken for nothing", s->ask);
	if (!s->woken) return true;
	if (due && s->told && s->settled != settled)
		return world_fail(
			w, "who waits for ask #%d was shown another state", s->ask);
	w->tally.wakes++;
	*s = (struct sleeper){ .ask = NOBODY };
	return true;
}

bool readers_check(struct world *w, const int before[PLACES])
{
	bool ok = true;

	for (int i = 0; ok && i < FOLLOWERS; i++)
		ok = listener_check(w, &w->listeners[i], i);
	for (int i = 0; ok && i < WAITERS; i++)
		ok = sleeper_check(w, &w->sleepers[i], before);
	w->lost = false;
	return ok;
}

/* ---- what they do by themselves ---- */

static bool listener_catch_up(struct world *w, struct listener *l)
{
	int64_t last = l->follower.seen;
	int len = 0;

	if (l->follower.live) return true;
	if (!look_log(w, l->place, last, l->got, GOT_MAX, &len)) return true;
	l->got_len = len;
	if (len) l->follower.seen = l->got[len - 1].n;
	world_add(w, ", read %d", len);
	feed_live(&w->feed, &l->follower);
	if (w->feed_last[l->place] < 0) w->feed_last[l->place] = l->follower.seen;
	return listener_check(w, l, (int)(l - w->listeners));
}

static bool sleeper_park(struct world *w, struct sleeper *s)
{
	const struct model *m = &w->model;
	int ask = NOBODY;

	for (int tries = 0; m->asks_len && tries < 6; tries++) {
		ask = (int)below(w, (uint64_t)m->asks_len);
		if (model_open(&m->asks[ask])) break;
	}
	if (s->ask != NOBODY || ask == NOBODY || !model_open(&m->asks[ask])) return true;
	s->ask = ask;
	s->waiter.wake = sleeper_wake;
	world_add(w, " for #%d", ask);
	return feed_park(&w->feed, &s->waiter, str_of(m->asks[ask].id));
}

bool readers_act(struct world *w)
{
	int i;

	if (one_in(w, 2)) {
		i = (int)below(w, FOLLOWERS);
		world_say(w, "follower %d looks", i);
		return listener_catch_up(w, &w->listeners[i]);
	}
	world_say(w, "somebody waits");
	return sleeper_park(w, &w->sleepers[below(w, WAITERS)]);
}
