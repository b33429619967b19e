/* supervise.c - the process between a server and a program it runs: it isolates the program,
 * ends the whole tree when it must, and ends as the program did.
 *
 *     server ── supervisor ── init ── program ── whatever it starts       (isolated)
 *     server ── supervisor ─────────── program ── whatever it starts      (plain)
 *
 * 1. Isolated, `init` is process 1 of a process namespace: when it ends, the kernel ends all of
 *    it. It ends with the program, and the kernel kills it when the supervisor ends.
 * 2. Plain, the supervisor adopts the orphans of the tree, so that it finds each of them.
 * 3. SIGTERM, which also the end of the server sends, ends the tree.
 * 4. Nothing that leads to what is hidden stays open, and no capability is left: a program with
 *    a user namespace of its own cannot take the mounts away, because they are not its own.
 *
 * This runs in a process of its own with one thread. */
#include "net/supervise.h"

#include "net/process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEPT_SIZE = 16 * 1024, KEPT_LEN = 3, SWEEPS_MAX = 1000 };

/* Ends it: the server learns that the program was not begun. */
static _Noreturn void give_up(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static _Noreturn void give_up(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vdprintf(SUPERVISE_REPORT, format, args);
	va_end(args);
	_exit(127);
}

/* ---- isolation ---- */

static bool file_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0) close(fd);
	return done;
}

/* Ask for SIGTERM when the server ends. Must be repeated after a change of credentials. */
static void server_follow(pid_t server)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	if (getppid() != server) give_up("the server ended"); /* before that */
}

/* The same user and group inside as outside, and nobody else. */
static void namespaces_make(void)
{
	unsigned uid = getuid(), gid = getgid();
	char map[64];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID) != 0)
		give_up("namespaces: %s", strerror(errno));
	file_put("/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "%u %u 1", gid, gid);
	if (!file_put("/proc/self/gid_map", map)) give_up("gid_map: %s", strerror(errno));
	snprintf(map, sizeof map, "%u %u 1", uid, uid);
	if (!file_put("/proc/self/uid_map", map)) give_up("uid_map: %s", strerror(errno));
	/* What is mounted later outside does not matter; what we mount stays here. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		give_up("mounts: %s", strerror(errno));
}

struct kept_file {
	const char *name;
	char text[KEPT_SIZE];
	ssize_t len; /* -1: it is not there */
};

static void kept_read(const char *folder, struct kept_file *k)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, k->name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	k->len = fd < 0 ? -1 : read(fd, k->text, sizeof k->text);
	if (fd >= 0) close(fd);
}

static void kept_write(const char *folder, const struct kept_file *k)
{
	char path[PATH_MAX];
	int fd;

	if (k->len < 0) return;
	snprintf(path, sizeof path, "%s/%s", folder, k->name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, k->text, (size_t)k->len) != k->len)
		give_up("%s: %s", path, strerror(errno));
	close(fd);
}

static void folder_hide(const char *path, struct kept_file *kept, size_t len)
{
	for (size_t i = 0; i < len; i++)
		kept_read(path, &kept[i]);
	if (mount("parley", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		    "size=1m,mode=0700") != 0)
		give_up("hiding %s: %s", path, strerror(errno));
	for (size_t i = 0; i < len; i++)
		kept_write(path, &kept[i]);
	if (mount(NULL, path, NULL,
		    MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
		    NULL) != 0)
		give_up("hiding %s: %s", path, strerror(errno));
}

static void path_hide(const char *path, struct kept_file *kept, size_t len)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return; /* nothing there, or nothing that this user could reach */
	if (S_ISDIR(st.st_mode))
		folder_hide(path, kept, len);
	else if (mount("/dev/null", path, NULL, MS_BIND, NULL) != 0)
		give_up("hiding %s: %s", path, strerror(errno));
}

/* The words `hide PATH [keep NAME]…`; returns what stands behind them. */
static char **hidden_read(char **word)
{
	static struct kept_file kept[KEPT_LEN];

	while (*word && strcmp(*word, "hide") == 0 && word[1]) {
		const char *path = word[1];
		size_t len = 0;

		for (word += 2; *word && strcmp(*word, "keep") == 0 && word[1]; word += 2)
			if (len < KEPT_LEN) kept[len++].name = word[1];
		path_hide(path, kept, len);
	}
	return word;
}

