/* lists.c - the list of models of a provider that a run uses, read when that is due. */
#include "agent/inner.h"

#include "core/shared/address.h"
#include "desk/run/model_lists.h"

enum { LIST_MS = 10 * 1000, LIST_MAX = 4 << 20 };

struct list_call {
	const struct model_access *access;
	struct url url;
	struct buf body;
	bool over;
};

static bool may_connect(void *ctx, const uint8_t bytes[16])
{
	struct list_call *l = ctx;
	struct address to;

	memcpy(to.bytes, bytes, sizeof to.bytes);
	return model_reach_allows(l->access->model_internal, &l->url, &to);
}

static bool take(void *ctx, int status, struct str bytes)
{
	struct list_call *l = ctx;

	(void)status;
	if (l->body.len + bytes.len <= LIST_MAX)
		buf_add(&l->body, bytes);
	else
		l->over = true;
	return true;
}

static struct str listing_read(
	struct worker *w, struct list_call *l, struct arena *arena, struct buf *kept)
{
	const struct model_access *a = l->access;
	struct fetch_request q = { .url = model_list_url(a->wire, a->url, arena),
		.headers = model_headers(a->wire, a->key, arena),
		.get = true,
		.timeout_ms = LIST_MS,
		.stop_fd = w->stop_fd,
		.may_connect = may_connect,
		.take = take,
		.ctx = l };
	struct json_writer out = { .out = kept };
	struct fetch_end end = { .how = FETCH_UNREACHABLE };

	if (q.url && q.headers && url_split(str_of(q.url), &l->url))
		fetcher_run(w->fetcher, &q, &end);
	if (end.how != FETCH_WHOLE)
		return arena_str(
			arena, end.error[0] ? str_of(end.error) : STR("no reply"));
	if (end.status != 200) return arena_print(arena, "HTTP %d", end.status);
	if (l->over) return STR("the list is longer than Parley reads");
	return model_list_read(&out, a->wire, buf_str(&l->body))
		       ? STR_NONE
		       : STR("the provider's list is unreadable");
}

static bool listing_begin(struct worker *w)
{
	struct runner *r = w->runner;
	bool mine;

	pthread_mutex_lock(&r->lock);
	mine = !r->listing && !r->stopping;
	if (mine) r->listing = true;
	pthread_mutex_unlock(&r->lock);
	return mine;
}

void lists_read(struct worker *w, const struct run_work *work)
{
	struct list_call l = { .access = &work->access };
	struct model_listing told = { .ws = work->key.ws,
		.provider = work->access.provider };
	struct task t = { .checked = &told };
	struct arena arena = { 0 };
	struct buf kept = { 0 };

	if (w->listed || !work->access.list_due || work->access.wire == WIRE_SCRIPT ||
		work->access.wrong.len || worker_told(w) || !listing_begin(w))
		return;
	told.error = listing_read(w, &l, &arena, &kept);
	told.body = buf_str(&kept);
	if (!worker_told(w)) desk_wait(w->runner->desk, &use_model_list_keep, &t);
	w->listed = true;
	pthread_mutex_lock(&w->runner->lock);
	w->runner->listing = false;
	pthread_mutex_unlock(&w->runner->lock);
	task_empty(&t);
	buf_done(&kept);
	buf_done(&l.body);
	arena_done(&arena);
}
