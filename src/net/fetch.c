/* fetch.c - a blocking request by libcurl's multi interface, so that it can be stopped. */
#include "net/fetch.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/outbound_easy.h"

enum {
	RETRY_AFTER_MAX_S = 86400,
	READ_BYTES = 16 * 1024,
	ONCE_IDLE_S = 1, /* no server closes a connection as soon as that */
	IDLE_S = 118,	 /* as libcurl has it */
};

struct fetching {
	const struct fetch_request *request;
	CURL *easy;
	struct outbound_gate gate;
	int64_t alive_ms; /* the last sign of life */
	bool sent;
	char error[CURL_ERROR_SIZE];
};

struct fetcher {
	CURLM *multi; /* keeps the connections */
	CURL *easy;
	struct fetching now;
	/* The URL that the handle is set up for, as the next request mostly has the same. NULL: none. */
	char *url;
	struct curl_slist *headers;
	bool get, special; /* special: with a method of its own, or alone */
};

struct fetcher *fetcher_new(struct fault *why)
{
	struct fetcher *f = mem_alloc(sizeof *f);

	if (f && curl_global_init(CURL_GLOBAL_DEFAULT) == 0) {
		f->multi = curl_multi_init();
		f->easy = curl_easy_init();
	}
	if (f && f->multi && f->easy) return f;
	fail(why, ERR_MEMORY, "out of memory");
	return fetcher_free(f);
}

/* Its connections stay. */
static void fetcher_forget(struct fetcher *f)
{
	curl_easy_reset(f->easy);
	curl_slist_free_all(f->headers);
	f->headers = NULL;
	mem_free(f->url);
	f->url = NULL;
}

struct fetcher *fetcher_free(struct fetcher *f)
{
	if (!f) return NULL;
	if (f->easy) fetcher_forget(f);
	curl_easy_cleanup(f->easy);
	curl_multi_cleanup(f->multi);
	mem_free(f);
	return NULL;
}

static int fetching_status(const struct fetching *g)
{
	long status = 0;

	curl_easy_getinfo(g->easy, CURLINFO_RESPONSE_CODE, &status);
	return status >= 200 ? (int)status : 0;
}

static size_t fetching_take(char *at, size_t size, size_t n, void *ctx)
{
	struct fetching *g = ctx;

	if (g->request->take(g->request->ctx, fetching_status(g), str_make(at, size * n)))
		g->alive_ms = clock_mono_ms();
	return size * n;
}

static int fetching_send(void *ctx, char *to, char *from, int port_there, int port_here)
{
	struct fetching *g = ctx;
	const struct fetch_request *r = g->request;
	/* libcurl would send it again over another connection if this one gave out before a byte came. */
	bool may = !(r->once && g->sent) && (!r->may_send || r->may_send(r->ctx));

	(void)to, (void)from, (void)port_there, (void)port_here;
	g->alive_ms = clock_mono_ms();
	g->sent |= may;
	return may ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/* The headers of a handle end with those of the request; ours stand before them. */
static bool headers_same(const struct curl_slist *set, const char *const *headers)
{
	size_t len = 0, own = 0;

	while (headers[len])
		len++;
	for (const struct curl_slist *at = set; at; at = at->next)
		own++;
	if (own < len) return false;
	for (own -= len; own; own--)
		set = set->next;
	for (; set; set = set->next, headers++)
		if (strcmp(set->data, *headers) != 0) return false;
	return true;
}

static bool fetcher_set(struct fetcher *f, const struct fetch_request *r)
{
	struct fetching *g = &f->now;
	CURL *c = f->easy;

	if (f->url && !r->method && !r->fresh && !f->special && f->get == r->get &&
		strcmp(f->url, r->url) == 0 && headers_same(f->headers, r->headers))
		return true;
	fetcher_forget(f);
	if (!outbound_easy_set(c, &g->gate, r->url, r->headers, r->timeout_ms,
		    &f->headers, g->error))
		return false;
	if (r->get) curl_easy_setopt(c, CURLOPT_HTTPGET, 1L);
	if (r->method) curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, r->method);
	if (r->fresh) {
		curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, 1L);
		curl_easy_setopt(c, CURLOPT_FORBID_REUSE, 1L);
	}
	f->special = r->method || r->fresh;
	curl_easy_setopt(c, CURLOPT_BUFFERSIZE, (long)READ_BYTES);
	curl_easy_setopt(c, CURLOPT_UPLOAD_BUFFERSIZE, (long)READ_BYTES);
	curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L); /* a name's lookup may go on alone */
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, fetching_take);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, g);
	curl_easy_setopt(c, CURLOPT_PREREQFUNCTION, fetching_send);
	curl_easy_setopt(c, CURLOPT_PREREQDATA, g);
	f->get = r->get;
	f->url = mem_copy(r->url, strlen(r->url));
	return f->url != NULL;
}

static void body_set(CURL *c, const struct fetch_request *r)
{
	if (r->get) return;
	curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
	curl_easy_setopt(c, CURLOPT_POSTFIELDS, r->body.at ? r->body.at : "");
}

static int wait_ms(const struct fetching *g)
{
	int64_t left = g->request->tick ? FETCH_TICK_MS : 60 * 1000;

	if (g->request->idle_ms) {
		int64_t silent = g->alive_ms + g->request->idle_ms - clock_mono_ms();

		if (silent < left) left = silent > 0 ? silent : 0;
	}
	return (int)left;
}

