/* What only TLS has: certificates, handshakes of every kind, farewells, new keys for new
 * connections. That HTTP is the same over it is what wire.c and streams.c are for, which
 * are run over TLS too. */
#include "random.h"
#include "stand.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/tls.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

/* ---- the heap of OpenSSL ---- */

/* On the loop's thread the n-th allocation fails, and what is alive is counted. */
static _Thread_local bool on_loop;
static atomic_long heap_fails_at; /* 0: none */
static atomic_long alive;

static bool heap_allows(void)
{
	return !on_loop || atomic_load(&heap_fails_at) == 0 ||
	       atomic_fetch_sub(&heap_fails_at, 1) != 1;
}

/* Every block begins with its size. */
union block {
	size_t size;
	max_align_t align;
};

static void heap_count(const union block *b, long sign)
{
	if (on_loop) atomic_fetch_add(&alive, sign * (long)b->size);
}

static void *heap_alloc(size_t size, const char *file, int line)
{
	union block *b;

	(void)file;
	(void)line;
	if (size == 0 || !heap_allows()) return NULL;
	b = malloc(sizeof *b + size);
	if (!b) return NULL;
	b->size = size;
	heap_count(b, 1);
	return b + 1;
}

static void heap_free(void *at, const char *file, int line)
{
	union block *b = at;

	(void)file;
	(void)line;
	if (!b) return;
	heap_count(b - 1, -1);
	free(b - 1);
}

static void *heap_grow(void *old, size_t size, const char *file, int line)
{
	void *at = heap_alloc(size, file, line);
	size_t had = old ? ((union block *)old - 1)->size : 0;

	if (!at) return NULL;
	if (old) memcpy(at, old, had < size ? had : size);
	heap_free(old, file, line);
	return at;
}

static void mark_loop(struct stand *s, void *arg)
{
	(void)s;
	(void)arg;
	on_loop = true;
}

/* ---- small things ---- */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void expect(int fd, const char *request, const char *body)
{
	struct reply r;

	peer_send(fd, request);
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.status, 200);
	assert_string_equal(buf_text(&r.body), body);
	reply_done(&r);
}

/* Whatever was done to it, the server serves the next. */
static void expect_alive(struct stand *s)
{
	int fd = peer_open(s);

	expect(fd, GET("/"), "hello");
	close(fd);
}

/* The end without a word, or with one that is no reply. */
static bool raw_ends(int fd)
{
	char some[4096];
	ssize_t n;

	while ((n = recv(fd, some, sizeof some, 0)) > 0)
		;
	return n == 0;
}

/* ---- certificates ---- */

static char dir[] = "/tmp/net-test-XXXXXX";
static char cert[64], key[64], other_cert[64], other_key[64], broken[64];

static void file_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(cert, sizeof cert, "%s/cert", dir);
	snprintf(key, sizeof key, "%s/key", dir);
	snprintf(other_cert, sizeof other_cert, "%s/other-cert", dir);
	snprintf(other_key, sizeof other_key, "%s/other-key", dir);
	snprintf(broken, sizeof broken, "%s/broken", dir);
	certificate_make(cert, key, "first", 1);
	certificate_make(other_cert, other_key, "second", 1);
	file_write(broken, "nothing that helps\n");
	return 0;
}

static int tear_down(void **state)
{
	const char *const files[] = { cert, key, other_cert, other_key, broken };

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		unlink(files[i]);
	rmdir(dir);
	return 0;
}

static void expect_refused(const char *c, const char *k, const char *words)
{
	struct fault why = { 0 };

	assert_null(tls_context_new(str_of(c), str_of(k), &why));
	assert_int_equal(why.err, ERR_INVALID);
	if (!strstr(why.detail, words)) fail_msg("'%s' not in '%s'", words, why.detail);
	assert_null(strchr(why.detail, '\n'));
	assert_int_equal(ERR_peek_error(), 0);
}

static void key_lock(const char *path)
{
	FILE *f = fopen(path, "we");
	EVP_PKEY *pair = EVP_EC_gen("P-256");
	char secret[] = "secret";

	PEM_write_PrivateKey(f, pair, EVP_aes_128_cbc(), (unsigned char *)secret,
		(int)strlen(secret), NULL, NULL);
	fclose(f);
	EVP_PKEY_free(pair);
}

