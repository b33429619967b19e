/* host.c - parley host: runs an agent on a terminal of its own and shows its
 * questions. */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_pattern.h"
#include "cli/connect/agents.h"
#include "cli/request.h"
#include "cli/term_dialog.h"
#include "cli/verb/host_modes.h"
#include "cli/verb/verbs.h"
#include "client/stream.h"
#include "text/msg.h"
#include "tui/words.h"

enum {
	HELD_MAX = 1 << 20,  /* of what the agent prints behind a dialog */
	HELD_DROP = 1 << 18, /* so much of the oldest goes at once */
	QUIET_MS = 600,	     /* keys meant for a dialog that vanished are over by then */
	CHILD_PATIENCE_MS = 2000,
};

struct host {
	struct cli *cli;
	struct client *agent;
	struct stream *stream;
	struct str session;
	pid_t child;
	int master; /* of the child's terminal; -1: it is gone */
	int tty;
	int ready; /* epoll over both, and the dialog */
	struct termios before;
	struct term_dialog *dialog;
	struct str open;	 /* the ask of the dialog */
	struct str wanted;	 /* an ask that has come; empty: none */
	struct buf held;	 /* printed while the dialog was there */
	size_t dropped;		 /* bytes of it that had to go */
	struct host_modes modes; /* of the agent, as it last set them */
	struct host_modes then;	 /* when the dialog opened */
	int64_t dead_until;	 /* monotonic; keys go nowhere before */
	bool settled;		 /* the dialog's ask is */
};

/* ---- the child ---- */

/* {"mcpServers": {"parley": {"command": …, "args": […], "env": {…}}}}. Command lines can
 * be read by other users: there the token is left out, and the child's own environment
 * has it. */
static struct str config_make(const struct host *h, bool token)
{
	const struct settings *s = &h->cli->settings;
	struct arena *arena = &h->cli->arena;

	return JSON_TEXT(arena,
		"{'mcpServers':{'parley':{'command':%?,'args':['mcp','--strict','--host',%s],"
		"'env':{'PARLEY_DATA':%?,'PARLEY_URL':%?,'PARLEY_TOKEN':%?}}}}",
		own_path(arena), h->session, s->data, s->url_said ? s->url : STR_NONE,
		token ? s->token : STR_NONE);
}

/* The command line with its agent's own flag for MCP servers put in. */
static char **argv_make(const struct host *h, struct str config)
{
	struct cli *cli = h->cli;
	struct str flag = cli_arg(cli, "mcp-flag");
	size_t n = 0, len = cli->args.words_len;
	char **argv = ARENA_ARRAY(&cli->arena, char *, len + 3);
	struct str name = str_of(cli->args.words[0]);

	if (!argv) return NULL;
	if (!flag.at && (str_is(name, "claude") || str_ends(name, "/claude")))
		flag = STR("--mcp-config");
	argv[n++] = cli->args.words[0];
	if (flag.len > 0) {
		argv[n++] = arena_copy(&cli->arena, flag);
		argv[n++] = arena_copy(&cli->arena, config);
	}
	for (size_t i = 1; i < len; i++)
		argv[n++] = cli->args.words[i];
	return argv;
}

