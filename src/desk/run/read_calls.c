/* read_calls.c - tool calls as they are: one, and lists of them. */
#include "desk/run/read_run.h"

#include "core/run/tool_call.h"

enum { PAGE_BYTES = 8 << 20 }; /* a page ends behind the call that passes it */

/* The result of a call that stands in a message by now. */
static struct str result_in(struct rows *rows, const struct tool_call *c)
{
	const struct run_message *m;
	const struct json *parts;

	if (!c->answer.len ||
		rows_get(rows, RECORD_MESSAGES, KEY(c->ws, c->session, c->answer), &m,
			NULL) ||
		!m || json_read(m->content, NULL, rows->arena, &parts, NULL))
		return STR_NONE;
	for (uint32_t i = 0; i < parts->count; i++)
		if (str_eq(json_text(json_get(&parts->items[i], "call")), c->id))
			return json_text(json_get(&parts->items[i], "content"));
	return STR_NONE;
}

static void call_write(
	struct json_writer *w, struct rows *rows, const struct tool_call *c)
{
	tool_call_write(w, c, c->status == CALL_DONE ? result_in(rows, c) : STR_NONE);
}

static enum err call_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct tool_call c;
	enum err e = read_run_may(job, why);

	if (!e)
		e = read_run_one(job, rows, RECORD_TOOL_CALLS, task_of(job)->id,
			"tool call", &c, why);
	if (!e) e = read_run_part(job, rows, c.session, "tool call", why);
	if (!e) call_write(TO_REPLY(job), rows, &c);
	return e;
}

const struct use use_tool_call_get = READS("tool_call_get", 0, 0, call_get_read, NULL);

/* What is to be listed. */
struct call_list {
	struct str run, session, status, server, agent;
	bool all; /* this principal sees every session */
};

/* Of a run the calls are found by its session. */
static enum err list_of(
	struct job *job, struct rows *rows, struct call_list *l, struct fault *why)
{
	struct task *t = task_of(job);
	enum call_status known;
	const struct run *r = NULL;
	enum err e = read_run_may(job, why);

	*l = (struct call_list){ task_param(t, "run"), task_param(t, "session"),
		task_param(t, "status"), task_param(t, "server"), task_param(t, "agent"),
		role_may(job->who.role, MAY_READ_ALL) };
	if (!e && l->status.len && !call_status_read(l->status, &known))
		e = fail_at(why, "/status", "has a value that is not accepted");
	if (!e && l->run.len && !l->session.len) {
		e = rows_get(rows, RECORD_RUNS, KEY(job->who.ws, l->run), &r, why);
		l->session = r ? r->session : l->run; /* none is called that */
	}
	if (!e && !l->all && l->session.len)
		e = read_run_session(job, rows, l->session, why);
	return e;
}

static enum err call_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct call_list of;
	struct list_page p;
	struct str *ids, last = STR_NONE;
	size_t found = 0, n = 0;
	enum err e = list_of(job, rows, &of, why);

	if (!e) e = page_read(t, rows, "tool_calls", &p, why);
	if (e) return e;
	ids = ARENA_ARRAY(&job->arena, struct str, (size_t)p.limit + 1);
	if (!ids) return fail_memory(why);
	e = rows_texts(rows, of.session.len ? SQL_CALL_PAGE : SQL_CALL_PAGE_ALL,
		ARGS(job->who.ws, p.has_cursor ? p.cursor[0] : STR("zz"), p.limit + 1,
			of.run, of.status,
			of.session.len ? of.session
			: of.all       ? STR_NONE
				       : principal_starter(&job->who),
			of.server, of.agent),
		ids, (size_t)p.limit + 1, &found, why);
	page_begin(&w);
	for (; !e && n < found && n < (size_t)p.limit && job->out.len < PAGE_BYTES; n++) {
		struct tool_call c;

		last = ids[n];
		e = read_run_one(
			job, rows, RECORD_TOOL_CALLS, last, "tool call", &c, why);
		if (!e) call_write(&w, rows, &c);
	}
	page_end(t, &w, &p, n < found ? &last : NULL, 1);
	return e;
}

const struct use use_tool_call_list = READS("tool_call_list", 0, 0, call_list_read, NULL);
