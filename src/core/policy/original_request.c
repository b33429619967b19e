/* original_request.c - from the headers of Envoy, nginx, Caddy and Traefik to an operation. What two of them
 * say differently is refused: one of them may be the client's own. */
#include "core/policy/original_request.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/keep.h"

enum { BODY_SHOWN_MAX = 64 * 1024, SERVER_MAX = 40, TOOL_MAX = 128 };

/* ---- JSON-RPC ---- */

static bool all_of(struct str s, const char *others, bool capitals)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.at[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
			!(capitals && c >= 'A' && c <= 'Z') && (!c || !strchr(others, c)))
			return false;
	}
	return true;
}

static bool server_valid(struct str s)
{
	return s.len && s.len <= SERVER_MAX && all_of(s, "-", false) && s.at[0] != '-' &&
	       s.at[s.len - 1] != '-';
}

static enum err call_write(struct str server, const struct json *params,
	struct arena *arena, struct str *out, struct fault *why)
{
	struct str tool = json_text_of(params, "name");
	const struct json *arguments = json_get(params, "arguments");
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	if (!tool.len || tool.len > TOOL_MAX || !all_of(tool, "_.-", true))
		return fail(why, ERR_DENIED_ANSWER, "tools/call does not name a tool");
	if (arguments && !json_is(arguments, JSON_OBJECT))
		return fail(why, ERR_DENIED_ANSWER,
			"the arguments of tools/call are no object");
	jw_object(&w);
	jw_put_text(&w, "type", "mcp");
	jw_put_str(&w, "name",
		arena_print(arena, "mcp__%.*s__%.*s", STR_ARGS(server), STR_ARGS(tool)));
	if (arguments)
		jw_put_json(&w, "arguments", arguments);
	else
		jw_put_raw(&w, "arguments", STR("{}"));
	jw_object_end(&w);
	*out = buf_keep_done(&b, arena);
	return OK;
}

static enum err rpc_read(const struct original_request *r, struct arena *arena,
	struct str *out, struct fault *why)
{
	const struct json *message, *method;

	if (!server_valid(r->server))
		return fail(why, ERR_DENIED_ANSWER,
			"Parley-Server is not the name of a server");
	if (!r->body.len)
		return fail(why, ERR_DENIED_ANSWER,
			"a request to an MCP server needs its body");
	if (json_read(r->body, NULL, arena, &message, NULL))
		return arena->failed
			       ? fail_memory(why)
			       : fail(why, ERR_DENIED_ANSWER, "the body is not JSON-RPC");
	if (json_is(message, JSON_ARRAY))
		return fail(why, ERR_DENIED_ANSWER,
			"batches of JSON-RPC are not let through");
	if (!json_is(message, JSON_OBJECT) ||
		!str_is(json_text_of(message, "jsonrpc"), "2.0"))
		return fail(why, ERR_DENIED_ANSWER, "the body is not JSON-RPC");
	method = json_get(message, "method");
	if (json_is(method, JSON_STRING) && str_is(method->text, "tools/call"))
		return call_write(
			r->server, json_get(message, "params"), arena, out, why);
	/* The client's reply to a request of the server has no method. */
	if (json_is(method, JSON_STRING) ||
		(!method && json_get(message, "id") &&
			(json_get(message, "result") || json_get(message, "error"))))
		return OK;
	return fail(why, ERR_DENIED_ANSWER, "the body is not JSON-RPC");
}

/* ---- the request itself ---- */

static const struct {
	const char *name, *port;
} schemes[] = { { "https", ":443" }, { "http", ":80" }, { "wss", ":443" },
	{ "ws", ":80" } };

/* The place in `schemes` of "https" or "https, http"; absent: https; -1: none of them. */
static int scheme_read(struct str proto)
{
	struct str first;

	if (!proto.at) return 0;
	if (!str_cut(&proto, ',', &first)) return -1;
	for (int i = 0; i < (int)(sizeof schemes / sizeof *schemes); i++)
		if (str_is_nocase(str_trim(first), schemes[i].name)) return i;
	return -1;
}

/* In small letters, without the port that the scheme has anyhow. */
static struct str host_read(struct str host, const char *port, struct arena *arena)
{
	size_t most = strlen(port);
	char *out;

