/* Requests that a thread waits for: pieces, silence, stops, addresses that are refused. */
#include "net/fetch.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"

#define HEAD   "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
#define STREAM HEAD "Transfer-Encoding: chunked\r\n\r\n"

/* ---- a peer that answers by the path, one connection after the other ---- */

static struct {
	int listener, port;
	atomic_int connections;
	pthread_t thread;
} peer;

/* Says back how it was asked: method, the header x-key, body. */
static bool peer_echo(int fd, const char *request)
{
	const char *key = strstr(request, "x-key: "), *body = strstr(request, "\r\n\r\n");
	char said[128], reply[256];
	int n;

	if (!key || !body) return false;
	snprintf(said, sizeof said, "%.*s %.*s %s", (int)strcspn(request, " "), request,
		(int)strcspn(key + 7, "\r"), key + 7, body + 4);
	n = snprintf(reply, sizeof reply, HEAD "Content-Length: %zu\r\n\r\n%s",
		strlen(said), said);
	return write(fd, reply, (size_t)n) == n;
}

/* False: the connection is over. */
static bool peer_answer(int fd, const char *path)
{
	static const struct {
		const char *path, *reply;
		bool stays; /* says no more, and does not close */
		bool closes;
	} replies[] = {
		{ "/whole", HEAD "Content-Length: 5\r\n\r\nhello", 0, 0 },
		{ "/pieces", STREAM "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n", 0, 0 },
		{ "/cut", STREAM "3\r\none\r\n", 0, 1 },
		{ "/silent", STREAM "3\r\none\r\n", 1, 0 },
		{ "/mute", "", 1, 0 },
		{ "/busy",
			"HTTP/1.1 529 Busy\r\nretry-after-ms: 1234\r\nRetry-After: 9\r\n"
			"x-should-retry: false\r\nContent-Length: 2\r\n\r\n{}",
			0, 0 },
		{ "/later",
			"HTTP/1.1 429 No\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n",
			0, 0 },
		{ "/moved",
			"HTTP/1.1 302 Found\r\nLocation: /whole\r\nContent-Length: 0\r\n\r\n",
			0, 0 },
	};
	char rest[64];

	for (size_t i = 0; i < sizeof replies / sizeof *replies; i++)
		if (strcmp(path, replies[i].path) == 0) {
			if (write(fd, replies[i].reply, strlen(replies[i].reply)) < 0)
				return false;
			if (replies[i].stays)
				while (read(fd, rest, sizeof rest) > 0)
					continue;
			return !replies[i].closes && !replies[i].stays;
		}
	return false;
}

static void *peer_serve(void *arg)
{
	int fd;

	while ((fd = accept(peer.listener, NULL, NULL)) >= 0) {
		char text[2048] = "", path[32];
		ssize_t n;

		peer.connections++;
		while ((n = read(fd, text, sizeof text - 1)) > 0) {
			text[n] = 0;
			if (sscanf(text, "%*s %31s", path) != 1) break;
			if (strcmp(path, "/echo") == 0 ? !peer_echo(fd, text)
						       : !peer_answer(fd, path))
				break;
		}
		close(fd);
	}
	return arg;
}

static int peer_start(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof at;

	(void)state;
	peer.listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(peer.listener, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(peer.listener, 8), 0);
	getsockname(peer.listener, (struct sockaddr *)&at, &len);
	peer.port = ntohs(at.sin_port);
	return pthread_create(&peer.thread, NULL, peer_serve, NULL);
}

static int peer_end(void **state)
{
	(void)state;
	shutdown(peer.listener, SHUT_RDWR);
	pthread_join(peer.thread, NULL);
	close(peer.listener);
	return 0;
}

/* ---- the other side ---- */

static struct buf got;
static bool lively = true;

static bool take(void *ctx, int status, struct str bytes)
{
	(void)ctx;
	if (got.len == 0) buf_print(&got, "%d:", status);
	buf_add(&got, bytes);
	return lively;
}

static bool anywhere(void *ctx, const uint8_t address[16])
{
	(void)ctx;
	return address[12] == 127;
}

