/* mcp_server_test.c - MCP servers tried: their tools are read, and one is called if that is wanted, from the pool,
 * few at once, while the loop goes on. What was found is kept, then told. */
#include "serve/inner.h"

#include "base/json_pattern.h"
#include "base/mem.h"
#include "desk/run/mcp_servers.h"
#include "serve/pool_work.h"

struct mcp_server_test {
	struct pool_work work;
	struct request *request;
	struct arena arena;
	struct mcp_listing listing;
	struct mcp_found found;
	bool done;
};

static void server_test_run(struct pool_work *work)
{
	struct mcp_server_test *p = (struct mcp_server_test *)(void *)work;
	const struct task *t = &p->request->task;

	p->done = p->request->serve->mcp_try(
		t->mcp, json_get(t->body, "call"), &p->arena, &p->found);
}

static void server_check(struct mcp_server_test *p, struct json_writer *w,
	const char *name, bool ok, struct str detail)
{
	JW(w, "{'name':%s,'ok':%j,'detail':%s}", str_of(name), json_bool(ok),
		task_words(&p->request->task, detail, &p->arena));
}

/* How far it came: reached, its revision agreed, its tools listed. */
static void checks_write(struct mcp_server_test *p, struct json_writer *w)
{
	const struct mcp_found *f = &p->found;
	bool agreed = f->revision.len > 0, ready = f->status == MCP_READY;
	const struct json *tools = NULL;

	if (ready) json_read(f->tools, &mcp_list_limits, &p->arena, &tools, NULL);
	server_check(p, w, "connect", agreed,
		agreed ? arena_print(&p->arena, "MCP %.*s", STR_ARGS(f->revision))
		       : f->error);
	if (agreed)
		server_check(p, w, "tools", ready,
			ready ? arena_print(&p->arena, "%u listed%s",
					tools ? tools->count : 0,
					f->truncated ? ", and more" : "")
			      : f->error);
	if (f->called) server_check(p, w, "call", !f->came.failed, f->came.text);
}

/* The server as it is kept now is what the desk wrote. */
static void server_test_told(struct request *r)
{
	struct mcp_listing *l = r->task.checked;
	struct mcp_server_test *p = LINK_OF(l, struct mcp_server_test, listing);
	struct job *job = &r->task.job;
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	if (!job->err && r->x) {
		JW(&w, "{'ok':%j,'checks':[",
			json_bool(p->found.status == MCP_READY &&
				  !(p->found.called && p->found.came.failed)));
		checks_write(p, &w);
		JW(&w, "],'server':%j}", buf_str(&job->out));
		buf_set(&job->out, buf_str(&out));
		if (out.failed) job->err = fail_memory(&job->why);
		job->status = 200;
	}
	buf_done(&out);
	request_reply(r, STR_NONE);
	arena_done(&p->arena);
	mem_free(p);
}

static void server_test_back(struct pool_work *work, bool ran)
{
	struct mcp_server_test *p = (struct mcp_server_test *)(void *)work;
	struct request *r = p->request;

	work->serve->probes--;
	if (!ran || !p->done)
		p->found = (struct mcp_found){ .status = MCP_FAILED,
			.error = STR("out of memory") };
	p->listing = (struct mcp_listing){ .ws = r->task.job.who.ws,
		.server = r->task.mcp->name,
		.found = &p->found,
		.shown = true };
	r->task.checked = &p->listing;
	request_put(r, &use_mcp_keep, server_test_told);
}

static void server_test_begin(struct request *r)
{
	struct mcp_server_test *p;

	if (!probe_begins(r, r->serve->mcp_try && probe_room(r->serve), "MCP servers"))
		return;
	p = mem_alloc(sizeof *p);
	if (!p) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	*p = (struct mcp_server_test){ .work = { .run = server_test_run,
					       .back = server_test_back },
		.request = r,
		.arena.max = MCP_LIST_MEMORY };
	r->serve->probes++;
	pool_work_start(r->serve, &p->work);
}

void route_mcp_server_test(struct request *r)
{
	request_put(r, &use_mcp_access, server_test_begin);
}
