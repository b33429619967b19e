/* websocket.c - libcurl connects and does TLS, libuv says when there are bytes, websocket_wire reads
 * them. */
#include "net/websocket.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <uv.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "net/outbound.h"
#include "net/outbound_easy.h"
#include "net/websocket_wire.h"

enum { READ_SIZE = 4096 };

struct websocket {
	CURL *easy;
	struct curl_slist *headers;
	struct outbound_gate gate;
	char error[CURL_ERROR_SIZE];
	int stop_fd; /* while it is being opened */
	curl_socket_t fd;
	struct websocket_wire *wire;
	/* Once it is started. */
	struct loop *loop;
	uv_poll_t poll;
	int watched;
	struct websocket_events events;
	int64_t heard_ms;
	bool reading, ended;
};

/* ---- opening ---- */

/* "wss://host:port/path" → the same for libcurl, the host with its port, and the path. */
static bool url_cut(const char *url, struct arena *arena, struct websocket *ws,
	const char **http, struct str *host, struct str *path)
{
	struct str rest = str_of(url);
	bool tls = str_starts(rest, "wss://");
	size_t n = 0;

	if (!tls && !str_starts(rest, "ws://")) return false;
	rest = str_from(rest, strlen(tls ? "wss://" : "ws://"));
	for (size_t i = 0; i < rest.len; i++)
		if ((unsigned char)rest.at[i] <= ' ' || rest.at[i] == 0x7f) return false;
	while (n < rest.len && !strchr("/?#@", rest.at[n]))
		n++;
	*host = str_first(rest, n);
	*path = n < rest.len ? str_from(rest, n) : STR("/");
	if (!host->len || path->at[0] != '/') return false;
	*http = arena_print(arena, "%s://%.*s/", tls ? "https" : "http", STR_ARGS(*host))
			.at;
	ws->gate.may_connect = tls ? connect_to_any : connect_to_here;
	return *http;
}

static int stop_look(
	void *ctx, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up)
{
	(void)total, (void)now, (void)up_total, (void)up;
	return outbound_stop_asked(((const struct websocket *)ctx)->stop_fd);
}

static enum err connection_make(
	struct websocket *ws, const char *http, int64_t timeout_ms, struct fault *why)
{
	static const char *const headers[] = { NULL };
	CURLcode code;

