#include "net/http_head.h"

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

static struct reading *reading_of(llhttp_t *parser)
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
	struct reading *r = reading_of(parser);
	struct http_header *h;
	char *name;

	if (r->request.headers_len == HEADERS_MAX) {
		reading_refuse(r, 431, "too many headers");
		return HPE_USER;
	}
	h = &r->headers[r->request.headers_len++];
	h->name = str_make(at, len);
	h->value = STR_NONE;
	name = r->head.at + (at - r->head.at);
	for (size_t i = 0; i < len; i++)
		if (name[i] >= 'A' && name[i] <= 'Z') name[i] |= 0x20;
	return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t len)
{
	struct reading *r = reading_of(parser);
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

/* The request line has two blanks and a target of visible ASCII: llhttp takes more. */
static bool request_line_check(struct reading *r)
{
	struct str head = buf_str(&r->head);
	size_t blanks = 0;

	for (size_t i = 0; i < head.len && head.at[i] != '\r'; i++) {
		unsigned char c = (unsigned char)head.at[i];

		if (c == ' ')
			blanks++;
		else if (c < ' ' || c > '~' || c == '#')
			return reading_refuse(r, 400, "a bad character in the request line");
	}
	if (blanks != 2) return reading_refuse(r, 400, "a malformed request line");
	return true;
}

/* "http://host/path?query": the path, when the host is the Host header's. */
static bool absolute_split(struct reading *r, struct str target, struct str *path)
{
	struct str host = http_header(&r->request, "host");
	struct str rest = str_from(target, (size_t)str_find(target, STR("://")) + 3);
	size_t n = 0;

	while (n < rest.len && rest.at[n] != '/' && rest.at[n] != '?')
		n++;
	if (n == 0 || n != host.len || strncasecmp(rest.at, host.at, n) != 0)
		return reading_refuse(r, 400, "the target's host is not the Host header's");
	*path = str_from(rest, n);
	return true;
}

static bool target_split(struct reading *r)
{
	struct http_request *q = &r->request;
	struct str path = q->target;
	const char *mark;

	if (path.len > TARGET_MAX)
		return reading_refuse(r, 414, "the request target is too long");
	if (path.len >= 7 && (strncasecmp(path.at, "http://", 7) == 0 ||
		strncasecmp(path.at, "https://", 8) == 0)) {
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

static bool length_read(struct reading *r, struct str text, uint64_t *length)
{
	int64_t n;

	if (!str_to_int(text, 0, INT64_MAX, &n))
		return reading_refuse(r, 400, "a bad Content-Length");
	*length = (uint64_t)n;
	return true;
}

/* Headers that frame the message or the connection: each may come once. */
static bool headers_check(struct reading *r, struct head_facts *f)
{
	const struct http_request *q = &r->request;
	struct str host = STR_NONE, length = STR_NONE, coding = STR_NONE, expect = STR_NONE;
	struct { const char *name; struct str *value; } once[] = {
		{ "host", &host },
		{ "content-length", &length },
		{ "transfer-encoding", &coding },
		{ "expect", &expect },
	};

	for (size_t i = 0; i < q->headers_len; i++) {
		for (size_t k = 0; k < sizeof once / sizeof *once; k++) {
			if (!str_is(q->headers[i].name, once[k].name)) continue;
			if (once[k].value->at)
				return reading_refuse(r, 400, "Host, Content-Length, "
					"Transfer-Encoding or Expect twice");
			*once[k].value = q->headers[i].value;
			if (!once[k].value->at) once[k].value->at = "";
		}
	}
	if (!host.at && !q->http_1_0) return reading_refuse(r, 400, "no Host");
	if (length.at && coding.at)
		return reading_refuse(r, 400, "Content-Length and Transfer-Encoding");
	if (coding.at && (q->http_1_0 || !str_is_nocase(coding, "chunked")))
		return reading_refuse(r, 400, "a transfer coding other than chunked");
	f->chunked = coding.at;
	if (expect.at && !q->http_1_0 && !str_is_nocase(expect, "100-continue"))
		return reading_refuse(r, 417, "an expectation other than 100-continue");
	f->expects = expect.at && !q->http_1_0;
	return !length.at || length_read(r, length, &f->length);
}

bool head_read(struct reading *r, struct head_facts *facts)
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
		return reading_refuse(r, 400, "not HTTP/1.0 or HTTP/1.1");
	r->request.method = method_of(parser.method);
	r->request.http_1_0 = parser.http_minor == 0;
	facts->keep_alive = llhttp_should_keep_alive(&parser);
	return headers_check(r, facts) && target_split(r);
}
