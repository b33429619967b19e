/* start.c - starts a server and says how long it took until it answered. */
#include "load.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_US = 200, PATIENCE_S = 60 };

static pid_t start_child(char **command)
{
	pid_t pid = fork();

	if (pid < 0) die("cannot fork");
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		execvp(command[0], command);
		_exit(127);
	}
	return pid;
}

static int port_in(const char *path)
{
	FILE *f = fopen(path, "r");
	int port = 0;

	if (!f) return 0;
	if (fscanf(f, "%d", &port) != 1) port = 0;
	fclose(f);
	return port;
}

void mode_start(int argc, char **argv)
{
	int64_t begin = now_ns(), end = begin + PATIENCE_S * 1000000000LL;
	struct wire w;
	pid_t pid;
	int port;

	if (argc < 2) die("PORT-FILE COMMAND…");
	unlink(argv[0]);
	pid = start_child(argv + 1);
	while ((port = port_in(argv[0])) == 0) {
		if (waitpid(pid, NULL, WNOHANG) == pid) die("%s ended", argv[1]);
		if (now_ns() > end) die("%s does not come up", argv[1]);
		usleep(LOOK_US);
	}
	wire_open(&w, SPEAK_HTTP, port);
	wire_http(&w, "GET", "/readyz", "none", "");
	wire_await(&w);
	wire_expect(&w, "HTTP/1.1 200");
	printf("%.1f %d %d\n", (double)(now_ns() - begin) / 1e6, (int)pid, port);
}
