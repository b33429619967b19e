/* feed.c - passing committed events on. */
#include "desk/feed.h"

#include "base/id.h"
#include "base/mem.h"

#include <stdio.h>

struct parked {
	struct waiter *first;
	char ask[ID_SIZE];
};

/* What was told last in a workspace. */
struct feed_place {
	int64_t ws;
	int64_t last;
	char key[24];
};

/* ---- waiters ---- */

bool feed_park(struct feed *f, struct waiter *w, struct str ask)
{
	struct parked *p = table_get(&f->parked, ask);

	if (ask.len >= ID_SIZE) return false;
	if (!p) {
		p = mem_alloc(sizeof *p);
		if (!p) return false;
		memcpy(p->ask, ask.at, ask.len);
		if (!table_put(&f->parked, str_make(p->ask, ask.len), p)) {
			mem_free(p);
			return false;
		}
	}
	w->parked = p;
	w->prev = NULL;
	w->next = p->first;
	if (p->first) p->first->prev = w;
	p->first = w;
	f->waiters++;
	return true;
}

void feed_unpark(struct feed *f, struct waiter *w)
{
	struct parked *p = w->parked;

	if (!p) return;
	if (w->prev)
		w->prev->next = w->next;
	else
		p->first = w->next;
	if (w->next) w->next->prev = w->prev;
	w->parked = NULL;
	w->next = w->prev = NULL;
	f->waiters--;
	if (p->first) return;
	table_remove(&f->parked, str_of(p->ask));
	mem_free(p);
}

/* A woken waiter may park others, or itself again, for the same ask: only those that were
 * parked before are woken. */
static void parked_wake(struct feed *f, struct parked *p, struct str shown)
{
	struct waiter *list = p->first;

	table_remove(&f->parked, str_of(p->ask));
	mem_free(p);
	for (struct waiter *w = list; w; w = w->next) {
		w->parked = NULL;
		f->waiters--;
	}
	while (list) {
		struct waiter *w = list;

		list = w->next;
		w->next = w->prev = NULL;
		w->wake(w, shown);
	}
}

static void wake_ask(struct feed *f, struct str ask, struct str shown)
{
	struct parked *p = table_get(&f->parked, ask);

	if (p) parked_wake(f, p, shown);
}

static void wake_all(struct feed *f)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (f->waiters && table_next(&f->parked, &at, &key, &value)) {
		parked_wake(f, value, STR_NONE);
		at = 0;
	}
}

/* ---- followers ---- */

static struct feed_place *feed_place(struct feed *f, int64_t ws)
{
	struct feed_place *p;
	char key[24];

	snprintf(key, sizeof key, "%lld", (long long)ws);
	p = table_get(&f->workspaces, str_of(key));
	if (p) return p;
	p = mem_alloc(sizeof *p);
	if (!p) return NULL;
	p->ws = ws;
	p->last = -1;
	memcpy(p->key, key, sizeof key);
	if (table_put(&f->workspaces, str_of(p->key), p)) return p;
	mem_free(p);
	return NULL;
}

void feed_follow(struct feed *f, struct follower *w)
{
	w->prev = NULL;
	w->next = f->followers;
	if (f->followers) f->followers->prev = w;
	f->followers = w;
	f->followers_len++;
}

void feed_unfollow(struct feed *f, struct follower *w)
{
	if (w->prev)
		w->prev->next = w->next;
	else
		f->followers = w->next;
	if (w->next) w->next->prev = w->prev;
	w->next = w->prev = NULL;
	f->followers_len--;
}

bool feed_live(struct feed *f, struct follower *w)
{
	struct feed_place *p = feed_place(f, w->ws);

	if (!p) return false;
	if (p->last < 0) p->last = w->seen;
	w->live = p->last <= w->seen;
	return w->live;
}

static void feed_lost(struct feed *f, int64_t ws)
{
	for (struct follower *w = f->followers, *next; w; w = next) {
		next = w->next;
		if (!w->live || (ws >= 0 && w->ws != ws)) continue;
		w->live = false;
		w->lost(w);
	}
}

static void feed_pass(struct feed *f, const struct event *e)
{
	for (struct follower *w = f->followers, *next; w; w = next) {
		next = w->next;
		if (!w->live || w->ws != e->ws || w->seen >= e->n) continue;
		w->told(w, e);
		w->seen = e->n;
	}
}

static void feed_event(struct feed *f, const struct event *e)
{
	struct feed_place *p = feed_place(f, e->ws);
	int64_t last = p ? p->last : -1;

	if (p && e->n <= last) return;
	if (p) p->last = e->n;
	if (!p || (last >= 0 && e->n != last + 1)) {
		feed_lost(f, e->ws);
		wake_all(f);
		return;
	}
	feed_pass(f, e);
}

void feed_tell(struct feed *f, const struct told *told)
{
	if (!told) {
		feed_lost(f, -1);
		wake_all(f);
		return;
	}
	for (size_t i = 0; i < told->len; i++) {
		feed_event(f, &told->events[i].event);
		if (told->events[i].shown.len)
			wake_ask(f, told->events[i].event.ask, told->events[i].shown);
	}
}

void feed_done(struct feed *f)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&f->workspaces, &at, &key, &value))
		mem_free(value);
	table_done(&f->workspaces);
	table_done(&f->parked);
}
