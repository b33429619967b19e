/* shell_run.c - which programs a real shell runs. See shell-test.mjs and README.md.
 *
 * shell_run SHELL FOLDER NAME…: puts itself into FOLDER/bin under each NAME; then, for each line on
 * stdin that ends in a NUL, lets SHELL run it in FOLDER/work, with FOLDER/bin as its PATH, and
 * tells on stdout which NAMEs ran: a line, 0x1e between programs, 0x1f between their words.
 * Where the system allows it, without a network and with everything but FOLDER/work read-only.
 *
 * Called by one of those names, it notes that in FOLDER/ran. A name that ends in `no` fails. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_S = 20 };

static char folder[PATH_MAX];

static void die(const char *what)
{
	fprintf(stderr, "shell_run: %s: %s\n", what, strerror(errno));
	exit(2);
}

static const char *in_folder(const char *name)
{
	static char path[PATH_MAX + 100];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* ---- as one of the programs ---- */

static int note(const char *name, int argc, char **argv)
{
	char line[4096];
	size_t len = 0;
	int file = open(in_folder("ran"), O_WRONLY | O_APPEND | O_CLOEXEC);

	for (int i = 0; i < argc; i++) {
		const char *word = i ? argv[i] : name;

		for (; *word && len + 2 < sizeof line; word++)
			line[len++] = (unsigned char)*word < ' ' ? ' ' : *word;
		line[len++] = i + 1 < argc ? 0x1f : 0x1e;
		if (len + 2 >= sizeof line) break;
	}
	if (file < 0 || write(file, line, len) != (ssize_t)len) return 3;
	return strcmp(name + strlen(name) - 2, "no") == 0;
}

/* ---- where lines run ---- */

static void copy_self(const char *name)
{
	char to[PATH_MAX + 100], part[65536];
	ssize_t n;
	int in = open("/proc/self/exe", O_RDONLY), out;

	snprintf(to, sizeof to, "%s/bin/%s", folder, name);
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	if (in < 0 || out < 0) die(to);
	while ((n = read(in, part, sizeof part)) > 0)
		if (write(out, part, (size_t)n) != n) die(to);
	close(in);
	close(out);
}

static void write_to(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (file < 0 || write(file, text, strlen(text)) < 0) die(path);
	close(file);
}

static bool read_only(const char *path)
{
	return !mount(path, path, NULL, MS_BIND | MS_REC, NULL) &&
	       !mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL);
}

/* Tells how far that went. */
static const char *confine(void)
{
	char map[64];
	unsigned uid = getuid(), gid = getgid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC))
		return "no namespaces";
	write_to("/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "%u %u 1", uid, uid);
	write_to("/proc/self/uid_map", map);
	snprintf(map, sizeof map, "%u %u 1", gid, gid);
	write_to("/proc/self/gid_map", map);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount(folder, folder, NULL, MS_BIND, NULL) ||
		!read_only(in_folder("bin")))
		return "namespaces, folders as they were";
	if (mount(NULL, "/", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL))
		return "namespaces, programs read-only";
	return "namespaces, read-only";
}

static void work_clear(void)
{
	DIR *dir = opendir(".");
	struct dirent *e;

	if (!dir) die("work");
	while ((e = readdir(dir)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
			strcmp(e->d_name, "in") && unlink(e->d_name) && rmdir(e->d_name))
			die(e->d_name);
	closedir(dir);
	write_to("in", "in\n");
}

/* ---- running ---- */

static volatile sig_atomic_t late;

static void on_alarm(int number)
{
	(void)number;
	late = 1;
}

static void children_kill(void)
{
	FILE *list = fopen("/proc/thread-self/children", "r");
	int pid;

	while (list && fscanf(list, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	if (list) fclose(list);
}

/* To the end of all that it started: orphans are ours. */
static void line_run(const char *shell, const char *line)
{
	static const struct rlimit cpu = { 5, 5 }, file = { 1 << 20, 1 << 20 };
	static char path[PATH_MAX + 200];
	char *env[] = { path, NULL };
	pid_t pid = fork();

	if (pid < 0) die("fork");
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		close(null);
		setrlimit(RLIMIT_CPU, &cpu);
		setrlimit(RLIMIT_FSIZE, &file);
		snprintf(path, sizeof path, "PATH=%s", in_folder("bin"));
		execle(shell, shell, "-c", line, (char *)NULL, env);
		_exit(127);
	}
	late = 0;
	alarm(PATIENCE_S);
	while (wait(NULL) >= 0 || errno != ECHILD)
		if (late) children_kill(), alarm(1);
	alarm(0);
}

static void ran_tell(int ran)
{
	static char text[1 << 20];
	ssize_t len = pread(ran, text, sizeof text - 1, 0);

	if (len < 0 || ftruncate(ran, 0)) die("ran");
	text[len] = '\n';
	fwrite(text, 1, (size_t)len + 1, stdout);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *line = NULL, *name;
	size_t room = 0;
	ssize_t len = readlink("/proc/self/exe", folder, sizeof folder - 1);

	if (len > 0 && (name = strstr(folder, "/bin/m"))) {
		*name = '\0';
		return note(name + strlen("/bin/"), argc, argv);
	}
	if (argc < 4 || !realpath(argv[2], folder)) die("shell_run SHELL FOLDER NAME…");
	for (int i = 3; i < argc; i++)
		copy_self(argv[i]);
	write_to(in_folder("ran"), "");
	int ran = open(in_folder("ran"), O_RDWR | O_CLOEXEC);
	const char *how = confine();

	if (ran < 0 || chdir(in_folder("work"))) die(folder);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm }, NULL);
	printf("%s\n", how);
	fflush(stdout);
	while (getdelim(&line, &room, '\0', stdin) > 0) {
		work_clear();
		line_run(argv[1], line);
		ran_tell(ran);
	}
	free(line);
	return 0;
}