static void what_is_wrong_with_a_certificate_is_said_in_a_line(void **state)
{
	char locked[80];

	(void)state;
	snprintf(locked, sizeof locked, "%s/locked", dir);
	key_lock(locked);
	expect_refused("/nowhere", key, "tls_cert is '/nowhere': No such file");
	expect_refused(cert, "/nowhere", "tls_key is '/nowhere': No such file");
	expect_refused(broken, key, "no certificate in PEM format");
	expect_refused(cert, broken, "tls_key is");
	expect_refused(key, key, "no certificate in PEM format");
	expect_refused(cert, other_key, "not the key of the certificate");
	expect_refused(cert, locked, "tls_key is");
	expect_refused(dir, key, "tls_cert is");
	unlink(locked);
}

static void a_certificate_says_when_it_ends(void **state)
{
	char old_cert[80], old_key[80];
	struct tls_context *t;

	(void)state;
	snprintf(old_cert, sizeof old_cert, "%s/old-cert", dir);
	snprintf(old_key, sizeof old_key, "%s/old-key", dir);
	certificate_make(old_cert, old_key, "old", -1);
	t = tls_context_new(str_of(old_cert), str_of(old_key), NULL);
	assert_non_null(t);
	assert_true(tls_context_end_ms(t) < clock_now_ms() - 23 * 3600 * 1000);
	assert_int_equal(tls_context_load(t, str_of(cert), str_of(key), NULL), OK);
	assert_true(tls_context_end_ms(t) > clock_now_ms() + 23 * 3600 * 1000);
	tls_context_free(t);
	unlink(old_cert);
	unlink(old_key);
}

static bool is_of(int fd, const char *name)
{
	X509 *x = SSL_get0_peer_certificate(peer_tls(fd));
	char got[64] = "";

	X509_NAME_get_text_by_NID(
		X509_get_subject_name(x), NID_commonName, got, sizeof got);
	return strcmp(got, name) == 0;
}

struct files {
	const char *cert, *key;
	enum err err;
};

static void load(struct stand *s, void *arg)
{
	struct files *f = arg;

	f->err = tls_context_load(s->tls, str_of(f->cert), str_of(f->key), NULL);
}

static void a_new_certificate_is_for_new_connections(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int before = peer_open(s), after;
	struct files good = { other_cert, other_key, OK }, bad = { cert, other_key, OK };

	(void)state;
	expect(before, GET("/"), "hello");
	stand_call(s, load, &good);
	assert_int_equal(good.err, OK);
	stand_call(s, load, &bad);
	assert_int_equal(bad.err, ERR_INVALID);
	after = peer_open(s);
	assert_true(is_of(before, "stand"));
	assert_true(is_of(after, "second"));
	expect(before, GET("/"), "hello");
	expect(after, GET("/"), "hello");
	close(before);
	close(after);
	stand_free(s);
}

/* ---- handshakes ---- */

static void at_most_1_1(SSL *ssl)
{
	SSL_set_security_level(ssl, 0);
	SSL_set_min_proto_version(ssl, TLS1_VERSION);
	SSL_set_max_proto_version(ssl, TLS1_1_VERSION);
}

static void only_1_2(SSL *ssl)
{
	SSL_set_max_proto_version(ssl, TLS1_2_VERSION);
}

static void only_cbc(SSL *ssl)
{
	only_1_2(ssl);
	SSL_set_cipher_list(ssl, "AES128-SHA:ECDHE-ECDSA-AES128-SHA");
}

static void only_h2(SSL *ssl)
{
	SSL_set_alpn_protos(ssl, (const unsigned char *)"\x02h2", 3);
}

static void h2_or_1_1(SSL *ssl)
{
	SSL_set_alpn_protos(ssl, (const unsigned char *)"\x02h2\x08http/1.1", 12);
}

