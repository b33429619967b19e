/* The server's own life: addresses, limits, time, memory, the end. */
#include "stand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

static int64_t now_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- time ---- */

/* ---- bodies that are being received ---- */

static int body_begun(struct stand *s, const char *path, size_t sent)
{
	static char bytes[64 * 1024];
	int fd = peer_open(s);

	peer_send(fd, "POST ");
	peer_send(fd, path);
	peer_send(fd, " HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
	for (size_t n; sent; sent -= n) {
		n = sent < sizeof bytes ? sent : sizeof bytes;
		peer_send_bytes(fd, str_make(bytes, n));
	}
	return fd;
}

static void bodies_that_are_not_whole_have_a_bound_together(void **state)
{
	struct http_limits limits = { .bodies_max = 300 * 1000 };
	struct stand *s = stand_new(NULL, &limits);
	static char bytes[64 * 1024];
	int held[3], fd;
	struct reply r;

	(void)state;
	for (int i = 0; i < 3; i++)
		held[i] = body_begun(s, "/echo", 90 * 1000);
	usleep(100 * 1000);
	fd = body_begun(s, "/echo", 90 * 1000);
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.status, 503);
	assert_non_null(strstr(r.head, "Retry-After: 1"));
	reply_done(&r);
	close(fd);
	/* Where 5xx would be taken for leave it is none. */
	fd = body_begun(s, "/may/I", 90 * 1000);
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.status, 403);
	assert_non_null(strstr(r.head, "X-May: no"));
	assert_true(str_find(buf_str(&r.body),
			    STR("\"type\":\"/problems/unavailable\"")) >= 0);
	assert_true(str_find(buf_str(&r.body), STR(",\"may\":false}")) >= 0);
	reply_done(&r);
	close(fd);
	/* Small ones go on. */
	assert_int_equal(stand_status(s, "POST /echo HTTP/1.1\r\nHost: x\r\n"
					 "Content-Length: 2\r\n\r\nhi"),
		200);
	for (int i = 0; i < 3; i++)
		close(held[i]);
	usleep(100 * 1000);
	fd = body_begun(s, "/echo", 250 * 1000);
	usleep(100 * 1000);
	assert_int_equal(stand_status(s, GET("/")), 200);
	for (int i = 0; i < 12; i++)
		peer_send_bytes(fd, str_make(bytes, sizeof bytes));
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.status, 503); /* alone, it is more than all may be */
	reply_done(&r);
	close(fd);
	stand_free(s);
}

static void an_idle_connection_is_closed_quietly(void **state)
{
	struct http_limits limits = { .idle_ms = 200 };
	struct stand *s = stand_new(NULL, &limits);
	int fresh = peer_open(s), used = peer_open(s);
	struct reply r;

	(void)state;
	peer_send(used, GET("/"));
	assert_true(peer_reply(used, &r));
	reply_done(&r);
	assert_true(peer_at_end(fresh));
	assert_true(peer_at_end(used));
	close(fresh);
	close(used);
	stand_free(s);
}

static void a_slow_sender_gets_408_however_busy_it_looks(void **state)
{
	struct http_limits limits = { .send_ms = 300 };
	struct stand *s = stand_new(NULL, &limits);
	int fd = peer_open(s);
	int64_t start = now_ms(CLOCK_MONOTONIC);
	struct reply r;
	char c;

	(void)state;
	peer_send(fd, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
	while (recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) < 0) {
		assert_true(now_ms(CLOCK_MONOTONIC) - start < STAND_PATIENCE_MS);
		peer_send(fd, "x");
		usleep(20000);
	}
	assert_true(now_ms(CLOCK_MONOTONIC) - start >= 300);
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.status, 408);
	reply_done(&r);
	assert_true(peer_at_end(fd));
	close(fd);
	stand_free(s);
}

