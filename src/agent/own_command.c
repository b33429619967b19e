/* own_command.c - a call of a tool that is a command: a program of the operator beside us, its arguments on standard
 * input, what it prints the result. Its process tree ends with its time, when it is given up, and with us. */
#include "agent/inner.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "core/delivery/resumer.h"
#include "core/shared/trace.h"
#include "net/process.h"

#include <poll.h>

enum { LOOK_MS = 500, ENV_MAX = 80 };

/* A little more than is kept, to know that there was more. */
static void printed_take(void *ctx, struct str bytes)
{
	struct buf *out = ctx;

	if (out->len < CALL_RESULT_MAX + 16)
		buf_add(out, str_first(bytes, CALL_RESULT_MAX + 16 - out->len));
}

static char **command_env(const struct tool_access *a, struct arena *arena)
{
	const struct trace_on trace = trace_pass(a->trace, a->call, arena);
	const struct {
		const char *name;
		struct str value;
	} ours[] = { { "PARLEY_RUN", a->run }, { "PARLEY_CALL", a->call },
		{ "PARLEY_DIGEST", a->digest }, { "TRACEPARENT", trace.parent },
		{ "TRACESTATE", trace.state } };
	char **env = ARENA_ARRAY(arena, char *, ENV_MAX + 1);
	size_t len = 0;

	if (!env) return NULL;
	process_env_add(STR(PROCESS_ENV), env, &len, ENV_MAX, arena);
	for (size_t i = 0; i < a->tool.env_len && len < ENV_MAX; i++)
		if (str_find(a->tool.env[i], STR("=")) >= 0)
			env[len++] = arena_copy(arena, a->tool.env[i]);
		else
			process_env_add(a->tool.env[i], env, &len, ENV_MAX, arena);
	for (size_t i = 0; i < sizeof ours / sizeof *ours && len < ENV_MAX; i++)
		if (ours[i].value.len)
			env[len++] = arena_copy(
				arena, arena_print(arena, "%s=%.*s", ours[i].name,
					       STR_ARGS(ours[i].value)));
	return env;
}

static enum err command_start(struct process *p, const struct tool_access *a,
	const struct json *arguments, struct buf *printed, struct arena *arena,
	struct fault *why)
{
	struct resumer *words = ARENA_NEW(arena, struct resumer);
	char **env = command_env(a, arena), **argv = NULL;
	enum err e = words && env ? OK : fail_memory(why);

	if (!e) e = resumer_read(a->tool.command, COMMAND_IS_TOOL, arena, words, why);
	if (!e) e = resumer_fill(words, &(struct resumer_values){ 0 }, arena, &argv, why);
	if (!e && arena->failed) e = fail_memory(why);
	if (e) return e;
	return process_start(p,
		&(struct process_setup){ .argv = argv,
			.envp = env,
			.input = json_keep(arguments, arena),
			.take = printed_take,
			.ctx = printed,
			.limit_ms = own_tool_timeout_ms(&a->tool) },
		why);
}

/* False: it was given up. */
static bool command_wait(struct process *p, int stop_fd, struct process_end *end)
{
	for (;;) {
		struct pollfd fds[] = { { stop_fd, POLLIN, 0 }, { p->handle, POLLIN, 0 },
			{ p->output, POLLIN, 0 }, { p->result, POLLIN, 0 } };

		process_look(p);
		if (process_ended(p, end)) return true;
		poll(fds, sizeof fds / sizeof *fds, LOOK_MS);
		if (fds[0].revents) return false;
	}
}

/* "exit status 3: no such host": the end of what it said on standard error. */
static struct str command_error(
	const struct process_end *end, struct str tail, struct arena *arena)
{
	struct str said = str_trim(tail.len > TOOL_ERROR_BODY
					   ? str_from(tail, tail.len - TOOL_ERROR_BODY)
					   : tail);
	struct buf text = { 0 };

	if (end->signal)
		buf_print(&text, "ended by signal %d", end->signal);
	else
		buf_print(&text, "exit status %d", end->exit);
	if (said.len) buf_add_text(&text, ": ");
	for (int32_t c; (c = utf8_next(&said)) >= 0;)
		utf8_add(&text, (uint32_t)c);
	return buf_keep_done(&text, arena);
}

static enum own_call_end command_ended(const struct tool_access *a,
	const struct process_end *end, struct str tail, struct str printed,
	struct arena *arena, struct tool_outcome *out)
{
	out->failed = true;
	out->status = end->exit > 0 ? end->exit : 0;
	if (end->failure[0]) {
		out->text = arena_str(arena, str_of(end->failure));
		return OWN_CALL_DONE;
	}
	if (end->limited) {
		out->text = STR("No result came in its time");
		return own_tool_class(&a->tool) == CLASS_ONCE ? OWN_CALL_UNKNOWN
							      : OWN_CALL_DONE;
	}
	if (end->exit || end->signal)
		out->text = command_error(end, tail, arena);
	else
		out->text = tool_reply_text(200, STR_NONE, printed, arena, &out->failed);
	return OWN_CALL_DONE;
}

enum own_call_end own_command_run(int stop_fd, const struct tool_access *a,
	const struct json *arguments, struct arena *arena, struct tool_outcome *out)
{
	struct buf printed = { 0 };
	struct fault why = { 0 };
	struct process_end end;
	struct process p;
	enum own_call_end how = OWN_CALL_STOPPED;

	if (command_start(&p, a, arguments, &printed, arena, &why)) {
		out->text = arena_str(arena, str_of(why.detail));
		buf_done(&printed);
		return OWN_CALL_DONE;
	}
	if (command_wait(&p, stop_fd, &end))
		how = command_ended(
			a, &end, process_tail(&p, arena), buf_str(&printed), arena, out);
	process_done(&p);
	buf_done(&printed);
	return how;
}
