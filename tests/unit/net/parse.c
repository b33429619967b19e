/* What is a request and what is refused, without a socket. */
#include "net/http_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#include <cmocka.h>

#include "base/mem.h"

#define HOST "Host: x\r\n"

/* The status of the refusal, 0 for "not whole yet", 1 for a request. */
static int outcome(struct http_reading *r, struct str bytes, size_t piece)
{
	enum parse_step step = PARSE_MORE;

	reading_clear(r);
	reading_begin(r, 32 * 1024, 1000);
	while (bytes.len > 0) {
		size_t n = reading_feed(r, str_first(bytes, piece), &step);

		bytes = str_from(bytes, n);
		if (step == PARSE_DONE) return 1;
		if (step == PARSE_REFUSED) return r->status;
	}
	return 0;
}

struct example {
	const char *bytes;
	int outcome;
};

static void check_all(const struct example *examples, size_t n)
{
	struct http_reading *r = calloc(1, sizeof *r);

	for (size_t i = 0; i < n; i++) {
		struct str bytes = str_of(examples[i].bytes);

		for (size_t piece = 1; piece <= bytes.len; piece += piece > 8 ? 13 : 1) {
			int got = outcome(r, bytes, piece);

			if (got != examples[i].outcome)
				fail_msg("%d, not %d (%s): %s", got, examples[i].outcome,
					r->detail ? r->detail : "", examples[i].bytes);
		}
	}
	reading_done(r);
	free(r);
}

#define CHECK_ALL(examples) check_all(examples, sizeof(examples) / sizeof *(examples))

static void what_is_well_formed_is_taken(void **state)
{
	const struct example examples[] = {
		{ "GET / HTTP/1.1\r\n" HOST "\r\n", 1 },
		{ "GET / HTTP/1.0\r\n\r\n", 1 },
		{ "GET / HTTP/1.1\r\nHost:\r\n\r\n", 1 },
		{ "\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n", 1 },
		{ "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", 1 },
		{ "GET http://x/p?q HTTP/1.1\r\n" HOST "\r\n", 1 },
		{ "GET HTTP://X HTTP/1.1\r\n" HOST "\r\n", 1 },
		{ "PROPFIND /a HTTP/1.1\r\n" HOST "\r\n", 1 },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
			1 },
		{ "GET / HTTP/1.1\r\n" HOST
		  "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
			1 },
		{ "GET / HTTP/1.1\r\n" HOST "A: \t b c \t\r\nB:\r\n\r\n", 1 },
		{ "GET / HTTP/1.1\r\n" HOST "A: \xc3\xa9\r\n\r\n", 1 },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", 1 },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc", 1 },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nab", 0 },
		{ "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: Chunked\r\n\r\n"
		  "3;a=\"b\"\r\nabc\r\n00A \t;x\r\n0123456789\r\n0;end\r\nT: x\r\nU: "
		  "y\r\n\r\n",
			1 },
		{ "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n0\r\n\r",
			0 },
	};

	(void)state;
	CHECK_ALL(examples);
}

static void what_makes_framing_doubtful_is_refused(void **state)
{
	const struct example examples[] = {
		{ "POST / HTTP/1.1\r\n" HOST
		  "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
			400 },
		{ "POST / HTTP/1.1\r\n" HOST
		  "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
			400 },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length: 3, 3\r\n\r\nabc", 400 },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length: +3\r\n\r\nabc", 400 },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length: -3\r\n\r\nabc", 400 },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length: 3 4\r\n\r\nabc", 400 },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length: 0x3\r\n\r\nabc", 400 },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length:\r\n\r\nabc", 400 },
		{ "POST / HTTP/1.1\r\n" HOST
		  "Content-Length: 99999999999999999999\r\n\r\n",
			400 },
		{ "POST / HTTP/1.1\r\n" HOST
		  "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			400 },
		{ "POST / HTTP/1.1\r\n" HOST
		  "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
			400 },
		{ "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n",
			400 },
		{ "POST / HTTP/1.1\r\n" HOST
		  "Transfer-Encoding: chunked, identity\r\n\r\n",
			400 },
		{ "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: xchunked\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\n" HOST
		  "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
			400 },
		{ "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding : chunked\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding:\x0b"
		  "chunked\r\n\r\n",
			400 },
	};

	(void)state;
	CHECK_ALL(examples);
}