static void old_and_foreign_protocols_are_refused(void **state)
{
	static void (*const wishes[])(SSL *) = { at_most_1_1, only_cbc, only_h2 };
	struct stand *s = stand_new(NULL, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
		int fd = peer_raw(s);

		assert_false(peer_secure(fd, wishes[i]));
		assert_int_equal(SSL_get_error(peer_tls(fd), -1), SSL_ERROR_SSL);
		/* An alert, not a connection that breaks off. */
		assert_true(ERR_GET_REASON(ERR_peek_error()) > SSL_AD_REASON_OFFSET);
		close(fd);
	}
	stand_connections(s, 0);
	expect_alive(s);
	stand_free(s);
}

static void of_several_protocols_http_1_1_is_taken(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int fd = peer_raw(s);
	const unsigned char *taken;
	unsigned len;

	(void)state;
	assert_true(peer_secure(fd, h2_or_1_1));
	SSL_get0_alpn_selected(peer_tls(fd), &taken, &len);
	assert_int_equal(len, 8);
	assert_memory_equal(taken, "http/1.1", 8);
	assert_int_equal(SSL_version(peer_tls(fd)), TLS1_3_VERSION);
	expect(fd, GET("/"), "hello");
	close(fd);
	stand_free(s);
}

static void nobody_negotiates_again(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int fd = peer_raw(s);

	(void)state;
	assert_true(peer_secure(fd, only_1_2));
	expect(fd, GET("/"), "hello");
	assert_int_equal(SSL_renegotiate(peer_tls(fd)), 1);
	assert_true(SSL_do_handshake(peer_tls(fd)) <= 0);
	close(fd);
	expect_alive(s);
	stand_free(s);
}

static void new_keys_are_taken_in_mid_course(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int fd = peer_open(s);

	(void)state;
	for (int i = 0; i < 100; i++) {
		assert_int_equal(
			SSL_key_update(peer_tls(fd), SSL_KEY_UPDATE_REQUESTED), 1);
		assert_int_equal(SSL_do_handshake(peer_tls(fd)), 1);
		if (i % 10 == 0) expect(fd, GET("/"), "hello");
	}
	close(fd);
	stand_free(s);
}

/* ---- byte by byte ---- */

/* What TLS wrote goes out a byte at a time. */
static void drip(int fd, BIO *out)
{
	char byte;

	while (BIO_read(out, &byte, 1) == 1)
		assert_int_equal(send(fd, &byte, 1, MSG_NOSIGNAL), 1);
}

static bool sip(int fd, BIO *in)
{
	char byte;

	return recv(fd, &byte, 1, 0) == 1 && BIO_write(in, &byte, 1) == 1;
}

static void a_handshake_byte_by_byte_is_as_good(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int fd = peer_raw(s), on = 1;
	SSL *ssl = SSL_new(peer_context());
	BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
	char reply[512] = "";
	int got = 0;

	(void)state;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	SSL_set_bio(ssl, in, out);
	while (SSL_connect(ssl) != 1) {
		drip(fd, out);
		assert_true(sip(fd, in));
	}
	SSL_write(ssl, GET("/"), (int)strlen(GET("/")));
	drip(fd, out);
	while (!strstr(reply, "hello")) {
		int n = SSL_read(ssl, reply + got, (int)sizeof reply - 1 - got);

		if (n > 0)
			got += n;
		else
			assert_true(sip(fd, in));
	}
	SSL_free(ssl);
	close(fd);
	stand_free(s);
}

/* ---- no handshakes ---- */

static void who_dawdles_over_the_handshake_is_cut(void **state)
{
	struct http_limits limits = { .send_ms = 300 };
	struct stand *s = stand_new(NULL, &limits);
	int silent = peer_raw(s), half = peer_raw(s);
	int64_t start = now_ms();

	(void)state;
	peer_send_bytes(half, STR("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"));
	assert_true(raw_ends(silent));
	assert_true(raw_ends(half));
	assert_true(now_ms() - start >= 290 && now_ms() - start < STAND_PATIENCE_MS);
	close(silent);
	close(half);
	stand_connections(s, 0);
	stand_free(s);
}