static bool child_start(struct host *h)
{
	struct str config = config_make(h, false), secret = config_make(h, true);
	struct str token = h->cli->settings.token;
	char **argv = argv_make(h, config);
	struct winsize size = { .ws_row = 24, .ws_col = 80 };

	if (!argv || !config.at || !secret.at) return false;
	ioctl(h->tty, TIOCGWINSZ, &size);
	h->child = forkpty(&h->master, NULL, &h->before, &size);
	if (h->child == 0) {
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		setenv("PARLEY_MCP_CONFIG", secret.at, 1);
		if (token.len > 0) setenv("PARLEY_TOKEN", token.at, 1);
		execvp(argv[0], argv);
		fprintf(stderr, "parley: %s: %s\n", argv[0], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	return h->child > 0;
}

/* The child paints anew: it is told of a size twice. */
static void size_pass(const struct host *h, bool repaint)
{
	struct winsize size, other;

	if (h->master < 0 || ioctl(h->tty, TIOCGWINSZ, &size) != 0) return;
	other = size;
	other.ws_row = (unsigned short)(size.ws_row > 1 ? size.ws_row - 1 : size.ws_row);
	if (repaint) ioctl(h->master, TIOCSWINSZ, &other);
	ioctl(h->master, TIOCSWINSZ, &size);
}

/* ---- bytes to and fro ---- */

/* Beyond the limit the oldest goes, up to the end of a line. */
static void held_add(struct host *h, struct str bytes)
{
	const char *end;

	if (h->held.len + bytes.len > HELD_MAX) {
		end = memchr(h->held.at + HELD_DROP, '\n', h->held.len - HELD_DROP);
		size_t drop = end ? (size_t)(end + 1 - h->held.at) : HELD_DROP;

		buf_drop(&h->held, drop);
		h->dropped += drop;
	}
	buf_add(&h->held, bytes);
}

/* The agent's own modes again, then what it printed meanwhile. */
static void held_write(struct host *h)
{
	struct buf out = { 0 };

	host_modes_on(h->dropped > 0 ? &h->modes : &h->then, &out);
	if (h->dropped > 0)
		buf_print(&out, "\r\n%s\r\n",
			MSG(&h->cli->arena, "cli.host.dropped",
				{ "kb", arena_print(&h->cli->arena, "%zu",
						(h->dropped + 1023) / 1024) })
				.at);
	buf_add(&out, buf_str(&h->held));
	tty_write(h->tty, buf_str(&out));
	buf_done(&out);
	buf_clear(&h->held);
	h->dropped = 0;
}

static void master_take(struct host *h)
{
	char bytes[16384];
	ssize_t n = read(h->master, bytes, sizeof bytes);

	if (n <= 0) {
		if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
		close(h->master);
		h->master = -1;
	} else {
		host_modes_read(&h->modes, str_make(bytes, (size_t)n));
		if (h->dialog)
			held_add(h, str_make(bytes, (size_t)n));
		else
			tty_write(h->tty, str_make(bytes, (size_t)n));
	}
}

static void tty_take(struct host *h)
{
	char bytes[4096];
	ssize_t n = read(h->tty, bytes, sizeof bytes);

	if (n <= 0) return;
	if (clock_person_ms() < h->dead_until)
		h->dead_until = clock_person_ms() + QUIET_MS;
	else
		tty_write(h->master, str_make(bytes, (size_t)n));
}

static void watch(const struct host *h, int fd, bool on)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (fd >= 0) epoll_ctl(h->ready, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &event);
}

/* ---- the dialog ---- */

static void dialog_shut(struct host *h)
{
	bool vanished = !term_dialog_done(h->dialog);
	struct str unsent = term_dialog_unsent(h->dialog);

	watch(h, term_dialog_input_fd(h->dialog), false);
	h->dialog = term_dialog_free(h->dialog);
	h->open = STR_NONE;
	h->settled = false;
	/* What was being typed for it must not reach the agent. */
	if (vanished) h->dead_until = clock_person_ms() + QUIET_MS;
	if (unsent.len > 0) {
		tty_write(h->tty, unsent);
		tty_write(h->tty, STR("\r\n"));
	}
	held_write(h);
	watch(h, h->tty, true);
	size_pass(h, true);
}

static void modes_write(const struct host *h, bool on)
{
	struct buf out = { 0 };

	(on ? host_modes_on : host_modes_off)(&h->modes, &out);
	tty_write(h->tty, buf_str(&out));
	buf_done(&out);
}

static void dialog_show(struct host *h)
{
	struct str id = h->wanted;
	const struct json *ask =
		cli_call_quiet(h->cli, h->agent, ask_path(h->cli, id, ""), NULL);

	h->wanted = STR_NONE;
	if (!str_is(json_text_of(ask, "status"), "pending")) return;
	watch(h, h->tty, false); /* the dialog reads it */
	h->then = h->modes;
	modes_write(h, false);
	h->dialog = term_dialog_open(h->cli, ask, TERM_DIALOG_HOSTED);
	if (!h->dialog) {
		modes_write(h, true);
		watch(h, h->tty, true);
		return;
	}
	h->open = id;
	watch(h, term_dialog_input_fd(h->dialog), true);
}

static bool event_take(void *ctx, const struct sse_frame *frame)
{
	struct host *h = ctx;
	struct arena arena = { 0 };
	const struct json *event = NULL;

	if (json_read(frame->data, NULL, &arena, &event, NULL) == OK) {
		struct str type = json_text_of(event, "type");
		struct str id = json_text_of(event, "ask");

		if (str_is(type, "ask.created"))
			h->wanted = str_of(arena_copy(&h->cli->arena, id));
		else if (event_settles(type) && str_eq(id, h->open))
			h->settled = true;
	}
	arena_done(&arena);
	return true;
}

/* ---- the loop ---- */

static void input_take(struct host *h)
{
	struct epoll_event events[4];
	int n = epoll_wait(h->ready, events, 4, 0);

	for (int i = 0; i < n; i++) {
		const struct json *ask = NULL;
		int fd = events[i].data.fd;

		if (fd == h->master) {
			master_take(h);
		} else if (!h->dialog) {
			if (fd == h->tty) tty_take(h);
		} else if (term_dialog_input(h->dialog, &ask)) {
			h->settled = true;
		}
		if (h->dialog && term_dialog_input_fd(h->dialog) < 0) h->settled = true;
	}
}

/* Closing its terminal sends the child SIGHUP; one that stays is killed. */
static int child_end(struct host *h, bool stopped)
{
	int64_t until = clock_mono_ms() + CHILD_PATIENCE_MS;
	int status = 0, options = stopped ? WNOHANG : 0;
	pid_t got;

	if (h->master >= 0) close(h->master);
	h->master = -1;
	while ((got = waitpid(h->child, &status, options)) == 0 ||
		(got < 0 && errno == EINTR)) {
		if (got < 0) continue;
		if (clock_mono_ms() > until) kill(h->child, SIGKILL), options = 0;
		usleep(10000);
	}
	if (stopped) return term_stopped();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int host_loop(struct host *h)
{
	struct fault why = { 0 };
	struct winsize size = { 0 }, now;
	bool stopped = false;

	watch(h, h->tty, true);
	watch(h, h->master, true);
	while (h->master >= 0) {
		if (ioctl(h->tty, TIOCGWINSZ, &now) == 0 &&
			memcmp(&now, &size, sizeof now) != 0) {
			size = now;
			if (!h->dialog) size_pass(h, false);
		}
		if (h->dialog && h->settled) dialog_shut(h);
		if (!h->dialog && h->wanted.len > 0) dialog_show(h);
		enum streamed got = stream_run(h->stream, h->ready, 500, &why);
		stopped = got == STREAMED_STOPPED;
		if (got == STREAMED_FAILED || stopped) break;
		if (got == STREAMED_INPUT) input_take(h);
	}
	if (h->dialog) dialog_shut(h);
	modes_write(h, false);
	return child_end(h, stopped);
}

/* A session of its own, in which one question is open at a time. */
static void session_make(struct host *h)
{
	struct str title = str_of(h->cli->args.words[0]);

	h->session =
		json_text_of(cli_call_with(h->cli, h->agent, "POST", STR("/v1/sessions"),
				     BODY(h->cli, { "title", .text = title })),
			"id");
}

/* What is still open is withdrawn: nobody waits for it. Also after a signal, which stops
 * every call of the client we had. */
static void session_end(struct host *h)
{
	struct api_call call = { .method = "POST", .body = STR("{}") };
	struct api_reply reply;
	struct client *agent;

	call.path = arena_print(
		&h->cli->arena, "/v1/sessions/%.*s/cancel", STR_ARGS(h->session));
	call.key = key_make(&h->cli->arena);
	h->cli->term.stop_fd = -1;
	agent = pick_client(h->cli, AS_AGENT, NULL);
	if (agent) client_call(agent, &call, &h->cli->arena, &reply, NULL);
	client_free(agent);
}

static int terminal_run(struct host *h)
{
	struct termios raw;
	struct stream_setup events = { .client = h->agent,
		.query =
			arena_print(&h->cli->arena, "session=%.*s", STR_ARGS(h->session)),
		.after = STR("0"),
		.event = event_take,
		.ctx = h };
	int status = EXIT_NO_SERVER;

	h->ready = epoll_create1(EPOLL_CLOEXEC);
	h->stream = stream_new(&events);
	if (!h->stream || tcgetattr(h->tty, &h->before) != 0 || !child_start(h))
		return cli_fail(h->cli, &(struct fault){ .err = ERR_MEMORY });
	raw = h->before;
	cfmakeraw(&raw);
	tcsetattr(h->tty, TCSANOW, &raw);
	status = host_loop(h);
	tcsetattr(h->tty, TCSADRAIN, &h->before);
	return status;
}

static int host_run(struct cli *cli)
{
	struct host h = { .cli = cli,
		.master = -1,
		.tty = tty_open(),
		.ready = -1,
		.held = { .max = HELD_MAX } };
	struct client *person;
	struct fault why = { 0 };
	int status;

	if (h.tty < 0) return CLI_USAGE(cli, "cli.host.terminal");
	term_watch(&cli->term);
	h.agent = pick_client(cli, AS_AGENT, &why);
	if (!h.agent) return cli_fail(cli, &why);
	cli_call_with(cli, h.agent, "GET", STR("/v1/me"), STR_NONE);
	person = pick_client_person(cli);
	if (!person) cli_end(cli, CLI_SAY(EXIT_NOT_ALLOWED, "cli.answer.login"));
	client_free(person);
	session_make(&h);
	status = terminal_run(&h);
	session_end(&h);
	stream_free(h.stream);
	client_free(h.agent);
	if (h.ready >= 0) close(h.ready);
	close(h.tty);
	buf_done(&h.held);
	return status;
}

static const struct flag flags[] = { { "mcp-flag", "FLAG" }, { 0 } };

const struct command host_verbs[] = {
	{ "host", host_run, "[--] COMMAND [ARGUMENT…]", 1, WORDS_MANY, flags,
		CLIENT | STOPS, "0 2 3 4 126 127 130",
		"parley host -- claude\n"
		"parley host --mcp-flag --mcp-config -- my-agent --verbose" },
	{ 0 },
};
