/* turn.c - what one at a time takes: an answer on its way to the waiter, one sync, and
 * the three calls of an inbox. Prints medians and 99th percentiles in microseconds. */
#include "load.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hist_print(const struct hist *h, char end)
{
	printf("%.1f %.1f%c", (double)hist_at(h, 0.5) / 1000,
		(double)hist_at(h, 0.99) / 1000, end);
}

/* ---- an answer on its way ---- */

enum { SETTLE_US = 200 }; /* until a waiter is surely waiting, for both kinds of server */

static int64_t turn_http(struct wire *agent, struct wire *person, const struct peer *p)
{
	char id[64], path[128];
	int64_t sent;
	size_t len;

	ask_once(person, p->agent, question, id);
	snprintf(path, sizeof path, "/v1/asks/%s?wait=60", id);
	wire_http(agent, "GET", path, p->agent, "");
	wire_await_head(agent);
	usleep(SETTLE_US);
	snprintf(path, sizeof path, "/v1/asks/%s/answer", id);
	sent = now_ns();
	wire_http(person, "POST", path, p->person, answer);
	len = wire_await(agent);
	sent = now_ns() - sent;
	if (!memmem(agent->in, len, "\"answered\"", 10)) die("the waiter has no answer");
	wire_drop(agent, len);
	len = wire_await(person);
	wire_expect(person, "HTTP/1.1 200");
	wire_drop(person, len);
	return sent;
}

static int64_t turn_redis(struct wire *agent, struct wire *person, int n)
{
	static struct sha ask, settle;
	char id[32], key[64], score[16];
	int64_t sent;

	if (!ask.text[0]) ask = peer_script(person, script_ask);
	if (!settle.text[0]) settle = peer_script(person, script_answer);
	snprintf(id, sizeof id, "ask_%012d", n);
	snprintf(key, sizeof key, "answer:%s", id);
	snprintf(score, sizeof score, "%d", n);
	wire_redis(person, "EVALSHA", ask.text, "0", id, question, score, NULL);
	wire_drop(person, wire_await(person));
	wire_redis(agent, "BLPOP", key, "60", NULL);
	usleep(SETTLE_US);
	sent = now_ns();
	wire_redis(person, "EVALSHA", settle.text, "0", id, answer, NULL);
	wire_drop(agent, wire_await(agent));
	sent = now_ns() - sent;
	wire_drop(person, wire_await(person));
	return sent;
}

void mode_turn(int argc, char **argv)
{
	static struct hist hist;
	int n = number(argc > 0 ? argv[0] : NULL);
	struct peer p = peer_read(argc - 1, argv + 1);
	struct wire agent, person;

	wire_open(&agent, p.speech, p.port);
	wire_open(&person, p.speech, p.person_port);
	for (int i = 0; i < n; i++) {
		int64_t ns = p.speech == SPEAK_HTTP ? turn_http(&agent, &person, &p)
						    : turn_redis(&agent, &person, i);

		if (i >= n / 10) hist_add(&hist, ns);
	}
	hist_print(&hist, '\n');
}

/* ---- one sync ---- */

void mode_sync(int argc, char **argv)
{
	static struct hist hist;
	static char block[4096] = { 1 };
	int n = number(argc > 1 ? argv[1] : NULL), fd;
	char path[4096];

	snprintf(path, sizeof path, "%s/sync", argv[0]);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0) die("cannot write %s", path);
	for (int i = 0; i < n; i++) {
		int64_t before;

		if (write(fd, block, sizeof block) != sizeof block) die("cannot write");
		before = now_ns();
		fdatasync(fd);
		hist_add(&hist, now_ns() - before);
	}
	unlink(path);
	close(fd);
	hist_print(&hist, '\n');
}

/* ---- the calls of an inbox ---- */

enum { PAGE = 200 };

/* Up to `wanted` ids of open asks, oldest first. */
static int inbox_ids(struct wire *w, const struct peer *p, char (*ids)[64], int wanted)
{
	char path[512] = "/v1/asks?limit=200", cursor[256];
	int found = 0;

	while (found < wanted) {
		size_t len;
		char *at;

		wire_http(w, "GET", path, p->person, "");
		len = wire_await(w);
		wire_expect(w, "HTTP/1.1 200");
		at = w->in;
		while (found < wanted && (at = memmem(at, len - (size_t)(at - w->in),
						  "\"id\":\"ask_", 10))) {
			memcpy(ids[found], at + 6, 30);
			ids[found++][30] = '\0';
			at += 30;
		}
		if (!wire_find(w, len, "\"next_cursor\":\"", cursor, sizeof cursor))
			found = wanted;
		wire_drop(w, len);
		snprintf(path, sizeof path, "/v1/asks?limit=200&cursor=%s", cursor);
	}
	return found;
}

static void timed(struct wire *w, struct hist *h, const char *method, const char *path,
	const char *token, const char *body, const char *expected)
{
	int64_t sent = now_ns();
	size_t len;

	wire_http(w, method, path, token, body);
	len = wire_await(w);
	hist_add(h, now_ns() - sent);
	wire_expect(w, expected);
	wire_drop(w, len);
}

void mode_times(int argc, char **argv)
{
	static struct hist lists, asks, answers;
	int n = number(argc > 0 ? argv[0] : NULL);
	struct peer p = peer_read(argc - 1, argv + 1);
	char(*ids)[64] = calloc((size_t)n, sizeof *ids), path[128];
	struct wire w;

	if (!ids) die("out of memory");
	wire_open(&w, SPEAK_HTTP, p.port);
	for (int i = 0; i < n; i++)
		timed(&w, &lists, "GET", "/v1/asks", p.person, "", "HTTP/1.1 200");
	for (int i = 0; i < n; i++)
		timed(&w, &asks, "POST", "/v1/asks", p.agent, question, "HTTP/1.1 201");
	inbox_ids(&w, &p, ids, n);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "/v1/asks/%s/answer", ids[i]);
		timed(&w, &answers, "POST", path, p.person, answer, "HTTP/1.1 200");
	}
	hist_print(&lists, ' ');
	hist_print(&asks, ' ');
	hist_print(&answers, '\n');
	free(ids);
}
