/* What a peer sees on the wire: replies, keep-alive, pipelines, refusals, half-closes. */
#include "stand.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define HOST	  "Host: x\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\n" HOST "\r\n"

static struct stand *stand;

static int set_up(void **state)
{
	(void)state;
	stand = stand_new(NULL, NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	stand_free(stand);
	return 0;
}

/* Sends, and expects a whole reply with this status and body (NULL: any) on fd. */
static void expect(int fd, const char *request, int status, const char *body)
{
	struct reply r;

	peer_send(fd, request);
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.status, status);
	if (body) assert_string_equal(buf_text(&r.body), body);
	reply_done(&r);
}

static void a_connection_carries_many_requests(void **state)
{
	int fd = peer_open(stand);

	(void)state;
	expect(fd, GET("/"), 200, "hello");
	expect(fd, GET("/later"), 200, "hello");
	expect(fd, GET("/pieces"), 200, "onetwo");
	expect(fd, GET("/empty"), 204, "");
	expect(fd, "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc", 200,
		"abc");
	expect(fd,
		"POST /echo HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
		"3;x\r\nabc\r\n2\r\nde\r\n0\r\nT: x\r\n\r\n",
		200, "abcde");
	expect(fd, GET("/"), 200, "hello");
	close(fd);
}

static void a_reply_has_its_headers(void **state)
{
	int fd = peer_open(stand);
	struct reply r;

	(void)state;
	peer_send(fd, GET("/headers"));
	assert_true(peer_reply(fd, &r));
	assert_non_null(strstr(r.head, "HTTP/1.1 200 OK\nDate: "));
	assert_non_null(
		strstr(r.head, " GMT\nContent-Type: text/plain\nContent-Length: 5\n"
			       "X-Test: yes\n"));
	assert_null(strstr(r.head, "Connection:"));
	reply_done(&r);
	peer_send(fd, GET("/empty"));
	assert_true(peer_reply(fd, &r));
	assert_null(strstr(r.head, "Content-"));
	reply_done(&r);
	close(fd);
}

static void head_gets_the_headers_of_get_and_no_body(void **state)
{
	int fd = peer_open(stand);
	struct reply r;

	(void)state;
	peer_send(fd, "HEAD / HTTP/1.1\r\n" HOST "\r\n");
	assert_true(peer_head(fd, &r));
	assert_non_null(strstr(r.head, "Content-Length: 5\n"));
	peer_send(fd, "HEAD /pieces HTTP/1.1\r\n" HOST "\r\n");
	assert_true(peer_head(fd, &r));
	assert_non_null(strstr(r.head, "Transfer-Encoding: chunked\n"));
	expect(fd, GET("/"), 200, "hello");
	close(fd);
}

