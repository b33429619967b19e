/* Parked exchanges and streams: what they weigh, who is told when a peer goes, who is
 * cut. */
#include "stand.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/http_conn.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

#ifdef STAND_TLS
enum { STREAMS = 200 }; /* a handshake each */
#else
enum { STREAMS = 1000 };
#endif
enum { FRAME = 2048, ROUNDS = 400 };

static void parked_connections_are_small(void **state)
{
	(void)state;
	print_message("a parked connection: %zu bytes\n", sizeof(struct conn));
	assert_true(sizeof(struct conn) <= 400);
}

/* ---- on the loop's thread ---- */

static void reply_first(struct stand *s, void *arg)
{
	struct exchange *x = s->held[0].exchange;

	assert_true(x->parked);
	assert_null(http_request(x));
	http_reply(x, 200, "text/plain", STR_NONE, str_of(arg));
	s->held[0].exchange = NULL;
}

static void write_all(struct stand *s, void *arg)
{
	struct frame *f = frame_new(str_make(arg, FRAME));

	for (size_t i = 0; i < s->held_len; i++)
		if (s->held[i].exchange) http_write_frame(s->held[i].exchange, f);
	frame_drop(f);
}

static void end_all(struct stand *s, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < s->held_len; i++) {
		if (!s->held[i].exchange) continue;
		http_write(s->held[i].exchange, STR("bye"));
		http_end(s->held[i].exchange);
	}
}

static void write_until_refused(struct stand *s, void *arg)
{
	struct exchange *x = s->held[0].exchange;
	char bytes[FRAME] = { 0 };
	bool took = true;

	(void)arg;
	for (int i = 0; i < 10000 && took; i++)
		took = http_write(x, str_make(bytes, sizeof bytes));
	assert_false(took);
	assert_ptr_equal(s->held[0].exchange, x); /* gone comes later */
	assert_false(http_write(x, STR("more")));
	assert_int_equal(atomic_load(&s->gone), 0);
}

static void write_little(struct stand *s, void *arg)
{
	(void)arg;
	if (s->held[0].exchange) http_write(s->held[0].exchange, STR("tick"));
}

/* ---- peers ---- */

/* One whose kernel holds as little as can be, and who reads nothing. */
static int peer_lazy(const struct stand *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)s->port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), size = 4096,
	    segment = 536;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
	setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
	peer_forget(fd);
	if (s->tls) assert_true(peer_secure(fd, NULL));
	return fd;
}

static void a_parked_exchange_is_answered_later(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int fd = peer_open(s);
	struct reply r;

	(void)state;
	peer_send(fd, GET("/park") GET("/"));
	stand_wait(&s->handled, 1);
	peer_send(fd, GET("/pieces"));
	stand_call(s, reply_first, "parked");
	assert_true(peer_reply(fd, &r));
	assert_string_equal(buf_text(&r.body), "parked");
	reply_done(&r);
	assert_true(peer_reply(fd, &r));
	assert_string_equal(buf_text(&r.body), "hello");
	reply_done(&r);
	assert_true(peer_reply(fd, &r));
	assert_string_equal(buf_text(&r.body), "onetwo");
	reply_done(&r);
	assert_int_equal(atomic_load(&s->gone), 0);
	close(fd);
	stand_free(s);
}

static void what_a_parked_peer_sends_is_kept_up_to_a_bound(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int fd = peer_open(s), n = 0;
	struct reply r;
	struct timeval soon = { .tv_usec = 300 * 1000 };

	(void)state;
	peer_send(fd, GET("/park"));
	stand_wait(&s->handled, 1);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon);
	while (n < 1000000 &&
		peer_write(fd, GET("/"), strlen(GET("/"))) == (ssize_t)strlen(GET("/")))
		n++;
	assert_true(n < 1000000);
	assert_int_equal(atomic_load(&s->gone), 0);
	stand_call(s, reply_first, "parked");
	for (int i = 0; i <= n && i < 5000; i++) {
		assert_true(peer_reply(fd, &r));
		reply_done(&r);
	}
	close(fd);
	stand_free(s);
}

static void who_parked_a_request_learns_that_the_peer_went(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int peers[3] = { peer_open(s), peer_open(s), peer_open(s) };

	(void)state;
	peer_send(peers[0], GET("/park"));
	peer_send(peers[1], GET("/stream"));
	peer_send(peers[2], GET("/park"));
	stand_wait(&s->handled, 3);
	shutdown(peers[0], SHUT_WR);
	close(peers[1]);
	setsockopt(peers[2], SOL_SOCKET, SO_LINGER, &(struct linger){ .l_onoff = 1 },
		sizeof(struct linger));
	close(peers[2]);
	stand_wait(&s->gone, 3);
	close(peers[0]);
	stand_free(s);
}

