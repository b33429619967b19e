/* mcp_listen.c - streams on which a client hears what changes: resources, which are asks
 * and sessions. Since 2026-07-28 it says which (subscriptions/listen); before, its GET
 * stream tells that the list of them has changed. */
#include "serve/mcp.h"

#include "base/mem.h"

#include <stdio.h>

struct mcp_listener {
	struct event_stream stream;
	bool legacy;
	uint8_t changes; /* a bit for each row of the table that is wanted */
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
	jw_put_object(w, "_meta");
	jw_put_raw(w, meta_subscription, listener_id(l));
	jw_object_end(w);
}

static void notice_end(struct buf *out, struct json_writer *w)
{
	rpc_end(w);
	sse_write(out, STR_NONE, buf_str(w->out));
	buf_done(w->out);
}

static void acknowledge(struct buf *out, const struct mcp_listener *l)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };
	const struct mcp_change *changes = l->stream.serve->mcp->changes;
	struct str uris = listener_uris(l), uri;

	notice_begin(&w, l, "notifications/subscriptions/acknowledged");
	jw_put_object(&w, "notifications");
	for (const struct mcp_change *c = changes; c->wanted; c++)
		if (l->changes & 1u << (c - changes)) jw_put_bool(&w, c->wanted, true);
	if (uris.len) {
		jw_put_array(&w, "resourceSubscriptions");
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
	struct json_writer w = { .out = &(struct buf){ 0 } };
	char line[96];
	int n = snprintf(line, sizeof line, "\n%s%.*s\n", prefix, STR_ARGS(id));

	if (!id.len || n >= (int)sizeof line) return;
	if (str_find(listener_uris(l), str_of(line)) < 0) return;
	notice_begin(&w, l, "notifications/resources/updated");
	jw_put_str(&w, "uri", str_make(line + 1, (size_t)n - 2));
	notice_end(out, &w);
}

static bool changed_by(const struct mcp_change *c, const char *type)
{
	const char *const *at = c->events;

	while (*at && strcmp(type, *at) != 0)
		at++;
	return *at != NULL;
}

static void listen_write(struct event_stream *st, struct buf *out, const struct event *e)
{
	const struct mcp_offer *offer = st->serve->mcp;
	struct mcp_listener *l = listener_of(st);

	for (const struct mcp_resource *k = offer->resources; k->prefix; k++)
		if (k->changed) updated(out, l, k->prefix, k->changed(e));
	for (const struct mcp_change *c = offer->changes; c->wanted; c++) {
		struct buf b = { 0 };
		struct json_writer w = { .out = &b };

		if (!(l->changes & 1u << (c - offer->changes)) || !changed_by(c, e->type))
			continue;
		notice_begin(&w, l, c->notice);
		notice_end(out, &w);
	}
}

static const struct stream_kind listening = { listen_begin, listen_mark, listen_write,
	.alike = false };

/* ---- opening one ---- */

static bool uri_known(const struct mcp_resource *k, struct str uri)
{
	while (k->prefix && !str_starts(uri, k->prefix))
		k++;
	return k->prefix && str_find(uri, STR("\n")) < 0;
}

static void uris_gather(
	struct buf *out, const struct mcp_resource *known, const struct json *list)
{
	for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++) {
		struct str uri = json_text(&list->items[i]);

		if (!uri_known(known, uri)) continue;
		if (!out->len) buf_add_char(out, '\n');
		buf_add(out, uri);
		buf_add_char(out, '\n');
	}
}

static void listener_open(struct request *r, uint8_t changes, const struct json *uris)
{
	struct mcp *m = mcp_of(r);
	struct buf b = { .max = 65536 };
	struct mcp_listener *l;

	if (!r->x) {
		mcp_accept(r);
		return;
	}
	uris_gather(&b, mcp_offer(r)->resources, uris);
	l = b.failed ? NULL : mem_alloc(sizeof *l + m->rpc.id.len + b.len);
	if (l) {
		l->legacy = m->client.revision < REV_2026_07_28;
		l->changes = changes;
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
	const struct mcp_change *changes = mcp_offer(r)->changes;
	unsigned bits = 0;

	for (const struct mcp_change *c = changes; c->wanted; c++)
		if (json_is(json_get(wanted, c->wanted), JSON_TRUE))
			bits |= 1u << (c - changes);
	listener_open(r, (uint8_t)bits, json_get(wanted, "resourceSubscriptions"));
}

void mcp_listen_legacy(struct request *r)
{
	listener_open(r, UINT8_MAX, NULL);
}
