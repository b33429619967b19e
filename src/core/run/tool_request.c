/* tool_request.c - a call of a tool of one's own as a request, and what its reply means. */
#include "core/run/own_tool.h"

#include "base/hash.h"
#include "base/keep.h"
#include "base/url_text.h"
#include "base/utf8.h"
#include "core/delivery/delivery.h"
#include "core/shared/address.h"
#include "core/shared/trace.h"

#include <stdio.h>

enum { HEADERS_MAX = OWN_TOOL_HEADERS_MAX + 16, REQUEST_MAX = 4 << 20 };

/* ---- the address ---- */

/* A scalar as text; false: it is none. */
static bool scalar_text(const struct json *v, struct str *out)
{
	if (!v || v->type == JSON_NULL || v->type == JSON_ARRAY || v->type == JSON_OBJECT)
		return false;
	*out = json_is_bool(v) ? v->type == JSON_TRUE ? STR("true") : STR("false")
			       : v->text;
	return true;
}

/* A value that is "." or ".." (or nothing) would be another path. */
static bool path_safe(struct str path)
{
	struct str rest = path, one;

	while (str_cut(&rest, '/', &one))
		if (str_is(one, ".") || str_is(one, "..")) return false;
	return true;
}

static bool used_in(struct str url, struct str name)
{
	struct str rest = url, one;

	while (str_cut(&rest, '{', &one) && rest.at) {
		str_cut(&rest, '}', &one);
		if (str_eq(one, name)) return true;
	}
	return false;
}

static bool url_fill(const struct own_tool *t, const struct json *arguments,
	struct buf *out, struct arena *arena, struct str *wrong)
{
	size_t origin = url_origin(t->url).len;
	struct str rest = str_from(t->url, origin), one, text;
	bool query = false;

	buf_add(out, str_first(t->url, origin));
	for (;;) {
		bool more = str_cut(&rest, '{', &one);

		if (more) buf_add(out, one);
		if (more && memchr(one.at ? one.at : "", '?', one.len)) query = true;
		if (!more || !rest.at) break;
		str_cut(&rest, '}', &one);
		if (!scalar_text(json_get_str(arguments, one), &text) ||
			(!query && !text.len)) {
			*wrong = arena_print(arena,
				"/%.*s must be a text, a number, true or false: it is a "
				"part of the tool's address",
				STR_ARGS(one));
			return false;
		}
		url_add(out, text);
	}
	one = str_from(buf_str(out), origin);
	str_cut(&one, '?', &rest);
	if (!path_safe(rest))
		*wrong = STR("the arguments lead out of the tool's address");
	return !wrong->len;
}

/* What is in no placeholder. */
static void query_add(
	const struct own_tool *t, const struct json *arguments, struct buf *out)
{
	bool query = memchr(t->url.at, '?', t->url.len) != NULL;

	for (uint32_t i = 0; i < arguments->count; i++) {
		const struct json_member *m = &arguments->members[i];
		struct buf json = { .max = REQUEST_MAX };
		struct str text = STR_NONE;

		if (m->value.type == JSON_NULL || used_in(t->url, m->name)) continue;
		if (!scalar_text(&m->value, &text)) {
			json_write(&json, &m->value);
			text = buf_str(&json);
		}
		buf_add_char(out, query ? '&' : '?');
		url_add(out, m->name);
		buf_add_char(out, '=');
		url_add(out, text);
		query = true;
		buf_done(&json);
	}
}