	host = str_trim(host);
	if (host.len > most && str_is(str_from(host, host.len - most), port))
		host.len -= most;
	out = arena_alloc(arena, host.len + 1);
	if (!out) return STR_NONE;
	for (size_t i = 0; i < host.len; i++) {
		char c = host.at[i];

		out[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	host = str_make(out, host.len);
	return all_of(host, ".-_:[]", false) ? host : STR_NONE;
}

/* What stands in no address is escaped, so that it cannot be taken for something else. */
static void uri_add(struct buf *out, struct str uri)
{
	for (size_t i = 0; i < uri.len; i++) {
		unsigned char c = (unsigned char)uri.at[i];

		if (c > ' ' && c < 0x7f && !strchr("\"<>\\^`{|}", c))
			buf_add_char(out, (char)c);
		else
			buf_print(out, "%%%02X", c);
	}
}

static bool differ(struct str a, struct str b)
{
	return a.at && b.at && !str_eq(a, b);
}

/* Does the request that asks say nothing else than its header? Caddy leaves the query of the original
 * request behind /v1/authorize/. */
static bool target_fits(struct str target, struct str named)
{
	int query = str_find(named, STR("?"));

	if (target.len <= 1 || str_eq(target, named)) return true;
	return target.at[1] == '?' && query >= 0 &&
	       str_eq(str_from(target, 1), str_from(named, (size_t)query));
}

/* Which URI and method: of the headers, where the gateway sends them, else of the request that asks. */
static enum err line_read(const struct original_request *r, struct str *method,
	struct str *uri, struct fault *why)
{
	bool original = r->original_uri.at != NULL, forwarded = r->forwarded_uri.at;
	struct str named = original ? r->original_uri : r->forwarded_uri;

	*method = original    ? r->original_method
		  : forwarded ? r->forwarded_method
			      : r->method;
	*uri = original || forwarded ? named : r->target;
	if (differ(r->original_uri, r->forwarded_uri) ||
		(original && differ(r->original_method, r->forwarded_method)))
		return fail(why, ERR_DENIED_ANSWER,
			"X-Original and X-Forwarded headers differ");
	if ((original || forwarded) && !target_fits(r->target, named))
		return fail(why, ERR_DENIED_ANSWER,
			"the path and the header with the original URI differ: use /v1/authorize/");
	if (!method->len)
		return fail(why, ERR_DENIED_ANSWER,
			"X-Original-Method or X-Forwarded-Method is missing");
	for (size_t i = 0; i < method->len; i++)
		if (method->len > 32 || ((method->at[i] < 'A' || method->at[i] > 'Z') &&
						method->at[i] != '-'))
			return fail(why, ERR_DENIED_ANSWER,
				"the original method is no method of HTTP");
	if (!uri->len || uri->at[0] != '/')
		return fail(why, ERR_DENIED_ANSWER, "the original URI must begin with /");
	return OK;
}

static void body_write(struct json_writer *w, struct str body, struct arena *arena)
{
	const struct json *json;
	uint8_t hash[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];

	if (!body.len) return;
	if (body.len <= BODY_SHOWN_MAX && !json_read(body, NULL, arena, &json, NULL)) {
		jw_put_json(w, "body", json);
		return;
	}
	sha256(body, hash);
	hex_write(hash, SHA256_SIZE, hex);
	jw_put_object(w, "body");
	jw_put_text(w, "sha256", hex);
	jw_put_int(w, "bytes", (int64_t)body.len);
	jw_object_end(w);
}

static enum err http_read(const struct original_request *r, struct arena *arena,
	struct str *out, struct fault *why)
{
	int scheme = scheme_read(r->forwarded_proto);
	struct buf b = { 0 }, url = { 0 };
	struct json_writer w = { .out = &b };
	struct str method, uri, host;
	enum err e = line_read(r, &method, &uri, why);

	if (e) return e;
	if (scheme < 0)
		return fail(why, ERR_DENIED_ANSWER,
			"X-Forwarded-Proto is neither http nor https");
	host = host_read(r->forwarded_host.at ? r->forwarded_host : r->host,
		schemes[scheme].port, arena);
	if (!host.len)
		return fail(why, ERR_DENIED_ANSWER, "the original host is not known");
	buf_print(&url, "%s://%.*s", schemes[scheme].name, STR_ARGS(host));
	uri_add(&url, uri);
	jw_object(&w);
	jw_put_text(&w, "type", "tool");
	jw_put_text(&w, "name", "http");
	jw_put_object(&w, "arguments");
	jw_put_str(&w, "method", method);
	jw_put_str(&w, "url", buf_str(&url));
	body_write(&w, r->body, arena);
	jw_object_end(&w);
	jw_object_end(&w);
	if (url.failed) b.failed = true;
	buf_done(&url);
	*out = buf_keep_done(&b, arena);
	return OK;
}

enum err original_read(const struct original_request *r, struct arena *arena,
	struct str *out, struct fault *why)
{
	enum err e;

	*out = STR_NONE;
	if (str_is_nocase(r->partial, "true"))
		return fail(why, ERR_DENIED_ANSWER,
			"only a part of the body came: raise max_request_bytes");
	e = r->server.at ? rpc_read(r, arena, out, why) : http_read(r, arena, out, why);
	return !e && arena->failed ? fail_memory(why) : e;
}