static void who_asks_to_close_is_closed(void **state)
{
	int fd = peer_open(stand);
	struct reply r;

	(void)state;
	peer_send(fd, "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
	assert_true(peer_reply(fd, &r));
	assert_non_null(strstr(r.head, "Connection: close\n"));
	reply_done(&r);
	assert_true(peer_at_end(fd));
	close(fd);
}

static void http_1_0_closes_unless_asked_and_is_not_chunked(void **state)
{
	int fd = peer_open(stand);
	struct reply r;
	char body[6];

	(void)state;
	peer_send(fd, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
	assert_true(peer_reply(fd, &r));
	assert_non_null(strstr(r.head, "Connection: keep-alive\n"));
	reply_done(&r);
	peer_send(fd, "GET /pieces HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
	assert_true(peer_head(fd, &r));
	assert_null(strstr(r.head, "Transfer-Encoding"));
	assert_true(peer_read(fd, body, 6));
	assert_memory_equal(body, "onetwo", 6);
	assert_true(peer_at_end(fd));
	close(fd);

	fd = peer_open(stand);
	expect(fd, "GET / HTTP/1.0\r\n\r\n", 200, "hello");
	assert_true(peer_at_end(fd));
	close(fd);
}

enum { PIPELINE = 100 };

static void pipeline(size_t piece)
{
	static const char *const paths[] = { "/", "/later", "/pieces", "/echo" };
	int fd = peer_open(stand);
	struct buf b = { 0 };
	struct reply r;

	for (int i = 0; i < PIPELINE; i++)
		buf_print(&b, "POST %s HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\n%03d",
			paths[i % 4], i);
	for (struct str left = buf_str(&b); left.len > 0; left = str_from(left, piece))
		peer_send_bytes(fd, str_first(left, piece));
	for (int i = 0; i < PIPELINE; i++) {
		char number[16];

		assert_true(peer_reply(fd, &r));
		snprintf(number, sizeof number, "%03d", i);
		assert_string_equal(buf_text(&r.body), i % 4 == 3   ? number
						       : i % 4 == 2 ? "onetwo"
								    : "hello");
		reply_done(&r);
	}
	close(fd);
	buf_done(&b);
}

static void a_hundred_requests_in_one_segment_are_answered_in_order(void **state)
{
	(void)state;
	pipeline(1 << 20);
}

static void a_hundred_requests_byte_by_byte_are_answered_in_order(void **state)
{
	(void)state;
	pipeline(1);
}

static void a_pipeline_larger_than_what_is_kept_is_answered_whole(void **state)
{
	int fd = peer_open(stand);
	struct buf b = { 0 };
	struct reply r;

	(void)state;
	for (int i = 0; i < 6000; i++)
		buf_add_text(&b, GET("/later"));
	peer_send_bytes(fd, buf_str(&b));
	for (int i = 0; i < 6000; i++) {
		assert_true(peer_reply(fd, &r));
		reply_done(&r);
	}
	close(fd);
	buf_done(&b);
}

static void replies_larger_than_the_socket_arrive_whole(void **state)
{
	int fd = peer_open(stand);
	struct reply r;

	(void)state;
	peer_send(fd, GET("/big") GET("/big") GET("/"));
	usleep(50000);
	for (int i = 0; i < 2; i++) {
		assert_true(peer_reply(fd, &r));
		assert_int_equal(r.body.len, BIG);
		for (size_t k = 0; k < BIG; k += 4096)
			assert_int_equal(r.body.at[k], 'b');
		reply_done(&r);
	}
	assert_true(peer_reply(fd, &r));
	reply_done(&r);
	close(fd);
}

static void a_refusal_is_a_problem_and_the_end(void **state)
{
	static const struct {
		const char *request;
		int status;
		const char *type;
	} refusals[] = {
		{ "GET / HTTP/1.1\r\n\r\n", 400, "/problems/bad-request" },
		{ "nonsense\r\n\r\n", 400, "/problems/bad-request" },
		{ "POST / HTTP/1.1\r\n" HOST
		  "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
			400, "/problems/bad-request" },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length: 9999999\r\n\r\n", 413,
			"/problems/too-large" },
		{ "POST / HTTP/1.1\r\n" HOST "Expect: x\r\nContent-Length: 9\r\n\r\n",
			417, "/problems/expectation-failed" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		int fd = peer_open(stand);
		struct reply r;
		char wanted[128];

		peer_send(fd, refusals[i].request);
		assert_true(peer_reply(fd, &r));
		assert_int_equal(r.status, refusals[i].status);
		assert_non_null(
			strstr(r.head, "Content-Type: application/problem+json\n"));
		assert_non_null(strstr(r.head, "Connection: close\n"));
		snprintf(wanted, sizeof wanted,
			"{\"type\":\"%s\",\"title\":", refusals[i].type);
		assert_memory_equal(buf_text(&r.body), wanted, strlen(wanted));
		reply_done(&r);
		assert_true(peer_at_end(fd));
		close(fd);
	}
}

static void who_is_refused_while_sending_can_read_why(void **state)
{
	int fd = peer_open(stand);
	char *filler = calloc(1, 200 * 1024);
	struct reply r;

	(void)state;
	peer_send(fd, "POST / HTTP/1.1\r\n" HOST "Content-Length: 9999999\r\n\r\n");
	peer_send_bytes(fd, str_make(filler, 100 * 1024));
	usleep(50000);
	peer_send_bytes(fd, str_make(filler, 100 * 1024));
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.status, 413);
	reply_done(&r);
	assert_true(peer_at_end(fd));
	close(fd);
	free(filler);
}

static void who_never_stops_sending_is_cut(void **state)
{
	int fd = peer_open(stand);
	char *filler = calloc(1, 1024 * 1024);
	bool cut = false;

	(void)state;
	peer_send(fd, "nonsense\r\n\r\n");
	for (int i = 0; i < 200 && !cut; i++)
		cut = peer_write(fd, filler, 1024 * 1024) < 0;
	assert_true(cut);
	close(fd);
	free(filler);
}

static void continue_is_sent_before_a_body_that_is_welcome(void **state)
{
	int fd = peer_open(stand);
	struct reply r;

	(void)state;
	peer_send(fd, "POST /echo HTTP/1.1\r\n" HOST
		      "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n");
	assert_true(peer_head(fd, &r));
	assert_string_equal(r.head, "HTTP/1.1 100 Continue\n");
	expect(fd, "abc", 200, "abc");
	expect(fd,
		"POST /echo HTTP/1.1\r\n" HOST
		"Expect: 100-continue\r\nContent-Length: 9999999\r\n\r\n",
		413, NULL);
	assert_true(peer_at_end(fd));
	close(fd);
}

static void upgrade_is_ignored(void **state)
{
	int fd = peer_open(stand);

	(void)state;
	expect(fd,
		"GET / HTTP/1.1\r\n" HOST "Connection: Upgrade, HTTP2-Settings\r\n"
		"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
		200, "hello");
	expect(fd, GET("/"), 200, "hello");
	close(fd);
}

static void a_half_closed_peer_gets_its_replies(void **state)
{
	int fd = peer_open(stand);
	struct reply r;

	(void)state;
	peer_send(fd, GET("/later") GET("/later") GET("/pieces"));
	shutdown(fd, SHUT_WR);
	for (int i = 0; i < 3; i++) {
		assert_true(peer_reply(fd, &r));
		reply_done(&r);
	}
	assert_true(peer_at_end(fd));
	close(fd);
}

static void bodies_up_to_the_limit_are_taken(void **state)
{
	int fd = peer_open(stand);
	size_t len = 1024 * 1024;
	char *body = malloc(len);
	struct reply r;

	(void)state;
	memset(body, 'x', len);
	peer_send(fd, "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 1048576\r\n\r\n");
	peer_send_bytes(fd, str_make(body, len));
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.body.len, len);
	reply_done(&r);
	close(fd);
	free(body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_connection_carries_many_requests),
		cmocka_unit_test(a_reply_has_its_headers),
		cmocka_unit_test(head_gets_the_headers_of_get_and_no_body),
		cmocka_unit_test(who_asks_to_close_is_closed),
		cmocka_unit_test(http_1_0_closes_unless_asked_and_is_not_chunked),
		cmocka_unit_test(a_hundred_requests_in_one_segment_are_answered_in_order),
		cmocka_unit_test(a_hundred_requests_byte_by_byte_are_answered_in_order),
		cmocka_unit_test(a_pipeline_larger_than_what_is_kept_is_answered_whole),
		cmocka_unit_test(replies_larger_than_the_socket_arrive_whole),
		cmocka_unit_test(a_refusal_is_a_problem_and_the_end),
		cmocka_unit_test(who_is_refused_while_sending_can_read_why),
		cmocka_unit_test(who_never_stops_sending_is_cut),
		cmocka_unit_test(continue_is_sent_before_a_body_that_is_welcome),
		cmocka_unit_test(upgrade_is_ignored),
		cmocka_unit_test(a_half_closed_peer_gets_its_replies),
		cmocka_unit_test(bodies_up_to_the_limit_are_taken),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
