/* mcp_call.c - tools/call: what each tool asks of the desk, and what becomes of an ask. */
#include "serve/mcp.h"

#include "base/hash.h"
#include "core/own_tools.h"
#include "core/session.h"
#include "dialect/dialect.h"

#include <stdio.h>

/* A mistake of the model's is told as the tool's result, so that it can mend it. */
static void tool_error(struct request *r, struct str text)
{
	text_result_write(mcp_result(r, "complete"), text, true);
	mcp_send(r);
}

static void tool_trouble(struct request *r)
{
	if (r->task.job.err == ERR_NO_TOKEN || r->task.job.err == ERR_INTERNAL)
		mcp_trouble(r);
	else
		tool_error(r, fault_text(&r->task.job.why, &r->task.job.arena));
}

/* Missing, or an object that a model sent as a string: both are meant well. */
static const struct json *arguments_of(struct request *r)
{
	static const struct json none = { .type = JSON_OBJECT };
	const struct json *given = mcp_param(r, "arguments"), *inside;

	if (json_is(given, JSON_STRING) &&
		json_read(given->text, NULL, &r->task.job.arena, &inside, NULL) == OK)
		given = inside;
	return json_is(given, JSON_OBJECT) ? given : &none;
}

/* A copy without the member that is ours and not the dialect's. */
static const struct json *without_session(const struct json *object, struct arena *arena)
{
	struct json *copy = ARENA_NEW(arena, struct json);
	struct json_member *members =
		ARENA_ARRAY(arena, struct json_member, object->count + 1);

	if (!copy || !members) return object;
	*copy = (struct json){ .type = JSON_OBJECT, .members = members };
	for (uint32_t i = 0; i < object->count; i++)
		if (!str_is(object->members[i].name, "session"))
			members[copy->count++] = object->members[i];
	return copy;
}

/* The session that a call belongs to: as it says, else one for each token and client.
 * False: it says something that cannot be a name, and was told so. */
static bool default_session_of(
	struct request *r, const struct json *arguments, struct str *out)
{
	struct mcp *m = mcp_of(r);
	struct str named = str_trim(json_text(json_get(arguments, "session")));
	struct fault why = { 0 };

	if (external_id_check(named, "/session", &why)) {
		tool_error(r, fault_text(&why, &r->task.job.arena));
		return false;
	}
	*out = named.len ? named
			 : arena_print(&r->task.job.arena, "mcp:%.*s:%.*s",
				   STR_ARGS(m->token), STR_ARGS(m->client.name));
	return true;
}

static struct str default_session_title(struct request *r)
{
	struct mcp *m = mcp_of(r);

	return m->client.name.len ? m->client.name : STR("MCP");
}

/* ---- what becomes of an ask ---- */

void mcp_answer_now(struct request *r, const struct json *ask)
{
	struct json_writer *w = mcp_result(r, "complete");

	ask_result_write(w, ask,
		(r->task.resumable ? RESULT_RESUMED : 0U) |
			(mcp_of(r)->prompt ? RESULT_PROMPT : 0U),
		&r->task.job.arena);
	if (mcp_of(r)->task_result) {
		jw_key(w, "_meta");
		related_task_write(w, json_text(json_get(ask, "id")));
	}
	mcp_send(r);
}

static bool wants_task(struct request *r)
{
	struct mcp *m = mcp_of(r);

	if (m->client.revision >= REV_2026_07_28) return m->client.can & CAN_TASKS;
	return m->client.revision == REV_2025_11_25 &&
	       json_is(mcp_param(r, "task"), JSON_OBJECT);
}

static void answer_task(struct request *r, const struct json *ask)
{
	struct mcp *m = mcp_of(r);
	struct json_writer *w = mcp_result(r, "task");

	if (m->client.revision < REV_2026_07_28) {
		jw_key(w, "task");
		jw_object(w);
	}
	task_write(w, ask, m->client.revision);
	if (m->client.revision < REV_2026_07_28) jw_object_end(w);
	mcp_send(r);
}

void mcp_answer(struct request *r)
{
	struct mcp *m = mcp_of(r);
	const struct json *ask;

	if (r->task.job.err) {
		tool_trouble(r);
		return;
	}
	ask = mcp_out(r);
	if (ask_has_news(ask, &r->task.job.arena))
		mcp_answer_now(r, ask);
	else if (m->tool->forms && mcp_form_ask(r, ask))
		return;
	else if (wants_task(r))
		answer_task(r, ask);
	else if (r->task.resumable || r->task.stopped.len ||
		 !mcp_hold(r, r->task.ask, m->wait_ms, NULL))
		mcp_answer_now(r, ask);
}

/* ---- tools that ask ---- */

/* The same question of the same session is the same ask while it is open; a call that is
 * repeated with its key is the same for ever. */
