/* outbound.c - HTTP requests to others and mail by libcurl; every address is checked on
 * connect. */
#include "net/outbound.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "net/outbound_easy.h"

enum { REPLY_MAX_BYTES = 64 * 1024, FDS_MAX = 64 };

struct outbound {
	CURLM *multi; /* NULL: nothing was sent so far */
	int wake_fd;
	LIST_HEAD(, outbound_transfer) transfers; /* under way */
};

struct outbound_transfer {
	LIST_ENTRY(outbound_transfer) others;
	struct outbound_request request;
	CURL *easy;
	struct curl_slist *headers;
	size_t read;
	struct buf body;
	struct outbound_gate gate;
	char error[CURL_ERROR_SIZE];
	char line[MAIL_LINE_SIZE]; /* a mail server's last */
	size_t sent;		   /* of the body, as a mail */
};

struct outbound *outbound_new(struct fault *why)
{
	struct outbound *o = mem_alloc(sizeof *o);

	if (!o) {
		fail(why, ERR_MEMORY, "out of memory");
		return NULL;
	}
	o->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (o->wake_fd >= 0) return o;
	fail(why, ERR_UNAVAILABLE, "eventfd: %s", strerror(errno));
	return outbound_free(o);
}

/* libcurl is loaded by this. False: out of memory, or it is not installed. */
static bool outbound_begin(struct outbound *o)
{
	if (!o->multi && curl_global_init(CURL_GLOBAL_DEFAULT) == 0)
		o->multi = curl_multi_init();
	return o->multi;
}

static void transfer_free(struct outbound *o, struct outbound_transfer *t)
{
	if (t->easy) {
		curl_multi_remove_handle(o->multi, t->easy);
		curl_easy_cleanup(t->easy);
	}
	curl_slist_free_all(t->headers);
	buf_done(&t->body);
	LIST_REMOVE(t, others);
	mem_free(t);
}

void outbound_cut(struct outbound *o, const void *ctx)
{
	for (struct outbound_transfer *t = LIST_FIRST(&o->transfers), *next; t;
		t = next) {
		next = LIST_NEXT(t, others);
		if (!ctx || t->request.ctx == ctx) transfer_free(o, t);
	}
}

struct outbound *outbound_free(struct outbound *o)
{
	if (!o) return NULL;
	outbound_cut(o, NULL);
	if (o->multi) curl_multi_cleanup(o->multi);
	if (o->wake_fd >= 0) close(o->wake_fd);
	mem_free(o);
	return NULL;
}

/* ---- what libcurl asks ---- */

/* Few callers want the body of a reply: it is read up to a limit. */
static size_t transfer_read(char *at, size_t size, size_t n, void *ctx)
{
	struct outbound_transfer *t = ctx;

	t->read += size * n;
	if (t->request.wants_body) buf_add(&t->body, str_make(at, size * n));
	return t->read <= REPLY_MAX_BYTES ? size * n : 0;
}

/* ---- sending ---- */

static size_t mail_give(char *to, size_t size, size_t n, void *ctx)
{
	struct outbound_transfer *t = ctx;
	struct str rest = str_first(str_from(t->request.body, t->sent), size * n);

	if (rest.len) memcpy(to, rest.at, rest.len);
	t->sent += rest.len;
	return rest.len;
}

static bool mail_set(struct outbound_transfer *t)
{
	const struct outbound_request *r = &t->request;
	CURL *c = t->easy;

	if (!c || !mail_easy_set(
			  c, &t->gate, r->mail->server, r->timeout_ms, t->line, t->error))
		return false;
	t->headers = curl_slist_append(NULL, r->mail->to);
	curl_easy_setopt(c, CURLOPT_MAIL_FROM, r->mail->from);
	curl_easy_setopt(c, CURLOPT_MAIL_RCPT, t->headers);
	curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(c, CURLOPT_INFILESIZE_LARGE, (curl_off_t)r->body.len);
	curl_easy_setopt(c, CURLOPT_READFUNCTION, mail_give);
	curl_easy_setopt(c, CURLOPT_READDATA, t);
	curl_easy_setopt(c, CURLOPT_PRIVATE, t);
	return t->headers;
}

static bool transfer_set(struct outbound_transfer *t)
{
	const struct outbound_request *r = &t->request;
	CURL *c = t->easy;

	if (r->mail) return mail_set(t);
	t->gate.may_connect = r->may_connect;
	t->gate.ctx = r->ctx;
	if (!outbound_easy_set(c, &t->gate, r->url, r->headers, r->timeout_ms,
		    &t->headers, t->error))
		return false;
	curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
	curl_easy_setopt(c, CURLOPT_POSTFIELDS, r->body.at ? r->body.at : "");
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, transfer_read);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(c, CURLOPT_PRIVATE, t);
	return true;
}