static void who_was_told_to_continue_and_does_not_gets_408(void **state)
{
	struct http_limits limits = { .send_ms = 200 };
	struct stand *s = stand_new(NULL, &limits);
	int fd = peer_open(s);
	struct reply r;

	(void)state;
	peer_send(fd, "PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
		      "Content-Length: 3\r\n\r\n");
	assert_true(peer_head(fd, &r));
	assert_int_equal(r.status, 100);
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.status, 408);
	reply_done(&r);
	close(fd);
	stand_free(s);
}

static void a_parked_exchange_outlives_every_timer(void **state)
{
	struct http_limits limits = { .idle_ms = 100, .send_ms = 100, .write_ms = 100 };
	struct stand *s = stand_new(NULL, &limits);
	int fd = peer_open(s);

	(void)state;
	peer_send(fd, GET("/park"));
	usleep(400000); /* four times as long */
	assert_int_equal(atomic_load(&s->gone), 0);
	close(fd);
	stand_wait(&s->gone, 1);
	stand_free(s);
}

/* ---- numbers ---- */

static void one_connection_too_many_waits_for_its_turn(void **state)
{
	struct http_limits limits = { .connections = 2 };
	struct stand *s = stand_new(NULL, &limits);
	int a = peer_open(s), b = peer_open(s), c;
	struct reply r;
	char byte;

	(void)state;
	peer_send(a, GET("/"));
	assert_true(peer_reply(a, &r));
	reply_done(&r);
	peer_send(b, GET("/"));
	assert_true(peer_reply(b, &r));
	reply_done(&r);
	c = peer_open(s);
	peer_send(c, GET("/"));
	usleep(100000);
	assert_true(recv(c, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
	close(a);
	assert_true(peer_reply(c, &r));
	assert_int_equal(r.status, 200);
	reply_done(&r);
	close(b);
	close(c);
	stand_free(s);
}

static void without_descriptors_the_server_neither_spins_nor_dies(void **state)
{
	struct http_limits limits = { .connections = 1000 };
	struct stand *s = stand_new(NULL, &limits);
	struct rlimit files, few;
	int64_t cpu;
	struct reply r;
	int fd;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &files);
	few = files;
	/* The lowest free number goes to the peer, and the server has none for it. */
	fd = dup(0);
	close(fd);
	few.rlim_cur = (rlim_t)fd + 1;
	setrlimit(RLIMIT_NOFILE, &few);
	fd = peer_open(s);
	peer_send(fd, GET("/"));
	cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);
	usleep(700000);
	cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	assert_true(cpu < 300);
	setrlimit(RLIMIT_NOFILE, &files);
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.status, 200);
	reply_done(&r);
	close(fd);
	stand_free(s);
}

/* ---- memory ---- */

/* Whatever allocation fails, the peer gets a reply, a refusal or the end of the
 * connection, and the next one is served. */
static void any_allocation_may_fail(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	bool failed = true;

	(void)state;
	for (uint64_t n = 1; failed && n < 200; n++) {
		static struct reply r;
		int fd = peer_open(s);

		mem_fail_at(n, 0);
		peer_send(fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: "
			      "3\r\n\r\nabc" GET("/park") GET("/"));
		shutdown(fd, SHUT_WR);
		while (peer_head(fd, &r)) {
			assert_true(r.status == 200 || r.status == 503);
			if (r.status == 200) recv(fd, r.head, 3, MSG_WAITALL);
			if (r.status == 503) break;
		}
		close(fd);
		usleep(2000);
		failed = mem_count() >= n;
		mem_fail_at(0, 0);
		assert_int_equal(stand_status(s, GET("/")), 200);
	}
	assert_false(failed);
	stand_free(s);
}

static void the_steady_state_allocates_nothing(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int fd = peer_open(s);
	struct reply r;
	char body[5];

	(void)state;
	for (int i = 0; i < 200; i++) {
		if (i == 100) mem_fail_at(0, 0);
		peer_send(fd, i % 2 ? GET("/pieces?a=b")
				    : "POST /echo HTTP/1.1\r\nHost: x\r\n"
				      "Content-Length: 5\r\n\r\nhello");
		assert_true(peer_head(fd, &r));
		if (i % 2)
			assert_int_equal(recv(fd, r.head, 21, MSG_WAITALL), 21);
		else
			assert_int_equal(recv(fd, body, 5, MSG_WAITALL), 5);
	}
	assert_int_equal(mem_count(), 0);
	close(fd);
	stand_free(s);
}

