/* provider_test.c - providers and agents tried, and the models a provider has: requests to it from the
 * pool, few at once, while the loop goes on. */
#include "serve/inner.h"

#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/mem.h"
#include "core/run/script.h"
#include "core/shared/address.h"
#include "desk/run/configured.h"
#include "desk/run/model_lists.h"
#include "model/model.h"
#include "net/fetch.h"
#include "serve/pool_work.h"

enum { PROBE_MS = 30 * 1000, LISTING_MAX = 4 << 20 };

struct provider_test {
	struct pool_work work;
	struct request *request;
	const struct model_access *access; /* in the request's arena */
	struct url url;
	struct arena arena;
	struct model_reader *reader;
	struct buf body; /* of a listing */
	int status;
	bool listing;		     /* the reply under way is the list of models */
	bool over;		     /* which is longer than is read */
	bool asks;		     /* its model is called, too */
	struct buf kept;	     /* the list as it is to be kept */
	struct model_listing listed; /* what came of it */
	struct fetch_end end;
	struct model_reply reply;
	int64_t took_ms;
	int end_status; /* of the model's call */
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
	else if (p->listing)
		p->over = true;
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
	struct fetcher *f;

	p->end = (struct fetch_end){ .how = FETCH_UNREACHABLE };
	if (a->wire == WIRE_SCRIPT) {
		script_ask(p, &request);
		return;
	}
	f = fetcher_new(NULL);
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
	p->end_status = p->end.status;
	model_reader_end(p->reader, &end, &p->reply);
	buf_done(&body);
}

static struct str listing_wrong(struct provider_test *p)
{
	struct json_writer w = { .out = &p->kept };

	if (p->end.how != FETCH_WHOLE) return str_of(p->end.error);
	if (p->end.status != 200)
		return arena_print(&p->arena, "HTTP %d%s", p->end.status,
			p->end.status == 401 || p->end.status == 403
				? ": the key is not accepted"
				: "");
	if (p->over) return STR("the list is longer than Parley reads");
	return model_list_read(&w, p->access->wire, buf_str(&p->body))
		       ? STR_NONE
		       : STR("the provider's list is unreadable");
}

static void provider_test_list(struct provider_test *p)
{
	const struct model_access *a = p->access;

	p->listing = true;
	provider_test_call(p, model_list_url(a->wire, a->url, &p->arena), true, STR_NONE);
	p->listed.error = arena_str(&p->arena, listing_wrong(p));
	p->listed.body = buf_str(&p->kept);
	p->listing = false;
}

static void provider_test_run(struct pool_work *work)
{
	struct provider_test *p = (struct provider_test *)(void *)work;
	int64_t began = clock_mono_ms();

	if (p->asks) provider_test_ask(p);
	p->took_ms = clock_mono_ms() - began;
	if (p->access->wire != WIRE_SCRIPT) provider_test_list(p);
}

/* ---- back on the loop ---- */

static void check_write(struct provider_test *p, struct json_writer *w, const char *name,
	bool ok, struct str detail)
{
	JW(w, "{'name':%s,'ok':%j,'detail':%s}", str_of(name), json_bool(ok),
		task_words(&p->request->task, detail, &p->arena));
}

/* Of the model that was called, as the list has it. */
static const struct listed_model *model_listed(
	struct provider_test *p, struct model_list *l)
{
	if (p->listed.error.len || model_list_parse(p->listed.body, &p->arena, l, NULL))
		*l = (struct model_list){ 0 };
	return model_list_find(l, p->access->model.id);
}

static struct str retires_words(struct provider_test *p)
{
	struct model_list l;
	const struct listed_model *m = model_listed(p, &l);

	return m && model_retires(m, clock_now_ms())
		       ? arena_print(&p->arena, "; it %.*s",
				 STR_ARGS(model_retires_words(m, &p->arena)))
		       : STR_NONE;
}

/* A model that is gone, with others in its place. */
static struct str trouble_words(struct provider_test *p)
{
	struct model_list l;
	const struct listed_model *m = model_listed(p, &l);
	bool gone = m ? model_gone(m, clock_now_ms()) : p->end_status == 404;

