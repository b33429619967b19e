#include "script.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct script {
	const struct scene *scenes;
	struct buf seen;
	char url[64];
	pthread_t thread;
	int fd;
};

/* The head, and a body as long as Content-Length says. */
static void request_read(struct script *s, int fd)
{
	struct buf request = { 0 };
	char piece[4096];
	size_t body = 0;
	int head = -1;
	ssize_t n;

	while ((head < 0 || request.len < (size_t)head + 4 + body) &&
		(n = read(fd, piece, sizeof piece)) > 0) {
		buf_add(&request, str_make(piece, (size_t)n));
		head = str_find(buf_str(&request), STR("\r\n\r\n"));
		int length = str_find(buf_str(&request), STR("Content-Length: "));
		if (length >= 0)
			body = strtoul(buf_text(&request) + length + 16, NULL, 10);
	}
	buf_add(&s->seen, buf_str(&request));
	buf_add_text(&s->seen, "\n====\n");
	buf_done(&request);
}

static void hung_up(int fd)
{
	char byte;

	while (read(fd, &byte, 1) > 0)
		continue;
}

static void *play(void *ctx)
{
	struct script *s = ctx;

	for (const struct scene *scene = s->scenes; !scene->end; scene++) {
		int fd = accept(s->fd, NULL, NULL);
		const char *reply = scene->reply;

		if (fd < 0) break;
		request_read(s, fd);
		if (reply && write(fd, reply, strlen(reply)) < 0) perror("write");
		for (int n = 0; n < scene->beats; n++) {
			usleep(1250000);
			if (write(fd, " ", 1) < 0) perror("write");
		}
		if (scene->then && write(fd, scene->then, strlen(scene->then)) < 0)
			perror("write");
		if (scene->beats < 0) hung_up(fd);
		close(fd);
	}
	close(s->fd);
	return NULL;
}

struct script *script_start(const struct scene *scenes)
{
	struct script *s = calloc(1, sizeof *s);
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof at;

	if (!s) abort();
	s->scenes = scenes;
	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&at, sizeof at) != 0 ||
		listen(s->fd, 8) != 0 ||
		getsockname(s->fd, (struct sockaddr *)&at, &len) != 0)
		abort();
	snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", ntohs(at.sin_port));
	if (pthread_create(&s->thread, NULL, play, s) != 0) abort();
	return s;
}

const char *script_url(const struct script *s)
{
	return s->url;
}

struct buf script_stop(struct script *s)
{
	struct buf seen;

	pthread_join(s->thread, NULL);
	seen = s->seen;
	free(s);
	return seen;
}
