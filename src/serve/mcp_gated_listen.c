/* mcp_gated_listen.c - streams at the gateway beside those of calls: their clients hear that the tools they may call are
 * others, because an admin accepted some, or the server changed some; and what the server says on the stream of their own
 * session there. Prefix: gated_. */
#include "serve/mcp_gateway.h"

#include "base/json_pattern.h"
#include "base/mem.h"

#include <stdio.h>

struct gated_listener {
	struct event_stream stream;
	struct passing *beside; /* what its own server says; or NULL */
	char server[64];
	bool wants;    /* that the tools are others */
	size_t id_len; /* of JSON-RPC; 0: until 2025-11-25 */
	char id[];
};

static struct gated_listener *listener_of(struct event_stream *st)
{
	return LINK_OF(st, struct gated_listener, stream);
}

static void notice_write(struct event_stream *st, const char *method, struct str wanted)
{
	const struct gated_listener *l = listener_of(st);
	struct json_writer w = { .out = &(struct buf){ 0 } };
	struct buf b = { 0 };

	rpc_call(&w, method, STR_NONE);
	if (l->id_len)
		JW(&w, "'_meta':{'io.modelcontextprotocol/subscriptionId':%j}",
			str_make(l->id, l->id_len));
	JW(&w, "'notifications':%j", wanted);
	rpc_end(&w);
	sse_write(&b, STR_NONE, buf_str(w.out));
	http_write(st->x, buf_str(&b));
	buf_done(w.out);
	buf_done(&b);
}

static void listen_begin(struct event_stream *st)
{
	if (listener_of(st)->id_len)
		notice_write(st, "notifications/subscriptions/acknowledged",
			listener_of(st)->wants ? STR("{\"toolsListChanged\":true}")
					       : STR("{}"));
}

static void listen_mark(struct event_stream *st)
{
	http_write(st->x, STR(": listening\n\n"));
}

/* What the log says of servers is not for agents: see gated_told. */
static void listen_write(struct event_stream *st, struct buf *out, const struct event *e)
{
	(void)st, (void)out, (void)e;
}

static void listen_left(struct event_stream *st)
{
	struct gated_listener *l = listener_of(st);

	if (l->beside) passing_leave(l->beside);
	l->beside = NULL;
}

static const struct stream_kind gated_listening = { listen_begin, listen_mark,
	listen_write, .alike = false, .left = listen_left };

void gated_listener_say(struct gated_listener *l, struct str message, bool spare)
{
	struct event_stream *st = &l->stream;
	struct buf b = { 0 };

	if (!st->begun || !st->x || (spare && http_backlog(st->x) > BEHIND_MAX)) return;
	sse_write(&b, STR_NONE, message);
	if (!b.failed) http_write(st->x, buf_str(&b));
	buf_done(&b);
}

void gated_listener_over(struct gated_listener *l)
{
	l->beside = NULL;
}

static bool concerns(const struct event_stream *st, const struct event *e)
{
	const struct gated_listener *l = LINK_OF(st, struct gated_listener, stream);
	char mark[96];

	snprintf(mark, sizeof mark, "\"server\":\"%s\"", l->server);
	return st->begun && st->x && l->wants && st->follower.ws == e->ws &&
	       str_find(e->data, str_of(mark)) >= 0;
}

void gated_told(struct serve *s, const struct committed *told)
{
	for (size_t i = 0; told && i < told->len; i++) {
		const struct event *e = &told->events[i].event;

		if (strcmp(e->type, "mcp.accepted") != 0 &&
			strcmp(e->type, "mcp.changed") != 0)
			continue;
		for (struct follower *f = s->feed.followers; f; f = f->next) {
			struct event_stream *st =
				LINK_OF(f, struct event_stream, follower);

			if (st->kind == &gated_listening && concerns(st, e))
				notice_write(
					st, "notifications/tools/list_changed", STR_NONE);
		}
	}
}

void gated_listen(struct request *r)
{
	struct mcp *m = mcp_of(r);
	bool now = m->client.revision >= REV_2026_07_28;
	struct passing *beside = NULL;
	struct gated_listener *l;

	if (!r->x) {
		mcp_accept(r);
		return;
	}
	l = mem_alloc(sizeof *l + m->rpc.id.len);
	if (l) {
		*l = (struct gated_listener){ .id_len = now ? m->rpc.id.len : 0,
			.wants = !now || json_is(json_get(mcp_param(r, "notifications"),
							 "toolsListChanged"),
						 JSON_TRUE) };
		snprintf(l->server, sizeof l->server, "%.*s", STR_ARGS(m->server));
		if (l->id_len) memcpy(l->id, m->rpc.id.at, l->id_len);
	}
	/* It has a session of its own there, whose stream this is. */
	if (l && !now && m->behind.len && r->serve->relay)
		l->beside = beside = passing_listen(r, l);
	buf_done(&m->out);
	request_renew(r);
	if (!stream_open(r, &gated_listening, l ? &l->stream : NULL, -1)) {
		if (beside) passing_leave(beside);
		request_refuse(r, ERR_MEMORY, "out of memory");
	}
}
