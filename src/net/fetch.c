/* fetch.c - a blocking request by libcurl's multi interface, so that it can be stopped. */
#include "net/fetch.h"

#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/outbound_easy.h"

enum { RETRY_AFTER_MAX_S = 86400, READ_BYTES = 16 * 1024 };

struct fetcher {
	CURLM *multi; /* keeps the connections */
	CURL *easy;
};

struct fetching {
	const struct fetch_request *request;
	CURL *easy;
	struct outbound_gate gate;
	int64_t alive_ms; /* the last sign of life */
	char error[CURL_ERROR_SIZE];
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

struct fetcher *fetcher_free(struct fetcher *f)
{
	if (!f) return NULL;
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

static bool fetching_set(struct fetching *g, struct curl_slist **list)
{
	const struct fetch_request *r = g->request;
	CURL *c = g->easy;

	curl_easy_reset(c); /* connections stay */
	if (!outbound_easy_set(
		    c, &g->gate, r->url, r->headers, r->timeout_ms, list, g->error))
		return false;
	if (r->get) {
		curl_easy_setopt(c, CURLOPT_HTTPGET, 1L);
	} else {
		curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
		curl_easy_setopt(c, CURLOPT_POSTFIELDS, r->body.at ? r->body.at : "");
	}
	curl_easy_setopt(c, CURLOPT_BUFFERSIZE, (long)READ_BYTES);
	curl_easy_setopt(c, CURLOPT_UPLOAD_BUFFERSIZE, (long)READ_BYTES);
	curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L); /* a name's lookup may go on alone */
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, fetching_take);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, g);
	return true;
}

static bool stop_asked(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&p, 1, 0) > 0;
}

static int wait_ms(const struct fetching *g)
{
	int64_t left = 60 * 1000;

	if (g->request->idle_ms) {
		left = g->alive_ms + g->request->idle_ms - clock_mono_ms();
		if (left < 0) left = 0;
		if (left > 60 * 1000) left = 60 * 1000;
	}
	return (int)left;
}

/* Until it is over, one way or another; *code is curl's word when it is curl's. */
static enum fetch_ending fetching_drive(struct fetching *g, CURLM *multi, CURLcode *code)
{
	const struct fetch_request *r = g->request;
	struct curl_waitfd stop = { .fd = r->stop_fd, .events = CURL_WAIT_POLLIN };

	if (stop_asked(r->stop_fd)) return FETCH_STOPPED;
	for (;;) {
		int running = 0, left;
		CURLMsg *m;

		curl_multi_perform(multi, &running);
		while ((m = curl_multi_info_read(multi, &left)))
			if (m->msg == CURLMSG_DONE) {
				*code = m->data.result;
				return *code == CURLE_OK ? FETCH_WHOLE : FETCH_CUT;
			}
		if (!running) return FETCH_CUT;
		if (r->idle_ms && clock_mono_ms() - g->alive_ms >= r->idle_ms)
			return FETCH_SILENT;
		curl_multi_poll(multi, &stop, r->stop_fd >= 0, wait_ms(g), NULL);
		if (stop.revents) return FETCH_STOPPED;
	}
}

static void headers_read(CURL *easy, struct fetch_end *out)
{
	struct curl_header *h;
	curl_off_t after_s = 0;
	int64_t ms;

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
	struct fetching g = { .request = request,
		.easy = f->easy,
		.gate = { .may_connect = request->may_connect, .ctx = request->ctx },
		.alive_ms = clock_mono_ms() };
	struct curl_slist *list = NULL;
	CURLcode code = CURLE_OUT_OF_MEMORY;

	*out = (struct fetch_end){ .how = FETCH_UNREACHABLE, .retry_after_ms = -1 };
	if (fetching_set(&g, &list) &&
		curl_multi_add_handle(f->multi, f->easy) == CURLM_OK) {
		out->how = fetching_drive(&g, f->multi, &code);
		out->status = fetching_status(&g);
		if (out->status) headers_read(f->easy, out);
		curl_multi_remove_handle(f->multi, f->easy);
	}
	end_say(&g, code, out);
	curl_slist_free_all(list);
}
