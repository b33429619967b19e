/* signed.c - replies for which the workspace needs a key to sign with. The first one makes it: a read
 * changes nothing, so the key is made in a task of its own, and the read is done again.
 * Prefixes: route_, request_. */
#include "serve/inner.h"

/* What the task is about, kept while another is done in its place. */
struct signed_read {
	struct str id;
	struct param *params;
	size_t params_len;
	void (*then)(struct request *);
};

static void signed_renew(struct request *r, const struct signed_read *s)
{
	request_renew(r);
	r->task.id = s->id;
	r->task.params = s->params;
	r->task.params_len = s->params_len;
}

static void signed_key_made(struct request *r)
{
	const struct signed_read *s = r->ctx;

	if (r->task.job.err) {
		request_reply(r, STR_NONE);
		return;
	}
	signed_renew(r, s);
	request_put(r, r->route->use, s->then);
}

static void signed_was_read(struct request *r)
{
	const struct signed_read *s = r->ctx;

	if (!r->task.keyless || !r->x) {
		s->then(r);
		return;
	}
	signed_renew(r, s);
	request_put(r, &use_key_first, signed_key_made);
}

/* The route's use case, with a key of the workspace to sign with, and then `then`. */
static void request_put_signed(struct request *r, void (*then)(struct request *))
{
	struct signed_read *s = ARENA_NEW(&r->task.job.arena, struct signed_read);

	if (!s) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	*s = (struct signed_read){ r->task.id, r->task.params, r->task.params_len, then };
	r->ctx = s;
	request_put(r, r->route->use, signed_was_read);
}

void route_signed(struct request *r)
{
	request_put_signed(r, request_finish);
}

static void receipt_was_read(struct request *r)
{
	struct job *job = &r->task.job;

	if (job->err)
		request_reply(r, STR_NONE);
	else
		request_send(r, job->status, "application/jose+json", STR(API_HEADERS),
			buf_str(&job->out));
}

void route_receipt(struct request *r)
{
	request_put_signed(r, receipt_was_read);
}
