/* provider_test.c - providers and agents tried, and the models a provider has: requests to it from the
 * pool, few at once, while the loop goes on. */
#include "serve/inner.h"

#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/mem.h"
#include "core/run/script.h"
#include "core/shared/address.h"
#include "desk/run/configured.h"
#include "model/model.h"
#include "net/fetch.h"

#include <uv.h>

enum { PROBE_MS = 30 * 1000, PROBES_AT_ONCE = 2, LISTING_MAX = 4 << 20 };

struct provider_test {
	uv_work_t work;
	struct request *request;
	const struct model_access *access; /* in the request's arena */
	struct url url;
	struct arena arena;
	struct model_reader *reader;
	struct buf body; /* of a listing */
	int status;
	bool listing; /* the reply is the list of models */
	struct fetch_end end;
	struct model_reply reply;
	int64_t took_ms;
};

static bool provider_test_may_connect(void *ctx, const uint8_t bytes[16])
{
	struct provider_test *p = ctx;
	struct str reach = p->access->model_internal;
	struct address to;

	memcpy(to.bytes, bytes, sizeof to.bytes);
	return model_reach_allows(reach.len ? reach : STR("no"), &p->url, &to);
}

static bool provider_test_take(void *ctx, int status, struct str bytes)
{
	struct provider_test *p = ctx;

	p->status = status;
	if (p->listing && p->body.len + bytes.len <= LISTING_MAX)
		buf_add(&p->body, bytes);
	return p->listing || model_reader_feed(p->reader, status, bytes);
}

/* ---- in the pool ---- */

/* It has no models but those that it is given. */
static void script_ask(struct provider_test *p, const struct fetch_request *q)
{
	struct model_played said = { .status = 200, .bytes = STR("{\"data\":[]}") };
	struct script_scene scene = { .attempt = 1 };

	if (!q->get)
		model_script_play(p->access->body, q->body, &scene, &p->arena, &said);
	fetch_made(q, said.delay_ms, said.status, said.bytes, &p->end);
}

static void provider_test_call(
	struct provider_test *p, const char *url, bool get, struct str body)
{
	const struct model_access *a = p->access;
	struct fetch_request request = { .url = url,
		.headers = model_headers(a->wire, a->key, &p->arena),
		.get = get,
		.body = body,
		.timeout_ms = PROBE_MS,
		.stop_fd = -1,
		.may_connect = provider_test_may_connect,
		.take = provider_test_take,
		.ctx = p };
	struct fetcher *f = fetcher_new(NULL);

	p->end = (struct fetch_end){ .how = FETCH_UNREACHABLE };
	if (a->wire == WIRE_SCRIPT) {
		script_ask(p, &request);
		return;
	}
	if (f && url && request.headers && url_split(str_of(url), &p->url))
		fetcher_run(f, &request, &p->end);
	fetcher_free(f);
}

static void provider_test_ask(struct provider_test *p)
{
	static const struct model_message hello = { .role = MODEL_USER,
		.content = STR(
			"[{\"type\":\"text\",\"text\":\"Reply with the word OK.\"}]") };
	const struct model_access *a = p->access;
	struct model_request request = { .model = a->model.id,
		.output_max = 256,
		.messages = &hello,
		.messages_len = 1 };
	struct buf body = { 0 };
	struct model_end end;

	p->reader = model_reader_new(
		&(struct model_setup){ .wire = a->wire, .secret = a->key });
	if (!p->reader || model_request_write(&body, a->wire, &request, NULL)) return;
	provider_test_call(p, model_url(a->wire, a->url, a->model.id, &p->arena), false,
		buf_str(&body));
	end = (struct model_end){ .status = p->end.status,
		.whole = p->end.how == FETCH_WHOLE,
		.error = p->end.error,
		.retry_after_ms = -1 };
	model_reader_end(p->reader, &end, &p->reply);
	buf_done(&body);
}

static void provider_test_do(uv_work_t *work)
{
	struct provider_test *p = work->data;
	int64_t began = clock_mono_ms();

	if (p->listing)
		provider_test_call(p,
			model_list_url(p->access->wire, p->access->url, &p->arena), true,
			STR_NONE);
	else
		provider_test_ask(p);
	p->took_ms = clock_mono_ms() - began;
}

/* ---- back on the loop ---- */

