/* calls.c - calls of a tool of an MCP server of 2026-07-28: how long each takes, and very many that wait for a person. */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

/* Whom we call: a port and a path, with a token. */
struct callee {
	int port;
	const char *path, *token, *tool;
};

static struct callee callee_read(int argc, char **argv)
{
	if (argc < 4) die("PORT PATH TOKEN TOOL are needed");
	return (struct callee){ number(argv[0]), argv[1], argv[2], argv[3] };
}

static void call_send(struct wire *w, const struct callee *c, long long n)
{
	char body[1024];
	int len = snprintf(body, sizeof body,
		"{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":\"tools/call\",\"params\":{"
		"\"name\":\"%s\",\"arguments\":{\"n\":%lld,\"text\":\"%0200d\"},\"_meta\":{"
		"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
		"\"io.modelcontextprotocol/clientInfo\":{\"name\":\"load\",\"version\":\"1\"},"
		"\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
		n, c->tool, n, 7);

	wire_print(w,
		"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"
		"Accept: application/json, text/event-stream\r\n"
		"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
		"Mcp-Name: %s\r\nContent-Type: application/json\r\n"
		"Content-Length: %d\r\n\r\n%s",
		c->path, c->token, c->tool, len, body);
}

/* CONNECTIONS N PORT PATH TOKEN TOOL: each connection one at a time; calls/s, p50 and p99 in µs. */
void mode_calls(int argc, char **argv)
{
	static struct hist hist;
	int lanes = number(argc > 0 ? argv[0] : NULL),
	    total = number(argc > 1 ? argv[1] : NULL), poll = epoll_create1(0);
	struct callee c = callee_read(argc - 2, argv + 2);
	struct wire *wires = calloc((size_t)lanes, sizeof *wires);
	int64_t *sent_ns = calloc((size_t)lanes, sizeof *sent_ns), begin;
	struct epoll_event ready[256];
	int sent = 0, done = 0;

	if (!wires || !sent_ns) die("out of memory");
	for (int i = 0; i < lanes; i++) {
		struct epoll_event e = { EPOLLIN, { .ptr = &wires[i] } };

		wire_open(&wires[i], SPEAK_HTTP, c.port);
		wires[i].lane = i;
		wire_nonblocking(&wires[i]);
		epoll_ctl(poll, EPOLL_CTL_ADD, wires[i].fd, &e);
	}
	begin = now_ns();
	for (int i = 0; i < lanes; i++) {
		sent_ns[i] = now_ns();
		call_send(&wires[i], &c, ++sent);
	}
	while (done < total) {
		int len = epoll_wait(poll, ready, 256, 10000);

		if (len == 0) die("no reply");
		for (int i = 0; i < len; i++) {
			struct wire *w = ready[i].data.ptr;
			size_t whole;

			if (!wire_read(w) || (whole = wire_whole(w)) == 0) continue;
			wire_expect(w, "HTTP/1.1 200");
			if (!memmem(w->in, whole, "\"done\"", 6))
				die("not run: %.*s", (int)whole, w->in);
			wire_drop(w, whole);
			hist_add(&hist, now_ns() - sent_ns[w->lane]);
			done++;
			sent_ns[w->lane] = now_ns();
			call_send(w, &c, ++sent);
		}
	}
	printf("%.0f %.1f %.1f\n", done / ((double)(now_ns() - begin) / 1e9),
		(double)hist_at(&hist, 0.5) / 1000, (double)hist_at(&hist, 0.99) / 1000);
}

/* N PORT PATH TOKEN TOOL: calls that are held, one a connection, until a line comes. */
void mode_held(int argc, char **argv)
{
	int n = number(argc > 0 ? argv[0] : NULL);
	struct callee c = callee_read(argc - 1, argv + 1);
	struct wire *wires = calloc((size_t)n, sizeof *wires);
	struct rlimit limit;
	char line[16];

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (!wires) die("out of memory");
	for (int i = 0; i < n; i++) {
		wire_open(&wires[i], SPEAK_HTTP, c.port);
		call_send(&wires[i], &c, i);
		/* The head of the reply goes out once it waits. A few at a time: else what requests on their way
		 * need is counted, too. */
		for (int at = i - 63; i % 64 == 63 && at <= i; at++)
			wire_await_head(&wires[at]);
	}
	for (int i = n - n % 64; i < n; i++)
		wire_await_head(&wires[i]);
	puts("wait");
	fflush(stdout);
	if (!fgets(line, sizeof line, stdin)) return;
}
