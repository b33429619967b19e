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
