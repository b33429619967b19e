/* resume.c - lanes of agents that ask and wait, and people who answer what they see.
 *
 * With our server the agent's ask is one held request, and the people learn of it from
 * the event stream. With Redis the agent runs the script and blocks on the answer's list,
 * and the people block on the inbox. A lane is done when the agent has its answer. */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum who { AGENT, PERSON, STREAM };

enum { SEEN_MAX = 4096 };

struct writer_shard {
	struct wire wire; /* first */
	enum who who;
	bool busy;
	int replies; /* an agent of Redis gets two: the ask's and the answer */
	int64_t sent_ns;
};

struct clients {
	struct peer peer;
	struct writer_shard *lanes;
	int len, poll;
	struct sha ask, settle;
	int64_t made;
	char seen[SEEN_MAX][64]; /* asks that wait for a person: a ring */
	unsigned first, last;
	struct hist hist;
};

static void agent_ask(struct clients *c, struct writer_shard *l)
{
	char id[32], key[64], score[32];

	l->sent_ns = now_ns();
	l->replies = 0;
	if (c->peer.speech == SPEAK_HTTP) {
		wire_http(&l->wire, "POST", "/v1/asks?wait=60", c->peer.agent, question);
		return;
	}
	snprintf(id, sizeof id, "ask_%012lld", (long long)++c->made);
	snprintf(key, sizeof key, "answer:%s", id);
	snprintf(score, sizeof score, "%lld", (long long)c->made);
	wire_redis(&l->wire, "EVALSHA", c->ask.text, "0", id, question, score, NULL);
	wire_redis(&l->wire, "BLPOP", key, "60", NULL);
}

static void agent_told(struct clients *c, struct writer_shard *l, size_t len)
{
	if (c->peer.speech == SPEAK_REDIS && ++l->replies == 1) return;
	if (c->peer.speech == SPEAK_HTTP && !memmem(l->wire.in, len, "\"answered\"", 10))
		die("an agent has no answer: %.*s", (int)len, l->wire.in);
	hist_add(&c->hist, now_ns() - l->sent_ns);
}

static void person_answer(struct clients *c, struct writer_shard *l, const char *id)
{
	char path[128];

	l->busy = true;
	if (c->peer.speech == SPEAK_REDIS) {
		wire_redis(&l->wire, "EVALSHA", c->settle.text, "0", id, answer, NULL);
		return;
	}
	snprintf(path, sizeof path, "/v1/asks/%s/answer", id);
	wire_http(&l->wire, "POST", path, c->peer.person, answer);
}

static void person_free(struct clients *c, struct writer_shard *l)
{
	l->busy = false;
	if (c->peer.speech == SPEAK_REDIS)
		wire_redis(&l->wire, "BLPOP", "inbox", "60", NULL);
	else if (c->first != c->last)
		person_answer(c, l, c->seen[c->first++ % SEEN_MAX]);
}

static void person_told(struct clients *c, struct writer_shard *l, size_t len)
{
	char id[64] = "";
	const char *at = memmem(l->wire.in, len, "\r\nask_", 6);

	if (c->peer.speech == SPEAK_HTTP) wire_expect(&l->wire, "HTTP/1.1 200");
	if (c->peer.speech == SPEAK_HTTP || l->busy) {
		wire_drop(&l->wire, len);
		person_free(c, l);
		return;
	}
	if (!at) die("nothing in the inbox");
	memcpy(id, at + 2, 16);
	wire_drop(&l->wire, len);
	person_answer(c, l, id);
}

/* Somebody who is free takes it at once. */
static void stream_seen(struct clients *c, const char *id)
{
	for (int i = 0; i < c->len; i++) {
		if (c->lanes[i].who != PERSON || c->lanes[i].busy) continue;
		person_answer(c, &c->lanes[i], id);
		return;
	}
	if (c->last - c->first == SEEN_MAX) die("too many asks wait for a person");
	memcpy(c->seen[c->last++ % SEEN_MAX], id, 64);
}

static void stream_told(struct clients *c, struct writer_shard *l)
{
	struct wire *w = &l->wire;
	size_t used = 0;
	const char *end;

	while ((end = memmem(w->in + used, w->len - used, "\n\n", 2))) {
		const char *frame = w->in + used, *at;
		size_t len = (size_t)(end - frame);

		at = memmem(frame, len, "\"ask\":\"", 7);
		if (at && memmem(frame, len, "event: ask.created\n", 19)) {
			char id[64] = "";

			memcpy(id, at + 7, 30);
			stream_seen(c, id);
		}
		used += len + 2;
	}
	wire_drop(w, used);
}

static void lane_ready(struct clients *c, struct writer_shard *l)
{
	size_t len;

	if (!wire_read(&l->wire)) return;
	if (l->who == STREAM) {
		stream_told(c, l);
		return;
	}
	while ((len = wire_whole(&l->wire)) > 0) {
		bool again = l->who == AGENT;

		if (l->who == PERSON) {
			person_told(c, l, len);
			continue;
		}
		agent_told(c, l, len);
		again = c->peer.speech == SPEAK_HTTP || l->replies == 2;
		wire_drop(&l->wire, len);
		if (again) agent_ask(c, l);
	}
}

static void clients_open(struct clients *c, int lanes)
{
	c->len = 2 * lanes + (c->peer.speech == SPEAK_HTTP);
	c->lanes = calloc((size_t)c->len, sizeof *c->lanes);
	c->poll = epoll_create1(0);
	if (!c->lanes) die("out of memory");
	for (int i = 0; i < c->len; i++) {
		struct writer_shard *l = &c->lanes[i];
		struct epoll_event e = { EPOLLIN, { .ptr = l } };

		wire_open(&l->wire, c->peer.speech, c->peer.port);
		l->who = i == 2 * lanes ? STREAM : i % 2 ? PERSON : AGENT;
		if (c->peer.speech == SPEAK_REDIS && i == 0) {
			c->ask = peer_script(&l->wire, script_ask_queued);
			c->settle = peer_script(&l->wire, script_answer);
		}
		if (l->who == STREAM) {
			wire_http(&l->wire, "GET", "/v1/events", c->peer.person, "");
			wire_await_head(&l->wire);
		}
		wire_nonblocking(&l->wire);
		epoll_ctl(c->poll, EPOLL_CTL_ADD, l->wire.fd, &e);
	}
}

void mode_resume(int argc, char **argv)
{
	static struct clients c;
	int lanes = number(argc > 0 ? argv[0] : NULL);
	int seconds = number(argc > 1 ? argv[1] : NULL);
	struct epoll_event ready[256];
	int64_t begin, end;

	c.peer = peer_read(argc - 2, argv + 2);
	clients_open(&c, lanes);
	begin = now_ns();
	end = begin + seconds * 1000000000LL;
	for (int i = 0; i < c.len; i++) {
		if (c.lanes[i].who == AGENT) agent_ask(&c, &c.lanes[i]);
		if (c.lanes[i].who == PERSON) person_free(&c, &c.lanes[i]);
	}
	while (now_ns() < end) {
		int len = epoll_wait(c.poll, ready, 256, 100);

		for (int i = 0; i < len; i++)
			lane_ready(&c, ready[i].data.ptr);
	}
	printf("%.0f %.1f %.1f\n",
		(double)c.hist.len / ((double)(now_ns() - begin) / 1e9),
		(double)hist_at(&c.hist, 0.5) / 1000,
		(double)hist_at(&c.hist, 0.99) / 1000);
}
