/* connect_trial.c - a test question, from end to end. */
#include "cli/connect/connect_trial.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_pattern.h"
#include "cli/request.h"
#include "text/msg.h"

extern char **environ;

enum { LINE_MAX_BYTES = 4 << 20, START_MS = 15000 };

struct trial {
	struct cli *cli;
	pid_t pid;
	int in, out; /* its stdin and stdout */
	struct buf got;
	int calls;
	bool stopped; /* by Ctrl-C */
};

static bool trial_start(struct trial *t, const struct agent_entry *e)
{
	char *words[8] = { arena_copy(&t->cli->arena, e->program), "mcp" };
	int n = 2, in[2], out[2];
	posix_spawn_file_actions_t files;
	bool ok;

	if (e->url.len)
		words[n++] = "--url", words[n++] = arena_copy(&t->cli->arena, e->url);
	if (e->data.len)
		words[n++] = "--data", words[n++] = arena_copy(&t->cli->arena, e->data);
	if (pipe(in) != 0) return false;
	if (pipe(out) != 0) return close(in[0]), close(in[1]), false;
	posix_spawn_file_actions_init(&files);
	ok = posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO) == 0 &&
	     posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO) == 0 &&
	     posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1) == 0 &&
	     posix_spawn(&t->pid, words[0], &files, NULL, words, environ) == 0;
	posix_spawn_file_actions_destroy(&files);
	close(in[0]);
	close(out[1]);
	t->in = in[1];
	t->out = out[0];
	if (!ok) t->pid = 0;
	return ok;
}

static void trial_end(struct trial *t)
{
	close(t->in);
	close(t->out);
	if (t->pid > 0) {
		kill(t->pid, SIGTERM);
		waitpid(t->pid, NULL, 0);
	}
	buf_done(&t->got);
}

static bool message_send(struct trial *t, struct str message)
{
	struct buf b = { 0 };
	ssize_t n;

	buf_add(&b, message);
	buf_add_char(&b, '\n');
	n = b.failed ? -1 : write(t->in, b.at, b.len);
	buf_done(&b);
	return n > 0;
}

/* The next line that it writes; false: none in time, or it is gone, or Ctrl-C. */
static bool message_next(struct trial *t, int64_t until_ms, const struct json **out)
{
	for (;;) {
		const char *end = t->got.len ? memchr(t->got.at, '\n', t->got.len) : NULL;
		struct pollfd fds[] = { { t->out, POLLIN, 0 },
			{ t->cli->term.stop_fd, POLLIN, 0 } };
		int64_t left = until_ms - clock_mono_ms();
		ssize_t n;

		if (end) {
			struct str line = arena_str(&t->cli->arena,
				str_make(t->got.at, (size_t)(end - t->got.at)));

			buf_drop(&t->got, line.len + 1);
			return json_read(line, NULL, &t->cli->arena, out, NULL) == OK;
		}
		if (left <= 0 || t->got.len > LINE_MAX_BYTES) return false;
		n = poll(fds, fds[1].fd >= 0 ? 2 : 1, (int)(left > 60000 ? 60000 : left));
		if (n < 0 && errno != EINTR) return false;
		t->stopped |= fds[1].revents != 0;
		if (t->stopped) return false;
		if (!fds[0].revents || !buf_reserve(&t->got, 65536)) continue;
		n = read(t->out, t->got.at + t->got.len, 65536);
		if (n <= 0) return false;
		t->got.len += (size_t)n;
	}
}

/* A request and its result. */
static const struct json *call(struct trial *t, struct str method_and_params,
	int64_t until_ms, struct fault *why)
{
	int id = ++t->calls;
	const struct json *message = NULL;

	if (!message_send(
		    t, arena_print(&t->cli->arena, "{\"jsonrpc\":\"2.0\",\"id\":%d,%.*s}",
			       id, STR_ARGS(method_and_params)))) {
		FAIL_MSG(why, &t->cli->arena, "cli.connect.test.ended");
		return NULL;
	}
	while (message_next(t, until_ms, &message)) {
		const struct json *got = json_get(message, "id");

		if (!got || !got->is_int || got->integer != id) continue;
		if (json_get(message, "result")) return json_get(message, "result");
		fail(why, ERR_UNAVAILABLE, "%.*s",
			STR_ARGS(str_first(
				json_text_of(json_get(message, "error"), "message"),
				200)));
		return NULL;
	}
	if (t->stopped)
		FAIL_MSG(why, &t->cli->arena, "cli.connect.test.stopped");
	else
		FAIL_MSG(why, &t->cli->arena, "cli.connect.test.silent");
	return NULL;
}

