/* forecasts.c - when somebody will answer, by workspace. Prefixes: forecast_, forecasts_. */
#include "desk/shared/forecasts.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/mem.h"
#include "desk/shared/durations.h"
#include "desk/shared/inner.h"

#include <stdio.h>

enum {
	RENEW_MS = 60 * 1000,
	LOOK_DAYS = 30,
	LOOK_MAX = 100000,
	KINDS = ASK_ERROR_RECOVERY + 1
};
/* Reading it takes at most a hundredth of the time, also of who asks for it again and again. */
enum { QUICK_SHARE = 100 };

/* Of a project and a kind. */
struct forecast_place {
	struct forecast_place *next;
	struct durations hour, whole; /* while it is read */
	struct estimate by_hour, by_all;
	struct estimate best;
	enum ask_kind kind;
};

struct forecast {
	int64_t ws;		/* its bytes are the key */
	int64_t at_ms, took_ms; /* 0: not read yet */
	bool renewing;
	struct table places; /* "0 project" → struct forecast_place */
	struct forecast_place *first;
	struct durations times[KINDS + 1]; /* the last: of all */
	struct estimate by[KINDS + 1];
	struct estimate best[KINDS]; /* outside of every project */
	struct arena arena;
};

static struct forecast *forecast_free(struct forecast *f)
{
	if (!f) return NULL;
	for (struct forecast_place *p = f->first; p; p = p->next) {
		durations_done(&p->hour);
		durations_done(&p->whole);
	}
	for (int i = 0; i <= KINDS; i++)
		durations_done(&f->times[i]);
	table_done(&f->places);
	arena_done(&f->arena);
	mem_free(f);
	return NULL;
}

void forecasts_init(struct forecasts *all)
{
	pthread_mutex_init(&all->lock, NULL);
}

void forecasts_done(struct forecasts *all)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&all->by_ws, &at, &key, &value))
		forecast_free(value);
	table_done(&all->by_ws);
	pthread_mutex_destroy(&all->lock);
}

/* ---- reading ---- */

static struct str place_key(
	enum ask_kind kind, struct str project, char *room, size_t size)
{
	int len = snprintf(room, size, "%d %.*s", (int)kind, STR_ARGS(project));

	return str_make(room, (size_t)len < size ? (size_t)len : size - 1);
}

static struct forecast_place *place_of(
	struct forecast *f, enum ask_kind kind, struct str project)
{
	char room[512];
	struct str key = place_key(kind, project, room, sizeof room);
	struct forecast_place *p = table_get(&f->places, key);

	if (p) return p;
	p = ARENA_NEW(&f->arena, struct forecast_place);
	if (!p) return NULL;
	p->kind = kind;
	p->next = f->first;
	f->first = p;
	return table_put(&f->places, arena_str(&f->arena, key), p) ? p : NULL;
}

struct forecast_reading {
	struct forecast *f;
	int64_t hour;
};

static enum err forecast_row(void *ctx, const struct row *row, struct fault *why)
{
	struct forecast_reading *r = ctx;
	struct str project = row_text(row, 1);
	int64_t created_ms = row_int(row, 2);
	int64_t took_ms = row_int(row, 4) ? FORECAST_NEVER : row_int(row, 3) - created_ms;
	int64_t apart = (created_ms / 3600000 - r->hour) % 24;
	bool near =
		apart == 0 || apart == -1 || apart == -23 || apart == 1 || apart == 23;
	struct forecast_place *p = NULL;
	enum ask_kind kind;

	if (!ask_kind_read(row_text(row, 0), &kind)) return OK;
	if (project.len && !(p = place_of(r->f, kind, project))) return fail_memory(why);
	if ((p && !durations_add(&p->whole, took_ms)) ||
		(p && near && !durations_add(&p->hour, took_ms)) ||
		!durations_add(&r->f->times[kind], took_ms) ||
		!durations_add(&r->f->times[KINDS], took_ms))
		return fail_memory(why);
	return OK;
}

static void times_take(struct estimate *e, struct durations *d)
{
	durations_sort(d->ms, d->len);
	estimate_make(e, d->ms, d->len);
	durations_done(d);
}

static enum forecast_basis forecast_of(const struct forecast *f,
	const struct forecast_place *p, const enum ask_kind *kind, struct estimate *out)
{
	struct estimate by[FORECAST_BASES] = { [BASIS_ALL] = f->by[KINDS] };

	if (kind) by[BASIS_KIND] = f->by[*kind];
	if (p) by[BASIS_PROJECT] = p->by_all;
	if (p) by[BASIS_HOUR] = p->by_hour;
	return forecast_choose(by, out);
}

static void forecast_estimate(struct forecast *f)
{
	for (int i = 0; i <= KINDS; i++)
		times_take(&f->by[i], &f->times[i]);
	for (struct forecast_place *p = f->first; p; p = p->next) {
		times_take(&p->by_hour, &p->hour);
		times_take(&p->by_all, &p->whole);
		forecast_of(f, p, &p->kind, &p->best);
	}
	for (int i = 0; i < KINDS; i++) {
		enum ask_kind kind = (enum ask_kind)i;

		forecast_of(f, NULL, &kind, &f->best[i]);
	}
}

static struct str forecast_key(const int64_t *ws)
{
	return str_make((const char *)ws, sizeof *ws);
}

static enum err forecast_load(
	struct rows *rows, int64_t ws, struct forecast **out, struct fault *why)
{
	struct forecast *f = mem_alloc(sizeof *f);
	struct forecast_reading r = { f, rows->now_ms / 3600000 };
	int64_t from_ms = rows->now_ms - (int64_t)LOOK_DAYS * 24 * 3600 * 1000;
	int64_t begun_ms = clock_mono_ms();
	enum err e;

