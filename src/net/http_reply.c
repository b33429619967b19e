/* http_reply.c - writes replies, whole or in parts, and refusals. */
#include "net/http_conn.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

/* Sends it all, or cuts the connection. */
static bool conn_send(struct conn *c, const struct str *parts, size_t n)
{
	if (c->phase == CONN_CLOSED) return false;
	if (c->tls ? conn_seal(c, parts, n) : conn_put(c, parts, n)) return true;
	conn_cut(c);
	return false;
}

/* ---- heads ---- */

/* Text of a known bound that grows on the stack. */
struct text {
	size_t len;
	char at[768];
};

static void text_add(struct text *t, struct str s)
{
	assert(s.len <= sizeof t->at - t->len);
	memcpy(t->at + t->len, s.at, s.len);
	t->len += s.len;
}

static void text_add_number(struct text *t, uint64_t n)
{
	char digits[20];
	size_t at = sizeof digits;

	do {
		digits[--at] = (char)('0' + n % 10);
	} while (n /= 10);
	text_add(t, str_make(digits + at, sizeof digits - at));
}

static struct str date_line(struct http_server *s)
{
	struct hub *hub = s->hub;
	int64_t turn_ms = loop_now_ms(s->loop), now_s;
	struct tm tm;
	time_t t;

	if (hub->date_turn_ms != turn_ms) {
		hub->date_turn_ms = turn_ms;
		now_s = clock_now_ms() / 1000;
		if (hub->date_s != now_s) {
			hub->date_s = now_s;
			t = (time_t)now_s;
			gmtime_r(&t, &tm);
			strftime(hub->date, sizeof hub->date,
				"Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &tm);
		}
	}
	return str_of(hub->date);
}

static void head_begin(struct text *t, struct conn *c, int status, const char *type)
{
	text_add(t, STR("HTTP/1.1 "));
	text_add_number(t, (uint64_t)status);
	text_add(t, STR(" "));
	text_add(t, str_of(http_status_text(status)));
	text_add(t, STR("\r\n"));
	text_add(t, date_line(c->server));
	if (c->server->always) text_add(t, str_of(c->server->always));
	if (type && *type) {
		text_add(t, STR("Content-Type: "));
		text_add(t, str_first(str_of(type), 256));
		text_add(t, STR("\r\n"));
	}
}

static void head_connection(struct text *t, struct conn *c)
{
	if (!c->keep_alive)
		text_add(t, STR("Connection: close\r\n"));
	else if (c->exchange.http_1_0)
		text_add(t, STR("Connection: keep-alive\r\n"));
}

/* Ends the head and sends it with the caller's own lines and the body, in one go. */
static void head_send(struct conn *c, struct text *t, struct str headers, struct str body)
{
	struct str end = headers.len ? STR("\r\n") : STR_NONE;

	if (headers.len == 0) text_add(t, STR("\r\n"));
	conn_send(c, (struct str[]){ str_make(t->at, t->len), headers, end, body }, 4);
}

/* ---- whole replies ---- */

static bool status_has_body(int status)
{
	return status >= 200 && status != 204 && status != 304;
}

void http_reply(struct exchange *x, int status, const char *type, struct str headers,
	struct str body)
{
	struct conn *c = conn_of(x);
	struct text t;

