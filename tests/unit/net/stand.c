#include "stand.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/tls.h"

#ifdef STAND_TLS
bool stand_tls = true;
#else
bool stand_tls = false;
#endif

/* ---- the server ---- */

struct later {
	struct post post;
	struct exchange *exchange;
};

static void later_reply(struct post *post)
{
	struct later *later = (struct later *)post;

	http_reply(later->exchange, 200, "text/plain", STR_NONE, STR("hello"));
	free(later);
}

static void reply_later(struct stand *s, struct exchange *x)
{
	struct later *later = calloc(1, sizeof *later);

	later->post.fn = later_reply;
	later->exchange = x;
	loop_post(s->loop, &later->post);
}

static void held_gone(void *ctx)
{
	struct held *held = ctx;

	held->exchange = NULL;
	atomic_fetch_add(&held->stand->gone, 1);
}

static void hold(struct stand *s, struct exchange *x, bool park)
{
	struct held *held = &s->held[s->held_len++];

	held->stand = s;
	held->exchange = x;
	http_on_gone(x, held_gone, held);
	if (park) http_park(x);
}

static void reply_big(struct exchange *x)
{
	char *big = malloc(BIG);

	memset(big, 'b', BIG);
	http_reply(x, 200, "text/plain", STR_NONE, str_make(big, BIG));
	free(big);
}

static void handle(void *ctx, struct exchange *x)
{
	struct stand *s = ctx;
	const struct http_request *q = http_request(x);

	if (str_is(q->path, "/later")) {
		reply_later(s, x);
	} else if (str_is(q->path, "/echo")) {
		http_reply(x, 200, "text/plain", STR_NONE, q->body);
	} else if (str_is(q->path, "/big")) {
		reply_big(x);
	} else if (str_is(q->path, "/headers")) {
		http_reply(x, 200, "text/plain", STR("X-Test: yes\r\n"), STR("hello"));
	} else if (str_is(q->path, "/empty")) {
		http_reply(x, 204, NULL, STR_NONE, STR_NONE);
	} else if (str_is(q->path, "/pieces")) {
		http_begin(x, 200, "text/plain", STR_NONE);
		http_write(x, STR("one"));
		http_write(x, STR("two"));
		http_end(x);
	} else if (str_is(q->path, "/stream")) {
		http_begin(x, 200, "text/event-stream", STR_NONE);
		hold(s, x, true);
	} else if (str_is(q->path, "/park") || str_is(q->path, "/hold")) {
		hold(s, x, str_is(q->path, "/park"));
	} else {
		http_reply(x, 200, "text/plain", STR_NONE, STR("hello"));
	}
	atomic_fetch_add(&s->handled, 1);
}

static void *stand_run(void *arg)
{
	struct stand *s = arg;

	loop_run(s->loop);
	return NULL;
}

/* With a certificate of its own. */
static void stand_secure(struct stand *s)
{
	char dir[] = "/tmp/net-test-XXXXXX", cert[64], key[64];
	struct fault why = { 0 };

	assert_non_null(mkdtemp(dir));
	snprintf(cert, sizeof cert, "%s/cert", dir);
	snprintf(key, sizeof key, "%s/key", dir);
	certificate_make(cert, key, "stand", 1);
	s->tls = tls_context_new(str_of(cert), str_of(key), &why);
	if (!s->tls) fail_msg("%s", why.detail);
	unlink(cert);
	unlink(key);
	rmdir(dir);
	assert_true(http_secure(s->server, s->tls));
}

struct stand *stand_new(const char *address, const struct http_limits *limits)
{
	static const struct http_decides may = { "/may", "X-May: no\r\n",
		",\"may\":false" };
	struct stand *s = calloc(1, sizeof *s);
	struct fault why = { 0 };

	assert_non_null(s);
	s->loop = loop_new(&why);
	assert_non_null(s->loop);
	s->server = http_listen(s->loop, str_of(address ? address : "127.0.0.1:0"),
		limits, handle, s, &why);
	if (!s->server) fail_msg("%s", why.detail);
	http_decides(s->server, &may);
	s->port = http_port(s->server);
	if (stand_tls) stand_secure(s);
	assert_int_equal(pthread_create(&s->thread, NULL, stand_run, s), 0);
	return s;
}

struct call {
	struct post post;
	struct stand *stand;
	void (*fn)(struct stand *, void *);
	void *arg;
	sem_t done;
};

static void call_run(struct post *post)
{
	struct call *call = (struct call *)post;

	call->fn(call->stand, call->arg);
	sem_post(&call->done);
}

void stand_call(struct stand *s, void (*fn)(struct stand *, void *), void *arg)
{
	struct call call = { .post.fn = call_run, .stand = s, .fn = fn, .arg = arg };

	sem_init(&call.done, 0, 0);
	loop_post(s->loop, &call.post);
	while (sem_wait(&call.done) && errno == EINTR)
		;
	sem_destroy(&call.done);
}

static void server_stopped(void *ctx)
{
	struct stand *s = ctx;

	s->server = NULL;
	atomic_store(&s->stopped, 1);
}

static void stop_now(struct stand *s, void *arg)
{
	if (s->server) http_stop(s->server, *(int64_t *)arg, server_stopped, s);
}

