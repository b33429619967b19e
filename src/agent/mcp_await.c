/* mcp_await.c - tasks of MCP servers: asked about until they end. Prefix: link_. */
#include "agent/mcp_link_inner.h"

#include "base/clock.h"
#include "base/json_pattern.h"

#include <poll.h>

enum { POLL_MS = 1000, POLL_LEAST_MS = 50, POLL_MOST_MS = 10 * 1000, TRIES = 3 };

bool link_wants_task(const struct mcp_link *l)
{
	const struct json *execution = json_get(l->access->said, "execution");

	return l->revision == REV_2025_11_25 &&
	       str_is(json_text_of(execution, "taskSupport"), "required");
}

/* The task that a result begins; NULL: it is none. */
static const struct json *task_of(const struct mcp_link *l, const struct json *result)
{
	if (l->revision < REV_2026_07_28) return json_get(result, "task");
	return str_is(json_text_of(result, "resultType"), "task") ? result : NULL;
}

static int64_t pause_of(const struct mcp_link *l, const struct json *task)
{
	const struct json *ms = json_get(
		task, l->revision < REV_2026_07_28 ? "pollInterval" : "pollIntervalMs");
	int64_t wanted = ms && ms->is_int ? ms->integer : POLL_MS;

	return wanted < POLL_LEAST_MS  ? POLL_LEAST_MS
	       : wanted > POLL_MOST_MS ? POLL_MOST_MS
				       : wanted;
}

static void link_ask(struct mcp_link *l, const char *method, struct str task,
	int64_t timeout_ms, struct mcp_answer *out)
{
	struct remote_call c = { .method = method,
		.said_id = JSON_TEXT(l->arena, "%s",
			arena_print(l->arena, "parley-%lld", (long long)++l->id)),
		.params = JSON_TEXT(l->arena, "{'taskId':%s}", task) };

	link_call(l, &c, timeout_ms, out);
}

/* Given up: the server need not go on. */
static void link_give_up(struct mcp_link *l, struct str task)
{
	struct mcp_answer ignored;

	l->stop_fd = -1;
	link_ask(l, "tasks/cancel", task, NOTE_MS, &ignored);
}

static void answer_fail(struct mcp_link *l, struct mcp_answer *a, struct str text)
{
	json_read(JSON_TEXT(l->arena, "{'error':{'code':-32603,'message':%s}}", text),
		NULL, l->arena, &a->reply, NULL);
	remote_said(a->reply, &a->said);
}

/* What a task that has ended came to. */
static void link_ended(struct mcp_link *l, struct str id, const struct json *task,
	int64_t timeout_ms, struct mcp_answer *a)
{
	struct str status = json_text_of(task, "status");

	if (l->revision < REV_2026_07_28) {
		link_ask(l, "tasks/result", id, timeout_ms, a);
	} else if (str_is(status, "completed")) {
		a->said.result = json_get(task, "result");
		if (!json_is(a->said.result, JSON_OBJECT))
			answer_fail(l, a, STR("its task has no result"));
	} else if (json_is(json_get(task, "error"), JSON_OBJECT)) {
		a->reply = task;
		remote_said(task, &a->said);
		a->said.result = NULL;
	} else {
		answer_fail(l, a,
			arena_print(l->arena, "its task is %.*s",
				STR_ARGS(str_first(status, 40))));
	}
}

static bool is_under_way(const struct json *task)
{
	return str_is(json_text_of(task, "status"), "working");
}

/* False: it was given up, or its server does not answer any more. */
static bool link_look(struct mcp_link *l, struct str id, int64_t pause_ms,
	int64_t timeout_ms, struct mcp_answer *a)
{
	for (int tries = 0; tries < TRIES; tries++) {
		struct pollfd p = { .fd = l->stop_fd, .events = POLLIN };

		a->how = ANSWER_STOPPED;
		if (poll(&p, 1, (int)pause_ms) > 0) return false;
		link_ask(l, "tasks/get", id, timeout_ms, a);
		if (a->how != ANSWER_NONE) return a->how == ANSWER_SAID;
	}
	return false;
}

void link_await(struct mcp_link *l, struct mcp_answer *a, int64_t timeout_ms)
{
	const struct json *task = a->how == ANSWER_SAID && a->said.result
					  ? task_of(l, a->said.result)
					  : NULL;
	struct str id = json_text_of(task, "taskId");
	int64_t end_ms = clock_mono_ms() + PROGRESS_MS;
	bool passes = l->passes;

	if (!id.len) return;
	l->passes = false;
	while (is_under_way(task) && clock_mono_ms() < end_ms) {
		if (!link_look(l, id, pause_of(l, task), timeout_ms, a)) break;
		if (!a->said.result) break;
		task = a->said.result;
	}
	if (a->how == ANSWER_SAID && a->said.result && !is_under_way(task))
		link_ended(l, id, task, timeout_ms, a);
	else if (a->how != ANSWER_SAID || a->said.result)
		link_give_up(l, id);
	/* It began, and nobody knows what came of it. */
	if (a->how == ANSWER_SAID && is_under_way(a->said.result)) {
		a->how = ANSWER_NONE;
		a->end.how = FETCH_TIMEOUT;
		a->wrong = STR("its task takes too long");
	}
	a->end.sent = true;
	l->passes = passes;
}