static void streams_go_on_while_a_slow_reader_is_cut(void **state)
{
	struct http_limits limits = { .backlog_max = 64 * 1024 };
	struct stand *s = stand_new(NULL, &limits);
	static int peers[STREAMS];
	static char text[FRAME], got[FRAME + 7];
	int slow = peer_lazy(s);
	struct reply r;

	(void)state;
	memset(text, 'f', sizeof text);
	peer_send(slow, GET("/stream"));
	for (int i = 1; i < STREAMS; i++) {
		peers[i] = peer_open(s);
		peer_send(peers[i], GET("/stream"));
		assert_true(peer_head(peers[i], &r));
	}
	stand_wait(&s->handled, STREAMS);
	for (int round = 0; round < ROUNDS && atomic_load(&s->gone) == 0; round++) {
		stand_call(s, write_all, text);
		for (int i = 1; i < STREAMS; i++) {
			assert_true(peer_read(peers[i], got, FRAME + 7));
			assert_memory_equal(got, "800\r\nfff", 8);
		}
	}
	stand_wait(&s->gone, 1);
	stand_call(s, end_all, NULL);
	for (int i = 1; i < STREAMS; i++) {
		assert_true(peer_read(peers[i], got, 13));
		assert_memory_equal(got, "3\r\nbye\r\n0\r\n\r\n", 13);
		close(peers[i]);
	}
	assert_int_equal(atomic_load(&s->gone), 1);
	close(slow);
	stand_free(s);
}

static void who_falls_too_far_behind_is_gone_on_a_later_turn(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int fd = peer_lazy(s);

	(void)state;
	peer_send(fd, GET("/stream"));
	stand_wait(&s->handled, 1);
	stand_call(s, write_until_refused, NULL);
	stand_wait(&s->gone, 1);
	close(fd);
	stand_free(s);
}

/* ---- much to say ---- */

enum { PAGE = 32 * 1024, PAGES = 500 };

struct tale {
	struct exchange *exchange;
	int pages, waits;
};

/* Writes while the socket takes it, and goes on when all has left. */
static void tale_tell(void *ctx)
{
	static char page[PAGE];
	struct tale *tale = ctx;

	while (tale->pages < PAGES) {
		if (http_backlog(tale->exchange) > 0) {
			tale->waits++;
			return;
		}
		assert_true(http_write(tale->exchange, str_make(page, PAGE)));
		tale->pages++;
	}
	http_end(tale->exchange);
}

static void tale_begin(struct stand *s, void *arg)
{
	struct tale *tale = arg;

	tale->exchange = s->held[0].exchange;
	s->held[0].exchange = NULL;
	http_on_drained(tale->exchange, tale_tell, tale);
	tale_tell(tale);
}

static void who_has_much_to_say_goes_on_when_drained(void **state)
{
	struct http_limits limits = { .backlog_max = 64 * 1024 };
	struct stand *s = stand_new(NULL, &limits);
	int fd = peer_open(s);
	struct tale tale = { 0 };
	struct reply r;

	(void)state;
	peer_send(fd, GET("/stream"));
	stand_wait(&s->handled, 1);
	stand_call(s, tale_begin, &tale);
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.body.len, PAGE * PAGES);
	assert_int_equal(atomic_load(&s->gone), 0);
	reply_done(&r);
	close(fd);
	stand_free(s);
	assert_true(tale.waits > 0);
}

static void a_reply_that_nobody_reads_is_cut(void **state)
{
	struct http_limits limits = { .write_ms = 300 };
	struct stand *s = stand_new(NULL, &limits);
	int fd = peer_lazy(s);

	(void)state;
	peer_send(fd, GET("/big"));
	stand_wait(&s->handled, 1);
	stand_connections(s, 0);
	close(fd);
	stand_free(s);
}

static void writing_more_does_not_save_a_stuck_reader(void **state)
{
	struct http_limits limits = { .write_ms = 500, .backlog_max = 64 * 1024 * 1024 };
	struct stand *s = stand_new(NULL, &limits);
	int fd = peer_lazy(s);
	char text[FRAME] = { 0 };

	(void)state;
	peer_send(fd, GET("/stream"));
	stand_wait(&s->handled, 1);
	for (int i = 0; i < 1000; i++)
		stand_call(s, write_all, text);
	for (int i = 0; i < STAND_PATIENCE_MS / 20 && atomic_load(&s->gone) == 0; i++) {
		stand_call(s, write_little, NULL);
		usleep(20000);
	}
	assert_int_equal(atomic_load(&s->gone), 1);
	close(fd);
	stand_free(s);
}

int main(void)
{
	struct rlimit files;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parked_connections_are_small),
		cmocka_unit_test(a_parked_exchange_is_answered_later),
		cmocka_unit_test(what_a_parked_peer_sends_is_kept_up_to_a_bound),
		cmocka_unit_test(who_parked_a_request_learns_that_the_peer_went),
		cmocka_unit_test(streams_go_on_while_a_slow_reader_is_cut),
		cmocka_unit_test(who_falls_too_far_behind_is_gone_on_a_later_turn),
		cmocka_unit_test(who_has_much_to_say_goes_on_when_drained),
		cmocka_unit_test(a_reply_that_nobody_reads_is_cut),
		cmocka_unit_test(writing_more_does_not_save_a_stuck_reader),
	};

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
