/* process.c - our side of a program that runs beside us: pipes, the end of its output, its
 * exit. */
#include "net/process.h"

#include "base/clock.h"
#include "base/mem.h"
#include "net/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	KILL_MS = 2000, /* time a supervisor gets to end the process tree */
	WORDS_MAX = 8 + PROCESS_HIDDEN_MAX * 8,
	READ_MAX = 4 * PROCESS_TAIL_MAX, /* bytes at a time: others get a turn */
};

static void fd_close(int *fd)
{
	if (*fd >= 0) close(*fd);
	*fd = -1;
}

/* A file in memory with this text, read from its beginning. */
static int text_open(struct str text)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < text.len) {
		ssize_t n = pwrite(fd, text.at + done, text.len - done, (off_t)done);

		if (n <= 0)
			fd_close(&fd);
		else
			done += (size_t)n;
	}
	return fd;
}

static bool pipe_open(int *read_end, int *write_end)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0) return false;
	*read_end = ends[0];
	*write_end = ends[1];
	return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

/* Of its input: it may block, we do not. */
static bool talk_open(int *read_end, int *write_end)
{
	return pipe_open(read_end, write_end) && fcntl(*read_end, F_SETFL, 0) == 0 &&
	       fcntl(*write_end, F_SETFL, O_NONBLOCK) == 0;
}

/* ---- starting ---- */

/* Starts a supervisor that inherits no descriptors, ignored signals or signal masks of ours. */
static int supervisor_spawn(
	pid_t *pid, char *const argv[], char *const envp[], const int from[SUPERVISE_FDS])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t all, none;
	int e = 0;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	/* First out of the way of each other. */
	for (int i = 0; !e && i < SUPERVISE_FDS; i++)
		e = posix_spawn_file_actions_adddup2(&files, from[i], i);
	if (!e) e = posix_spawn_file_actions_addclosefrom_np(&files, SUPERVISE_FDS);
	if (!e) e = posix_spawnattr_setsigdefault(&how, &all);
	if (!e) e = posix_spawnattr_setsigmask(&how, &none);
	if (!e)
		e = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID |
							   POSIX_SPAWN_SETSIGDEF |
							   POSIX_SPAWN_SETSIGMASK);
	if (!e) e = posix_spawn(pid, "/proc/self/exe", &files, &how, argv, envp);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return e;
}

/* The supervisor's words, then the program's own; NULL: out of memory. */
static char **words_make(const struct process_setup *set, char parent[16])
{
	char *own[WORDS_MAX];
	size_t len = 0, more = 0;
	char **words;

	own[len++] = (char *)"parley";
	own[len++] = (char *)SUPERVISE_WORD;
	own[len++] = (char *)(set->isolated ? "isolated" : "plain");
	own[len++] = parent;
	for (size_t i = 0; set->isolated && i < set->hidden_len; i++) {
		const char *const *kept = set->hidden[i].kept;

		own[len++] = (char *)"hide";
		own[len++] = (char *)set->hidden[i].path;
		for (int n = 0; kept && *kept && n < 3; n++, kept++) {
			own[len++] = (char *)"keep";
			own[len++] = (char *)*kept;
		}
	}
	own[len++] = (char *)"--";
	while (set->argv[more])
		more++;
	words = mem_alloc((len + more + 1) * sizeof *words);
	if (!words) return NULL;
	memcpy(words, own, len * sizeof *words);
	memcpy(words + len, set->argv, more * sizeof *words);
	return words;
}

/* Descriptors beyond those that the supervisor has, so that one does not overwrite another. */
static int fd_raise(int fd)
{
	int raised = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, SUPERVISE_FDS);

	if (fd >= 0) close(fd);
	return raised;
}

static int process_spawn(struct process *p, const struct process_setup *set)
{
	int in = -1, out = -1, report = -1, result = -1, e = ENOMEM;
	char parent[16], **words;

	if (!set->talks)
		in = text_open(set->input);
	else if (!talk_open(&in, &p->input))
		fd_close(&in);

	snprintf(parent, sizeof parent, "%d", (int)getpid());
	words = words_make(set, parent);
	p->tail = mem_alloc(PROCESS_TAIL_MAX);
	if (words && p->tail && in >= 0 && pipe_open(&p->output, &out) &&
		pipe_open(&p->report, &report) &&
		(!set->take || pipe_open(&p->result, &result))) {
		in = fd_raise(in);
		out = fd_raise(out);
		report = fd_raise(report);
		result = fd_raise(result);
		const int from[SUPERVISE_FDS] = { in, set->take ? result : out, out,
			report };
		e = in < 0 || out < 0 || report < 0 || (set->take && result < 0)
			    ? errno
			    : supervisor_spawn(&p->pid, words, set->envp, from);
	}
	fd_close(&in);
	fd_close(&out);
	fd_close(&report);
	fd_close(&result);
	mem_free(words);
	return e;
}

enum err process_start(
	struct process *p, const struct process_setup *set, struct fault *why)
{
	int e;

	*p = (struct process){ .handle = -1,
		.input = -1,
		.output = -1,
		.report = -1,
		.result = -1,
		.take = set->take,
		.ctx = set->ctx };
	e = process_spawn(p, set);
	if (e) {
		p->pid = 0;
		process_done(p);
		return fail(why, ERR_UNAVAILABLE, "%s: %s", set->argv[0], strerror(e));
	}
	if (set->limit_ms) p->limit_ms = clock_mono_ms() + set->limit_ms;
	p->handle = pidfd_open(p->pid, 0);
	return OK;
}