enum err outbound_send(
	struct outbound *o, const struct outbound_request *request, struct fault *why)
{
	struct outbound_transfer *t = mem_alloc(sizeof *t);

	if (!t) return fail(why, ERR_MEMORY, "out of memory");
	t->request = *request;
	t->easy = outbound_begin(o) ? curl_easy_init() : NULL;
	LIST_INSERT_HEAD(&o->transfers, t, others);
	if (transfer_set(t) && curl_multi_add_handle(o->multi, t->easy) == CURLM_OK)
		return OK;
	transfer_free(o, t);
	return fail(why, ERR_MEMORY, "out of memory");
}

/* ---- what came of it ---- */

/* libcurl says which command of SMTP was refused in its error alone. */
static void mail_finish(
	const struct outbound_transfer *t, CURLcode code, struct outbound_reply *reply)
{
	bool refused = str_starts(str_of(t->error), "RCPT failed") ||
		       str_starts(str_of(t->error), "DATA failed") ||
		       str_starts(str_of(t->error), "MAIL failed") || t->sent;

	reply->taken = code == CURLE_OK;
	reply->ours = !reply->taken && !(refused && reply->status >= 400);
	reply->line = t->line;
}

/* A status that came counts, whatever became of the rest. */
static void transfer_finish(
	struct outbound *o, struct outbound_transfer *t, CURLcode code)
{
	struct outbound_reply reply = { 0 };
	char refusal[INET6_ADDRSTRLEN + 40];
	curl_off_t after_s = 0;
	long status = 0;

	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &after_s);
	reply.status = status >= 200 ? (int)status : 0;
	reply.retry_after_ms = after_s > 0 && after_s <= 86400 ? after_s * 1000 : 0;
	reply.error = t->error[0] ? t->error : curl_easy_strerror(code);
	if (t->gate.refused[0] && !reply.status) {
		snprintf(refusal, sizeof refusal, "%s may not be connected to",
			t->gate.refused);
		reply.error = refusal;
		reply.refused = true;
	}
	if (t->request.mail) mail_finish(t, code, &reply);
	if (t->read <= REPLY_MAX_BYTES && !t->body.failed) reply.body = buf_str(&t->body);
	t->request.done(t->request.ctx, &reply);
	transfer_free(o, t);
}

/* True: something came to its end. */
static bool outbound_perform(struct outbound *o)
{
	int running = 0, left;
	bool some = false;
	CURLMsg *m;

	if (!o->multi) return false;
	curl_multi_perform(o->multi, &running);
	while ((m = curl_multi_info_read(o->multi, &left))) {
		CURLcode code = m->data.result;
		struct outbound_transfer *t = NULL;

		if (m->msg != CURLMSG_DONE) continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
		transfer_finish(o, t, code);
		some = true;
	}
	return some;
}

/* Sleeps on the wake-up, the fds of others and, if there are any, the connections. */
static void outbound_sleep(
	struct outbound *o, const struct pollfd *fds, size_t len, int wait_ms)
{
	struct pollfd plain[FDS_MAX + 1];
	struct curl_waitfd waits[FDS_MAX + 1];
	uint64_t rung;

	if (len > FDS_MAX) len = FDS_MAX;
	for (size_t i = 0; i <= len; i++) {
		int fd = i < len ? fds[i].fd : o->wake_fd;

		plain[i] = (struct pollfd){ .fd = fd, .events = POLLIN };
		waits[i] = (struct curl_waitfd){ .fd = fd, .events = CURL_WAIT_POLLIN };
	}
	if (o->multi)
		curl_multi_poll(o->multi, waits, (unsigned)len + 1, wait_ms, NULL);
	else
		poll(plain, len + 1, wait_ms);
	while (read(o->wake_fd, &rung, sizeof rung) < 0 && errno == EINTR)
		continue;
}

void outbound_turn(
	struct outbound *o, const struct pollfd *fds, size_t len, int64_t wait_ms)
{
	if (outbound_perform(o)) return;
	outbound_sleep(o, fds, len, (int)(wait_ms < 60000 ? wait_ms : 60000));
	outbound_perform(o);
}

void outbound_wake(struct outbound *o)
{
	const uint64_t one = 1;

	while (write(o->wake_fd, &one, sizeof one) < 0 && errno == EINTR)
		continue;
}
