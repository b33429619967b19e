/* http.c - requests as they may come off the wire: however the bytes are cut into pieces,
 * the same requests and the same refusal come out. The first byte chooses the limits. */
#include <assert.h>
#include <stdlib.h>

#include "net/http_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void request_check(const struct http_request *q)
{
	assert(q->path.len > 0 && (q->path.at[0] == '/' || str_is(q->path, "*")));
	for (size_t i = 0; i < q->headers_len; i++) {
		struct str name = q->headers[i].name, value = q->headers[i].value;

		assert(name.len > 0);
		for (size_t k = 0; k < name.len; k++)
			assert(name.at[k] < 'A' || name.at[k] > 'Z');
		for (size_t k = 0; k < value.len; k++)
			assert(value.at[k] != '\r' && value.at[k] != '\n' &&
				value.at[k] != 0);
	}
}

static void request_tell(struct buf *told, struct http_reading *r)
{
	const struct http_request *q = &r->request;
	struct str decoded = STR_NONE;

	request_check(q);
	assert(q->body.len <= r->body_max && r->head.len <= r->header_max);
	buf_print(told, "%d %d %d %.*s|", (int)q->method, q->http_1_0, r->keep_alive,
		STR_ARGS(q->target));
	buf_print(told, "%.*s|%.*s|", STR_ARGS(q->path), STR_ARGS(q->query));
	if (http_decode(q->query, true, &r->arena, &decoded)) buf_add(told, decoded);
	for (size_t i = 0; i < q->headers_len; i++) {
		buf_add(told, q->headers[i].name);
		buf_add_char(told, '=');
		buf_add(told, q->headers[i].value);
	}
	buf_add(told, q->body);
	buf_add_char(told, '\n');
}

/* False once refused. */
static bool piece_tell(struct buf *told, struct http_reading *r, struct str piece)
{
	while (piece.len > 0) {
		enum parse_step step;
		size_t n = reading_feed(r, piece, &step);

		assert(n <= piece.len && (n > 0 || step == PARSE_REFUSED));
		piece = str_from(piece, n);
		if (step == PARSE_CONTINUE) buf_add_text(told, "continue\n");
		if (step == PARSE_REFUSED) {
			buf_print(told, "%d %s", r->status, r->detail);
			return false;
		}
		if (step == PARSE_DONE) {
			request_tell(told, r);
			reading_clear(r);
			reading_begin(r, r->header_max, r->body_max);
		}
	}
	return true;
}

/* All that comes of the bytes when they arrive in pieces of `first`, then `then` bytes.
 */
static void bytes_tell(
	struct buf *told, struct str bytes, bool small, size_t first, size_t then)
{
	struct http_reading *r = calloc(1, sizeof *r);
	size_t len = first;

	if (!r) abort();
	reading_begin(r, small ? 300 : 32 * 1024, small ? 100 : 64 * 1024);
	while (bytes.len > 0) {
		struct str piece = str_first(bytes, len ? len : bytes.len);

		/* The heap's own copy, so that a byte read beyond it is seen. */
		char *copy = malloc(piece.len);

		memcpy(copy, piece.at, piece.len);
		bool go_on = piece_tell(told, r, str_make(copy, piece.len));
		free(copy);
		if (!go_on) break;
		bytes = str_from(bytes, piece.len);
		len = then;
	}
	reading_done(r);
	free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes;
	struct buf whole = { 0 };

	if (size < 3) return 0;
	bytes = str_make((const char *)data + 1, size - 1);
	bytes_tell(&whole, bytes, data[0] & 1, 0, 0);
	size_t cuts[][2] = { { 1, 1 }, { bytes.len / 2, 0 }, { data[0], 7 },
		{ bytes.len - 1, 1 } };
	for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
		struct buf again = { 0 };

		bytes_tell(&again, bytes, data[0] & 1, cuts[i][0], cuts[i][1]);
		assert(str_eq(buf_str(&whole), buf_str(&again)));
		buf_done(&again);
	}
	buf_done(&whole);
	return 0;
}
