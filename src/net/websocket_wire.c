/* websocket_wire.c - an upgrade by hand, frames by wslay. */
#include "net/websocket_wire.h"

#include <openssl/sha.h>
#include <wslay/wslay.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/mem.h"

enum { HEAD_MAX = 16 * 1024, OUT_MAX = 4 * WEBSOCKET_TEXT_MAX };

struct websocket_wire {
	enum websocket_state state;
	wslay_event_context_ptr frames;
	struct buf out;
	struct buf head;    /* the reply as far as it came, then what came behind it */
	struct buf accept;  /* what the reply must carry */
	struct str feeding; /* not yet read by wslay */
	websocket_text_fn *text;
	void *ctx;
};

/* ---- between wslay and us ---- */

static ssize_t frames_read(
	wslay_event_context_ptr frames, uint8_t *to, size_t room, int flags, void *ctx)
{
	struct websocket_wire *w = ctx;
	size_t n = w->feeding.len < room ? w->feeding.len : room;

	(void)flags;
	if (!n) {
		wslay_event_set_error(frames, WSLAY_ERR_WOULDBLOCK);
		return -1;
	}
	memcpy(to, w->feeding.at, n);
	w->feeding = str_from(w->feeding, n);
	return (ssize_t)n;
}

static ssize_t frames_write(wslay_event_context_ptr frames, const uint8_t *from,
	size_t len, int flags, void *ctx)
{
	struct websocket_wire *w = ctx;

	(void)flags;
	buf_add(&w->out, str_make((const char *)from, len));
	if (!w->out.failed) return (ssize_t)len;
	wslay_event_set_error(frames, WSLAY_ERR_CALLBACK_FAILURE);
	return -1;
}

static int frames_mask(
	wslay_event_context_ptr frames, uint8_t *out, size_t len, void *ctx)
{
	(void)frames;
	(void)ctx;
	random_bytes(NULL, out, len);
	return 0;
}

static void frames_message(wslay_event_context_ptr frames,
	const struct wslay_event_on_msg_recv_arg *arg, void *ctx)
{
	struct websocket_wire *w = ctx;

	(void)frames;
	if (arg->opcode == WSLAY_TEXT_FRAME && w->text)
		w->text(w->ctx, str_make((const char *)arg->msg, arg->msg_length));
}

/* ---- the upgrade ---- */

static void accept_write(struct buf *out, struct str key)
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	uint8_t hash[SHA_DIGEST_LENGTH];
	struct buf both = { 0 };

	buf_add(&both, key);
	buf_add_text(&both, guid);
	SHA1((const uint8_t *)buf_text(&both), both.len, hash);
	base64_write(out, str_make((const char *)hash, sizeof hash));
	buf_done(&both);
}

struct websocket_wire *websocket_wire_new(
	struct str host, struct str path, const uint8_t key[WEBSOCKET_KEY_SIZE])
{
	static const struct wslay_event_callbacks calls = {
		.recv_callback = frames_read,
		.send_callback = frames_write,
		.genmask_callback = frames_mask,
		.on_msg_recv_callback = frames_message,
	};
	struct websocket_wire *w = mem_alloc(sizeof *w);
	struct buf said = { 0 };

	if (!w) return NULL;
	w->out.max = OUT_MAX;
	w->head.max = HEAD_MAX;
	if (wslay_event_context_client_init(&w->frames, &calls, w) != 0)
		return websocket_wire_free(w);
	wslay_event_config_set_max_recv_msg_length(w->frames, WEBSOCKET_TEXT_MAX);
	base64_write(&said, str_make((const char *)key, WEBSOCKET_KEY_SIZE));
	accept_write(&w->accept, buf_str(&said));
	buf_print(&w->out,
		"GET %.*s HTTP/1.1\r\nHost: %.*s\r\nUpgrade: websocket\r\n"
		"Connection: Upgrade\r\nSec-WebSocket-Key: %.*s\r\n"
		"Sec-WebSocket-Version: 13\r\nUser-Agent: parley/" PARLEY_VERSION
		"\r\n\r\n",
		STR_ARGS(path), STR_ARGS(host), STR_ARGS(buf_str(&said)));
	if (said.failed || w->accept.failed || w->out.failed) w = websocket_wire_free(w);
	buf_done(&said);
	return w;
}

struct websocket_wire *websocket_wire_free(struct websocket_wire *w)
{
	if (!w) return NULL;
	if (w->frames) wslay_event_context_free(w->frames);
	buf_done(&w->out);
	buf_done(&w->head);
	buf_done(&w->accept);
	mem_free(w);
	return NULL;
}

