#include "client/client.h"

#include "unit.h"

static void the_origin_is_scheme_and_authority(void **state)
{
	(void)state;
	CHECK_STR(url_origin(STR("http://127.0.0.1:7275/login#k")),
		"http://127.0.0.1:7275");
	CHECK_STR(
		url_origin(STR("https://desk.example.org")), "https://desk.example.org");
	CHECK_STR(url_origin(STR("http://[::1]:1?x")), "http://[::1]:1");
	CHECK_STR(url_origin(STR("http://")), "");
	CHECK_STR(url_origin(STR("k2hq")), "");
}

static void foreign_text_cannot_change_a_path(void **state)
{
	struct buf out = { 0 };

	(void)state;
	url_add(&out, STR("a_b-c.d~e/../?x=1&y#z%\n\xc3\xbc"));
	CHECK_STR(buf_str(&out), "a_b-c.d~e%2F..%2F%3Fx%3D1%26y%23z%25%0A%C3%BC");
	buf_done(&out);
}

static void an_address_that_is_none_is_refused(void **state)
{
	struct fault why = { 0 };
	struct client_setup setup = { .url = STR("desk.example.org"), .stop_fd = -1 };

	(void)state;
	CHECK(client_new(&setup, &why) == NULL);
	CHECK_INT(why.err, ERR_INVALID);
	setup.url = STR("unix:/run/parley.sock");
	struct client *c = client_new(&setup, &why);
	assert_non_null(c);
	client_free(c);
}

static void a_server_that_is_not_there_is_told_at_once(void **state)
{
	struct client_setup setup = { .url = STR("http://127.0.0.1:1"), .stop_fd = -1 };
	struct api_call call = { .method = "GET", .path = STR("/v1/me") };
	struct patience patience = { .total_ms = 60000, .must_connect = true };
	struct fault why = { 0 };
	struct arena arena = { 0 };
	struct api_reply reply;
	struct client *c = client_new(&setup, &why);

	(void)state;
	assert_non_null(c);
	CHECK_INT(client_insist(c, &call, &patience, &arena, &reply, &why),
		ERR_UNAVAILABLE);
	CHECK_INT(reply.status, 0);
	CHECK(!reply.connected && !reply.stopped);
	client_free(c);
	arena_done(&arena);
}

static void keys_differ(void **state)
{
	struct arena arena = { 0 };

	(void)state;
	CHECK_INT(key_make(&arena).len, 32);
	CHECK(!str_eq(key_make(&arena), key_make(&arena)));
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_origin_is_scheme_and_authority),
		TEST(foreign_text_cannot_change_a_path),
		TEST(an_address_that_is_none_is_refused),
		TEST(a_server_that_is_not_there_is_told_at_once),
		TEST(keys_differ),
	};

	return RUN(tests);
}