	assert(!x->begun);
	t.len = 0;
	if (c->server->stopping) c->keep_alive = false;
	head_begin(&t, c, status, type);
	if (status_has_body(status)) {
		text_add(&t, STR("Content-Length: "));
		text_add_number(&t, body.len);
		text_add(&t, STR("\r\n"));
	}
	head_connection(&t, c);
	if (x->is_head || !status_has_body(status)) body = STR_NONE;
	head_send(c, &t, headers, body);
	conn_over(c);
}

void conn_continue(struct conn *c)
{
	struct str go_on = STR("HTTP/1.1 100 Continue\r\n\r\n");

	conn_send(c, &go_on, 1);
}

/* The problem's name, as the API spells it. */
static const char *problem_of(int status)
{
	switch (status) {
	case 408: return "timeout";
	case 413: return "too-large";
	case 414: return "target-too-long";
	case 417: return "expectation-failed";
	case 431: return "headers-too-large";
	case 503: return "unavailable";
	default: return "bad-request";
	}
}

/* `type` is a status, too: 403 has no problem of its own here. */
static void refuse_as(struct conn *c, int status, int type, const char *detail,
	const char *headers, const char *members)
{
	struct exchange *x = &c->exchange;
	char body[512];
	int len = snprintf(body, sizeof body,
		"{\"type\":\"/problems/%s\",\"title\":\"%s\","
		"\"status\":%d,\"detail\":\"%s\"%s}",
		problem_of(type), http_status_text(type), status, detail, members);

	c->phase = CONN_OPEN;
	c->keep_alive = false;
	x->open = true;
	x->begun = x->parked = x->spared = x->http_1_0 = false;
	x->is_head = x->reading && x->reading->request.method == HTTP_M_HEAD;
	http_reply(x, status, "application/problem+json", str_of(headers),
		str_make(body, len > 0 ? (size_t)len : 0));
}

void conn_refuse(struct conn *c, int status, const char *detail)
{
	refuse_as(
		c, status, status, detail, status == 503 ? "Retry-After: 1\r\n" : "", "");
}

void conn_refuse_full(struct conn *c, struct str bytes, const char *detail)
{
	const struct http_decides *d = c->server->decides;
	const struct http_reading *r = c->exchange.reading;
	struct str head = r && r->head.len ? buf_str(&r->head) : bytes;
	int space = str_find(head, STR(" "));

	if (d && space >= 0 && str_starts(str_from(head, (size_t)space + 1), d->prefix))
		refuse_as(c, 403, 503, detail, d->headers, d->members);
	else
		conn_refuse(c, 503, detail);
}

/* ---- replies in pieces ---- */

void http_begin(struct exchange *x, int status, const char *type, struct str headers)
{
	struct conn *c = conn_of(x);
	struct text t;

	assert(!x->begun && status_has_body(status));
	t.len = 0;
	x->begun = true;
	if (c->server->stopping || x->http_1_0) c->keep_alive = false;
	head_begin(&t, c, status, type);
	if (!x->http_1_0) text_add(&t, STR("Transfer-Encoding: chunked\r\n"));
	head_connection(&t, c);
	head_send(c, &t, headers, STR_NONE);
}

/* A reader that is behind and would fall behind further than allowed. */
static bool conn_too_slow(struct conn *c, size_t more)
{
	size_t behind = conn_backlog(c);

	if (behind == 0 || behind + more <= c->server->limits.backlog_max) return false;
	conn_cut(c);
	return true;
}

/* "1f\r\n": of a chunk. */
static struct str chunk_head(size_t len, char out[24])
{
	int n = snprintf(out, 24, "%zx\r\n", len);

	return str_make(out, (size_t)n);
}

bool http_write(struct exchange *x, struct str bytes)
{
	struct conn *c = conn_of(x);
	char size[24];

	assert(x->begun);
	if (c->phase == CONN_CLOSED || conn_too_slow(c, bytes.len)) return false;
	if (bytes.len == 0 || x->is_head) return true;
	if (x->http_1_0) return conn_send(c, &bytes, 1);
	struct str parts[] = { chunk_head(bytes.len, size), bytes, STR("\r\n") };
	return conn_send(c, parts, 3);
}

void http_end(struct exchange *x)
{
	http_end_with(x, STR_NONE);
}

void http_end_with(struct exchange *x, struct str bytes)
{
	struct conn *c = conn_of(x);
	char size[24];
	struct str parts[] = { chunk_head(bytes.len, size), bytes, STR("\r\n0\r\n\r\n") };
	struct str last = STR("0\r\n\r\n");

	assert(x->begun);
	if (x->http_1_0)
		conn_send(c, &bytes, x->is_head ? 0 : 1);
	else if (!x->is_head && bytes.len)
		conn_send(c, parts, 3);
	else if (!x->is_head)
		conn_send(c, &last, 1);
	conn_over(c);
}

/* ---- frames ---- */

struct frame *frame_new(struct str bytes)
{
	char size[24];
	struct str head = chunk_head(bytes.len, size);
	struct frame *f = mem_alloc(sizeof *f + head.len + bytes.len + 2);
	char *at;

	if (!f) return NULL;
	at = (char *)(f + 1);
	f->refs = 1;
	memcpy(at, head.at, head.len);
	if (bytes.len) memcpy(at + head.len, bytes.at, bytes.len);
	memcpy(at + head.len + bytes.len, "\r\n", 2);
	f->chunked = str_make(at, head.len + bytes.len + 2);
	f->plain = str_make(at + head.len, bytes.len);
	return f;
}

struct frame *frame_drop(struct frame *f)
{
	if (f && --f->refs == 0) mem_free(f);
	return NULL;
}

bool http_write_frame(struct exchange *x, struct frame *f)
{
	struct conn *c = conn_of(x);
	struct str bytes = x->http_1_0 ? f->plain : f->chunked;

	assert(x->begun);
	if (c->phase == CONN_CLOSED || conn_too_slow(c, bytes.len)) return false;
	if (f->plain.len == 0 || x->is_head) return true;
	if (c->tls) return conn_send(c, &bytes, 1);
	if (conn_put_frame(c, f, bytes)) return true;
	conn_cut(c);
	return false;
}