static void garbage_ends_the_connection(void **state)
{
	static const struct str openings[] = { { "", 0 }, { "\x16\x03\x01\xff\xff", 5 },
		{ "\x16\x03\x01\x40\x00\x01", 6 }, { "\x80\x2e\x01\x03\x01", 5 },
		{ "\x17\x03\x03\x00\x10", 5 }, { "\x15\x03\x03\x00\x02\x02\x28", 7 },
		{ "PRI * HTTP/2.0\r\n\r\n", 18 }, { "SSH-2.0-x\r\n", 11 } };
	struct stand *s = stand_new(NULL, NULL);
	char noise[65536];
	uint64_t seed = 7;

	(void)state;
	for (size_t i = 0; i < 64; i++) {
		struct str opening = openings[i % (sizeof openings / sizeof *openings)];
		int fd = peer_raw(s);

		for (size_t k = 0; k < sizeof noise; k++)
			noise[k] = (char)random_next(&seed);
		peer_send_bytes(fd, opening);
		peer_send_bytes(fd, str_make(noise, sizeof noise));
		shutdown(fd, SHUT_WR);
		raw_ends(fd);
		close(fd);
	}
	stand_connections(s, 0);
	expect_alive(s);
	stand_free(s);
}

static void noise_after_the_handshake_cuts_what_waits(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int idle = peer_open(s), parked = peer_open(s);

	(void)state;
	peer_send(parked, GET("/park"));
	stand_wait(&s->handled, 1);
	assert_int_equal(send(idle, "\x17\x03\x03\x00\x02xx", 7, 0), 7);
	assert_int_equal(send(parked,
				 "\x17\x03\x03\x00\x20"
				 "01234567890123456789012345678901",
				 37, 0),
		37);
	stand_wait(&s->gone, 1);
	raw_ends(idle);
	raw_ends(parked);
	close(idle);
	close(parked);
	stand_connections(s, 0);
	stand_free(s);
}

static void plain_http_is_told_to_use_https(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int fd = peer_raw(s);
	struct reply r;

	(void)state;
	peer_send(fd, GET("/"));
	assert_true(peer_reply(fd, &r));
	assert_int_equal(r.status, 400);
	assert_non_null(strstr(buf_text(&r.body), "https://"));
	reply_done(&r);
	assert_true(peer_at_end(fd));
	close(fd);
	assert_int_equal(atomic_load(&s->handled), 0);
	stand_free(s);
}

/* ---- farewells ---- */

static void an_idle_connection_is_left_with_a_farewell(void **state)
{
	struct http_limits limits = { .idle_ms = 200 };
	struct stand *s = stand_new(NULL, &limits);
	int fd = peer_open(s);

	(void)state;
	expect(fd, GET("/"), "hello");
	assert_true(peer_at_end(fd)); /* close_notify, not just the end */
	close(fd);
	stand_free(s);
}

static void a_stopping_server_says_farewell(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int idle = peer_open(s), shaking = peer_raw(s);

	(void)state;
	expect(idle, GET("/"), "hello");
	peer_send_bytes(shaking, STR("\x16\x03\x01"));
	stand_connections(s, 2);
	stand_stop(s, 5000);
	assert_true(peer_at_end(idle));
	assert_true(raw_ends(shaking));
	stand_wait(&s->stopped, 1);
	close(idle);
	close(shaking);
	stand_free(s);
}

static void reply_first(struct stand *s, void *arg)
{
	http_reply(s->held[0].exchange, 200, "text/plain", STR_NONE, str_of(arg));
	s->held[0].exchange = NULL;
}

static void a_peers_farewell_is_a_half_close(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	int held = peer_open(s), parked = peer_open(s);
	struct reply r;

	(void)state;
	peer_send(held, GET("/hold"));
	stand_wait(&s->handled, 1);
	peer_send(parked, GET("/park"));
	stand_wait(&s->handled, 2);
	SSL_shutdown(peer_tls(held));
	SSL_shutdown(peer_tls(parked));
	stand_wait(&s->gone, 1); /* the one that is parked */
	stand_call(s, reply_first, "held");
	assert_true(peer_reply(held, &r));
	assert_string_equal(buf_text(&r.body), "held");
	reply_done(&r);
	assert_true(peer_at_end(held));
	close(held);
	close(parked);
	stand_free(s);
}

