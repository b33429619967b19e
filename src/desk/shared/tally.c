/* tally.c - asks that were refused, and model calls, counted by the minute and kept. */
#include "desk/operate.h"
#include "desk/shared/inner.h"

#include "base/clock.h"

#include <stdio.h>

enum { MINUTE_MS = 60 * 1000 };

void tallies_init(struct tallies *t)
{
	pthread_mutex_init(&t->lock, NULL);
}

void tallies_done(struct tallies *t)
{
	pthread_mutex_destroy(&t->lock);
}

/* NULL: there are too many. */
static struct minute_tally *tally_of(struct tallies *t, int64_t ws, const char *what)
{
	int64_t minute_ms = clock_now_ms() / MINUTE_MS * MINUTE_MS;

	for (size_t i = t->len; i-- > 0;)
		if (t->now[i].ws == ws && t->now[i].minute_ms == minute_ms &&
			strcmp(t->now[i].what, what) == 0)
			return &t->now[i];
	if (t->len == TALLIES_MAX) return NULL;
	t->now[t->len] = (struct minute_tally){ .ws = ws, .minute_ms = minute_ms };
	snprintf(t->now[t->len].what, TALLY_WHAT_MAX, "%s", what);
	return &t->now[t->len++];
}

static void tally_add(struct desk *d, int64_t ws, const char *what, bool bad)
{
	struct minute_tally *t;

	pthread_mutex_lock(&d->tallies.lock);
	t = tally_of(&d->tallies, ws, what);
	if (t) {
		t->total++;
		t->bad += bad;
	}
	pthread_mutex_unlock(&d->tallies.lock);
}

void tally_ask(struct desk *d, int64_t ws, enum err e)
{
	enum ask_refusal r = counts_refusal_of(e);

	if (r == REFUSAL_NONE) return;
	counts_refused(&d->counts, ws, r);
	if (r != REFUSAL_CONFLICT) tally_add(d, ws, "ask", true);
}

void tally_use_refused(struct desk *d, int64_t ws)
{
	counts_use_refused(&d->counts, ws);
}

void tally_model(struct desk *d, int64_t ws, struct str provider, bool ok)
{
	char what[TALLY_WHAT_MAX];

	snprintf(what, sizeof what, "model/%.*s", STR_ARGS(str_first(provider, 64)));
	tally_add(d, ws, what, !ok);
}

enum err tallies_write(
	struct tallies *t, struct rows *rows, struct str node, struct fault *why)
{
	enum err e = OK;

	pthread_mutex_lock(&t->lock);
	if (!t->taken_len) {
		memcpy(t->taken, t->now, t->len * sizeof *t->now);
		t->taken_len = t->len;
		t->len = 0;
	}
	pthread_mutex_unlock(&t->lock);
	for (size_t i = 0; !e && i < t->taken_len; i++) {
		const struct minute_tally *at = &t->taken[i];
		const struct tally_record fresh = { .minute_ms = at->minute_ms,
			.ws = at->ws,
			.node = node,
			.what = arena_str(rows->arena, str_of(at->what)) };
		struct tally_record *r;

		e = rows_open(rows, RECORD_TALLIES,
			KEY(fresh.minute_ms, fresh.ws, node, fresh.what), &fresh, &r,
			why);
		if (e) break;
		r->total += at->total;
		r->bad += at->bad;
	}
	return e;
}

void tallies_written(struct tallies *t)
{
	pthread_mutex_lock(&t->lock);
	t->taken_len = 0;
	pthread_mutex_unlock(&t->lock);
}