	ws->easy = curl_global_init(CURL_GLOBAL_DEFAULT) == 0 ? curl_easy_init() : NULL;
	if (!ws->easy || !outbound_easy_set(ws->easy, &ws->gate, http, headers,
				 timeout_ms, &ws->headers, ws->error))
		return fail(why, ERR_UNAVAILABLE, "libcurl cannot be used");
	curl_easy_setopt(ws->easy, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(ws->easy, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(ws->easy, CURLOPT_XFERINFOFUNCTION, stop_look);
	curl_easy_setopt(ws->easy, CURLOPT_XFERINFODATA, ws);
	code = curl_easy_perform(ws->easy);
	if (code == CURLE_OK)
		code = curl_easy_getinfo(ws->easy, CURLINFO_ACTIVESOCKET, &ws->fd);
	if (code == CURLE_OK && ws->fd != CURL_SOCKET_BAD) return OK;
	if (ws->gate.refused[0])
		return fail(why, ERR_UNAVAILABLE,
			"%s is beyond this machine: use wss:", ws->gate.refused);
	return fail(why, ERR_UNAVAILABLE, "%s",
		ws->error[0] ? ws->error : curl_easy_strerror(code));
}

/* As much as the socket takes. False: it takes nothing any more. */
static bool bytes_send(struct websocket *ws)
{
	struct buf *out = websocket_wire_out(ws->wire);

	while (out->len) {
		size_t n = 0;
		CURLcode code = curl_easy_send(ws->easy, out->at, out->len, &n);

		if (code == CURLE_AGAIN) return true;
		if (code != CURLE_OK) return false;
		buf_drop(out, n);
	}
	return true;
}

/* Once: the bytes that are there. CURLE_AGAIN: none. An end is CURLE_GOT_NOTHING. */
static CURLcode bytes_read(struct websocket *ws, char bytes[READ_SIZE], size_t *len)
{
	CURLcode code = curl_easy_recv(ws->easy, bytes, READ_SIZE, len);

	return code == CURLE_OK && *len == 0 ? CURLE_GOT_NOTHING : code;
}

static enum err upgrade_wait(struct websocket *ws, int64_t end_ms, struct fault *why)
{
	char bytes[READ_SIZE];

	while (websocket_wire_state(ws->wire) == WEBSOCKET_ASKED) {
		struct pollfd fds[] = { { .fd = ws->fd, .events = POLLIN },
			{ .fd = ws->stop_fd, .events = POLLIN } };
		int64_t left = end_ms - clock_mono_ms();
		size_t n = 0;
		CURLcode code;
		enum err e;

		if (!bytes_send(ws))
			return fail(why, ERR_UNAVAILABLE, "the connection was cut");
		code = bytes_read(ws, bytes, &n);
		if (code == CURLE_OK) {
			e = websocket_wire_feed(
				ws->wire, str_make(bytes, n), NULL, NULL, why);
			if (e) return e;
			continue;
		}
		if (code != CURLE_AGAIN)
			return fail(why, ERR_UNAVAILABLE, "the connection was cut");
		if (left <= 0 || outbound_stop_asked(ws->stop_fd))
			return fail(why, ERR_UNAVAILABLE, "no reply to the upgrade");
		if (websocket_wire_out(ws->wire)->len) fds[0].events |= POLLOUT;
		if (poll(fds, 2, (int)left) < 0 && errno != EINTR)
			return fail(why, ERR_UNAVAILABLE, "poll failed");
	}
	return OK;
}

enum err websocket_open(const char *url, int64_t timeout_ms, int stop_fd,
	struct websocket **out, struct fault *why)
{
	struct websocket *ws = mem_alloc(sizeof *ws);
	int64_t end_ms = clock_mono_ms() + timeout_ms;
	struct arena arena = { 0 };
	uint8_t key[WEBSOCKET_KEY_SIZE];
	struct str host, path;
	const char *http;
	enum err e;

	if (!ws) return fail(why, ERR_MEMORY, "out of memory");
	ws->stop_fd = stop_fd;
	ws->fd = CURL_SOCKET_BAD;
	random_bytes(NULL, key, sizeof key);
	if (!url_cut(url, &arena, ws, &http, &host, &path))
		e = fail(why, ERR_UNAVAILABLE, "this is no address of a WebSocket");
	else if (!(ws->wire = websocket_wire_new(host, path, key)))
		e = fail(why, ERR_MEMORY, "out of memory");
	else
		e = connection_make(ws, http, timeout_ms, why);
	if (!e) e = upgrade_wait(ws, end_ms, why);
	arena_done(&arena);
	if (e)
		websocket_free(ws);
	else
		*out = ws;
	return e;
}

/* ---- on the loop ---- */

static void websocket_ready(uv_poll_t *poll, int status, int events);

static void websocket_watch(struct websocket *ws)
{
	int events = UV_READABLE;

	/* At its end, too: that is told on the next turn. */
	if (ws->ended || websocket_wire_out(ws->wire)->len) events |= UV_WRITABLE;
	if (events == ws->watched) return;
	ws->watched = events;
	uv_poll_start(&ws->poll, events, websocket_ready);
}

static void websocket_flush(struct websocket *ws)
{
	if (!bytes_send(ws)) ws->ended = true;
	websocket_watch(ws);
}

/* Everything that is there: OpenSSL may hold bytes that the socket does not show. */
static void websocket_read(struct websocket *ws, const char **why)
{
	char bytes[READ_SIZE];
	struct fault fault = { 0 };
	CURLcode code = CURLE_OK;
	size_t n = 0;

	ws->reading = true;
	while (code == CURLE_OK && !ws->ended) {
		if (websocket_wire_feed(ws->wire, str_make(bytes, n), ws->events.text,
			    ws->events.ctx, &fault))
			*why = "it does not speak as WebSockets do";
		if (websocket_wire_state(ws->wire) == WEBSOCKET_ENDED) ws->ended = true;
		code = bytes_read(ws, bytes, &n);
		if (code == CURLE_OK) ws->heard_ms = loop_now_ms(ws->loop);
	}
	ws->reading = false;
	if (code != CURLE_AGAIN) ws->ended = true;
	websocket_flush(ws);
}

static void websocket_ready(uv_poll_t *poll, int status, int events)
{
	struct websocket *ws = poll->data;
	const char *why = "the connection was closed";

	if (status < 0) {
		ws->ended = true;
		why = "the connection was cut";
	}
	if (!ws->ended && (events & UV_READABLE)) websocket_read(ws, &why);
	if (!ws->ended) websocket_flush(ws);
	if (!ws->ended) return;
	uv_poll_stop(&ws->poll);
	ws->events.ended(ws->events.ctx, why); /* may free it */
}

void websocket_start(
	struct websocket *ws, struct loop *loop, const struct websocket_events *events)
{
	const char *why;

	ws->loop = loop;
	ws->events = *events;
	ws->heard_ms = loop_now_ms(loop);
	uv_poll_init_socket(loop_uv(loop), &ws->poll, ws->fd);
	ws->poll.data = ws;
	websocket_read(ws, &why);
}

void websocket_say(struct websocket *ws, struct str text)
{
	if (ws->ended || !websocket_wire_say(ws->wire, text)) return;
	if (!ws->reading) websocket_flush(ws);
}

void websocket_ping(struct websocket *ws)
{
	if (!ws->ended && websocket_wire_ping(ws->wire)) websocket_flush(ws);
}

int64_t websocket_heard_ms(const struct websocket *ws)
{
	return ws->heard_ms;
}

static void websocket_drop(struct websocket *ws)
{
	if (ws->easy) curl_easy_cleanup(ws->easy);
	curl_slist_free_all(ws->headers);
	websocket_wire_free(ws->wire);
	mem_free(ws);
}

static void websocket_closed(uv_handle_t *handle)
{
	websocket_drop(handle->data);
}

struct websocket *websocket_free(struct websocket *ws)
{
	if (!ws) return NULL;
	assert(!ws->reading);
	if (ws->wire && websocket_wire_close(ws->wire)) bytes_send(ws);
	if (ws->loop)
		uv_close((uv_handle_t *)&ws->poll, websocket_closed);
	else
		websocket_drop(ws);
	return NULL;
}
