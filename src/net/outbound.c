/* outbound.c - HTTP requests to others by libcurl; every address is checked on
 * connect. */
#include "net/outbound.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/mem.h"

enum { CONNECT_MS = 10 * 1000, REPLY_MAX_BYTES = 64 * 1024, FDS_MAX = 64 };

struct outbound {
	CURLM *multi;
	struct outbound_transfer *first;
};

struct outbound_transfer {
	struct outbound_transfer *next, **at; /* in the list of those under way */
	struct outbound_request request;
	CURL *easy;
	struct curl_slist *headers;
	size_t read;
	char refused[INET6_ADDRSTRLEN]; /* an address it may not connect to; or "" */
	char error[CURL_ERROR_SIZE];
};

struct outbound *outbound_new(struct fault *why)
{
	struct outbound *o = mem_alloc(sizeof *o);

	if (o && curl_global_init(CURL_GLOBAL_DEFAULT) == 0) o->multi = curl_multi_init();
	if (o && o->multi) return o;
	fail(why, ERR_MEMORY, "out of memory");
	return outbound_free(o);
}

static void transfer_free(struct outbound *o, struct outbound_transfer *t)
{
	if (t->easy) {
		curl_multi_remove_handle(o->multi, t->easy);
		curl_easy_cleanup(t->easy);
	}
	curl_slist_free_all(t->headers);
	if (t->at) {
		*t->at = t->next;
		if (t->next) t->next->at = t->at;
	}
	mem_free(t);
}

void outbound_cut(struct outbound *o, const void *ctx)
{
	for (struct outbound_transfer *t = o->first, *next; t; t = next) {
		next = t->next;
		if (!ctx || t->request.ctx == ctx) transfer_free(o, t);
	}
}

struct outbound *outbound_free(struct outbound *o)
{
	if (!o) return NULL;
	outbound_cut(o, NULL);
	curl_multi_cleanup(o->multi);
	mem_free(o);
	return NULL;
}

/* ---- what libcurl asks ---- */

static bool address_map(const struct sockaddr *from, uint8_t out[16])
{
	if (from->sa_family == AF_INET6) {
		memcpy(out, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr,
			16);
		return true;
	}
	if (from->sa_family != AF_INET) return false;
	memset(out, 0, 10);
	memset(out + 10, 0xff, 2);
	memcpy(out + 12, &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
	return true;
}

static curl_socket_t transfer_connect(
	void *ctx, curlsocktype purpose, struct curl_sockaddr *to)
{
	struct outbound_transfer *t = ctx;
	uint8_t address[16];

	if (purpose != CURLSOCKTYPE_IPCXN || !address_map(&to->addr, address))
		return CURL_SOCKET_BAD;
	if (!t->request.may_connect(t->request.ctx, address)) {
		inet_ntop(AF_INET6, address, t->refused, sizeof t->refused);
		if (to->family == AF_INET)
			inet_ntop(AF_INET, address + 12, t->refused, sizeof t->refused);
		return CURL_SOCKET_BAD;
	}
	return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/* What is said beside the status interests nobody, and is not read for long. */
static size_t transfer_read(char *at, size_t size, size_t n, void *ctx)
{
	struct outbound_transfer *t = ctx;

	(void)at;
	t->read += size * n;
	return t->read <= REPLY_MAX_BYTES ? size * n : 0;
}

/* ---- sending ---- */

static bool headers_set(struct outbound_transfer *t)
{
	static const char *const quiet[] = { "Expect:", NULL };

	for (const char *const *lists[] = { quiet, t->request.headers, NULL },
			       *const **list = lists;
		*list; list++)
		for (const char *const *line = *list; *line; line++) {
			struct curl_slist *longer = curl_slist_append(t->headers, *line);

			if (!longer) return false;
			t->headers = longer;
		}
	return curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers) == CURLE_OK;
}

static bool transfer_set(struct outbound_transfer *t)
{
	const struct outbound_request *r = &t->request;
	const char *authority = getenv("SSL_CERT_FILE");
	CURL *c = t->easy;

	if (!c || !headers_set(t) || curl_easy_setopt(c, CURLOPT_URL, r->url) != CURLE_OK)
		return false;
	curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
	curl_easy_setopt(c, CURLOPT_POSTFIELDS, r->body.at ? r->body.at : "");
	curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)r->timeout_ms);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS,
		(long)(r->timeout_ms < CONNECT_MS ? r->timeout_ms : CONNECT_MS));
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(c, CURLOPT_PROXY, "");
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "parley/" PARLEY_VERSION);
	if (authority) curl_easy_setopt(c, CURLOPT_CAINFO, authority);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, transfer_connect);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, t);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, transfer_read);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, t->error);
	curl_easy_setopt(c, CURLOPT_PRIVATE, t);
	return true;
}

enum err outbound_send(
	struct outbound *o, const struct outbound_request *request, struct fault *why)
{
	struct outbound_transfer *t = mem_alloc(sizeof *t);

	if (!t) return fail(why, ERR_MEMORY, "out of memory");
	t->request = *request;
	t->easy = curl_easy_init();
	t->next = o->first;
	t->at = &o->first;
	if (o->first) o->first->at = &t->next;
	o->first = t;
	if (transfer_set(t) && curl_multi_add_handle(o->multi, t->easy) == CURLM_OK)
		return OK;
	transfer_free(o, t);
	return fail(why, ERR_MEMORY, "out of memory");
}

/* ---- what came of it ---- */

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
	if (t->refused[0] && !reply.status) {
		snprintf(refusal, sizeof refusal, "%s may not be connected to",
			t->refused);
		reply.error = refusal;
		reply.refused = true;
	}
	t->request.done(t->request.ctx, &reply);
	transfer_free(o, t);
}

/* True: something came to its end. */
static bool outbound_perform(struct outbound *o)
{
	int running = 0, left;
	bool some = false;
	CURLMsg *m;

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

void outbound_turn(
	struct outbound *o, const struct pollfd *fds, size_t len, int64_t wait_ms)
{
	struct curl_waitfd others[FDS_MAX];

	if (outbound_perform(o)) return;
	for (size_t i = 0; i < len && i < FDS_MAX; i++)
		others[i] = (struct curl_waitfd){ .fd = fds[i].fd,
			.events = CURL_WAIT_POLLIN };
	curl_multi_poll(o->multi, others, (unsigned)(len < FDS_MAX ? len : FDS_MAX),
		(int)(wait_ms < 60000 ? wait_ms : 60000), NULL);
	outbound_perform(o);
}

void outbound_wake(struct outbound *o)
{
	curl_multi_wakeup(o->multi);
}
