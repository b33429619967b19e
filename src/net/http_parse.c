/* http_parse.c - gathers heads and bodies from bytes, within their limits. Prefix: reading_. */
#include "net/http_parse.h"

#include "base/hash.h"

enum { SPARE_HEAD = 4 * 1024, SPARE_BODY = 16 * 1024 };

void reading_begin(struct http_reading *r, size_t header_max, size_t body_max)
{
	r->state = READ_LINE;
	r->header_max = header_max;
	r->body_max = body_max;
	r->head.max = header_max;
	r->body.max = body_max;
	r->line = r->digits = r->extra = 0;
	r->left = 0;
	r->keep_alive = false;
	r->status = 0;
	r->detail = NULL;
	r->request = (struct http_request){ .headers = r->headers };
}

static void buf_empty(struct buf *b, size_t spare)
{
	if (b->cap > spare)
		buf_done(b);
	else
		buf_clear(b);
}

void reading_clear(struct http_reading *r)
{
	buf_empty(&r->head, SPARE_HEAD);
	buf_empty(&r->body, SPARE_BODY);
	arena_done(&r->arena);
}

void reading_done(struct http_reading *r)
{
	buf_done(&r->head);
	buf_done(&r->body);
	arena_done(&r->arena);
}

bool reading_refuse(struct http_reading *r, int status, const char *detail)
{
	r->state = READ_REFUSED;
	r->status = status;
	r->detail = detail;
	return false;
}

/* ---- the head ---- */

/* A whole line, with its LF. The request line is looked at when the head is whole. */
static bool line_check(struct http_reading *r, struct str line)
{
	const char *colon;

	if (line.len < 2 || line.at[line.len - 2] != '\r')
		return reading_refuse(r, 400, "a line of the head ends without CR");
	line.len -= 2;
	if (line.len == 0) return true;
	if (memchr(line.at, '\r', line.len))
		return reading_refuse(r, 400, "a bare CR in the head");
	if (r->line == 0) return true;
	if (line.at[0] == ' ' || line.at[0] == '\t')
		return reading_refuse(r, 400, "a folded header");
	colon = memchr(line.at, ':', line.len);
	if (!colon || colon == line.at)
		return reading_refuse(r, 400, "a header without a name");
	for (const char *c = line.at; c < colon; c++)
		if (*c == ' ' || *c == '\t')
			return reading_refuse(r, 400, "a blank before a header's colon");
	return true;
}

/* Bytes of the line that is being read: as many as the limits allow. */
static bool line_add(struct http_reading *r, struct str piece)
{
	if (r->head.len == 0 && (piece.at[0] < 'A' || piece.at[0] > 'Z'))
		return reading_refuse(r, 400, "not an HTTP request");
	if (piece.len > r->header_max - r->head.len)
		return reading_refuse(r, 431, "the headers are too large");
	buf_add(&r->head, piece);
	if (r->head.failed) return reading_refuse(r, 503, "out of memory");
	return true;
}

static bool body_begin(struct http_reading *r, enum parse_step *step)
{
	struct head_facts facts;

	if (!head_read(r, &facts)) return false;
	r->keep_alive = facts.keep_alive;
	r->left = facts.length;
	if (facts.chunked)
		r->state = READ_CHUNK_SIZE;
	else if (facts.length > 0)
		r->state = READ_BODY;
	else
		r->state = READ_DONE;
	if (facts.length > r->body_max && r->body_more) {
		size_t more = r->body_more(&r->request);

		if (more > r->body_max) r->body_max = r->body.max = more;
	}
	if (facts.length > r->body_max)
		return reading_refuse(r, 413, "the body is too large");
	if (facts.expects && r->state != READ_DONE) *step = PARSE_CONTINUE;
	return true;
}

/* Empty lines before a request are passed over, as RFC 9112 asks; `extra` bounds them. */
static size_t skip_empty(struct http_reading *r, struct str bytes)
{
	size_t n = 0;

	while (n < bytes.len && bytes.at[n] == (r->extra % 2 ? '\n' : '\r')) {
		n++;
		if (++r->extra > 64) reading_refuse(r, 400, "not an HTTP request");
	}
	if (n < bytes.len && r->extra % 2)
		reading_refuse(r, 400, "a bare CR in the head");
	return n;
}

