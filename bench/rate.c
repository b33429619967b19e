/* rate.c - as many durable asks as Redis takes, each connection one at a time. */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

struct rate {
	struct sha sha;
	int64_t made;
	int64_t *sent_ns; /* of each connection's request */
};

static void rate_ask(struct rate *r, struct wire *w)
{
	char id[32], score[32];

	snprintf(id, sizeof id, "ask_%012lld", (long long)++r->made);
	snprintf(score, sizeof score, "%lld", (long long)r->made);
	r->sent_ns[w->lane] = now_ns();
	wire_redis(w, "EVALSHA", r->sha.text, "0", id, question, score, NULL);
}

void mode_rate(int argc, char **argv)
{
	static struct hist hist;
	int port = number(argc > 0 ? argv[0] : NULL),
	    n = number(argc > 1 ? argv[1] : NULL);
	int seconds = number(argc > 2 ? argv[2] : NULL), poll = epoll_create1(0);
	struct wire *wires = calloc((size_t)n, sizeof *wires);
	struct rate r = { .sent_ns = calloc((size_t)n, sizeof(int64_t)) };
	struct epoll_event ready[256];
	int64_t begin, end;

	if (!wires || !r.sent_ns) die("out of memory");
	for (int i = 0; i < n; i++) {
		struct epoll_event e = { EPOLLIN, { .ptr = &wires[i] } };

		wire_open(&wires[i], SPEAK_REDIS, port);
		wires[i].lane = i;
		if (i == 0) r.sha = peer_script(&wires[i], script_ask);
		wire_nonblocking(&wires[i]);
		epoll_ctl(poll, EPOLL_CTL_ADD, wires[i].fd, &e);
	}
	begin = now_ns();
	end = begin + seconds * 1000000000LL;
	for (int i = 0; i < n; i++)
		rate_ask(&r, &wires[i]);
	while (now_ns() < end) {
		int len = epoll_wait(poll, ready, 256, 100);

		for (int i = 0; i < len; i++) {
			struct wire *w = ready[i].data.ptr;
			size_t whole;

			if (!wire_read(w) || (whole = wire_whole(w)) == 0) continue;
			wire_drop(w, whole);
			hist_add(&hist, now_ns() - r.sent_ns[w->lane]);
			rate_ask(&r, w);
		}
	}
	printf("%.0f %.1f %.1f\n", (double)hist.len / ((double)(now_ns() - begin) / 1e9),
		(double)hist_at(&hist, 0.5) / 1000, (double)hist_at(&hist, 0.99) / 1000);
}