/* ---- the end ---- */

static void reply_held(struct stand *s, void *arg)
{
	(void)arg;
	http_reply(s->held[0].exchange, 200, "text/plain", STR_NONE, STR("done"));
	s->held[0].exchange = NULL;
}

static void stopping_lets_replies_finish_and_ends_what_waits(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int held = peer_open(s), idle = peer_open(s), parked = peer_open(s),
	    stream = peer_open(s);
	struct reply r;

	(void)state;
	peer_send(held, GET("/hold"));
	stand_wait(&s->handled, 1);
	peer_send(parked, GET("/park"));
	peer_send(stream, GET("/stream"));
	peer_send(idle, GET("/"));
	assert_true(peer_reply(idle, &r));
	reply_done(&r);
	stand_wait(&s->handled, 4);
	stand_stop(s, 5000);
	assert_true(peer_at_end(idle));
	assert_true(peer_at_end(parked));
	assert_true(peer_head(stream, &r));
	assert_true(peer_at_end(stream));
	stand_wait(&s->gone, 2);
	assert_int_equal(atomic_load(&s->stopped), 0);
	stand_call(s, reply_held, NULL);
	assert_true(peer_reply(held, &r));
	assert_non_null(strstr(r.head, "Connection: close\n"));
	assert_string_equal(buf_text(&r.body), "done");
	reply_done(&r);
	assert_true(peer_at_end(held));
	close(held);
	stand_wait(&s->stopped, 1);
	assert_int_equal(atomic_load(&s->gone), 2);
	close(idle);
	close(parked);
	close(stream);
	stand_free(s);
}

static void after_the_grace_the_rest_is_cut(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int fd = peer_open(s), half = peer_open(s);
	int64_t start;

	(void)state;
	peer_send(fd, GET("/hold"));
	peer_send(half, "GET / HT");
	stand_wait(&s->handled, 1);
	start = now_ms(CLOCK_MONOTONIC);
	stand_stop(s, 300);
	stand_wait(&s->stopped, 1);
	assert_true(now_ms(CLOCK_MONOTONIC) - start >= 290);
	assert_int_equal(atomic_load(&s->gone), 1);
	close(fd);
	close(half);
	stand_free(s);
}

/* ---- addresses ---- */

static void a_unix_socket_is_private_and_removed_at_the_end(void **state)
{
	char dir[] = "/tmp/net-test-XXXXXX", path[64], address[80];
	struct stand *s;
	struct stat st;
	struct reply r;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/socket", dir);
	snprintf(address, sizeof address, "unix:%s", path);
	s = stand_new(address, NULL);
	assert_int_equal(http_port(s->server), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0600);
	fd = peer_unix(path);
	peer_send(fd, GET("/"));
	assert_true(peer_reply(fd, &r));
	assert_string_equal(buf_text(&r.body), "hello");
	reply_done(&r);
	close(fd);
	stand_free(s);
	assert_int_not_equal(lstat(path, &st), 0);
	rmdir(dir);
}

/* What http_listen says of an address, on a loop of its own. */
static enum err listen_err(const char *address)
{
	struct fault why = { 0 };
	struct loop *loop = loop_new(&why);
	struct http_server *server =
		http_listen(loop, str_of(address), NULL, NULL, NULL, &why);

	if (server) http_stop(server, 0, NULL, NULL);
	loop_stop(loop);
	loop_run(loop);
	loop_free(loop);
	return server ? OK : why.err;
}

