/* http_head.c - reads a whole head with llhttp and refuses what is ambiguous. */
#include "net/http_parse.h"

#include <llhttp.h>

static const enum http_method methods[] = {
	[HTTP_GET] = HTTP_M_GET,
	[HTTP_HEAD] = HTTP_M_HEAD,
	[HTTP_POST] = HTTP_M_POST,
	[HTTP_PUT] = HTTP_M_PUT,
	[HTTP_PATCH] = HTTP_M_PATCH,
	[HTTP_DELETE] = HTTP_M_DELETE,
	[HTTP_OPTIONS] = HTTP_M_OPTIONS,
};
_Static_assert(HTTP_M_GET == 0, "the gaps of the table are told from GET by HTTP_GET");

static enum http_method method_of(uint8_t method)
{
	if (method >= sizeof methods / sizeof *methods) return HTTP_M_OTHER;
	if (methods[method] == HTTP_M_GET && method != HTTP_GET) return HTTP_M_OTHER;
	return methods[method];
}

/* ---- llhttp's callbacks: slices of the head ---- */

static struct http_reading *reading_of(llhttp_t *parser)
{
	return parser->data;
}

static int on_url(llhttp_t *parser, const char *at, size_t len)
{
	reading_of(parser)->request.target = str_make(at, len);
	return 0;
}

static int on_name(llhttp_t *parser, const char *at, size_t len)
{
	struct http_reading *r = reading_of(parser);
	struct http_header *h;
	char *name;

	if (r->request.headers_len == HEADERS_MAX) {
		reading_refuse(r, 431, "too many headers");
		return HPE_USER;
	}
	h = &r->headers[r->request.headers_len++];
	h->name = str_make(at, len);
	h->value = str_make(at + len, 0); /* there, though empty */
	name = r->head.at + (at - r->head.at);
	for (size_t i = 0; i < len; i++)
		if (name[i] >= 'A' && name[i] <= 'Z') name[i] |= 0x20;
	return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t len)
{
	struct http_reading *r = reading_of(parser);
	struct str *value = &r->headers[r->request.headers_len - 1].value;

	while (len > 0 && (at[len - 1] == ' ' || at[len - 1] == '\t'))
		len--;
	*value = str_make(at, len);
	return 0;
}

static int on_headers_complete(llhttp_t *parser)
{
	(void)parser;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_url = on_url,
	.on_header_field = on_name,
	.on_header_value = on_value,
	.on_headers_complete = on_headers_complete,
};

/* ---- the rules ---- */

/* "METHOD target HTTP/1.1" with two blanks and visible ASCII: llhttp takes more. */
static bool request_line_check(struct http_reading *r)
{
	struct str head = buf_str(&r->head);
	size_t blanks = 0, version = 0;

	for (size_t i = 0; i < head.len && head.at[i] != '\r'; i++) {
		unsigned char c = (unsigned char)head.at[i];

		if (c == ' ') {
			blanks++;
			version = i + 1;
		} else if (c < ' ' || c > '~' || c == '#') {
			return reading_refuse(
				r, 400, "a bad character in the request line");
		}
	}
	if (blanks != 2 || !str_starts(str_from(head, version), "HTTP/1."))
		return reading_refuse(r, 400, "not a request of HTTP/1.0 or HTTP/1.1");
	return true;
}

static bool target_is_absolute(struct str target)
{
	return str_is_nocase(str_first(target, 7), "http://") ||
	       str_is_nocase(str_first(target, 8), "https://");
}

/* "http://host/path?query": the path, when the host is the Host header's. */
static bool absolute_split(struct http_reading *r, struct str target, struct str *path)
{
	struct str host = http_header(&r->request, "host");
	struct str rest = str_from(target, (size_t)str_find(target, STR("://")) + 3);
	size_t n = 0;

	while (n < rest.len && rest.at[n] != '/' && rest.at[n] != '?')
		n++;
	if (n == 0 || n != host.len || strncasecmp(rest.at, host.at, n) != 0)
		return reading_refuse(
			r, 400, "the target's host is not the Host header's");
	*path = str_from(rest, n);
	return true;
}

