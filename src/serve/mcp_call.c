/* mcp_call.c - tools/call: what each tool of ours asks of the desk, and what becomes of an
 * ask: a result, a form, a task or a wait. */
#include "serve/mcp.h"

#include "base/hash.h"
#include "base/json_pattern.h"
#include "core/run/run_tool.h"
#include "core/session/session.h"
#include "core/shared/show.h"

/* Models send arguments as a string or leave them out: accept both. */
static const struct json *arguments_of(struct request *r)
{
	static const struct json none = { .type = JSON_OBJECT };
	const struct json *given = mcp_param(r, "arguments"), *inside;

	if (json_is(given, JSON_STRING) &&
		json_read(given->text, NULL, &r->task.job.arena, &inside, NULL) == OK)
		given = inside;
	return json_is(given, JSON_OBJECT) ? given : &none;
}

/* The arguments without `session`, which is not part of the dialect. */
static const struct json *without_session(const struct json *object, struct arena *arena)
{
	static const char *const names[] = { "session", NULL };

	return json_without(object, names, arena);
}

/* Replies with a tool error, so that the model can mend its call, after the token was checked. */
static void call_wrong(struct request *r, const struct fault *why)
{
	if (!mcp_enter_first(r, mcp_tools_call))
		mcp_tool_error(r, fault_text(why, &r->task.job.arena));
}

/* ---- what becomes of an ask ---- */

static void answer_now(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	mcp_offer(r)->result(w, mcp_whole(r),
		mcp_of(r)->how | (r->task.resumable ? RESULT_RESUMED : 0U),
		&r->task.job.arena);
	mcp_send(r);
}

/* A non-blocking ask is answered at once with what its dialect says. */
static bool take_reply(struct request *r)
{
	if (r->task.found->ask.kind != ASK_NON_BLOCKING ||
		!ask_has_reply(mcp_whole(r), &r->task.job.arena))
		return false;
	answer_now(r);
	return true;
}

static bool take_task(struct request *r)
{
	enum revision revision = mcp_of(r)->client.revision;
	bool now = revision >= REV_2026_07_28;
	struct json_writer *w;

	if (now ? !(mcp_of(r)->client.can & CAN_TASKS)
		: revision != REV_2025_11_25 ||
				!json_is(mcp_param(r, "task"), JSON_OBJECT))
		return false;
	w = mcp_result(r, "task");
	if (!now) jw_put_object(w, "task");
	mcp_task_write(r, w, &r->task.found->ask);
	if (!now) jw_object_end(w);
	mcp_send(r);
	return true;
}

static bool take_wait(struct request *r)
{
	return !r->task.resumable && !r->task.stopped.len &&
	       mcp_hold(r, r->task.found->ask.id, mcp_of(r)->wait_ms);
}

void mcp_become(struct request *r, unsigned ways)
{
	/* Each is true when the request is answered. */
	static const struct {
		enum become way;
		bool (*take)(struct request *);
	} in_order[] = {
		{ BECOME_REPLY, take_reply },
		{ BECOME_FORM, mcp_form_ask },
		{ BECOME_TASK, take_task },
		{ BECOME_WAIT, take_wait },
	};

	for (size_t i = 0; !r->task.settled && i < sizeof in_order / sizeof *in_order;
		i++)
		if ((ways & in_order[i].way) && in_order[i].take(r)) return;
	answer_now(r);
}

/* The ask was created, or an equal one was found. */
static void asked(struct request *r)
{
	mcp_become(r, BECOME_REPLY | BECOME_FORM | BECOME_TASK | BECOME_WAIT);
}

/* The same question of the same session is the same ask while it is open; a call that is
 * repeated with its key is the same for ever. */
static void ask_identify(struct request *r)
{
	struct job *job = &r->task.job;
	struct buf b = { 0 };
	char hex[2 * SHA256_SIZE + 1];

	buf_print(&b, "%s\n%.*s\n", mcp_of(r)->tool->name,
		STR_ARGS(r->task.default_session));
	buf_add(&b, r->task.foreign);
	buf_add(&b, r->task.project.name);
	if (b.failed) job->arena.failed = true;
	sha256(buf_str(&b), job->body);
	buf_done(&b);
	hex_write(job->body, SHA256_SIZE, hex);
	r->task.dedupe_key = arena_str(&job->arena, str_of(hex));
}