static void check_write(struct provider_test *p, struct json_writer *w, const char *name,
	bool ok, struct str detail)
{
	JW(w, "{'name':%s,'ok':%j,'detail':%s}", str_of(name), json_bool(ok),
		task_words(&p->request->task, detail, &p->arena));
}

static struct str listing_wrong(struct provider_test *p)
{
	if (p->end.how != FETCH_WHOLE) return str_of(p->end.error);
	if (p->end.status == 200) return STR_NONE;
	return arena_print(&p->arena, "HTTP %d%s", p->end.status,
		p->end.status == 401 || p->end.status == 403 ? ": the key is not accepted"
							     : "");
}

static void test_write(struct provider_test *p, struct json_writer *w)
{
	const struct model_access *a = p->access;
	struct str wrong = a->wrong;
	bool tried = !wrong.len, good = tried;

	JW(w, "{'checks':[");
	check_write(p, w, "key", !wrong.len,
		wrong.len    ? wrong
		: a->key.len ? STR("set")
			     : STR("none is needed"));
	if (tried && p->listing) {
		wrong = listing_wrong(p);
		good = !wrong.len;
		check_write(
			p, w, "models", good, good ? STR("the provider answers") : wrong);
	} else if (tried) {
		good = p->reply.trouble == TROUBLE_NONE ||
		       p->reply.trouble == TROUBLE_CUT;
		check_write(p, w, "model", good,
			good ? arena_print(&p->arena, "%.*s answered in %lld ms",
				       STR_ARGS(a->model.id), (long long)p->took_ms)
			     : arena_print(&p->arena, "%s: %s",
				       trouble_name(p->reply.trouble), p->reply.message));
	}
	if (tried && !p->listing)
		check_write(p, w, "price", true,
			a->model.priced ? STR("known")
					: STR("not known: no cost is shown"));
	JW(w, "],'ok':%j}", json_bool(good));
}

static void provider_test_reply(struct provider_test *p)
{
	struct request *r = p->request;
	struct job *job = &r->task.job;
	struct json_writer w = { .out = &job->out };
	struct str wrong = STR_NONE;

	buf_clear(&job->out);
	if (r->route->run == route_models) {
		wrong = p->access->wrong.len ? p->access->wrong : listing_wrong(p);
		if (!wrong.len && !model_list_write(&w, p->access->wire,
					  buf_str(&p->body), clock_now_ms()))
			wrong = STR("the provider's list is unreadable");
	} else {
		test_write(p, &w);
	}
	if (wrong.len)
		request_refuse(r, ERR_UNAVAILABLE, "%.*s: %.*s",
			STR_ARGS(p->access->provider), STR_ARGS(wrong));
	else
		request_reply(r, STR_NONE);
}

static void provider_test_end(struct provider_test *p)
{
	struct serve *s = p->request->serve;

	s->away--;
	if (p->request->x)
		provider_test_reply(p);
	else
		request_free(p->request);
	model_reader_free(p->reader);
	arena_done(&p->arena);
	buf_done(&p->body);
	mem_free(p);
	serve_try_end(s);
}

static void provider_test_done(uv_work_t *work, int status)
{
	struct provider_test *p = work->data;

	(void)status;
	p->request->serve->probes--;
	provider_test_end(p);
}

static void provider_test_begin(struct request *r)
{
	struct serve *s = r->serve;
	struct provider_test *p;

	if (r->task.job.err || !r->x) {
		request_reply(r, STR_NONE);
		return;
	}
	if (s->probes >= PROBES_AT_ONCE) {
		r->task.job.why.retry_after_s = 1;
		request_refuse(r, ERR_RATE, "too many providers are being tried");
		return;
	}
	p = mem_alloc(sizeof *p);
	if (!p) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	p->work.data = p;
	p->request = r;
	p->access = r->task.access;
	p->listing = r->route->run == route_models || !p->access->model.id.len;
	s->away++;
	if (p->access->wrong.len || uv_queue_work(loop_uv(s->loop), &p->work,
					    provider_test_do, provider_test_done)) {
		provider_test_end(p);
		return;
	}
	s->probes++;
}

void route_agent_test(struct request *r)
{
	request_put(r, &use_model_access, provider_test_begin);
}

void route_provider_test(struct request *r)
{
	r->task.of_provider = true;
	request_put(r, &use_model_access, provider_test_begin);
}

void route_models(struct request *r)
{
	r->task.of_provider = true;
	request_put(r, &use_model_access, provider_test_begin);
}