/* Until it is over, one way or another; *code is curl's word when it is curl's. */
static enum fetch_ending fetching_drive(struct fetching *g, CURLM *multi, CURLcode *code)
{
	const struct fetch_request *r = g->request;
	struct curl_waitfd stop = { .fd = r->stop_fd, .events = CURL_WAIT_POLLIN };

	if (outbound_stop_asked(r->stop_fd)) return FETCH_STOPPED;
	for (;;) {
		int running = 0, left;
		CURLMsg *m;

		curl_multi_perform(multi, &running);
		while ((m = curl_multi_info_read(multi, &left)))
			if (m->msg == CURLMSG_DONE) {
				*code = m->data.result;
				return *code == CURLE_OK ? FETCH_WHOLE : FETCH_CUT;
			}
		if (r->enough && *r->enough) return FETCH_WHOLE;
		if (!running) return FETCH_CUT;
		if (r->idle_ms && clock_mono_ms() - g->alive_ms >= r->idle_ms)
			return FETCH_SILENT;
		curl_multi_poll(multi, &stop, r->stop_fd >= 0, wait_ms(g), NULL);
		if (stop.revents) return FETCH_STOPPED;
		if (r->tick) r->tick(r->ctx);
	}
}

static void headers_read(CURL *easy, struct fetch_end *out)
{
	struct curl_header *h;
	curl_off_t after_s = 0;
	int64_t ms;

	if (curl_easy_header(easy, "parley-later", 0, CURLH_HEADER, -1, &h) == CURLHE_OK)
		out->later = strcmp(h->value, "1") == 0;
	if (curl_easy_header(easy, "content-type", 0, CURLH_HEADER, -1, &h) == CURLHE_OK)
		snprintf(out->type, sizeof out->type, "%s", h->value);
	if (curl_easy_header(easy, "mcp-session-id", 0, CURLH_HEADER, -1, &h) ==
		CURLHE_OK)
		snprintf(out->session, sizeof out->session, "%s", h->value);
	if (curl_easy_header(easy, "location", 0, CURLH_HEADER, -1, &h) == CURLHE_OK)
		snprintf(out->location, sizeof out->location, "%s", h->value);
	if (curl_easy_header(easy, "x-should-retry", 0, CURLH_HEADER, -1, &h) ==
		CURLHE_OK)
		out->no_retry = str_is_nocase(str_of(h->value), "false");
	if (curl_easy_header(easy, "retry-after-ms", 0, CURLH_HEADER, -1, &h) ==
			CURLHE_OK &&
		str_to_int(str_of(h->value), 0, RETRY_AFTER_MAX_S * 1000LL, &ms)) {
		out->retry_after_ms = ms;
		return;
	}
	if (curl_easy_header(easy, "retry-after", 0, CURLH_HEADER, -1, &h) != CURLHE_OK)
		return;
	curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &after_s);
	if (after_s >= 0 && after_s <= RETRY_AFTER_MAX_S)
		out->retry_after_ms = after_s * 1000;
}

static void end_say(const struct fetching *g, CURLcode code, struct fetch_end *out)
{
	const struct fetch_request *r = g->request;

	if (out->how == FETCH_CUT && code == CURLE_OPERATION_TIMEDOUT && out->status)
		out->how = FETCH_TIMEOUT;
	if (out->how == FETCH_CUT && !out->status)
		out->how = g->gate.refused[0] ? FETCH_REFUSED : FETCH_UNREACHABLE;
	switch (out->how) {
	case FETCH_WHOLE: break;
	case FETCH_STOPPED: snprintf(out->error, sizeof out->error, "stopped"); break;
	case FETCH_TIMEOUT:
		snprintf(out->error, sizeof out->error,
			"no end of the reply after %lld s",
			(long long)r->timeout_ms / 1000);
		break;
	case FETCH_SILENT:
		snprintf(out->error, sizeof out->error, "nothing came for %lld s",
			(long long)r->idle_ms / 1000);
		break;
	case FETCH_REFUSED:
		snprintf(out->error, sizeof out->error, "%s may not be connected to",
			g->gate.refused);
		break;
	default:
		snprintf(out->error, sizeof out->error, "%s",
			g->error[0] ? g->error : curl_easy_strerror(code));
	}
}

void fetcher_run(
	struct fetcher *f, const struct fetch_request *request, struct fetch_end *out)
{
	struct fetching *g = &f->now;
	CURLcode code = CURLE_OUT_OF_MEMORY;

	g->request = request;
	g->easy = f->easy;
	g->gate = (struct outbound_gate){ .may_connect = request->may_connect,
		.ctx = request->ctx };
	g->alive_ms = clock_mono_ms();
	g->sent = false;
	g->error[0] = '\0';
	*out = (struct fetch_end){ .how = FETCH_UNREACHABLE, .retry_after_ms = -1 };
	if (fetcher_set(f, request)) {
		outbound_easy_limit(f->easy, request->timeout_ms);
		curl_easy_setopt(f->easy, CURLOPT_MAXAGE_CONN,
			(long)(request->once ? ONCE_IDLE_S : IDLE_S));
		body_set(f->easy, request);
		if (curl_multi_add_handle(f->multi, f->easy) == CURLM_OK) {
			out->how = fetching_drive(g, f->multi, &code);
			out->status = fetching_status(g);
			if (out->status) headers_read(f->easy, out);
			curl_multi_remove_handle(f->multi, f->easy);
		}
	}
	out->sent = g->sent;
	end_say(g, code, out);
}