enum err mcp_call_entered(struct request *r, struct fault *why)
{
	struct mcp *m = mcp_of(r);
	struct task *t = &r->task;
	struct str project;
	enum err e;

	if (!t->default_session_title.len) return OK; /* it makes no session */
	if (!t->default_session.len) {
		e = project_choose(&t->project, m->bound, STR_NONE, &project, why);
		if (e) return e;
		t->default_session = arena_print(&t->job.arena, "mcp:%.*s:%.*s%s%.*s",
			STR_ARGS(m->token), STR_ARGS(m->client.name),
			project.len ? ":" : "", STR_ARGS(project));
	}
	if (t->foreign.len) ask_identify(r);
	return OK;
}

/* The session that a call belongs to: as it says, else one for each token, client and project;
 * and its project. False: it says something that cannot be a name. */
static bool session_named(struct request *r, const struct json *arguments,
	struct str *out, struct fault *why)
{
	const struct json *project = json_get(mcp_param(r, "_meta"), "parley/project");

	*out = str_trim(json_text_of(arguments, "session"));
	if (project) r->task.project.name = str_trim(json_text(project));
	return session_external_id_check(*out, "/session", why) == OK &&
	       (!project || project_check(r->task.project.name, "/_meta/parley~1project",
				    why) == OK);
}

static void session_put(
	struct request *r, struct str named, const struct use *use, mcp_fn *then)
{
	struct mcp *m = mcp_of(r);
	struct fault why = { 0 };

	r->task.default_session = named;
	r->task.default_session_title = m->client.name.len ? m->client.name : STR("MCP");
	if (m->state >= MCP_ENTERED && mcp_call_entered(r, &why))
		mcp_tool_error(r, fault_text(&why, &r->task.job.arena));
	else
		mcp_put(r, use, then, NULL);
}

void mcp_ask(struct request *r, struct str session)
{
	r->task.job.key = mcp_of(r)->key;
	r->task.job.path = STR("/mcp");
	r->task.wants_record = true;
	session_put(r, session, &use_ask, asked);
}

/* ---- tools that ask ---- */

/* A client that asks before every tool also asks before it asks. That needs nobody. */
static bool is_approved_already(const struct tool *tool, const struct json *arguments)
{
	return strcmp(tool->dialect, "permission") == 0 &&
	       own_tool(json_text_of(arguments, "tool_name"));
}

static void approve(struct request *r, const struct json *arguments)
{
	const struct json *input = json_get(arguments, "input");
	struct arena *arena = &r->task.job.arena;
	struct str shown = STR("{}");

	if (mcp_enter_first(r, mcp_tools_call)) return;
	if (!input) input = json_get(arguments, "tool_input");
	if (json_is(input, JSON_OBJECT)) shown = json_keep(input, arena);
	text_result_write(mcp_result(r, "complete"),
		JSON_TEXT(arena, "{'behavior':'allow','updatedInput':%j}", shown), false);
	mcp_send(r);
}

static void call_ask(
	struct request *r, const struct tool *tool, const struct json *arguments)
{
	struct translated translated;
	struct fault why = { 0 };
	struct str session;
	struct task *t;