/* Enter the working folder again: it may be hidden by now, and the path leads to its
 * replacement. */
static void folder_again(const char *path)
{
	if (!*path || chdir(path) != 0)
		if (chdir("/") != 0) give_up("/: %s", strerror(errno));
}

static void capabilities_drop(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		syscall(SYS_capset, &head, none) != 0)
		give_up("capabilities: %s", strerror(errno));
}

/* ---- the program ---- */

static _Noreturn void program_run(char **argv)
{
	sigset_t none;

	sigemptyset(&none);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	setsid();
	sigprocmask(SIG_SETMASK, &none, NULL);
	fcntl(SUPERVISE_REPORT, F_SETFD, FD_CLOEXEC);
	execvp(argv[0], argv);
	give_up("%s: %s", argv[0], strerror(errno));
}

static pid_t program_start(char **argv)
{
	pid_t pid = fork();

	if (pid < 0) give_up("%s: %s", argv[0], strerror(errno));
	if (pid == 0) program_run(argv);
	close(SUPERVISE_REPORT);
	return pid;
}

/* As process 1 it inherits every orphan; it tells how the program ended, and takes all of them
 * with it. */
static _Noreturn void init_run(char **argv, int tell)
{
	int status = 0;
	pid_t program, ended;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	/* Without it the /proc outside stays: nobody in it may be traced from here. */
	mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	capabilities_drop();
	program = program_start(argv);
	do
		ended = waitpid(-1, &status, 0);
	while (ended != program && (ended > 0 || errno == EINTR));
	if (write(tell, &status, sizeof status) != (ssize_t)sizeof status) _exit(127);
	_exit(0);
}

/* ---- ending ---- */

static _Noreturn void end_as(int status)
{
	if (WIFSIGNALED(status)) {
		sigset_t one;

		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* one core file is enough */
		sigemptyset(&one);
		sigaddset(&one, WTERMSIG(status));
		kill(getpid(), WTERMSIG(status));
		sigprocmask(SIG_UNBLOCK, &one, NULL);
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

/* Until none is left: the children of those who end become ours. */
static void orphans_end(void)
{
	char path[64], text[4096];

	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
		char *at = text, *end;

		if (fd >= 0) close(fd);
		text[len > 0 ? len : 0] = '\0';
		for (long pid; (pid = strtol(at, &end, 10)) > 0; at = end)
			kill((pid_t)pid, SIGKILL);
		if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD) return;
	}
}

/* The status of `child` once it has ended; or of SIGTERM, by which it is ended now. */
static int child_await(pid_t child)
{
	sigset_t set;
	int status = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		int signal = 0;
		pid_t ended;

		while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
			if (ended == child) return status;
		if (ended < 0 && errno == ECHILD) return SIGKILL;
		if (sigwait(&set, &signal) != 0 || signal != SIGTERM) continue;
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		return SIGTERM;
	}
}

/* ---- both ways ---- */

static _Noreturn void isolated_run(char **word, const char *folder, pid_t server)
{
	int tell[2], status = 0, end;
	pid_t init;

	namespaces_make();
	server_follow(server);
	word = hidden_read(word);
	folder_again(folder);
	if (!*word || !word[1] || pipe2(tell, O_CLOEXEC) != 0) give_up("no program");
	init = fork();
	if (init < 0) give_up("%s: %s", word[1], strerror(errno));
	if (init == 0) init_run(word + 1, tell[1]);
	close(tell[1]);
	close(SUPERVISE_REPORT);
	end = child_await(init);
	if (end == 0 && read(tell[0], &status, sizeof status) == (ssize_t)sizeof status)
		end = status;
	end_as(end);
}

static _Noreturn void plain_run(char **word)
{
	pid_t program;
	int end;

	if (!*word || !word[1]) give_up("no program");
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	program = program_start(word + 1);
	end = child_await(program);
	orphans_end();
	end_as(end);
}

void process_main(int argc, char **argv)
{
	char folder[PATH_MAX] = "";
	sigset_t set;
	pid_t server;

	if (argc < 5 || strcmp(argv[1], SUPERVISE_WORD) != 0) return;
	server = (pid_t)strtol(argv[3], NULL, 10);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	server_follow(server);
	if (!getcwd(folder, sizeof folder)) folder[0] = '\0';
	if (strcmp(argv[2], "isolated") == 0) isolated_run(argv + 4, folder, server);
	plain_run(argv + 4);
}