static bool nowhere(void *ctx, const uint8_t address[16])
{
	(void)ctx;
	(void)address;
	return false;
}

static struct fetch_end fetch(
	struct fetcher *f, const char *path, const struct fetch_request *how)
{
	static const char *const headers[] = { "content-type: application/json", NULL };
	struct fetch_request r = how ? *how : (struct fetch_request){ .stop_fd = -1 };
	struct fetch_end end;
	char url[80];

	snprintf(url, sizeof url, "http://127.0.0.1:%d%s", peer.port, path);
	r.url = url;
	if (!r.headers) r.headers = headers;
	if (!r.get && !r.body.len) r.body = STR("{}");
	if (!r.timeout_ms) r.timeout_ms = 20000;
	if (!r.may_connect) r.may_connect = anywhere;
	r.take = take;
	buf_clear(&got);
	fetcher_run(f, &r, &end);
	return end;
}

static void replies_are_handed_over_and_connections_kept(void **state)
{
	struct fetcher *f = fetcher_new(NULL);
	struct fetch_end end = fetch(f, "/whole", NULL);
	int before = peer.connections;

	(void)state;
	assert_int_equal(end.how, FETCH_WHOLE);
	assert_int_equal(end.status, 200);
	assert_int_equal(end.retry_after_ms, -1);
	assert_string_equal(end.error, "");
	assert_string_equal(buf_text(&got), "200:hello");
	end = fetch(f, "/pieces", &(struct fetch_request){ .stop_fd = -1, .get = true });
	assert_int_equal(end.how, FETCH_WHOLE);
	assert_string_equal(buf_text(&got), "200:onetwo");
	assert_int_equal(peer.connections, before);
	fetcher_free(f);
}

/* Though what does not change is not set up again. */
static void each_request_is_sent_as_it_is(void **state)
{
	static const char *const one[] = { "x-key: one", NULL };
	static const char *const two[] = { "x-key: two", NULL };
	static const char *const more[] = { "x-more: 1", "x-key: two", NULL };
	static const struct {
		struct fetch_request request;
		const char *reply;
	} cases[] = {
		{ { .headers = one, .body = { "a", 1 } }, "200:POST one a" },
		{ { .headers = one, .body = { "b", 1 } }, "200:POST one b" },
		{ { .headers = two, .body = { "b", 1 } }, "200:POST two b" },
		{ { .headers = more, .body = { "c", 1 } }, "200:POST two c" },
		{ { .headers = two, .get = true }, "200:GET two " },
		{ { .headers = two, .body = { "d", 1 } }, "200:POST two d" },
	};
	struct fetcher *f = fetcher_new(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fetch_request r = cases[i].request;

		r.stop_fd = -1;
		assert_int_equal(fetch(f, "/echo", &r).how, FETCH_WHOLE);
		assert_string_equal(buf_text(&got), cases[i].reply);
	}
	fetch(f, "/whole", NULL);
	assert_string_equal(buf_text(&got), "200:hello");
	fetcher_free(f);
}

static bool not_now(void *ctx)
{
	(void)ctx;
	return false;
}

static void a_request_that_may_not_be_sent_is_not(void **state)
{
	struct fetcher *f = fetcher_new(NULL);
	struct fetch_end end = fetch(f, "/whole",
		&(struct fetch_request){ .stop_fd = -1, .may_send = not_now });

	(void)state;
	assert_int_not_equal(end.how, FETCH_WHOLE);
	assert_int_equal(end.status, 0);
	assert_int_equal(got.len, 0);
	end = fetch(f, "/whole", NULL);
	assert_int_equal(end.how, FETCH_WHOLE);
	fetcher_free(f);
}

static void what_the_headers_ask_for_is_told(void **state)
{
	struct fetcher *f = fetcher_new(NULL);
	struct fetch_end end = fetch(f, "/busy", NULL);

	(void)state;
	assert_int_equal(end.status, 529);
	assert_int_equal(end.retry_after_ms, 1234);
	assert_true(end.no_retry);
	end = fetch(f, "/later", NULL);
	assert_int_equal(end.status, 429);
	assert_int_equal(end.retry_after_ms, 7000);
	assert_false(end.no_retry);
	end = fetch(f, "/moved", NULL); /* is not followed */
	assert_int_equal(end.status, 302);
	assert_string_equal(buf_text(&got), "");
	fetcher_free(f);
}