	if (is_approved_already(tool, arguments)) {
		approve(r, arguments);
		return;
	}
	t = mcp_task(r);
	if (!session_named(r, arguments, &session, &why) ||
		dialect_to_ask(dialect_find(str_of(tool->dialect)),
			without_session(arguments, &t->job.arena), r->strict,
			&t->job.arena, &translated, &why)) {
		call_wrong(r, &why);
		return;
	}
	t->body = translated.body;
	t->foreign = translated.foreign;
	if (strcmp(tool->dialect, "permission") == 0 &&
		json_get(arguments, "tool_use_id"))
		mcp_of(r)->how |= RESULT_PROMPT;
	mcp_ask(r, session);
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

void mcp_read(struct request *r, struct str ask, mcp_fn *then)
{
	mcp_do(r, &use_ask_get, ask, STR_NONE, then, NULL);
}

void mcp_await(struct request *r)
{
	mcp_become(r, BECOME_WAIT);
}

static void now_read(struct request *r)
{
	mcp_read(r, r->task.id, mcp_await);
}

/* A conflict means that the ask was settled: read its answer. */
static void late_read(struct request *r)
{
	if (r->task.job.err == ERR_CONFLICT)
		now_read(r);
	else
		mcp_trouble(r);
}

/* {"NAME": text} to the desk about an ask, which is then read again. */
static void text_put(struct request *r, struct str ask, const char *name, struct str text,
	const struct use *use)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	jw_object(&w);
	jw_put_some(&w, name, text);
	jw_object_end(&w);
	mcp_do(r, use, ask, buf_str(w.out), now_read, late_read);
	buf_done(w.out);
}

static void wait_limit(struct mcp *m, int64_t most_ms)
{
	m->wait_max_ms = most_ms;
	if (m->state >= MCP_ENTERED && m->wait_ms > most_ms) m->wait_ms = most_ms;
}

/* False: it is missing, which the model is told. */
static bool ask_named(struct request *r, const struct json *arguments, struct str *out)
{
	struct fault why = { 0 };

	*out = str_trim(json_text_of(arguments, "ask_id"));
	if (out->len) return true;
	fail_at(&why, "/ask_id",
		"required: the id (ask_…) that the pending result or list_asks gave");
	call_wrong(r, &why);
	return false;
}

static void call_get_answer(struct request *r, const struct json *arguments)
{
	struct str ask, reply = json_text_of(arguments, "reply");

	if (!ask_named(r, arguments, &ask)) return;
	wait_limit(mcp_of(r), number_of(json_get(arguments, "wait_s"), INT32_MAX) * 1000);
	if (reply.len)
		text_put(r, ask, "text", reply, &use_reply);
	else
		mcp_read(r, ask, mcp_await);
}

static void call_cancel(struct request *r, const struct json *arguments)
{
	struct str ask;

	if (!ask_named(r, arguments, &ask)) return;
	wait_limit(mcp_of(r), 0);
	mcp_of(r)->how |= RESULT_WITHDRAWN;
	text_put(r, ask, "reason", json_text_of(arguments, "reason"), &use_cancel);
}

static void data_send(struct request *r, struct str text, struct buf *data)
{
	data_result_write(mcp_result(r, "complete"), text, buf_str(data));
	buf_done(data);
	mcp_send(r);
}

static void listed(struct request *r)
{
	struct arena *arena = &r->task.job.arena;
	struct json_writer w = { .out = &(struct buf){ 0 } };
	struct ask_json whole;

	JW(&w, "{'asks':[");
	for (const struct kept_ask *k = r->task.found; k; k = k->next)
		if (ask_json_read(&k->ask, &k->view, arena, &whole, NULL) == OK)
			ask_listed_write(&w, &whole, arena);
	jw_array_end(&w);
	show_text(&w, "next_cursor", r->task.next_cursor);
	jw_object_end(&w);
	data_send(r, STR_NONE, w.out);
}

/* Of a text or a number; empty: it is neither. */
static struct str param_text(const struct json *arguments, const char *name)
{
	const struct json *value = json_get(arguments, name);

	return json_is(value, JSON_STRING) || json_is(value, JSON_NUMBER) ? value->text
									  : STR_NONE;
}

static void call_list(struct request *r, const struct json *arguments)
{
	const struct param params[] = {
		{ STR("status"), param_text(arguments, "status") },
		{ STR("session"), param_text(arguments, "session") },
		{ STR("limit"), param_text(arguments, "limit") },
		{ STR("cursor"), param_text(arguments, "cursor") },
	};

	mcp_page(r, &use_ask_list, params, 4, listed);
}

static struct str stopped_text(struct str stopped, struct arena *arena)
{
	const struct json *stop = NULL;

	if (!stopped.len || json_read(stopped, NULL, arena, &stop, NULL))
		return STR("Noted.");
	return arena_print(arena,
		"Stopped by %.*s: %.*s. Do nothing more until it is lifted.",
		STR_ARGS(json_text_of(json_get(stop, "by"), "name")),
		STR_ARGS(json_text_of(stop, "reason")));
}