	return gone ? model_gone_words(p->access->provider, p->access->model.id, &l,
			      clock_now_ms(), &p->arena)
		    : str_of(p->reply.message);
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
	if (tried && p->asks) {
		good = p->reply.trouble == TROUBLE_NONE ||
		       p->reply.trouble == TROUBLE_CUT;
		check_write(p, w, "model", good,
			good ? arena_print(&p->arena, "%.*s answered in %lld ms%.*s",
				       STR_ARGS(a->model.id), (long long)p->took_ms,
				       STR_ARGS(retires_words(p)))
			     : arena_print(&p->arena, "%s: %.*s",
				       trouble_name(p->reply.trouble),
				       STR_ARGS(trouble_words(p))));
	}
	if (tried && a->wire != WIRE_SCRIPT) {
		bool listed = !p->listed.error.len;

		/* A server of one's own may have no list. */
		if (!p->asks) good = listed;
		check_write(p, w, "models", listed || p->asks,
			listed ? STR("the provider answers") : p->listed.error);
	}
	if (tried && p->asks) {
		bool paid = a->model.priced || !a->cost_limited;

		good &= paid;
		check_write(p, w, "price", paid,
			a->model.priced ? STR("known")
			: paid		? STR("not known: no cost is shown")
			       : STR("not known: the limit of cost cannot be kept"));
	}
	if (tried && a->tools >= 0)
		check_write(p, w, "tools", true,
			arena_print(&p->arena, "%lld named", (long long)a->tools));
	JW(w, "],'ok':%j}", json_bool(good));
}

static void provider_test_free(struct provider_test *p)
{
	model_reader_free(p->reader);
	arena_done(&p->arena);
	buf_done(&p->body);
	buf_done(&p->kept);
	mem_free(p);
}

static struct provider_test *provider_test_of(struct request *r)
{
	return LINK_OF(r->task.checked, struct provider_test, listed);
}

/* What it has found is kept, or could not be: the reply is the same. */
static void provider_test_told(struct request *r)
{
	struct provider_test *p = provider_test_of(r);
	struct job *job = &r->task.job;
	struct json_writer w = { .out = &job->out };

	job->err = OK;
	job->status = 200;
	buf_clear(&job->out);
	if (r->x) test_write(p, &w);
	request_reply(r, STR_NONE);
	provider_test_free(p);
}

static void models_shown(struct request *r)
{
	struct provider_test *p = provider_test_of(r);

	request_reply(r, STR_NONE);
	provider_test_free(p);
}

static void provider_test_end(struct provider_test *p)
{
	struct request *r = p->request;
	bool listed = p->listed.provider.len > 0;

	r->task.checked = &p->listed;
	if (r->route->run == route_models)
		request_put(r, &use_model_list_show, models_shown);
	else if (listed)
		request_put(r, &use_model_list_keep, provider_test_told);
	else
		provider_test_told(r);
}

static void provider_test_back(struct pool_work *work, bool ran)
{
	struct provider_test *p = (struct provider_test *)(void *)work;

	work->serve->probes--;
	if (ran && p->access->wire != WIRE_SCRIPT) {
		p->listed.ws = p->request->task.job.who.ws;
		p->listed.provider = p->access->provider;
	}
	provider_test_end(p);
}

static void provider_test_begin(struct request *r)
{
	struct serve *s = r->serve;
	struct provider_test *p;
	bool models = r->route->run == route_models;

	if (!probe_begins(r, probe_room(s) || (models && !r->task.access->list_due),
		    "providers"))
		return;
	p = mem_alloc(sizeof *p);
	if (!p) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	p->work = (struct pool_work){ .run = provider_test_run,
		.back = provider_test_back };
	p->request = r;
	p->access = r->task.access;
	p->asks = !models && p->access->model.id.len;
	if (models && p->access->wrong.len) p->listed.error = p->access->wrong;
	if (p->access->wrong.len || (models && !p->access->list_due)) {
		provider_test_end(p);
		return;
	}
	s->probes++;
	pool_work_start(s, &p->work);
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