static void a_reply_that_breaks_off_is_not_whole(void **state)
{
	struct fetcher *f = fetcher_new(NULL);
	struct fetch_end end = fetch(f, "/cut", NULL);

	(void)state;
	assert_int_equal(end.how, FETCH_CUT);
	assert_int_equal(end.status, 200);
	assert_true(strlen(end.error) > 0);
	assert_string_equal(buf_text(&got), "200:one");
	fetcher_free(f);
}

static void silence_and_time_have_their_bounds(void **state)
{
	struct fetcher *f = fetcher_new(NULL);
	int64_t began = clock_mono_ms();
	struct fetch_end end = fetch(
		f, "/silent", &(struct fetch_request){ .stop_fd = -1, .idle_ms = 150 });

	(void)state;
	assert_int_equal(end.how, FETCH_SILENT);
	assert_int_equal(end.status, 200);
	end = fetch(f, "/mute", &(struct fetch_request){ .stop_fd = -1, .idle_ms = 150 });
	assert_int_equal(end.how, FETCH_SILENT);
	assert_int_equal(end.status, 0);
	end = fetch(f, "/silent",
		&(struct fetch_request){ .stop_fd = -1, .timeout_ms = 150 });
	assert_int_equal(end.how, FETCH_TIMEOUT);
	assert_true(clock_mono_ms() - began >= 450);
	assert_true(clock_mono_ms() - began < 10000);
	fetcher_free(f);
}

static void *stop_soon(void *arg)
{
	uint64_t one = 1;

	usleep(50 * 1000);
	assert_int_equal(write(*(int *)arg, &one, sizeof one), sizeof one);
	return NULL;
}

static void a_descriptor_stops_it(void **state)
{
	struct fetcher *f = fetcher_new(NULL);
	int stop = eventfd(0, EFD_CLOEXEC);
	struct fetch_request how = { .stop_fd = stop };
	int64_t began = clock_mono_ms();
	struct fetch_end end;
	pthread_t thread;

	(void)state;
	pthread_create(&thread, NULL, stop_soon, &stop);
	end = fetch(f, "/mute", &how);
	assert_int_equal(end.how, FETCH_STOPPED);
	assert_true(clock_mono_ms() - began < 5000);
	pthread_join(thread, NULL);
	end = fetch(f, "/whole", &how); /* still asked for: nothing is sent */
	assert_int_equal(end.how, FETCH_STOPPED);
	assert_int_equal(end.status, 0);
	close(stop);
	fetcher_free(f);
}

static void addresses_are_asked_for(void **state)
{
	struct fetcher *f = fetcher_new(NULL);
	struct fetch_end end = fetch(f, "/whole",
		&(struct fetch_request){ .stop_fd = -1, .may_connect = nowhere });

	(void)state;
	assert_int_equal(end.how, FETCH_REFUSED);
	assert_string_equal(end.error, "127.0.0.1 may not be connected to");
	peer_end(NULL);
	end = fetch(f, "/whole", NULL);
	assert_int_equal(end.how, FETCH_UNREACHABLE);
	assert_true(strlen(end.error) > 0);
	peer_start(NULL);
	fetcher_free(f);
	buf_done(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replies_are_handed_over_and_connections_kept),
		cmocka_unit_test(each_request_is_sent_as_it_is),
		cmocka_unit_test(a_request_that_may_not_be_sent_is_not),
		cmocka_unit_test(what_the_headers_ask_for_is_told),
		cmocka_unit_test(a_reply_that_breaks_off_is_not_whole),
		cmocka_unit_test(silence_and_time_have_their_bounds),
		cmocka_unit_test(a_descriptor_stops_it),
		cmocka_unit_test(addresses_are_asked_for),
	};

	return cmocka_run_group_tests(tests, peer_start, peer_end);
}