static size_t feed_line(struct http_reading *r, struct str bytes, enum parse_step *step)
{
	const char *lf;
	struct str piece, line;

	if (r->head.len == 0) {
		size_t n = skip_empty(r, bytes);

		if (n > 0 || r->state == READ_REFUSED) return n;
		r->extra = 0;
	}
	lf = memchr(bytes.at, '\n', bytes.len);
	piece = str_first(bytes, lf ? (size_t)(lf - bytes.at) + 1 : bytes.len);
	if (!line_add(r, piece) || !lf) return piece.len;
	line = str_from(buf_str(&r->head), r->line);
	if (!line_check(r, line)) return piece.len;
	r->line = r->head.len;
	if (line.len == 2) body_begin(r, step);
	return piece.len;
}

/* ---- the body ---- */

static bool body_add(struct http_reading *r, struct str piece)
{
	buf_add(&r->body, piece);
	if (r->body.failed) return reading_refuse(r, 503, "out of memory");
	r->left -= piece.len;
	return true;
}

static size_t feed_body(struct http_reading *r, struct str bytes, enum parse_state then)
{
	struct str piece =
		str_first(bytes, r->left < bytes.len ? (size_t)r->left : bytes.len);

	if (body_add(r, piece) && r->left == 0) r->state = then;
	return piece.len;
}

static bool chunk_size(struct http_reading *r, char c)
{
	int digit = hex_digit(c);

	if (digit >= 0) {
		if (++r->digits > 15)
			return reading_refuse(r, 400, "a chunk's size is too long");
		r->left = r->left * 16 + (uint64_t)digit;
		return true;
	}
	if (r->digits == 0) return reading_refuse(r, 400, "a chunk without a size");
	if (c == '\r')
		r->state = READ_CHUNK_SIZE_LF;
	else if (c == ';' || c == ' ' || c == '\t')
		r->state = READ_CHUNK_EXTENSION;
	else
		return reading_refuse(r, 400, "a chunk's size is no number");
	return true;
}

/* Reads a byte of a chunk extension or a trailer, which are ignored. */
static bool extra_byte(struct http_reading *r, char c, enum parse_state after_cr)
{
	if (c == '\r') {
		r->state = after_cr;
		return true;
	}
	if (((unsigned char)c < ' ' && c != '\t') || c == 0x7f)
		return reading_refuse(
			r, 400, "a control character in the chunked body's framing");
	if (++r->extra > r->header_max)
		return reading_refuse(r, 431, "the trailers are too large");
	return true;
}

static bool chunk_begin(struct http_reading *r)
{
	r->digits = 0;
	if (r->left > r->body_max - r->body.len)
		return reading_refuse(r, 413, "the body is too large");
	r->state = r->left > 0 ? READ_CHUNK : READ_TRAILER;
	return true;
}

static bool byte_is(struct http_reading *r, char c, char wanted, enum parse_state then)
{
	if (c != wanted) return reading_refuse(r, 400, "a chunk does not end with CRLF");
	r->state = then;
	return true;
}

/* One byte of a chunked body's framing. */
static void framing_byte(struct http_reading *r, char c)
{
	switch (r->state) {
	case READ_CHUNK_SIZE: chunk_size(r, c); break;
	case READ_CHUNK_EXTENSION: extra_byte(r, c, READ_CHUNK_SIZE_LF); break;
	case READ_CHUNK_SIZE_LF:
		if (byte_is(r, c, '\n', READ_CHUNK)) chunk_begin(r);
		break;
	case READ_CHUNK_CR: byte_is(r, c, '\r', READ_CHUNK_LF); break;
	case READ_CHUNK_LF: byte_is(r, c, '\n', READ_CHUNK_SIZE); break;
	case READ_TRAILER:
		r->state = READ_TRAILER_LINE;
		extra_byte(r, c, READ_LAST_LF);
		break;
	case READ_TRAILER_LINE: extra_byte(r, c, READ_TRAILER_LF); break;
	case READ_TRAILER_LF: byte_is(r, c, '\n', READ_TRAILER); break;
	case READ_LAST_LF: byte_is(r, c, '\n', READ_DONE); break;
	default: break;
	}
}

size_t reading_feed(struct http_reading *r, struct str bytes, enum parse_step *step)
{
	size_t used = 0;

	*step = PARSE_MORE;
	while (used < bytes.len && r->state < READ_DONE && *step == PARSE_MORE) {
		struct str rest = str_from(bytes, used);

		if (r->state == READ_LINE)
			used += feed_line(r, rest, step);
		else if (r->state == READ_BODY)
			used += feed_body(r, rest, READ_DONE);
		else if (r->state == READ_CHUNK)
			used += feed_body(r, rest, READ_CHUNK_CR);
		else
			framing_byte(r, bytes.at[used++]);
	}
	if (r->state == READ_REFUSED) *step = PARSE_REFUSED;
	if (r->state == READ_DONE) {
		r->request.body = buf_str(&r->body);
		*step = PARSE_DONE;
	}
	return used;
}