static struct str option_text(struct arena *arena, const char *label)
{
	return JSON_TEXT(arena, "{'label':%?,'description':%?}", MSG(arena, label),
		MSG(arena, "cli.connect.test.option"));
}

static struct str question_params(struct arena *arena)
{
	struct str params = JSON_TEXT(arena,
		"{'name':'ask_user_question','arguments':{'session':'parley connect',"
		"'questions':[{'question':%?,'header':'Test','multiSelect':false,"
		"'options':[%j,%j]}]}}",
		MSG(arena, "cli.connect.test.question"),
		option_text(arena, "cli.connect.test.yes"),
		option_text(arena, "cli.connect.test.no"));

	return arena_print(
		arena, "\"method\":\"tools/call\",\"params\":%.*s", STR_ARGS(params));
}

static struct str answer_params(struct arena *arena, struct str ask)
{
	return arena_print(arena,
		"\"method\":\"tools/call\",\"params\":{\"name\":\"get_answer\",\"arguments\":{"
		"\"ask_id\":\"%.*s\"}}",
		STR_ARGS(ask));
}

/* What the person said to the one question; else the text that a model reads. */
static struct str answer_of(const struct json *result)
{
	const struct json *answers =
		json_get(json_get(result, "structuredContent"), "answers");
	const struct json *content = json_get(result, "content");

	if (json_is(answers, JSON_OBJECT) && answers->count)
		return json_text(&answers->members[0].value);
	return json_is(content, JSON_ARRAY) && content->count
		       ? json_text_of(&content->items[0], "text")
		       : STR_NONE;
}

/* Asks and comes back until there is an answer. */
static enum err question_ask(
	struct trial *t, int64_t wait_ms, struct str *answer, struct fault *why)
{
	struct arena *arena = &t->cli->arena;
	int64_t until_ms = clock_mono_ms() + wait_ms;
	struct str params = question_params(arena);

	for (;;) {
		const struct json *result = call(t, params, until_ms, why);
		const struct json *data = json_get(result, "structuredContent");

		if (!result) break;
		if (!str_is(json_text_of(data, "status"), "pending")) {
			*answer = answer_of(result);
			return json_is(json_get(result, "isError"), JSON_TRUE)
				       ? fail(why, ERR_CONFLICT, "%.*s",
						 STR_ARGS(str_first(*answer, 200)))
				       : OK;
		}
		params = answer_params(arena, json_text_of(data, "ask_id"));
	}
	return why->err ? why->err : ERR_BUSY;
}

/* Nobody waits for it any more. Ctrl-C has ended the program that asked, so it is taken
 * back another way. */
static void question_withdraw(struct cli *cli)
{
	struct str text = MSG(&cli->arena, "cli.connect.test.question");
	struct api_reply reply;
	int stop_fd = cli->term.stop_fd;
	struct client *client;
	const struct json *page;

	cli->term.stop_fd = -1;
	client = pick_client(cli, AS_AGENT, NULL);
	cli->term.stop_fd = stop_fd;
	page = cli_call_quiet(cli, client, STR("/v1/asks?limit=200"), NULL);
	for (const struct json *item = NULL; json_each(json_get(page, "items"), &item);) {
		const struct json *question = NULL;
		struct api_call cancel = { .method = "POST",
			.path = ask_path(cli, json_text_of(item, "id"), "/cancel"),
			.body = STR("{}"),
			.key = key_make(&cli->arena) };

		if (json_each(json_get(item, "questions"), &question) &&
			str_eq(json_text_of(question, "text"), text))
			client_call(client, &cancel, &cli->arena, &reply, NULL);
	}
	client_free(client);
}

enum err connect_trial_run(struct cli *cli, const struct agent_entry *entry,
	int64_t wait_ms, struct str *answer, struct fault *why)
{
	struct trial t = { .cli = cli };
	enum err e;

	if (!trial_start(&t, entry))
		return fail(why, ERR_UNAVAILABLE, "%.*s: %s", STR_ARGS(entry->program),
			strerror(errno));
	if (!call(&t,
		    STR("\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
			"\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":"
			"\"parley connect\",\"version\":\"1\"}}"),
		    clock_mono_ms() + START_MS, why)) {
		e = why->err;
	} else {
		message_send(&t, STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
				     "initialized\"}"));
		e = question_ask(&t, wait_ms, answer, why);
	}
	trial_end(&t);
	if (e) question_withdraw(cli);
	return e;
}