	if (!f) return fail_memory(why);
	*f = (struct forecast){ .ws = ws };
	e = rows_query(rows, SQL_FORECAST,
		ARGS(ws, desk_id_bound("ask", from_ms, rows->arena), LOOK_MAX),
		forecast_row, &r, why);
	if (!e) forecast_estimate(f);
	if (!e && f->arena.failed) e = fail_memory(why);
	f->at_ms = rows->now_ms;
	f->took_ms = clock_mono_ms() - begun_ms;
	if (e)
		forecast_free(f);
	else
		*out = f;
	return e;
}

/* ---- keeping ---- */

/* Under the lock: as it is; made empty when there is none. NULL: no memory. */
static struct forecast *forecast_find(struct forecasts *all, int64_t ws)
{
	struct forecast *f = table_get(&all->by_ws, forecast_key(&ws));

	if (f) return f;
	f = mem_alloc(sizeof *f);
	if (!f) return NULL;
	*f = (struct forecast){ .ws = ws };
	if (table_put(&all->by_ws, forecast_key(&f->ws), f)) return f;
	return forecast_free(f);
}

static void forecast_keep(struct forecasts *all, int64_t ws, struct forecast *fresh)
{
	struct forecast *old;

	pthread_mutex_lock(&all->lock);
	old = forecast_find(all, ws);
	if (old && fresh) {
		table_remove(&all->by_ws, forecast_key(&old->ws));
		if (table_put(&all->by_ws, forecast_key(&fresh->ws), fresh)) fresh = NULL;
		forecast_free(old);
	} else if (old) {
		old->renewing = false;
	}
	pthread_mutex_unlock(&all->lock);
	forecast_free(fresh);
}

/* ---- in the background ---- */

struct forecast_task {
	struct task task; /* first */
	int64_t ws;
};

static enum err renew_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct forecast_task *t = (struct forecast_task *)(void *)job;
	struct forecast *fresh = NULL;
	enum err e = forecast_load(rows, t->ws, &fresh, why);

	forecast_keep(&t->task.desk->forecasts, t->ws, fresh);
	return e;
}

static const struct use use_forecast_renew =
	READS("forecast_renew", 0, JOB_OPEN | JOB_SLOW, renew_read, NULL);

static void renew_done(struct job *job)
{
	buf_done(&job->out);
	arena_done(&job->arena);
	mem_free(job);
}

static void renew_put(struct desk *d, int64_t ws)
{
	struct forecast_task *t = d->slow_reader ? mem_alloc(sizeof *t) : NULL;

	if (!t) {
		forecast_keep(&d->forecasts, ws, NULL);
		return;
	}
	*t = (struct forecast_task){ .ws = ws };
	t->task.desk = d;
	t->task.job.kind = &use_forecast_renew.job;
	t->task.job.done = renew_done;
	if (clerk_put(d->slow_reader, &t->task.job)) return;
	forecast_keep(&d->forecasts, ws, NULL);
	renew_done(&t->task.job);
}

static bool is_old(const struct forecast *f, int64_t now_ms, int64_t most_ms)
{
	return !f->at_ms || now_ms - f->at_ms >= most_ms || now_ms < f->at_ms;
}

struct str forecast_shown(struct task *t, int64_t ws, enum ask_kind kind,
	struct str project, int64_t now_ms)
{
	struct desk *d = t->desk;
	struct json_writer w = { .out = &(struct buf){ .max = 1024 } };
	struct estimate e = { .p50_ms = -1, .p90_ms = -1 };
	char room[512];
	struct forecast *f;
	struct forecast_place *p;
	bool renew;

	pthread_mutex_lock(&d->forecasts.lock);
	f = forecast_find(&d->forecasts, ws);
	if (f && f->at_ms) {
		p = project.len ? table_get(&f->places,
					  place_key(kind, project, room, sizeof room))
				: NULL;
		e = p ? p->best : f->best[kind];
	}
	renew = f && !f->renewing && is_old(f, now_ms, RENEW_MS);
	if (renew) f->renewing = true;
	pthread_mutex_unlock(&d->forecasts.lock);
	if (renew) renew_put(d, ws);
	jw_object(&w);
	estimate_write(&w, &e, t->words);
	jw_object_end(&w);
	return buf_keep_done(w.out, &t->job.arena);
}

enum err forecast_read(struct desk *d, struct rows *rows, int64_t ws,
	const enum ask_kind *kind, struct str project, struct estimate *out,
	enum forecast_basis *basis, struct fault *why)
{
	char room[512];
	struct forecast *f, *fresh = NULL;
	struct forecast_place *p = NULL;
	bool old;
	enum err e = OK;

	pthread_mutex_lock(&d->forecasts.lock);
	f = forecast_find(&d->forecasts, ws);
	old = f && (is_old(f, rows->now_ms, RENEW_MS) ||
			   rows->now_ms - f->at_ms > f->took_ms * QUICK_SHARE);
	pthread_mutex_unlock(&d->forecasts.lock);
	if (old) e = forecast_load(rows, ws, &fresh, why);
	if (e) return e;
	if (fresh) forecast_keep(&d->forecasts, ws, fresh);
	pthread_mutex_lock(&d->forecasts.lock);
	f = forecast_find(&d->forecasts, ws);
	if (f && kind && project.len)
		p = table_get(&f->places, place_key(*kind, project, room, sizeof room));
	if (f) *basis = forecast_of(f, p, kind, out);
	pthread_mutex_unlock(&d->forecasts.lock);
	return f ? OK : fail_memory(why);
}