/* ---- memory ---- */

enum { WAITERS = 200, WAITER_MAX = 24 * 1024 };

static void who_waits_weighs_little(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	static int peers[WAITERS];
	long before, each;

	(void)state;
	stand_call(s, mark_loop, NULL);
	expect_alive(s);
	stand_connections(s, 0);
	before = atomic_load(&alive);
	for (int i = 0; i < WAITERS; i++) {
		peers[i] = peer_open(s);
		peer_send(peers[i], GET("/park"));
	}
	stand_wait(&s->handled, 1 + WAITERS);
	each = (atomic_load(&alive) - before) / WAITERS;
	print_message("a waiter's TLS: %ld bytes\n", each);
	assert_true(each < WAITER_MAX);
	for (int i = 0; i < WAITERS; i++)
		close(peers[i]);
	stand_connections(s, 0);
	assert_true(labs(atomic_load(&alive) - before) < WAITER_MAX);
	stand_free(s);
}

/* A connection from beginning to end, whatever comes of it. */
static void try_all(struct stand *s)
{
	int fd = peer_raw(s);
	struct reply r = { 0 };

	if (peer_secure(fd, NULL)) {
		peer_send(fd, GET("/") GET("/pieces") GET("/big"));
		for (int i = 0; i < 3; i++) {
			if (!peer_reply(fd, &r)) i = 3;
			reply_done(&r);
		}
	}
	close(fd);
}

/* Whatever allocation fails, OpenSSL's or ours, the peer gets its replies or the end, and
 * the next is served. */
static void any_allocation_of_the_library_may_fail(void **state)
{
	struct stand *s = stand_new(NULL, NULL);
	bool failed = true;
	long n;

	(void)state;
	stand_call(s, mark_loop, NULL);
	expect_alive(s);
	for (n = 1; failed && n < 5000; n += n < 200 ? 1 : 13) {
		atomic_store(&heap_fails_at, n);
		try_all(s);
		failed = atomic_load(&heap_fails_at) <= 0;
		atomic_store(&heap_fails_at, 0);
		stand_connections(s, 0);
	}
	assert_false(failed);
	print_message("%ld allocations could fail\n", n);
	expect_alive(s);
	stand_free(s);
}

static void any_allocation_of_ours_may_fail(void **state)
{
	bool failed = true;

	(void)state;
	for (uint64_t n = 1; failed && n < 500; n++) {
		struct stand *s = stand_new(NULL, NULL);

		mem_fail_at(n, 0);
		try_all(s);
		failed = mem_count() >= n;
		mem_fail_at(0, 0);
		stand_connections(s, 0);
		expect_alive(s);
		stand_free(s);
	}
	assert_false(failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wrong_with_a_certificate_is_said_in_a_line),
		cmocka_unit_test(a_certificate_says_when_it_ends),
		cmocka_unit_test(a_new_certificate_is_for_new_connections),
		cmocka_unit_test(old_and_foreign_protocols_are_refused),
		cmocka_unit_test(of_several_protocols_http_1_1_is_taken),
		cmocka_unit_test(nobody_negotiates_again),
		cmocka_unit_test(new_keys_are_taken_in_mid_course),
		cmocka_unit_test(a_handshake_byte_by_byte_is_as_good),
		cmocka_unit_test(who_dawdles_over_the_handshake_is_cut),
		cmocka_unit_test(garbage_ends_the_connection),
		cmocka_unit_test(noise_after_the_handshake_cuts_what_waits),
		cmocka_unit_test(plain_http_is_told_to_use_https),
		cmocka_unit_test(an_idle_connection_is_left_with_a_farewell),
		cmocka_unit_test(a_stopping_server_says_farewell),
		cmocka_unit_test(a_peers_farewell_is_a_half_close),
		cmocka_unit_test(who_waits_weighs_little),
		cmocka_unit_test(any_allocation_of_the_library_may_fail),
		cmocka_unit_test(any_allocation_of_ours_may_fail),
	};

	CRYPTO_set_mem_functions(heap_alloc, heap_grow, heap_free);
	stand_tls = true;
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
