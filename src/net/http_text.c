/* http_text.c - header lookup, status texts, percent decoding. */
#include "net/http.h"

#include "base/hash.h"
#include "base/utf8.h"

struct str http_header(const struct http_request *q, const char *name)
{
	struct str wanted = str_of(name);

	for (size_t i = 0; i < q->headers_len; i++)
		if (str_eq(q->headers[i].name, wanted)) return q->headers[i].value;
	return STR_NONE;
}

const char *http_status_text(int status)
{
	static const struct {
		int status;
		const char *text;
	} texts[] = {
		{ 200, "OK" },
		{ 201, "Created" },
		{ 202, "Accepted" },
		{ 204, "No Content" },
		{ 303, "See Other" },
		{ 304, "Not Modified" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 408, "Request Timeout" },
		{ 409, "Conflict" },
		{ 413, "Content Too Large" },
		{ 414, "URI Too Long" },
		{ 415, "Unsupported Media Type" },
		{ 417, "Expectation Failed" },
		{ 422, "Unprocessable Content" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 503, "Service Unavailable" },
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i].status == status) return texts[i].text;
	return "Unknown";
}

/* One decoded byte from the front of *rest; -1: a bad escape. */
static int decode_next(struct str *rest, bool query)
{
	char c = rest->at[0];
	uint8_t byte;

	if (c != '%') {
		*rest = str_from(*rest, 1);
		return c == '+' && query ? ' ' : (unsigned char)c;
	}
	if (rest->len < 3 || !hex_read(str_make(rest->at + 1, 2), &byte, 1)) return -1;
	*rest = str_from(*rest, 3);
	return byte;
}

bool http_decode(struct str text, bool query, struct arena *arena, struct str *out)
{
	char *at = arena_alloc(arena, text.len + 1);
	size_t len = 0;

	if (!at) return false;
	while (text.len > 0) {
		int c = decode_next(&text, query);

		if (c <= 0) return false;
		at[len++] = (char)c;
	}
	if (!utf8_valid(str_make(at, len))) return false;
	*out = str_make(at, len);
	return true;
}