static void progressed(struct request *r)
{
	struct json_writer w = { .out = &(struct buf){ .max = 16384 } };

	JW(&w, "{'session':%s,'stopped':%j}", r->task.session, r->task.stopped);
	data_send(r, stopped_text(r->task.stopped, &r->task.job.arena), w.out);
}

/* What the call says besides its session, to the desk in that session. */
static void call_in_session(struct request *r, const struct json *arguments,
	const struct use *use, mcp_fn *then)
{
	struct fault why = { 0 };
	struct str session;
	struct task *t = mcp_task(r);

	if (!session_named(r, arguments, &session, &why)) {
		call_wrong(r, &why);
		return;
	}
	t->body = without_session(arguments, &t->job.arena);
	session_put(r, session, use, then);
}

static void call_progress(struct request *r, const struct json *arguments)
{
	call_in_session(r, arguments, &use_session_progress, progressed);
}

/* The mandate, and its ask as every tool names it. */
static void mandate_asked(struct request *r)
{
	struct arena *arena = &r->task.job.arena;
	struct json_writer w = { .out = &(struct buf){ 0 } };
	struct str text = STR("Not granted. Ask for each call as before.");
	const struct json *m = NULL;

	json_read(buf_str(&r->task.job.out), NULL, arena, &m, NULL);
	jw_object(&w);
	for (size_t i = 0; json_is(m, JSON_OBJECT) && i < m->count; i++)
		jw_put_json(
			&w, arena_copy(arena, m->members[i].name), &m->members[i].value);
	jw_put_str(&w, "ask_id", json_text_of(m, "ask"));
	jw_object_end(&w);
	if (str_is(json_text_of(m, "status"), "asked"))
		text = arena_print(arena,
			"Asked for; nothing is granted yet. Call get_answer with ask_id "
			"\"%.*s\" to learn what was decided. Until then ask for each "
			"call as before.",
			STR_ARGS(json_text_of(m, "ask")));
	data_send(r, text, w.out);
}

static void call_mandate(struct request *r, const struct json *arguments)
{
	r->task.job.key = mcp_of(r)->key;
	r->task.job.path = STR("/mcp");
	call_in_session(r, arguments, &use_mandate_create, mandate_asked);
}

static void call_store(
	struct request *r, const struct tool *tool, const struct json *arguments)
{
	struct fault why = { 0 };
	struct str session;
	struct task *t = mcp_task(r);

	if (session_named(r, arguments, &session, &why))
		gated_own(r, tool, without_session(arguments, &t->job.arena), session);
	else
		call_wrong(r, &why);
}

/* ---- the method ---- */

static const struct {
	const char *name;
	void (*call)(struct request *, const struct json *arguments);
} calls[] = {
	{ "get_answer", call_get_answer },
	{ "cancel_ask", call_cancel },
	{ "list_asks", call_list },
	{ "report_progress", call_progress },
	{ "request_mandate", call_mandate },
};

void mcp_own_call(
	struct request *r, const struct tool *tool, const struct json *arguments)
{
	size_t i = 0;

	if (tool->dialect) {
		call_ask(r, tool, arguments);
		return;
	}
	if (tool->runs) {
		call_store(r, tool, arguments);
		return;
	}
	while (strcmp(tool->name, calls[i].name) != 0)
		i++;
	calls[i].call(r, arguments);
}

void mcp_tools_call(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct str name = json_text(mcp_param(r, "name"));
	const struct tool *tool = tool_find(mcp_offer(r)->tools, name);

	m->tool = NULL;
	if (!tool && mcp_enter_first(r, mcp_tools_call)) return;
	if (!tool || (m->state >= MCP_ENTERED && !tool_allowed(tool, &m->tools))) {
		mcp_refuse_params(
			r, "there is no tool %.*s", STR_ARGS(str_first(name, 64)));
		return;
	}
	m->tool = tool;
	if (mcp_param(r, "requestState") && !tool->runs)
		mcp_form_retry(r);
	else
		mcp_offer(r)->call(r, tool, arguments_of(r));
}