static void ask_identify(
	struct request *r, struct str default_session, struct str foreign)
{
	struct mcp *m = mcp_of(r);
	struct job *job = &r->task.job;
	struct buf b = { 0 };
	char hex[2 * SHA256_SIZE + 1];

	buf_print(&b, "%s\n%.*s\n", m->tool->name, STR_ARGS(default_session));
	buf_add(&b, foreign);
	if (b.failed) job->arena.failed = true;
	sha256(buf_str(&b), job->body);
	buf_done(&b);
	hex_write(job->body, SHA256_SIZE, hex);
	r->task.dedupe_key = arena_str(&job->arena, str_of(hex));
	job->key = m->key;
	job->path = STR("/mcp");
}

/* A client that asks before every tool also asks before it asks. That needs nobody. */
static bool approved_already(struct request *r, const struct json *arguments)
{
	const struct json *input = json_get(arguments, "input");
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	if (strcmp(mcp_of(r)->tool->dialect, "permission") != 0 ||
		!own_tool(json_text(json_get(arguments, "tool_name"))))
		return false;
	if (!input) input = json_get(arguments, "tool_input");
	jw_object(&w);
	jw_key(&w, "behavior");
	jw_text(&w, "allow");
	jw_key(&w, "updatedInput");
	if (json_is(input, JSON_OBJECT))
		jw_json(&w, input);
	else
		jw_raw(&w, STR("{}"));
	jw_object_end(&w);
	if (b.failed) r->task.job.arena.failed = true;
	text_result_write(mcp_result(r, "complete"), buf_str(&b), false);
	buf_done(&b);
	mcp_send(r);
	return true;
}

static void call_ask(struct request *r, const struct json *arguments)
{
	struct mcp *m = mcp_of(r);
	struct arena *arena = &r->task.job.arena;
	struct str default_session;
	struct translated asked;
	struct fault why = { 0 };
	struct task *t;

	if (approved_already(r, arguments)) return;
	if (!default_session_of(r, arguments, &default_session)) return;
	if (dialect_to_ask(dialect_find(str_of(m->tool->dialect)),
		    without_session(arguments, arena), r->strict, arena, &asked, &why)) {
		tool_error(r, fault_text(&why, arena));
		return;
	}
	m->prompt = strcmp(m->tool->dialect, "permission") == 0 &&
		    json_get(arguments, "tool_use_id");
	t = mcp_task(r);
	t->body = asked.body;
	t->foreign = asked.foreign;
	t->default_session = default_session;
	t->default_session_title = default_session_title(r);
	ask_identify(r, default_session, asked.foreign);
	request_put(r, &use_ask, mcp_answer);
}

/* ---- the others ---- */

static int64_t number_of(const struct json *value, int64_t fallback)
{
	double real = json_real(value);
	int64_t n;

	if (json_is(value, JSON_NUMBER))
		return real >= INT32_MAX ? INT32_MAX : real > 0 ? (int64_t)real : 0;
	return str_to_int(json_text(value), 0, INT32_MAX, &n) ? n : fallback;
}

static void got_answer(struct request *r)
{
	const struct json *ask;

	if (r->task.job.err) {
		tool_trouble(r);
		return;
	}
	ask = mcp_out(r);
	if (!ask_is_pending(ask) || json_get(ask, "stopped") ||
		!mcp_hold(r, r->task.id, mcp_of(r)->wait_ms, NULL))
		mcp_answer_now(r, ask);
}

static void get_answer(struct request *r, struct str ask)
{
	struct task *t = mcp_task(r);

	t->id = ask;
	request_put(r, &use_ask_get, got_answer);
}

static void replied(struct request *r)
{
	struct str ask = r->task.id;

	/* One that was settled meanwhile has an answer to get. */
	if (r->task.job.err && r->task.job.err != ERR_CONFLICT)
		tool_trouble(r);
	else
		get_answer(r, ask);
}

/* {"NAME": text} as the body of the next task. */
static void text_body(struct request *r, const char *name, struct str text)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	if (text.len) {
		jw_key(&w, name);
		jw_str(&w, text);
	}
	jw_object_end(&w);
	mcp_body(r, buf_str(&b));
	buf_done(&b);
}

static void call_get_answer(struct request *r, const struct json *arguments)
{
	struct mcp *m = mcp_of(r);
	struct str ask = json_text(json_get(arguments, "ask_id"));
	struct str reply = json_text(json_get(arguments, "reply"));
	int64_t wait_s = number_of(json_get(arguments, "wait_s"), INT32_MAX);
	struct task *t;

	if (wait_s < m->wait_ms / 1000) m->wait_ms = wait_s > 0 ? wait_s * 1000 : 0;
	if (!reply.len) {
		get_answer(r, ask);
		return;
	}
	t = mcp_task(r);
	t->id = ask;
	text_body(r, "text", reply);
	request_put(r, &use_reply, replied);
}