static bool target_split(struct http_reading *r)
{
	struct http_request *q = &r->request;
	struct str path = q->target;
	const char *mark;

	if (path.len > TARGET_MAX)
		return reading_refuse(r, 414, "the request target is too long");
	if (target_is_absolute(path)) {
		if (!absolute_split(r, q->target, &path)) return false;
	} else if (str_is(path, "*")) {
		if (q->method != HTTP_M_OPTIONS)
			return reading_refuse(r, 400, "the target * is for OPTIONS");
	} else if (path.len == 0 || path.at[0] != '/') {
		return reading_refuse(r, 400, "the request target is no path");
	}
	mark = path.len ? memchr(path.at, '?', path.len) : NULL;
	q->path = mark ? str_make(path.at, (size_t)(mark - path.at)) : path;
	q->query = mark ? str_from(path, q->path.len + 1) : STR_NONE;
	if (q->path.len == 0) q->path = STR("/");
	return true;
}

static bool length_read(struct http_reading *r, struct str text, uint64_t *length)
{
	int64_t n;

	if (!str_to_int(text, 0, INT64_MAX, &n))
		return reading_refuse(r, 400, "a bad Content-Length");
	*length = (uint64_t)n;
	return true;
}

/* Headers that frame the message or the connection. `at` is set where one is there. */
struct framing {
	struct str host, length, coding, expect;
};

static bool framing_find(struct http_reading *r, struct framing *f)
{
	const struct http_request *q = &r->request;
	const struct {
		struct str name;
		struct str *value;
	} once[] = {
		{ STR("host"), &f->host },
		{ STR("content-length"), &f->length },
		{ STR("transfer-encoding"), &f->coding },
		{ STR("expect"), &f->expect },
	};

	for (size_t i = 0; i < q->headers_len; i++) {
		for (size_t k = 0; k < sizeof once / sizeof *once; k++) {
			if (!str_eq(q->headers[i].name, once[k].name)) continue;
			if (once[k].value->at)
				return reading_refuse(
					r, 400, "a header that may come once came twice");
			*once[k].value = q->headers[i].value;
		}
	}
	return true;
}

static bool headers_check(struct http_reading *r, struct head_facts *facts)
{
	struct framing f = { 0 };
	bool old = r->request.http_1_0;

	if (!framing_find(r, &f)) return false;
	if (!f.host.at && !old) return reading_refuse(r, 400, "no Host");
	if (f.length.at && f.coding.at)
		return reading_refuse(r, 400, "Content-Length and Transfer-Encoding");
	if (f.coding.at && (old || !str_is_nocase(f.coding, "chunked")))
		return reading_refuse(r, 400, "a transfer coding other than chunked");
	if (f.expect.at && !old && !str_is_nocase(f.expect, "100-continue"))
		return reading_refuse(r, 417, "an expectation other than 100-continue");
	facts->chunked = f.coding.at;
	facts->expects = f.expect.at && !old;
	return !f.length.at || length_read(r, f.length, &facts->length);
}

bool head_read(struct http_reading *r, struct head_facts *facts)
{
	llhttp_t parser;
	llhttp_errno_t e;

	*facts = (struct head_facts){ 0 };
	if (!request_line_check(r)) return false;
	llhttp_init(&parser, HTTP_REQUEST, &settings);
	parser.data = r;
	e = llhttp_execute(&parser, r->head.at, r->head.len);
	if (r->state == READ_REFUSED) return false;
	if (e != HPE_PAUSED) {
		/* llhttp's reasons are literals. */
		const char *why = llhttp_get_error_reason(&parser);

		return reading_refuse(r, 400, why && *why ? why : "not an HTTP request");
	}
	if (parser.http_major != 1 || parser.http_minor > 1)
		return reading_refuse(r, 400, "not a request of HTTP/1.0 or HTTP/1.1");
	r->request.method = method_of(parser.method);
	r->request.method_name =
		str_of(llhttp_method_name((llhttp_method_t)parser.method));
	r->request.http_1_0 = parser.http_minor == 0;
	facts->keep_alive = llhttp_should_keep_alive(&parser);
	return headers_check(r, facts) && target_split(r);
}
