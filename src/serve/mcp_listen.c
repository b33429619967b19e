/* mcp_listen.c - streams on which a client hears what changes: resources, which are asks
 * and sessions. Since 2026-07-28 it says which (subscriptions/listen); before, its GET
 * stream tells that the list of them has changed. */
#include "serve/mcp.h"

#include "base/mem.h"

#include <stdio.h>

struct mcp_listener {
	struct event_stream stream;
	bool legacy;
	bool list; /* resourcesListChanged */
	uint16_t id_len;
	uint32_t uris_len; /* each between line ends: "\nuri\nuri\n" */
	char texts[];	   /* JSON-RPC's id, then the URIs */
};

static struct mcp_listener *listener_of(struct event_stream *st)
{
	return LINK_OF(st, struct mcp_listener, stream);
}

static struct str listener_id(const struct mcp_listener *l)
{
	return str_make(l->texts, l->id_len);
}

static struct str listener_uris(const struct mcp_listener *l)
{
	return str_make(l->texts + l->id_len, l->uris_len);
}

/* A notification of this stream, up to the members that it adds. */
static void notice_begin(
	struct json_writer *w, const struct mcp_listener *l, const char *method)
{
	rpc_call(w, method, STR_NONE);
	if (l->legacy) return;
	jw_key(w, "_meta");
	jw_object(w);
	jw_key(w, meta_subscription);
	jw_raw(w, listener_id(l));
	jw_object_end(w);
}

static void notice_end(struct buf *out, struct json_writer *w)
{
	rpc_call_end(w);
	sse_write(out, STR_NONE, buf_str(w->out));
	buf_done(w->out);
}

static void acknowledge(struct buf *out, const struct mcp_listener *l)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct str uris = listener_uris(l), uri;

	notice_begin(&w, l, "notifications/subscriptions/acknowledged");
	jw_key(&w, "notifications");
	jw_object(&w);
	if (l->list) {
		jw_key(&w, "resourcesListChanged");
		jw_bool(&w, true);
	}
	if (uris.len) {
		jw_key(&w, "resourceSubscriptions");
		jw_array(&w);
		while (str_cut(&uris, '\n', &uri))
			if (uri.len) jw_str(&w, uri);
		jw_array_end(&w);
	}
	jw_object_end(&w);
	notice_end(out, &w);
}

static void listen_begin(struct event_stream *st)
{
	struct mcp_listener *l = listener_of(st);
	struct buf b = { 0 };

	if (l->legacy) return;
	acknowledge(&b, l);
	http_write(st->x, buf_str(&b));
	buf_done(&b);
}

static void listen_mark(struct event_stream *st)
{
	http_write(st->x, STR(": listening\n\n"));
}

static void updated(
	struct buf *out, const struct mcp_listener *l, const char *prefix, struct str id)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	char line[96];
	int n = snprintf(line, sizeof line, "\n%s%.*s\n", prefix, STR_ARGS(id));

	if (!id.len || n >= (int)sizeof line) return;
	if (str_find(listener_uris(l), str_of(line)) < 0) return;
	notice_begin(&w, l, "notifications/resources/updated");
	jw_key(&w, "uri");
	jw_str(&w, str_make(line + 1, (size_t)n - 2));
	notice_end(out, &w);
}

/* Does the list of open asks and of sessions change with it? */
static bool changes_list(const char *type)
{
	static const char *const types[] = { "ask.created", "ask.answered", "ask.skipped",
		"ask.expired", "ask.cancelled", "session.created", "session.deleted" };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(type, types[i]) == 0) return true;
	return false;
}

static void listen_write(struct event_stream *st, struct buf *out, const struct event *e)
{
	struct mcp_listener *l = listener_of(st);
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	updated(out, l, "parley://asks/", e->ask);
	updated(out, l, "parley://sessions/", e->session);
	if (!l->list || !changes_list(e->type)) return;
	notice_begin(&w, l, "notifications/resources/list_changed");
	notice_end(out, &w);
}

static const struct stream_kind listening = { listen_begin, listen_mark, listen_write,
	.alike = false };

/* ---- opening one ---- */

static void uris_gather(struct buf *out, const struct json *list)
{
	for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++) {
		struct str uri = json_text(&list->items[i]);

		if (!str_starts(uri, "parley://") || str_find(uri, STR("\n")) >= 0)
			continue;
		if (!out->len) buf_add_char(out, '\n');
		buf_add(out, uri);
		buf_add_char(out, '\n');
	}
}

static void listener_open(struct request *r, bool list, const struct json *uris)
{
	struct mcp *m = mcp_of(r);
	struct buf b = { .max = 65536 };
	struct mcp_listener *l;

	uris_gather(&b, uris);
	l = b.failed ? NULL : mem_alloc(sizeof *l + m->rpc.id.len + b.len);
	if (l) {
		l->legacy = m->client.revision < REV_2026_07_28;
		l->list = list;
		l->id_len = (uint16_t)m->rpc.id.len;
		l->uris_len = (uint32_t)b.len;
		if (l->id_len) memcpy(l->texts, m->rpc.id.at, l->id_len);
		if (b.len) memcpy(l->texts + l->id_len, b.at, b.len);
	}
	buf_done(&b);
	buf_done(&m->out);
	request_renew(r);
	if (!stream_open(r, &listening, l ? &l->stream : NULL, -1))
		request_refuse(r, ERR_MEMORY, "out of memory");
}

void mcp_listen(struct request *r)
{
	const struct json *wanted = mcp_param(r, "notifications");

	if (!r->x || mcp_of(r)->batch) {
		mcp_refuse_params(r, "not among others");
		return;
	}
	listener_open(r, json_is(json_get(wanted, "resourcesListChanged"), JSON_TRUE),
		json_get(wanted, "resourceSubscriptions"));
}

void mcp_listen_legacy(struct request *r)
{
	if (r->x)
		listener_open(r, true, NULL);
	else
		mcp_accept(r);
}