/* ---- while it runs ---- */

static void output_read(struct process *p)
{
	size_t left = READ_MAX;

	while (p->output >= 0 && left) {
		size_t at = p->printed % PROCESS_TAIL_MAX;
		ssize_t n = read(p->output, p->tail + at, PROCESS_TAIL_MAX - at);

		if (n == 0) fd_close(&p->output);
		if (n <= 0) return;
		p->printed += (size_t)n;
		left -= (size_t)n < left ? (size_t)n : left;
	}
}

static void result_read(struct process *p)
{
	char bytes[16 * 1024];

	for (size_t left = READ_MAX; p->result >= 0 && left; left -= sizeof bytes) {
		ssize_t n = read(p->result, bytes, sizeof bytes);

		if (n == 0) fd_close(&p->result);
		if (n <= 0) return;
		p->take(p->ctx, str_make(bytes, (size_t)n));
	}
}

static void tree_end(struct process *p)
{
	p->kill_ms = clock_mono_ms() + KILL_MS;
	kill(p->pid, SIGTERM);
}

void process_look(struct process *p)
{
	int64_t now = clock_mono_ms();

	output_read(p);
	result_read(p);
	if (!p->pid) return;
	if (p->kill_ms && p->kill_ms <= now) kill(p->pid, SIGKILL);
	if (p->limit_ms && p->limit_ms <= now && !p->kill_ms) {
		p->limited = true;
		tree_end(p);
	}
}

/* ---- its end ---- */

static void failure_read(struct process *p, char *out, size_t size)
{
	ssize_t n = p->report < 0 ? 0 : read(p->report, out, size - 1);

	out[n > 0 ? n : 0] = '\0';
}

bool process_ended(struct process *p, struct process_end *out)
{
	int status;

	if (!p->pid || waitpid(p->pid, &status, WNOHANG) != p->pid) return false;
	*out = (struct process_end){ WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		WIFSIGNALED(status) ? WTERMSIG(status) : 0, p->limited, "" };
	failure_read(p, out->failure, sizeof out->failure);
	if (out->failure[0]) out->exit = -1;
	p->pid = 0;
	output_read(p);
	result_read(p);
	return true;
}

struct str process_tail(const struct process *p, struct arena *arena)
{
	size_t len = p->printed < PROCESS_TAIL_MAX ? p->printed : PROCESS_TAIL_MAX;
	size_t first = p->printed < PROCESS_TAIL_MAX ? 0 : p->printed % PROCESS_TAIL_MAX;
	char *text = arena_alloc(arena, len + 1);

	if (!text || !p->tail) return STR_NONE;
	memcpy(text, p->tail + first, len - first);
	memcpy(text + (len - first), p->tail, first);
	/* No text of ours holds a NUL; a byte that is no UTF-8 is shown as such. */
	for (size_t i = 0; i < len; i++)
		if (!text[i]) text[i] = (char)0xff;
	return str_make(text, len);
}

void process_done(struct process *p)
{
	if (p->pid) {
		struct pollfd end = { p->handle, POLLIN, 0 };

		kill(p->pid, SIGTERM);
		if (poll(&end, 1, KILL_MS) != 1) kill(p->pid, SIGKILL);
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		p->pid = 0;
	}
	fd_close(&p->handle);
	fd_close(&p->input);
	fd_close(&p->output);
	fd_close(&p->report);
	fd_close(&p->result);
	mem_free(p->tail);
	p->tail = NULL;
}

void process_env_add(
	struct str names, char **env, size_t *len, size_t most, struct arena *arena)
{
	struct str name;

	while (*len < most && str_cut(&names, ',', &name)) {
		const char *text = arena_copy(arena, str_trim(name));
		const char *value = text && *text ? getenv(text) : NULL;

		if (value)
			env[(*len)++] = arena_copy(
				arena, arena_print(arena, "%s=%s", text, value));
	}
}

enum err process_can_isolate(struct fault *why)
{
	char *argv[] = { (char *)"true", NULL }, *envp[] = { NULL };
	const struct process_setup set = { .argv = argv, .envp = envp, .isolated = true };
	struct process_end end = { 0 };
	struct process p;
	enum err e = process_start(&p, &set, why);

	if (e) return e;
	struct pollfd handle = { p.handle, POLLIN, 0 };
	poll(&handle, 1, 10 * 1000);
	if (!process_ended(&p, &end)) snprintf(end.failure, sizeof end.failure, "no end");
	process_done(&p);
	return end.exit == 0 && !end.failure[0]
		       ? OK
		       : fail(why, ERR_UNAVAILABLE, "%s",
				 end.failure[0] ? end.failure : "it failed");
}

bool process_found(struct str name, struct arena *arena)
{
	struct str path = str_of(getenv("PATH")), folder, file;

	if (str_find(name, STR("/")) >= 0)
		return access(arena_copy(arena, name), X_OK) == 0;
	while (str_cut(&path, ':', &folder)) {
		file = arena_print(arena, "%.*s/%.*s", STR_ARGS(folder), STR_ARGS(name));
		if (file.at && access(file.at, X_OK) == 0) return true;
	}
	return false;
}
