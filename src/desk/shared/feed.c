/* feed.c - passing committed events on. */
#include "desk/shared/feed.h"

#include "base/mem.h"

#include <stdio.h>

enum { BUCKETS_FIRST = 16 };

/* What was told last in a workspace. */
struct feed_place {
	int64_t ws;
	int64_t last;
	char key[24];
};

/* ---- waiters ---- */

static struct waiter **bucket_of(const struct feed *f, struct str ask)
{
	return &f->buckets[str_hash(ask) & (f->buckets_len - 1)];
}

static void bucket_add(struct feed *f, struct waiter *w)
{
	struct waiter **bucket = bucket_of(f, str_of(w->ask));

	w->next = *bucket;
	*bucket = w;
}

/* A bucket a waiter. When there is no memory for more, the old ones get longer. */
static bool buckets_grow(struct feed *f)
{
	struct feed old = *f;
	size_t len = old.buckets_len ? old.buckets_len * 2 : BUCKETS_FIRST;
	struct waiter **buckets = mem_alloc(len * sizeof *buckets);

	if (!buckets) return old.buckets_len > 0;
	f->buckets = buckets;
	f->buckets_len = len;
	for (size_t i = 0; i < old.buckets_len; i++) {
		for (struct waiter *w = old.buckets[i], *next; w; w = next) {
			next = w->next;
			bucket_add(f, w);
		}
	}
	mem_free(old.buckets);
	return true;
}

bool feed_park(struct feed *f, struct waiter *w, struct str ask)
{
	if (ask.len >= ID_SIZE) return false;
	if (f->waiters >= f->buckets_len && !buckets_grow(f)) return false;
	memmove(w->ask, ask.at, ask.len);
	w->ask[ask.len] = '\0';
	w->parked = true;
	bucket_add(f, w);
	f->waiters++;
	return true;
}

void feed_unpark(struct feed *f, struct waiter *w)
{
	struct waiter **at;

	if (!w->parked) return;
	at = bucket_of(f, str_of(w->ask));
	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	w->parked = false;
	f->waiters--;
}

typedef bool waiter_fits(const struct waiter *, void *ctx);

/* Takes those that fit out of their bucket, in front of others that were taken. */
static struct waiter *bucket_take(struct feed *f, struct waiter **at, waiter_fits *fits,
	void *ctx, struct waiter *taken)
{
	struct waiter *w;

	while ((w = *at)) {
		if (!fits(w, ctx)) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		w->next = taken;
		w->parked = false;
		f->waiters--;
		taken = w;
	}
	return taken;
}

static bool waits_for(const struct waiter *w, void *id)
{
	return str_is(*(const struct str *)id, w->ask);
}

static bool waits_at_all(const struct waiter *w, void *ctx)
{
	(void)w, (void)ctx;
	return true;
}

static struct waiter *waiters_of(struct feed *f, struct str id)
{
	return bucket_take(f, bucket_of(f, id), waits_for, &id, NULL);
}

/* A woken waiter may park others, or itself again, for the same ask: only those that were
 * parked before are woken. */
static void waiters_wake(struct waiter *list, const struct committed_event *told)
{
	while (list) {
		struct waiter *w = list;

		list = w->next;
		w->wake(w, told);
	}
}

static void wake_ask(struct feed *f, const struct committed_event *told)
{
	if (f->waiters)
		waiters_wake(waiters_of(f, told->event.ask), told->ask ? told : NULL);
}

/* Whoever waits for a run looks when it has ended, or waits for a person. */
static void wake_run(struct feed *f, const struct event *e)
{
	static const char *const types[] = { "run.completed", "run.failed",
		"run.cancelled", "run.waiting" };

	if (!f->waiters || !e->run.len || strncmp(e->type, "run.", 4) != 0) return;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(e->type, types[i]) == 0)
			waiters_wake(waiters_of(f, e->run), NULL);
}

static void wake_all(struct feed *f)
{
	struct waiter *all = NULL;

	for (size_t i = 0; i < f->buckets_len; i++)
		all = bucket_take(f, &f->buckets[i], waits_at_all, NULL, all);
	waiters_wake(all, NULL);
}

void feed_expel(
	struct feed *f, waiter_fits *fits, void *ctx, void (*out)(struct waiter *))
{
	struct waiter *taken = NULL, *w;

	for (size_t i = 0; i < f->buckets_len; i++)
		taken = bucket_take(f, &f->buckets[i], fits, ctx, taken);
	while ((w = taken)) {
		taken = w->next;
		out(w);
	}
}

/* ---- followers ---- */

static struct feed_place *feed_place(struct feed *f, int64_t ws)
{
	struct feed_place *p;
	char key[24];

	if (f->recent && f->recent->ws == ws) return f->recent;
	snprintf(key, sizeof key, "%lld", (long long)ws);
	p = table_get(&f->workspaces, str_of(key));
	if (p) return f->recent = p;
	p = mem_alloc(sizeof *p);
	if (!p) return NULL;
	p->ws = ws;
	p->last = -1;
	memcpy(p->key, key, sizeof key);
	if (table_put(&f->workspaces, str_of(p->key), p)) return f->recent = p;
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

static void feed_pass(struct feed *f, const struct committed_event *run, size_t len)
{
	int64_t first = run[0].event.n, last = run[len - 1].event.n;

	for (struct follower *w = f->followers, *next; w; w = next) {
		size_t known = w->seen < first ? 0 : (size_t)(w->seen - first) + 1;

		next = w->next;
		if (!w->live || w->ws != run->event.ws || known >= len) continue;
		w->seen = last; /* first, because `told` may free it */
		w->told(w, run + known, len - known);
	}
}

/* How many, from the first on, are of one workspace and follow each other. */
static size_t run_len(const struct committed_event *e, size_t len)
{
	size_t n = 1;

	while (n < len && e[n].event.ws == e->event.ws &&
		e[n].event.n == e[n - 1].event.n + 1)
		n++;
	return n;
}

static void feed_run(struct feed *f, const struct committed_event *run, size_t len)
{
	struct feed_place *p = feed_place(f, run->event.ws);
	int64_t last = p ? p->last : -1;

	for (; len && p && run->event.n <= last; len--)
		run++;
	if (!len) return;
	if (p) p->last = run[len - 1].event.n;
	if (!p || (last >= 0 && run->event.n != last + 1)) {
		feed_lost(f, run->event.ws);
		wake_all(f);
		return;
	}
	feed_pass(f, run, len);
}

void feed_tell(struct feed *f, const struct committed *told)
{
	f->batch = told ? told->batch : 0;
	if (!told) {
		feed_lost(f, -1);
		wake_all(f);
		return;
	}
	for (size_t i = 0; i < told->len; i++)
		if (told->events[i].ask || told->elsewhere) wake_ask(f, &told->events[i]);
	for (size_t i = 0; i < told->len; i++)
		wake_run(f, &told->events[i].event);
	/* Any waiter may be concerned: wake them all to read again. */
	for (size_t i = 0; i < told->len; i++)
		if (strcmp(told->events[i].event.type, "stop.set") == 0) {
			wake_all(f);
			break;
		}
	for (size_t i = 0, len; i < told->len; i += len) {
		len = run_len(&told->events[i], told->len - i);
		feed_run(f, &told->events[i], len);
	}
}

void feed_back(struct feed *f, int64_t ws, int64_t end)
{
	struct feed_place *p = feed_place(f, ws);

	if (p && p->last > end) p->last = end;
	wake_all(f);
}

void feed_done(struct feed *f)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&f->workspaces, &at, &key, &value))
		mem_free(value);
	table_done(&f->workspaces);
	mem_free(f->buckets);
}
