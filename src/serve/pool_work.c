/* pool_work.c - work in the pool, counted among what the server waits for before it ends. */
#include "serve/pool_work.h"

#include "serve/inner.h"

static void pool_work_run(uv_work_t *uv)
{
	struct pool_work *w = uv->data;

	w->run(w);
}

static void pool_work_back(uv_work_t *uv, int status)
{
	struct pool_work *w = uv->data;
	struct serve *s = w->serve;

	s->away--;
	w->back(w, status == 0);
	serve_try_end(s);
}

void pool_work_start(struct serve *s, struct pool_work *w)
{
	w->uv.data = w;
	w->serve = s;
	s->away++;
	if (uv_queue_work(loop_uv(s->loop), &w->uv, pool_work_run, pool_work_back))
		pool_work_back(&w->uv, UV_ENOMEM);
}

enum { PROBES_AT_ONCE = 2 };

bool probe_room(const struct serve *s)
{
	return s->probes < PROBES_AT_ONCE;
}

bool probe_begins(struct request *r, bool room, const char *what)
{
	if (r->task.job.err || !r->x) {
		request_reply(r, STR_NONE);
		return false;
	}
	if (room) return true;
	r->task.job.why.retry_after_s = 1;
	request_refuse(r, ERR_RATE, "too many %s are being tried", what);
	return false;
}
