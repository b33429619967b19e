/* Requests that gateways ask about: what operation they are, and what is refused because it is not sure. */
#include "core/policy/original_request.h"

#include "kit.h"

#define SAYS(request, expected)                                                          \
	assert_string_equal(said(&(struct original_request)request), expected)
#define IN(...)                                                                          \
	{                                                                                \
		__VA_ARGS__                                                              \
	}

/* The operation, "pass", or why not. */
static const char *said(const struct original_request *r)
{
	struct fault why = { 0 };
	struct str out;
	enum err e = original_read(r, &kit, &out, &why);

	if (e) assert_int_equal(e, ERR_DENIED_ANSWER);
	return e	 ? arena_copy(&kit, str_of(why.detail))
	       : out.len ? arena_copy(&kit, out)
			 : "pass";
}

static void the_request_itself(void **state)
{
	(void)state;
	SAYS(IN(.method = STR("POST"), .target = STR("/a?b"), .host = STR("A.test:443"),
		     .body = STR("[1]")),
		"{\"type\":\"tool\",\"name\":\"http\",\"arguments\":{\"method\":\"POST\","
		"\"url\":\"https://a.test/a?b\",\"body\":[1]}}");
	SAYS(IN(.method = STR("GET"), .target = STR("/\xc3\xa4 \"x\\"),
		     .host = STR("[::1]:8443")),
		"{\"type\":\"tool\",\"name\":\"http\",\"arguments\":{\"method\":\"GET\","
		"\"url\":\"https://[::1]:8443/%C3%A4%20%22x%5C\"}}");
	SAYS(IN(.method = STR("GET"), .target = STR("/"), .host = STR("a:80"),
		     .forwarded_proto = STR("http, https")),
		"{\"type\":\"tool\",\"name\":\"http\",\"arguments\":{\"method\":\"GET\",\"url\":\"http://a/\"}}");
	SAYS(IN(.method = STR("GET"), .target = STR("/"), .host = STR("a"),
		     .body = STR("{")),
		"{\"type\":\"tool\",\"name\":\"http\",\"arguments\":{\"method\":\"GET\",\"url\":\"https://a/\",\"body\":{"
		"\"sha256\":\"021fb596db81e6d02bf3d2586ee3981fe519f275c0ac9ca76bbcf2ebb4097d96\",\"bytes\":1}}}");
}

static void the_query_may_stand_behind_the_path(void **state)
{
	struct original_request r = { .method = STR("GET"),
		.target = STR("/?b=1"),
		.host = STR("a"),
		.forwarded_uri = STR("/a?b=1"),
		.forwarded_method = STR("PUT") };

	(void)state;
	assert_string_equal(said(&r),
		"{\"type\":\"tool\",\"name\":\"http\",\"arguments\":{\"method\":\"PUT\",\"url\":\"https://a/a?b=1\"}}");
	for (int i = 0; i < 3; i++) {
		r.target =
			(const struct str[]){ STR("/?b=2"), STR("/c?b=1"), STR("/?") }[i];
		assert_string_equal(said(&r),
			"the path and the header with the original URI differ: use /v1/authorize/");
	}
}

static void what_is_not_sure_is_refused(void **state)
{
	static const char differ[] = "X-Original and X-Forwarded headers differ";

	(void)state;
	SAYS(IN(.target = STR("/"), .host = STR("a"), .original_uri = STR("/a"),
		     .original_method = STR("GET"), .forwarded_uri = STR("/b")),
		differ);
	SAYS(IN(.target = STR("/"), .host = STR("a"), .original_uri = STR("/a"),
		     .original_method = STR("GET"), .forwarded_method = STR("PUT")),
		differ);
	SAYS(IN(.target = STR("/"), .host = STR("a"), .original_uri = STR("/a"),
		     .forwarded_method = STR("GET")),
		"X-Original-Method or X-Forwarded-Method is missing");
	SAYS(IN(.method = STR("GET"), .target = STR("/b"), .host = STR("a"),
		     .original_uri = STR("/a"), .original_method = STR("GET")),
		"the path and the header with the original URI differ: use /v1/authorize/");
	SAYS(IN(.method = STR("GET"), .target = STR("/"), .host = STR("a/b")),
		"the original host is not known");
	SAYS(IN(.method = STR("GET"), .target = STR("/"), .host = STR("")),
		"the original host is not known");
	SAYS(IN(.method = STR("GET"), .target = STR("")),
		"the original URI must begin with /");
	SAYS(IN(.method = STR("GET"), .target = STR("/"), .partial = STR("true")),
		"only a part of the body came: raise max_request_bytes");
}

static void calls_of_tools(void **state)
{
	(void)state;
	SAYS(IN(.server = STR("git-hub"),
		     .body = STR(
			     "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"a.b\"}}")),
		"{\"type\":\"mcp\",\"name\":\"mcp__git-hub__a.b\",\"arguments\":{}}");
	SAYS(IN(.server = STR("a"),
		     .body = STR("{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}")),
		"pass");
	SAYS(IN(.server = STR("a"),
		     .body = STR(
			     "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"method\":\"tools/call\"}")),
		"the body is not JSON-RPC");
	SAYS(IN(.server = STR("a"), .body = STR("[]")),
		"batches of JSON-RPC are not let through");
	SAYS(IN(.server = STR("a"),
		     .body = STR("{\"jsonrpc\":\"1.0\",\"method\":\"ping\"}")),
		"the body is not JSON-RPC");
	SAYS(IN(.server = STR("-a"), .body = STR("{}")),
		"Parley-Server is not the name of a server");
	SAYS(IN(.server = STR(""), .body = STR("{}")),
		"Parley-Server is not the name of a server");
	SAYS(IN(.server = STR("a")), "a request to an MCP server needs its body");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(the_request_itself),
		KIT_TEST(the_query_may_stand_behind_the_path),
		KIT_TEST(what_is_not_sure_is_refused),
		KIT_TEST(calls_of_tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
