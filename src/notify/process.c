#include "notify/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Everything of ours stays here: descriptors, the ignored SIGPIPE, blocked signals. */
static int process_spawn(
	struct process *p, char *const argv[], char *const envp[], int in)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t all, none;
	int e;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	e = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	if (!e) e = posix_spawn_file_actions_adddup2(&files, p->output, STDOUT_FILENO);
	if (!e) e = posix_spawn_file_actions_adddup2(&files, p->output, STDERR_FILENO);
	if (!e) e = posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
	if (!e) e = posix_spawnattr_setsigdefault(&how, &all);
	if (!e) e = posix_spawnattr_setsigmask(&how, &none);
	if (!e)
		e = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID |
							   POSIX_SPAWN_SETSIGDEF |
							   POSIX_SPAWN_SETSIGMASK);
	if (!e) e = posix_spawnp(&p->pid, argv[0], &files, &how, argv, envp);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return e;
}

enum err process_start(struct process *p, char *const argv[], char *const envp[],
	struct str input, struct fault *why)
{
	int in = text_open(input), e;

	*p = (struct process){ .handle = -1 };
	p->output = memfd_create("output", MFD_CLOEXEC);
	e = in < 0 || p->output < 0 ? errno : process_spawn(p, argv, envp, in);
	fd_close(&in);
	if (e) {
		p->pid = 0;
		process_done(p);
		return fail(why, ERR_UNAVAILABLE, "%s: %s", argv[0], strerror(e));
	}
	p->handle = pidfd_open(p->pid, 0);
	return OK;
}

bool process_ended(struct process *p, struct process_end *out)
{
	int status;

	if (!p->pid || waitpid(p->pid, &status, WNOHANG) != p->pid) return false;
	*out = (struct process_end){ WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		WIFSIGNALED(status) ? WTERMSIG(status) : 0 };
	p->pid = 0;
	return true;
}

struct str process_tail(struct process *p, struct arena *arena)
{
	struct stat st;
	size_t len = 0;
	char *text;

	if (fstat(p->output, &st) != 0) return STR_NONE;
	off_t from = st.st_size > PROCESS_TAIL_MAX ? st.st_size - PROCESS_TAIL_MAX : 0;
	text = arena_alloc(arena, (size_t)(st.st_size - from) + 1);
	while (text && from < st.st_size) {
		ssize_t n =
			pread(p->output, text + len, (size_t)(st.st_size - from), from);

		if (n <= 0) break;
		len += (size_t)n;
		from += n;
	}
	/* No text of ours holds a NUL; a byte that is no UTF-8 is shown as such. */
	for (size_t i = 0; text && i < len; i++)
		if (!text[i]) text[i] = (char)0xff;
	return str_make(text, text ? len : 0);
}

void process_trim(struct process *p)
{
	struct stat st;

	if (p->pid && fstat(p->output, &st) == 0 && st.st_size > 2 * PROCESS_TAIL_MAX)
		(void)!fallocate(p->output, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			st.st_size - PROCESS_TAIL_MAX);
}

void process_done(struct process *p)
{
	fd_close(&p->handle);
	fd_close(&p->output);
}