static struct str body_write(
	const struct own_tool *t, const struct json *arguments, struct arena *arena)
{
	struct buf b = { .max = REQUEST_MAX };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	for (uint32_t i = 0; i < arguments->count; i++)
		if (!used_in(t->url, arguments->members[i].name)) {
			jw_name(&w, arguments->members[i].name);
			jw_json(&w, &arguments->members[i].value);
		}
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

/* ---- headers ---- */

struct header_list {
	const char **at;
	size_t len;
	struct arena *arena;
};

static void header_add(struct header_list *h, const char *name, struct str value)
{
	if (value.len)
		h->at[h->len++] =
			arena_print(h->arena, "%s: %.*s", name, STR_ARGS(value)).at;
}

static void own_headers_add(struct header_list *h, const struct tool_access *a)
{
	const struct json *headers = a->tool.headers;

	for (uint32_t i = 0; headers && i < headers->count; i++) {
		struct str rest = headers->members[i].value.text;
		struct buf b = { .max = 16384 };
		int at;

		buf_print(&b, "%.*s: ", STR_ARGS(headers->members[i].name));
		while ((at = str_find(rest, STR("{key}"))) >= 0) {
			buf_add(&b, str_first(rest, (size_t)at));
			buf_add(&b, a->key);
			rest = str_from(rest, (size_t)at + 5);
		}
		buf_add(&b, rest);
		h->at[h->len++] = buf_keep_done(&b, h->arena).at;
	}
}

static void signature_add(struct header_list *h, const struct tool_access *a,
	struct str body, int64_t now_ms)
{
	struct buf line = { .max = 1024 };
	int64_t at_s = now_ms / 1000;

	for (size_t i = 0; i < 2; i++)
		if (a->signs[i].len)
			webhook_sign(&line, a->signs[i], a->call, at_s, body);
	header_add(h, "webhook-id", a->call);
	header_add(
		h, "webhook-timestamp", arena_print(h->arena, "%lld", (long long)at_s));
	header_add(h, "webhook-signature", buf_str(&line));
	if (line.failed) h->arena->failed = true;
	buf_done(&line);
}

bool tool_request_make(const struct tool_access *a, const struct json *arguments,
	int64_t now_ms, struct arena *arena, struct tool_request *out)
{
	const struct own_tool *t = &a->tool;
	bool bare = t->method == METHOD_GET || t->method == METHOD_DELETE;
	struct header_list h = { ARENA_ARRAY(arena, const char *, HEADERS_MAX), 0,
		arena };
	struct buf url = { .max = REQUEST_MAX };
	struct trace_on trace = trace_pass(a->trace, a->call, arena);

	*out = (struct tool_request){ .method = tool_method_names[t->method] };
	if (!h.at) return false;
	if (url_fill(t, arguments, &url, arena, &out->wrong) && bare)
		query_add(t, arguments, &url);
	out->url = buf_keep_done(&url, arena).at;
	if (!bare) {
		out->body = body_write(t, arguments, arena);
		h.at[h.len++] = "content-type: application/json";
	}
	header_add(&h, "Idempotency-Key", a->call);
	header_add(&h, "Parley-Digest", a->digest);
	header_add(&h, "Parley-Session", a->session);
	header_add(&h, "Parley-Run", a->run);
	header_add(&h, "Parley-Call", a->call);
	header_add(&h, "Parley-Agent", a->agent);
	header_add(&h, "Parley-Callback", a->callback);
	header_add(&h, "traceparent", trace.parent);
	header_add(&h, "tracestate", trace.state);
	signature_add(&h, a, out->body, now_ms);
	own_headers_add(&h, a);
	h.at[h.len] = NULL;
	out->headers = h.at;
	return !arena->failed;
}

bool tool_request_may_connect(const struct tool_access *a, const uint8_t bytes[16])
{
	struct address to;
	struct url url;

	memcpy(to.bytes, bytes, sizeof to.bytes);
	if (!url_split(a->tool.url, &url)) return false;
	if (a->named_in_file && (url.https || address_loopback(&to))) return true;
	return reach_allows(a->reach.len ? a->reach : STR("no"), &url, &to);
}

/* ---- its result comes later ---- */

struct str tool_callback_write(
	struct str key, int64_t ws, struct str call, struct arena *arena)
{
	struct str text =
		arena_print(arena, "callback/%lld/%.*s", (long long)ws, STR_ARGS(call));
	uint8_t mac[SHA256_SIZE];
	char hex[SHA256_HEX_SIZE];

	hmac_sha256(key, text, mac);
	hex_write(mac, sizeof mac, hex);
	return arena_print(arena, "pcb_%lld_%s", (long long)ws, hex);
}

bool tool_callback_read(struct str key, struct str token, struct str call,
	struct arena *arena, int64_t *ws)
{
	struct str rest = token, number;

	if (!str_starts(token, "pcb_")) return false;
	rest = str_from(token, 4);
	return str_cut(&rest, '_', &number) && str_to_int(number, 1, INT64_MAX, ws) &&
	       same_secret(token, tool_callback_write(key, *ws, call, arena));
}

/* ---- the reply ---- */

bool tool_reply_again(int status)
{
	return status == 408 || status == 425 || status == 429 ||
	       (status >= 500 && status < 600);
}

struct str tool_result_cut(struct str text, struct arena *arena)
{
	if (text.len <= CALL_RESULT_MAX) return text;
	return arena_print(arena, "%.*s\n[cut: a result has 1 MiB at most]",
		STR_ARGS(utf8_fit(text, CALL_RESULT_MAX - 64)));
}

struct str tool_reply_text(
	int status, struct str type, struct str body, struct arena *arena, bool *failed)
{
	bool text = utf8_valid(
		body.len > CALL_RESULT_MAX ? utf8_fit(body, CALL_RESULT_MAX - 64) : body);
	struct str shown = text ? utf8_fit(body, TOOL_ERROR_BODY) : STR_NONE;

	*failed = true;
	if (status >= 300 && status < 400)
		return arena_print(arena,
			"HTTP %d: it redirects, and redirects are not followed", status);
	if (status < 200 || status >= 300)
		return arena_print(arena, "HTTP %d%s%.*s", status, shown.len ? ": " : "",
			STR_ARGS(shown));
	if (!text)
		return arena_print(arena, "the result is no text but %.*s, %zu bytes",
			STR_ARGS(type.len ? str_first(type, 100) : STR("bytes")),
			body.len);
	*failed = false;
	return tool_result_cut(
		body.len > CALL_RESULT_MAX ? body : arena_str(arena, body), arena);
}
