/* mcp_fixture_tasks.c - tasks for MCP's conformance suite: what is to become of one its
 * fixture says, the rest is time and what the client does. Kept in memory, the last few.
 *
 *	"task": {
 *		"seconds": 1,      how long it works; a text names an argument that says
 *so "required": true,  it never runs without a task "input": {…}       what it wants of
 *the client before it works
 *	}
 *	"error": {…}           how it fails, instead of a result */
#include "serve/mcp.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdio.h>

enum { TASKS_MAX = 256, POLL_MS = 100 };

struct fixture_task {
	struct fixture_task *next; /* older */
	char id[ID_SIZE];
	int64_t created_ms, changed_ms, work_ms;
	uint32_t answered; /* of the inputs, a bit each */
	bool cancelled;
	size_t tool_len;
	char texts[]; /* the tool's name, then the members of its result */
};

static const struct json *task_fixture(struct request *r, const struct fixture_task *t)
{
	return fixture_find(r, "tools", "name", str_make(t->texts, t->tool_len));
}

static const struct json *task_input(const struct json *fixture)
{
	return json_get(json_get(fixture, "task"), "input");
}

static bool task_waits(const struct fixture_task *t, const struct json *fixture)
{
	const struct json *input = task_input(fixture);

	return input && t->answered != (1u << input->count) - 1;
}

static const char *task_state(const struct fixture_task *t, const struct json *fixture)
{
	if (t->cancelled) return "cancelled";
	if (task_waits(t, fixture)) return "input_required";
	if (clock_now_ms() < t->changed_ms + t->work_ms) return "working";
	return json_get(fixture, "error") ? "failed" : "completed";
}

/* ---- one is made ---- */

static void tasks_trim(struct serve *s)
{
	struct fixture_task **at = &s->fixture_tasks;

	for (int n = 0; *at && n < TASKS_MAX; n++)
		at = &(*at)->next;
	while (*at) {
		struct fixture_task *old = *at;

		*at = old->next;
		mem_free(old);
	}
}

static int64_t work_ms(struct request *r, const struct json *fixture)
{
	const struct json *s = json_get(json_get(fixture, "task"), "seconds");

	if (json_is(s, JSON_STRING)) s = json_get_str(mcp_param(r, "arguments"), s->text);
	return s && s->is_int && s->integer > 0 ? s->integer * 1000 : 0;
}

static struct fixture_task *task_new(struct request *r, const struct json *fixture)
{
	struct str tool = json_text(json_get(json_get(fixture, "listed"), "name"));
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct fixture_task *t;

	jw_object(&w);
	fixture_result_write(&w, r, fixture);
	jw_object_end(&w);
	t = b.failed ? NULL : mem_alloc(sizeof *t + tool.len + b.len + 1);
	if (t) {
		id_make(&(struct ids){ 0 }, "tsk", clock_now_ms(), t->id);
		t->created_ms = t->changed_ms = clock_now_ms();
		t->work_ms = work_ms(r, fixture);
		t->tool_len = tool.len;
		memcpy(t->texts, tool.at, tool.len);
		memcpy(t->texts + tool.len, b.at, b.len);
		t->next = r->serve->fixture_tasks;
		r->serve->fixture_tasks = t;
		tasks_trim(r->serve);
	}
	buf_done(&b);
	return t;
}

static void time_member(struct json_writer *w, const char *name, int64_t ms)
{
	char text[TIME_SIZE];

	time_write(ms, text);
	jw_key(w, name);
	jw_text(w, text);
}

static void task_members(
	struct json_writer *w, const struct fixture_task *t, const struct json *fixture)
{
	jw_key(w, "taskId");
	jw_text(w, t->id);
	jw_key(w, "status");
	jw_text(w, task_state(t, fixture));
	time_member(w, "createdAt", t->created_ms);
	time_member(w, "lastUpdatedAt", t->changed_ms);
	jw_key(w, "ttlMs");
	jw_null(w);
	jw_key(w, "pollIntervalMs");
	jw_int(w, POLL_MS);
}

bool fixture_task_begin(struct request *r, const struct json *fixture)
{
	const struct json *how = json_get(fixture, "task");
	struct fixture_task *t;

	if (!how) return false;
	if (!(mcp_of(r)->client.can & CAN_TASKS))
		return json_get(how, "required") && !mcp_task_known(r);
	t = task_new(r, fixture);
	if (!t) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return true;
	}
	task_members(mcp_result(r, "task"), t, fixture);
	mcp_send(r);
	return true;
}

/* ---- and looked after ---- */

/* What of the input is still wanted. */
static void input_write(
	struct json_writer *w, const struct fixture_task *t, const struct json *input)
{
	jw_key(w, "inputRequests");
	jw_object(w);
	for (uint32_t i = 0; i < input->count; i++) {
		if (t->answered & 1u << i) continue;
		jw_name(w, input->members[i].name);
		jw_json(w, &input->members[i].value);
	}
	jw_object_end(w);
}

static void task_show(struct request *r, struct fixture_task *t)
{
	const struct json *fixture = task_fixture(r, t);
	struct str state = str_of(task_state(t, fixture));
	struct json_writer *w = mcp_result(r, "complete");

	task_members(w, t, fixture);
	if (str_is(state, "input_required")) input_write(w, t, task_input(fixture));
	if (str_is(state, "failed")) {
		jw_key(w, "error");
		jw_json(w, json_get(fixture, "error"));
	}
	if (str_is(state, "completed")) {
		jw_key(w, "result");
		jw_raw(w, str_of(t->texts + t->tool_len));
	}
	mcp_send(r);
}

static void task_cancel(struct request *r, struct fixture_task *t)
{
	const char *state = task_state(t, task_fixture(r, t));

	t->cancelled |= !strcmp(state, "working") || !strcmp(state, "input_required");
	mcp_result(r, "complete");
	mcp_send(r);
}

static void task_update(struct request *r, struct fixture_task *t)
{
	const struct json *input = task_input(task_fixture(r, t));
	const struct json *given = mcp_param(r, "inputResponses");

	for (uint32_t i = 0; input && i < input->count; i++)
		if (json_get_str(given, input->members[i].name)) t->answered |= 1u << i;
	t->changed_ms = clock_now_ms();
	mcp_result(r, "complete");
	mcp_send(r);
}

bool fixture_task(struct request *r)
{
	static const struct {
		const char *method;
		void (*run)(struct request *, struct fixture_task *);
	} methods[] = {
		{ "tasks/get", task_show },
		{ "tasks/cancel", task_cancel },
		{ "tasks/update", task_update },
	};
	struct fixture_task *t = r->serve->fixture_tasks;
	struct str id = json_text(mcp_param(r, "taskId"));
	size_t i = 0, len = sizeof methods / sizeof *methods;

	while (i < len && !str_is(mcp_of(r)->rpc.method, methods[i].method))
		i++;
	if (i == len) return false;
	if (!mcp_task_known(r)) return true;
	while (t && !str_is(id, t->id))
		t = t->next;
	if (t)
		methods[i].run(r, t);
	else
		mcp_refuse_params(r, "there is no such task");
	return true;
}

void fixture_tasks_free(struct serve *s)
{
	while (s->fixture_tasks) {
		struct fixture_task *next = s->fixture_tasks->next;

		mem_free(s->fixture_tasks);
		s->fixture_tasks = next;
	}
}