/* The value of the one header of this name; empty: none, or several. */
static struct str head_value(struct str head, const char *name)
{
	struct str line, found = STR_NONE;
	bool one = false;

	while (str_cut(&head, '\n', &line)) {
		struct str rest = line, key;

		if (!str_cut(&rest, ':', &key) || !str_is_nocase(key, name)) continue;
		if (one) return STR_NONE;
		one = true;
		found = str_trim(rest);
	}
	return found;
}

/* ERR_BUSY: more of it is to come. */
static enum err head_read(struct websocket_wire *w, struct fault *why)
{
	int end = str_find(buf_str(&w->head), STR("\r\n\r\n"));
	struct str head, status;

	if (end < 0)
		return w->head.failed ? fail(why, ERR_BAD_REQUEST,
						"the reply's head is too long")
				      : ERR_BUSY;
	head = str_first(buf_str(&w->head), (size_t)end);
	status = str_first(head, (size_t)str_find(buf_str(&w->head), STR("\r\n")));
	if (!str_starts(status, "HTTP/1.1 101 "))
		return fail(why, ERR_BAD_REQUEST, "no WebSocket, but %.*s",
			STR_ARGS(str_first(status, 100)));
	if (!str_is_nocase(head_value(head, "upgrade"), "websocket") ||
		!str_eq(head_value(head, "sec-websocket-accept"), buf_str(&w->accept)))
		return fail(why, ERR_BAD_REQUEST, "the reply to the upgrade is wrong");
	buf_drop(&w->head, (size_t)end + strlen("\r\n\r\n"));
	w->state = WEBSOCKET_OPEN;
	return OK;
}

/* ---- bytes in, bytes out ---- */

enum websocket_state websocket_wire_state(const struct websocket_wire *w)
{
	return w->state;
}

struct buf *websocket_wire_out(struct websocket_wire *w)
{
	return &w->out;
}

/* What wslay has to send goes to `out`. */
static bool frames_flush(struct websocket_wire *w)
{
	bool fine = wslay_event_send(w->frames) == 0 && !w->out.failed;

	if (!fine || !wslay_event_get_write_enabled(w->frames))
		w->state = WEBSOCKET_ENDED;
	return fine;
}

static enum err frames_feed(struct websocket_wire *w, struct str bytes, struct fault *why)
{
	int wrong;

	w->feeding = bytes;
	wrong = wslay_event_recv(w->frames);
	w->feeding = STR_NONE;
	frames_flush(w);
	if (!wslay_event_get_read_enabled(w->frames)) w->state = WEBSOCKET_ENDED;
	if (wrong) {
		w->state = WEBSOCKET_ENDED;
		return fail(why, ERR_BAD_REQUEST, "what came is no frame");
	}
	return OK;
}

enum err websocket_wire_feed(struct websocket_wire *w, struct str bytes,
	websocket_text_fn *text, void *ctx, struct fault *why)
{
	enum err e = OK;

	if (w->state == WEBSOCKET_ENDED) return OK;
	if (w->state == WEBSOCKET_ASKED) {
		buf_add(&w->head, bytes);
		e = head_read(w, why);
		if (e == ERR_BUSY) return OK;
		if (e) w->state = WEBSOCKET_ENDED;
		return e;
	}
	w->text = text;
	w->ctx = ctx;
	if (w->head.len) {
		e = frames_feed(w, buf_str(&w->head), why);
		buf_done(&w->head);
	}
	if (!e && bytes.len && w->state == WEBSOCKET_OPEN) e = frames_feed(w, bytes, why);
	w->text = NULL;
	return e;
}

static bool frames_say(struct websocket_wire *w, uint8_t opcode, struct str text)
{
	const struct wslay_event_msg m = { opcode, (const uint8_t *)text.at, text.len };

	return w->state == WEBSOCKET_OPEN && wslay_event_queue_msg(w->frames, &m) == 0 &&
	       frames_flush(w);
}

bool websocket_wire_say(struct websocket_wire *w, struct str text)
{
	return frames_say(w, WSLAY_TEXT_FRAME, text);
}

bool websocket_wire_ping(struct websocket_wire *w)
{
	return frames_say(w, WSLAY_PING, STR_NONE);
}

bool websocket_wire_close(struct websocket_wire *w)
{
	return w->state == WEBSOCKET_OPEN &&
	       wslay_event_queue_close(w->frames, WSLAY_CODE_NORMAL_CLOSURE, NULL, 0) ==
		       0 &&
	       frames_flush(w);
}
