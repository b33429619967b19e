/* park.c - very many that wait at once, and one event for all of them.
 *
 * Between its steps it says a word ("ready", "parked") and waits for a line, so that
 * whoever started it can look at the server's memory. "fire" sends one event to all
 * streams. */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum { OPEN_AT_ONCE = 200, FIRES = 7 };

enum kind { PARK_ASKS, PARK_STREAMS, PARK_NCHAN, PARK_NCHAN_POLL };

struct park {
	enum kind kind;
	struct peer peer;
	struct wire *wires;
	struct wire control;
	char (*ids)[64];
	char session[64];
	int len;
};

static bool heard(const char *word)
{
	char line[64];

	puts(word);
	fflush(stdout);
	return fgets(line, sizeof line, stdin) && strcmp(line, "fire\n") == 0;
}

/* Every ask is made, then all are read once, so that the caches of the server are full
 * before. */
static void park_prepare(struct park *p)
{
	char path[128];
	size_t len;

	wire_open(&p->control, SPEAK_HTTP, p->peer.port);
	if (p->kind == PARK_STREAMS) {
		wire_http(&p->control, "POST", "/v1/sessions", p->peer.agent,
			"{\"title\":\"Release\"}");
		len = wire_await(&p->control);
		if (!wire_find(&p->control, len, "\"id\":\"", p->session, 64))
			die("no session");
		wire_drop(&p->control, len);
	}
	for (int i = 0; i < p->len && p->kind == PARK_ASKS; i++)
		ask_once(&p->control, p->peer.agent, question, p->ids[i]);
	for (int i = 0; i < p->len && p->kind == PARK_ASKS; i++) {
		snprintf(path, sizeof path, "/v1/asks/%s", p->ids[i]);
		wire_http(&p->control, "GET", path, p->peer.agent, "");
		wire_drop(&p->control, wire_await(&p->control));
	}
}

static void park_one(struct park *p, int i)
{
	struct wire *w = &p->wires[i];
	char path[128];

	wire_open(w, SPEAK_HTTP, p->peer.port);
	switch (p->kind) {
	case PARK_ASKS:
		snprintf(path, sizeof path, "/v1/asks/%s?wait=300", p->ids[i]);
		wire_http(w, "GET", path, p->peer.agent, "");
		break;
	case PARK_STREAMS: wire_http(w, "GET", "/v1/events", p->peer.person, ""); break;
	case PARK_NCHAN:
		wire_print(w, "GET /sub HTTP/1.1\r\nHost: 127.0.0.1\r\n"
			      "Accept: text/event-stream\r\n\r\n");
		break;
	case PARK_NCHAN_POLL:
		wire_print(w, "GET /sub HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
		break;
	}
}

static void park_first(struct park *p, int len)
{
	for (int at = 0; at < len; at += OPEN_AT_ONCE) {
		int end = at + OPEN_AT_ONCE < len ? at + OPEN_AT_ONCE : len;

		for (int i = at; i < end; i++)
			park_one(p, i);
		if (p->kind == PARK_NCHAN_POLL)
			continue; /* says nothing before there is news */
		for (int i = at; i < end; i++) {
			wire_await_head(&p->wires[i]);
			wire_expect(&p->wires[i], "HTTP/1.1 200");
		}
	}
}

/* A few come and go, so that what the server keeps for requests on their way is not taken
 * for what a waiter costs. */
static void park_rehearse(struct park *p)
{
	int len = p->len < OPEN_AT_ONCE ? p->len : OPEN_AT_ONCE;

	park_first(p, len);
	for (int i = 0; i < len; i++)
		wire_close(&p->wires[i]);
	usleep(200 * 1000);
}

/* ---- one event for all ---- */

static void park_publish(struct park *p)
{
	char body[256];

	if (p->kind == PARK_NCHAN) {
		wire_print(&p->control,
			"POST /pub HTTP/1.1\r\nHost: 127.0.0.1\r\n"
			"Content-Length: 240\r\n\r\n%0240d",
			7);
		return;
	}
	snprintf(body, sizeof body,
		"{\"session\":\"%s\",\"kind\":\"non_blocking\",\"question\":\"Go on?\","
		"\"type\":\"boolean\"}",
		p->session);
	wire_http(&p->control, "POST", "/v1/asks", p->peer.agent, body);
}

/* True once the frame is whole; the wire is empty then. */
static bool park_received(struct wire *w)
{
	const char *data;

	if (!wire_read(w)) return false;
	data = memmem(w->in, w->len, "data: ", 6);
	if (!data || !memmem(data, w->len - (size_t)(data - w->in), "\n\n", 2))
		return false;
	w->len = 0;
	return true;
}

static int64_t park_fire(struct park *p, int poll)
{
	struct epoll_event ready[512];
	int left = p->len;
	int64_t sent;

	for (int i = 0; i < p->len; i++) { /* heartbeats and what came before */
		wire_read(&p->wires[i]);
		p->wires[i].len = 0;
	}
	sent = now_ns();
	park_publish(p);
	while (left > 0) {
		int len = epoll_wait(poll, ready, 512, 10000);

		if (len == 0) die("%d streams were not told", left);
		for (int i = 0; i < len; i++)
			left -= park_received(ready[i].data.ptr);
	}
	sent = now_ns() - sent;
	wire_drop(&p->control, wire_await(&p->control));
	return sent;
}

/* Prints when the last receiver had it: the median and the best of some. */
static void park_fan_out(struct park *p)
{
	static struct hist hist;
	int64_t best = INT64_MAX;
	int poll = epoll_create1(0);

	for (int i = 0; i < p->len; i++) {
		struct epoll_event e = { EPOLLIN, { .ptr = &p->wires[i] } };

		wire_nonblocking(&p->wires[i]);
		epoll_ctl(poll, EPOLL_CTL_ADD, p->wires[i].fd, &e);
	}
	for (int i = 0; i < FIRES; i++) {
		int64_t ns = park_fire(p, poll);

		hist_add(&hist, ns);
		if (ns < best) best = ns;
	}
	printf("%.1f %.1f\n", (double)hist_at(&hist, 0.5) / 1e6, (double)best / 1e6);
}

void mode_park(int argc, char **argv)
{
	static const char *const kinds[] = { "asks", "streams", "nchan", "nchan-poll" };
	struct rlimit limit;
	struct park p = { 0 };

	if (argc < 4) die("asks|streams|nchan|nchan-poll N PEER");
	while (p.kind < PARK_NCHAN_POLL && strcmp(argv[0], kinds[p.kind]) != 0)
		p.kind++;
	p.len = number(argv[1]);
	p.peer = peer_read(argc - 2, argv + 2);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	p.wires = calloc((size_t)p.len, sizeof *p.wires);
	p.ids = calloc((size_t)p.len, sizeof *p.ids);
	if (!p.wires || !p.ids) die("out of memory");
	park_prepare(&p);
	park_rehearse(&p);
	heard("ready");
	park_first(&p, p.len);
	if (heard("parked")) park_fan_out(&p);
}