static void loose_lines_are_refused(void **state)
{
	const struct example examples[] = {
		{ "GET / HTTP/1.1\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n" HOST HOST "\r\n", 400 },
		{ "GET / HTTP/1.0\r\n" HOST HOST "\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost\t: x\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n" HOST "A b: c\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n" HOST ": c\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n" HOST "no colon\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n" HOST "A: b\r\n c\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n" HOST "A: b\r\n\tc\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\n" HOST "\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\n\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\ry\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\r\n" HOST "\r\n", 400 },
		{ "GET / HTTP/1.1\r\n" HOST "A: \x01\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n" HOST "A\x01: b\r\n\r\n", 400 },
		{ "GET  / HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "GET / HTTP/1.1 \r\n" HOST "\r\n", 400 },
		{ "GET /a b HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "GET\t/ HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "\n\nGET / HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "\rGET / HTTP/1.1\r\n" HOST "\r\n", 400 },
	};

	(void)state;
	CHECK_ALL(examples);
}

static void what_is_not_http_1_is_refused(void **state)
{
	const struct example examples[] = {
		{ "GET /\r\n\r\n", 400 },
		{ "GET / HTTP/0.9\r\n" HOST "\r\n", 400 },
		{ "GET / HTTP/1.2\r\n" HOST "\r\n", 400 },
		{ "GET / HTTP/2.0\r\n" HOST "\r\n", 400 },
		{ "GET / http/1.1\r\n" HOST "\r\n", 400 },
		{ "GET / RTSP/1.0\r\n" HOST "\r\n", 400 },
		{ "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400 },
		{ "get / HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "FROB / HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "\x16\x03\x01", 400 },
		{ "GET * HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "GET a HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "GET /a#b HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "GET /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "GET http://y/ HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "GET http://u@x/ HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "GET ftp://x/ HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "CONNECT x:80 HTTP/1.1\r\n" HOST "\r\n", 400 },
		{ "POST / HTTP/1.1\r\n" HOST
		  "Expect: 200-ok\r\nContent-Length: 1\r\n\r\na",
			417 },
	};

	(void)state;
	CHECK_ALL(examples);
}

#define CHUNKED "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"

static void loose_chunks_are_refused(void **state)
{
	const struct example examples[] = {
		{ CHUNKED "3\nabc\r\n0\r\n\r\n", 400 },
		{ CHUNKED "3\rabc\r\n0\r\n\r\n", 400 },
		{ CHUNKED "3\r\nabc\n0\r\n\r\n", 400 },
		{ CHUNKED "3\r\nabcd\r\n0\r\n\r\n", 400 },
		{ CHUNKED "3\r\nabc0\r\n\r\n", 400 },
		{ CHUNKED "0x3\r\nabc\r\n0\r\n\r\n", 400 },
		{ CHUNKED "-3\r\nabc\r\n0\r\n\r\n", 400 },
		{ CHUNKED " 3\r\nabc\r\n0\r\n\r\n", 400 },
		{ CHUNKED "\r\n0\r\n\r\n", 400 },
		{ CHUNKED "g\r\n", 400 },
		{ CHUNKED "3;a\nb\r\nabc\r\n0\r\n\r\n", 400 },
		{ CHUNKED "0000000000000003\r\nabc\r\n0\r\n\r\n", 400 },
		{ CHUNKED "0\r\nT: x\n\r\n", 400 },
		{ CHUNKED "0\r\n\rX", 400 },
		{ CHUNKED "3e9\r\n", 413 },
		{ CHUNKED "fffffffffffffff\r\n", 413 },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length: 1001\r\n\r\n", 413 },
	};

	(void)state;
	CHECK_ALL(examples);
}

static void a_request_is_taken_apart(void **state)
{
	struct http_reading *r = calloc(1, sizeof *r);
	const struct http_request *q = &r->request;

	(void)state;
	assert_int_equal(outcome(r,
				 STR("POST /a/b%20c?d=e&f HTTP/1.1\r\nHOST: x:1\r\n"
				     "X-Mixed-CASE: Value \r\nEmpty:\r\nContent-Length: "
				     "2\r\n\r\nhi"),
				 5),
		1);
	assert_int_equal(q->method, HTTP_M_POST);
	assert_true(str_is(q->target, "/a/b%20c?d=e&f"));
	assert_true(str_is(q->path, "/a/b%20c"));
	assert_true(str_is(q->query, "d=e&f"));
	assert_true(str_is(q->body, "hi"));
	assert_int_equal(q->headers_len, 4);
	assert_true(str_is(q->headers[0].name, "host"));
	assert_true(str_is(http_header(q, "x-mixed-case"), "Value"));
	assert_true(str_is(http_header(q, "empty"), ""));
	assert_null(http_header(q, "absent").at);
	assert_true(r->keep_alive);

	assert_int_equal(outcome(r,
				 STR("GET http://x?q HTTP/1.1\r\n" HOST
				     "Connection: close\r\n\r\n"),
				 1000),
		1);
	assert_true(str_is(q->path, "/"));
	assert_true(str_is(q->query, "q"));
	assert_false(r->keep_alive);

	assert_int_equal(
		outcome(r, STR(CHUNKED "3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n"), 1), 1);
	assert_true(str_is(q->body, "abcde"));
	reading_done(r);
	free(r);
}

static void heads_have_a_limit(void **state)
{
	struct http_reading *r = calloc(1, sizeof *r);
	struct buf b = { 0 };

	(void)state;
	buf_add_text(&b, "GET /");
	for (int i = 0; i < 8192; i++)
		buf_add_char(&b, 'a');
	buf_add_text(&b, " HTTP/1.1\r\n" HOST "\r\n");
	assert_int_equal(outcome(r, buf_str(&b), 1000), 414);
	buf_drop(&b, 1); /* one byte less is fine */
	memcpy(b.at, "GET /", 5);
	assert_int_equal(outcome(r, buf_str(&b), 1000), 1);

	buf_clear(&b);
	buf_add_text(&b, "GET /");
	for (int i = 0; i < 33000; i++)
		buf_add_char(&b, 'a');
	assert_int_equal(outcome(r, buf_str(&b), 1000), 431);

	buf_clear(&b);
	buf_add_text(&b, "GET / HTTP/1.1\r\n" HOST "A: ");
	for (int i = 0; i < 33000; i++)
		buf_add_char(&b, 'a');
	assert_int_equal(outcome(r, buf_str(&b), 1000), 431);

	buf_clear(&b);
	buf_add_text(&b, "GET / HTTP/1.1\r\n" HOST);
	for (int i = 0; i < HEADERS_MAX; i++)
		buf_add_text(&b, "a: b\r\n");
	buf_add_text(&b, "\r\n");
	assert_int_equal(outcome(r, buf_str(&b), 1000), 431);

	buf_clear(&b);
	buf_add_text(&b, CHUNKED "1;");
	for (int i = 0; i < 33000; i++)
		buf_add_char(&b, 'a');
	assert_int_equal(outcome(r, buf_str(&b), 1000), 431);
	buf_done(&b);
	reading_done(r);
	free(r);
}

static void who_expects_continue_is_told_once(void **state)
{
	struct http_reading *r = calloc(1, sizeof *r);
	struct str bytes = STR("PUT / HTTP/1.1\r\n" HOST "Expect: 100-Continue\r\n"
			       "Content-Length: 1\r\n\r\na");
	enum parse_step step;
	size_t n;

	(void)state;
	reading_begin(r, 1000, 1000);
	n = reading_feed(r, bytes, &step);
	assert_int_equal(step, PARSE_CONTINUE);
	assert_int_equal(n, bytes.len - 1);
	assert_int_equal(reading_feed(r, str_from(bytes, n), &step), 1);
	assert_int_equal(step, PARSE_DONE);
	reading_done(r);
	free(r);
}

static void escapes_are_decoded_strictly(void **state)
{
	struct arena arena = { 0 };
	struct str out;

	(void)state;
	assert_true(http_decode(STR("a%20b+c%C3%a9"), false, &arena, &out));
	assert_true(str_is(out, "a b+c\xc3\xa9"));
	assert_true(http_decode(STR("a+b"), true, &arena, &out));
	assert_true(str_is(out, "a b"));
	assert_true(http_decode(STR(""), true, &arena, &out));
	assert_false(http_decode(STR("%"), false, &arena, &out));
	assert_false(http_decode(STR("%4"), false, &arena, &out));
	assert_false(http_decode(STR("%4g"), false, &arena, &out));
	assert_false(http_decode(STR("a%00"), false, &arena, &out));
	assert_false(http_decode(STR("%ff"), false, &arena, &out));
	assert_false(http_decode(STR("%c0%af"), false, &arena, &out));
	arena_done(&arena);
}

static void any_allocation_may_fail(void **state)
{
	struct http_reading *r = calloc(1, sizeof *r);

	(void)state;
	for (uint64_t n = 1;; n++) {
		int got;

		mem_fail_at(n, 0);
		got = outcome(r, STR(CHUNKED "3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n"), 7);
		mem_fail_at(0, 0);
		reading_done(r);
		if (got == 1) break;
		assert_int_equal(got, 503);
	}
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_well_formed_is_taken),
		cmocka_unit_test(what_makes_framing_doubtful_is_refused),
		cmocka_unit_test(loose_lines_are_refused),
		cmocka_unit_test(what_is_not_http_1_is_refused),
		cmocka_unit_test(loose_chunks_are_refused),
		cmocka_unit_test(a_request_is_taken_apart),
		cmocka_unit_test(heads_have_a_limit),
		cmocka_unit_test(who_expects_continue_is_told_once),
		cmocka_unit_test(escapes_are_decoded_strictly),
		cmocka_unit_test(any_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
