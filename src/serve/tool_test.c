/* tool_test.c - tools of one's own, tried: a call from the pool, few at once, while the loop goes on; and results
 * of their calls that come later. */
#include "serve/inner.h"

#include "base/clock.h"
#include "base/mem.h"
#include "core/run/own_tool.h"
#include "serve/pool_work.h"

enum { RESULTS_A_MINUTE = 60 };

struct tool_test {
	struct pool_work work;
	struct request *request;
	struct arena arena;
	struct tool_outcome came;
	bool done;
};

static void tool_test_run(struct pool_work *work)
{
	struct tool_test *p = (struct tool_test *)(void *)work;
	const struct task *t = &p->request->task;

	p->done = p->request->serve->tool_try(
		t->tool, json_get(t->body, "arguments"), &p->arena, &p->came);
}

static void tool_test_reply(struct tool_test *p)
{
	struct job *job = &p->request->task.job;
	struct json_writer w = { .out = &job->out };

	buf_clear(&job->out);
	jw_object(&w);
	jw_put_bool(&w, "ok", !p->came.failed);
	jw_key(&w, "status");
	p->came.status ? jw_int(&w, p->came.status) : jw_null(&w);
	jw_put_str(&w, "result", p->came.text);
	jw_put_int(&w, "duration_ms", p->came.took_ms);
	jw_object_end(&w);
	request_reply(p->request, STR_NONE);
}

static void tool_test_back(struct pool_work *work, bool ran)
{
	struct tool_test *p = (struct tool_test *)(void *)work;
	struct request *r = p->request;

	work->serve->probes--;
	if (!r->x)
		request_free(r);
	else if (ran && p->done)
		tool_test_reply(p);
	else
		request_refuse(r, ERR_MEMORY, "out of memory");
	arena_done(&p->arena);
	mem_free(p);
}

static void tool_test_begin(struct request *r)
{
	struct tool_test *p;

	if (!probe_begins(r, r->serve->tool_try && probe_room(r->serve), "tools")) return;
	p = mem_alloc(sizeof *p);
	if (!p) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	*p = (struct tool_test){ .work = { .run = tool_test_run, .back = tool_test_back },
		.request = r };
	r->serve->probes++;
	pool_work_start(r->serve, &p->work);
}

void route_tool_test(struct request *r)
{
	request_put(r, &use_tool_access, tool_test_begin);
}

void route_tool_result(struct request *r)
{
	struct str auth = http_header(http_request(r->x), "authorization");
	int64_t after_s = 0;

	if (!rate_take(&r->serve->tries, str_first(r->task.id, RATE_KEY_SIZE - 1),
		    RESULTS_A_MINUTE, clock_now_ms(), &after_s)) {
		r->task.job.why.retry_after_s = after_s;
		request_refuse(r, ERR_RATE, "more than %d requests of this kind a minute",
			RESULTS_A_MINUTE);
		return;
	}
	if (auth.len > 7 && str_is_nocase(str_first(auth, 7), "bearer "))
		r->task.callback =
			arena_str(&r->task.job.arena, str_trim(str_from(auth, 7)));
	request_put(r, r->route->use, request_finish);
}