static void cancelled(struct request *r)
{
	if (r->task.job.err && r->task.job.err != ERR_CONFLICT) {
		tool_trouble(r);
		return;
	}
	mcp_of(r)->wait_ms = 0;
	get_answer(r, r->task.id);
}

static void call_cancel(struct request *r, const struct json *arguments)
{
	struct str reason = json_text(json_get(arguments, "reason"));
	struct task *t = mcp_task(r);

	t->id = json_text(json_get(arguments, "ask_id"));
	text_body(r, "reason", reason);
	request_put(r, &use_cancel, cancelled);
}

static void listed(struct request *r)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	if (r->task.job.err) {
		tool_trouble(r);
		return;
	}
	ask_list_write(&w, mcp_out(r));
	data_result_write(mcp_result(r, "complete"), STR_NONE, buf_str(&b));
	buf_done(&b);
	mcp_send(r);
}

static void call_list(struct request *r, const struct json *arguments)
{
	static const char *const names[] = { "status", "session", "limit", "cursor" };
	struct task *t = mcp_task(r);

	t->params = ARENA_ARRAY(&t->job.arena, struct param, 4);
	for (size_t i = 0; t->params && i < 4; i++) {
		const struct json *value = json_get(arguments, names[i]);

		if (json_is(value, JSON_STRING) || json_is(value, JSON_NUMBER))
			t->params[t->params_len++] =
				(struct param){ str_of(names[i]), value->text };
	}
	request_put(r, &use_ask_list, listed);
}

static void progressed(struct request *r)
{
	struct buf b = { .max = 16384 };
	struct json_writer w = { .out = &b };
	const struct json *stop;

	if (r->task.job.err) {
		tool_trouble(r);
		return;
	}
	stop = json_get(mcp_out(r), "stopped");
	jw_object(&w);
	jw_key(&w, "session");
	jw_json(&w, json_get(mcp_out(r), "id"));
	if (stop) jw_key(&w, "stopped"), jw_json(&w, stop);
	jw_object_end(&w);
	data_result_write(mcp_result(r, "complete"),
		stop ? arena_print(&r->task.job.arena,
			       "Stopped by %.*s: %.*s. Do nothing more until it is lifted.",
			       STR_ARGS(
				       json_text(json_get(json_get(stop, "by"), "name"))),
			       STR_ARGS(json_text(json_get(stop, "reason"))))
		     : STR("Noted."),
		buf_str(&b));
	buf_done(&b);
	mcp_send(r);
}

static void progress_in(struct request *r, struct str session)
{
	struct task *t = mcp_task(r);

	t->id = session;
	t->body = without_session(arguments_of(r), &t->job.arena);
	request_put(r, &use_session_progress, progressed);
}

static void progress_housed(struct request *r)
{
	if (r->task.job.err)
		tool_trouble(r);
	else
		progress_in(r, json_text(json_get(mcp_out(r), "id")));
}

static void call_progress(struct request *r, const struct json *arguments)
{
	struct str default_session;
	struct buf b = { .max = 16384 };
	struct json_writer w = { .out = &b };

	if (!default_session_of(r, arguments, &default_session)) return;
	if (str_starts(default_session, "ses_")) {
		progress_in(r, default_session);
		return;
	}
	jw_object(&w);
	jw_key(&w, "external_id");
	jw_str(&w, default_session);
	jw_key(&w, "title");
	jw_str(&w, default_session_title(r));
	jw_key(&w, "parallel");
	jw_bool(&w, true);
	jw_object_end(&w);
	mcp_task(r);
	mcp_body(r, buf_str(&b));
	buf_done(&b);
	request_put(r, &use_session_create, progress_housed);
}

/* ---- the method ---- */

typedef void tool_action_fn(struct request *, const struct json *arguments);

static tool_action_fn *const tool_actions[] = {
	[ACTION_ASK] = call_ask,
	[ACTION_GET_ANSWER] = call_get_answer,
	[ACTION_CANCEL] = call_cancel,
	[ACTION_LIST] = call_list,
	[ACTION_PROGRESS] = call_progress,
};

void mcp_tools_call(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct str name = json_text(mcp_param(r, "name"));

	m->tool = tool_find(name);
	if (!m->tool || !tool_allowed(m->tool->name, m->tools))
		mcp_refuse_params(
			r, "there is no tool %.*s", STR_ARGS(str_first(name, 64)));
	else if (mcp_param(r, "requestState"))
		mcp_form_retry(r);
	else
		tool_actions[m->tool->action](r, arguments_of(r));
}

void mcp_tools_list(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct json_writer *w = mcp_result(r, "complete");

	jw_key(w, "tools");
	jw_array(w);
	tools_write(w, m->tools, m->client.revision, r->strict);
	jw_array_end(w);
	result_cached(w, m->client.revision, 60000, false);
	mcp_send(r);
}
