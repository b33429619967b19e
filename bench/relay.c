/* relay.c - a wire of a given length in front of a database: every byte takes that long.
 *
 *	relay DELAY_US PORT    passes on to 127.0.0.1:PORT, DELAY_US later in each direction
 *
 * Prints the port it listens on. For each line on its input it prints how often, since the
 * line before, a client that writes to the database spoke after the database had: its round
 * trips. Ends with its input. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS_MAX = 128, CHUNK = 65536 };

struct piece {
	struct piece *next;
	int64_t due_ns;
	size_t len, sent;
	char bytes[];
};

/* From one end to the other. */
struct direction {
	struct piece *first, **end;
	bool over; /* nothing more comes */
};

struct pair {
	int fd[2];		 /* the client, the database */
	struct direction way[2]; /* from fd[i] */
	bool writes;		 /* it has begun to write */
	bool heard;		 /* the database spoke last */
};

static struct pair pairs[PAIRS_MAX];
static int pairs_len;
static int64_t delay_ns;
static long trips;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct sockaddr_in loopback(int port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static void at_once(int fd)
{
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static void pair_open(int client, int port)
{
	struct sockaddr_in to = loopback(port);
	int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pair *p = &pairs[pairs_len];

	if (pairs_len == PAIRS_MAX || server < 0 ||
		connect(server, (struct sockaddr *)&to, sizeof to) != 0) {
		close(client);
		if (server >= 0) close(server);
		return;
	}
	at_once(client);
	at_once(server);
	*p = (struct pair){ .fd = { client, server } };
	for (int i = 0; i < 2; i++)
		p->way[i].end = &p->way[i].first;
	pairs_len++;
}

static void pair_close(struct pair *p)
{
	for (int i = 0; i < 2; i++) {
		close(p->fd[i]);
		while (p->way[i].first) {
			struct piece *next = p->way[i].first->next;

			free(p->way[i].first);
			p->way[i].first = next;
		}
	}
	*p = pairs[--pairs_len];
	for (int i = 0; i < 2; i++)
		if (!p->way[i].first) p->way[i].end = &p->way[i].first;
}

static void counted(struct pair *p, int from, const struct piece *piece)
{
	static const char turn[] = "\0turn"; /* that statement, by its name */

	if (from == 1) {
		p->heard = true;
		return;
	}
	p->writes |= memmem(piece->bytes, piece->len, turn, sizeof turn) != NULL;
	if (p->heard && p->writes) trips++;
	p->heard = false;
}

static void take(struct pair *p, int from)
{
	struct piece *piece = malloc(sizeof *piece + CHUNK);
	ssize_t n = piece ? read(p->fd[from], piece->bytes, CHUNK) : -1;

	if (n <= 0) {
		p->way[from].over = true;
		free(piece);
		return;
	}
	*piece = (struct piece){ .due_ns = now_ns() + delay_ns, .len = (size_t)n };
	counted(p, from, piece);
	*p->way[from].end = piece;
	p->way[from].end = &piece->next;
}

/* Sends what is due; false: the pair is over. */
static bool pass(struct pair *p, int from, int64_t now)
{
	struct direction *d = &p->way[from];

	while (d->first && d->first->due_ns <= now) {
		struct piece *piece = d->first;
		ssize_t n = write(p->fd[!from], piece->bytes + piece->sent,
			piece->len - piece->sent);

		if (n < 0) return false;
		piece->sent += (size_t)n;
		if (piece->sent < piece->len) break;
		d->first = piece->next;
		if (!d->first) d->end = &d->first;
		free(piece);
	}
	return d->first || !d->over;
}

static int64_t next_due(void)
{
	int64_t next = INT64_MAX;

	for (int i = 0; i < pairs_len; i++)
		for (int way = 0; way < 2; way++)
			if (pairs[i].way[way].first &&
				pairs[i].way[way].first->due_ns < next)
				next = pairs[i].way[way].first->due_ns;
	return next;
}

static void wait_and_take(int listener, int port)
{
	struct pollfd fds[2 + 2 * PAIRS_MAX];
	int64_t left = next_due();
	int at = pairs_len;
	struct timespec t;

	fds[0] = (struct pollfd){ STDIN_FILENO, POLLIN, 0 };
	fds[1] = (struct pollfd){ listener, POLLIN, 0 };
	for (int i = 0; i < 2 * at; i++)
		fds[2 + i] = (struct pollfd){
			pairs[i / 2].way[i % 2].over ? -1 : pairs[i / 2].fd[i % 2],
			POLLIN, 0
		};
	if (left != INT64_MAX) {
		left -= now_ns();
		if (left < 0) left = 0;
		t = (struct timespec){ left / 1000000000, left % 1000000000 };
	}
	if (ppoll(fds, (nfds_t)(2 + 2 * at), left == INT64_MAX ? NULL : &t, NULL) <= 0)
		return;
	for (int i = 0; i < 2 * at; i++)
		if (fds[2 + i].revents) take(&pairs[i / 2], i % 2);
	if (fds[1].revents) pair_open(accept4(listener, NULL, NULL, SOCK_CLOEXEC), port);
	if (fds[0].revents) {
		char line[256];

		if (read(STDIN_FILENO, line, sizeof line) <= 0) exit(0);
		printf("%ld\n", trips);
		fflush(stdout);
		trips = 0;
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in own = loopback(0);
	socklen_t len = sizeof own;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (argc != 3 || bind(listener, (struct sockaddr *)&own, len) != 0 ||
		listen(listener, 64) != 0) {
		fprintf(stderr, "relay DELAY_US PORT\n");
		return 2;
	}
	prctl(PR_SET_TIMERSLACK, 1000);
	delay_ns = strtoll(argv[1], NULL, 10) * 1000;
	getsockname(listener, (struct sockaddr *)&own, &len);
	printf("%d\n", ntohs(own.sin_port));
	fflush(stdout);
	for (;;) {
		int64_t now;

		wait_and_take(listener, atoi(argv[2]));
		now = now_ns();
		for (int i = pairs_len; i-- > 0;)
			if (!pass(&pairs[i], 0, now) || !pass(&pairs[i], 1, now))
				pair_close(&pairs[i]);
	}
}