static void only_a_dead_servers_socket_is_replaced(void **state)
{
	char dir[] = "/tmp/net-test-XXXXXX", path[64], address[80];
	struct stand *s;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/socket", dir);
	snprintf(address, sizeof address, "unix:%s", path);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(listen_err(address), ERR_CONFLICT);
	assert_int_equal(lstat(path, &st), 0);
	unlink(path);
	s = stand_new(address, NULL);
	assert_int_equal(listen_err(address), ERR_CONFLICT);
	char stale[64];
	snprintf(stale, sizeof stale, "%s/stale", dir);
	rename(path, stale);
	stand_free(s);
	snprintf(address, sizeof address, "unix:%s", stale);
	assert_int_equal(listen_err(address), OK);
	rmdir(dir);
}

static void name_reply(void *ctx, struct exchange *x)
{
	http_reply(x, 200, "text/plain", STR_NONE, str_of(ctx));
}

static void servers_stopped(void *ctx)
{
	atomic_fetch_add((atomic_int *)ctx, 1);
}

struct pair {
	struct http_server *servers[2];
	atomic_int stopped;
};

static void pair_listen(struct stand *s, void *arg)
{
	struct pair *pair = arg;
	static char names[2][8] = { "first", "second" };

	for (int i = 0; i < 2; i++)
		pair->servers[i] = http_listen(
			s->loop, STR("127.0.0.1:0"), NULL, name_reply, names[i], NULL);
}

static void pair_stop(struct stand *s, void *arg)
{
	struct pair *pair = arg;

	(void)s;
	for (int i = 0; i < 2; i++)
		http_stop(pair->servers[i], 0, servers_stopped, &pair->stopped);
}

static void servers_share_a_loop(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	struct pair pair = { 0 };
	const char *const names[] = { "first", "second" };
	int own = s->port;

	(void)state;
	stand_call(s, pair_listen, &pair);
	for (int i = 0; i < 2; i++) {
		struct reply r;
		int fd;

		s->port = http_port(pair.servers[i]);
		fd = peer_open(s);
		peer_send(fd, GET("/"));
		assert_true(peer_reply(fd, &r));
		assert_string_equal(buf_text(&r.body), names[i]);
		reply_done(&r);
		close(fd);
	}
	s->port = own;
	stand_call(s, pair_stop, &pair);
	stand_wait(&pair.stopped, 2);
	assert_int_equal(stand_status(s, GET("/")), 200);
	stand_free(s);
}

static void addresses_are_read_strictly(void **state)
{
	static const char *const bad[] = { "", ":80", "127.0.0.1",
		"127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x", "::1:80", "[::1]",
		"[::1:80", "example.org:80", "unix:" };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(listen_err(bad[i]), ERR_INVALID);
	assert_int_equal(listen_err("127.0.0.1:0"), OK);
	assert_int_equal(listen_err("localhost:0"), OK);
	assert_int_equal(listen_err("1.2.3.4:0"), ERR_UNAVAILABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies_that_are_not_whole_have_a_bound_together),
		cmocka_unit_test(an_idle_connection_is_closed_quietly),
		cmocka_unit_test(a_slow_sender_gets_408_however_busy_it_looks),
		cmocka_unit_test(who_was_told_to_continue_and_does_not_gets_408),
		cmocka_unit_test(a_parked_exchange_outlives_every_timer),
		cmocka_unit_test(one_connection_too_many_waits_for_its_turn),
		cmocka_unit_test(without_descriptors_the_server_neither_spins_nor_dies),
		cmocka_unit_test(any_allocation_may_fail),
		cmocka_unit_test(the_steady_state_allocates_nothing),
		cmocka_unit_test(stopping_lets_replies_finish_and_ends_what_waits),
		cmocka_unit_test(after_the_grace_the_rest_is_cut),
		cmocka_unit_test(a_unix_socket_is_private_and_removed_at_the_end),
		cmocka_unit_test(only_a_dead_servers_socket_is_replaced),
		cmocka_unit_test(servers_share_a_loop),
		cmocka_unit_test(addresses_are_read_strictly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