void stand_stop(struct stand *s, int64_t grace_ms)
{
	stand_call(s, stop_now, &grace_ms);
}

void stand_free(struct stand *s)
{
	if (!atomic_load(&s->stopped)) {
		stand_stop(s, 0);
		stand_wait(&s->stopped, 1);
	}
	loop_stop(s->loop);
	pthread_join(s->thread, NULL);
	loop_free(s->loop);
	tls_context_free(s->tls);
	peer_forget(-1);
	free(s);
}

void stand_wait(atomic_int *counter, int value)
{
	for (int i = 0; i < STAND_PATIENCE_MS; i++) {
		if (atomic_load(counter) >= value) return;
		usleep(1000);
	}
	fail_msg("waited for %d, got %d", value, atomic_load(counter));
}

static void count_connections(struct stand *s, void *arg)
{
	*(size_t *)arg = http_connections(s->server);
}

void stand_connections(struct stand *s, size_t wanted)
{
	size_t n = 0;

	for (int i = 0; i < STAND_PATIENCE_MS / 10; i++) {
		stand_call(s, count_connections, &n);
		if (n == wanted) return;
		usleep(10000);
	}
	assert_int_equal(n, wanted);
}

/* ---- peers ---- */

static int peer_connect(int family, const void *at, socklen_t len)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct timeval patience = { .tv_sec = 10 };

	assert_true(fd >= 0);
	peer_forget(fd);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	assert_int_equal(connect(fd, at, len), 0);
	return fd;
}

int peer_raw(const struct stand *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)s->port) };

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return peer_connect(AF_INET, &at, sizeof at);
}

int peer_open(const struct stand *s)
{
	int fd = peer_raw(s);

	if (s->tls) assert_true(peer_secure(fd, NULL));
	return fd;
}

int peer_unix(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	return peer_connect(AF_UNIX, &at, sizeof at);
}

ssize_t peer_write(int fd, const void *at, size_t len)
{
	return peer_tls(fd) ? peer_tls_write(fd, at, len)
			    : send(fd, at, len, MSG_NOSIGNAL);
}

static ssize_t peer_recv(int fd, void *out, size_t size)
{
	return peer_tls(fd) ? peer_tls_read(fd, out, size) : recv(fd, out, size, 0);
}

void peer_send_bytes(int fd, struct str bytes)
{
	while (bytes.len > 0) {
		ssize_t n = peer_write(fd, bytes.at, bytes.len);

		if (n <= 0) return;
		bytes = str_from(bytes, (size_t)n);
	}
}

void peer_send(int fd, const char *text)
{
	peer_send_bytes(fd, str_of(text));
}

bool peer_read(int fd, void *out, size_t len)
{
	char *at = out;

	while (len > 0) {
		ssize_t n = peer_recv(fd, at, len);

		if (n <= 0) return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

/* Up to and with its CRLF; the text without it. */
static bool read_line(int fd, char *out, size_t size)
{
	size_t len = 0;

	while (len < size - 1 && peer_read(fd, out + len, 1)) {
		len++;
		if (len >= 2 && memcmp(out + len - 2, "\r\n", 2) == 0) {
			out[len - 2] = '\0';
			return true;
		}
	}
	return false;
}

bool peer_head(int fd, struct reply *r)
{
	size_t len = 0;

	*r = (struct reply){ 0 };
	for (;;) {
		if (!read_line(fd, r->head + len, sizeof r->head - len)) return false;
		if (!r->head[len]) break;
		len += strlen(r->head + len);
		r->head[len++] = '\n';
	}
	r->status = atoi(r->head + strlen("HTTP/1.1 "));
	r->chunked = strstr(r->head, "Transfer-Encoding: chunked");
	return true;
}

static bool read_into(int fd, struct buf *out, size_t len)
{
	if (!buf_reserve(out, len) || !peer_read(fd, out->at + out->len, len))
		return false;
	out->len += len;
	return true;
}

static bool read_chunks(int fd, struct buf *out)
{
	char line[64];

	for (;;) {
		size_t len;

		if (!read_line(fd, line, sizeof line)) return false;
		len = strtoul(line, NULL, 16);
		if (len > 0 && !read_into(fd, out, len)) return false;
		if (!read_line(fd, line, sizeof line)) return false;
		if (len == 0) return true;
	}
}

bool peer_reply(int fd, struct reply *r)
{
	const char *length;

	if (!peer_head(fd, r)) return false;
	if (r->chunked) return read_chunks(fd, &r->body);
	length = strstr(r->head, "Content-Length: ");
	return !length || read_into(fd, &r->body, strtoul(length + 16, NULL, 10));
}

bool peer_at_end(int fd)
{
	char c;

	return peer_recv(fd, &c, 1) == 0;
}

void reply_done(struct reply *r)
{
	buf_done(&r->body);
}

int stand_status(struct stand *s, const char *request)
{
	int fd = peer_open(s);
	struct reply r;
	int status;

	peer_send(fd, request);
	status = peer_reply(fd, &r) ? r.status : 0;
	reply_done(&r);
	close(fd);
	return status;
}
