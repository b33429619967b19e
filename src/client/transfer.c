/* transfer.c - one HTTP exchange with libcurl. */
#include "client/transfer.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "mcp/remote.h"

enum {
	CONNECT_TIMEOUT_S = 10,
	PLAIN_TIMEOUT_MS = 30000, /* for a reply that is not held */
	COOKIE_MAX = 512,
};

struct transfer {
	struct client *client;
	CURL *easy;
	struct curl_slist *headers;
	struct buf request;
	struct buf body;
	struct buf cookie;
	struct sse *sse;			   /* or NULL */
	bool (*take)(void *ctx, struct str bytes); /* likewise */
	void *take_ctx;
	int64_t retry_after_s;
	int64_t heard_ms; /* monotonic; when a byte came last */
	bool over;
	bool refused; /* no more is wanted, or memory gave out */
	CURLcode code;
};

static size_t take_body(char *at, size_t size, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	struct str bytes = { at, size * n };

	t->heard_ms = clock_mono_ms();
	if (t->sse && transfer_status(t) < 300 &&
		str_starts(transfer_header(t, "Content-Type"), "text/event-stream"))
		t->refused = !sse_feed(t->sse, bytes);
	else if (t->take && transfer_status(t) < 300)
		t->refused = !t->take(t->take_ctx, bytes);
	else
		buf_add(&t->body, bytes);
	t->refused |= t->body.failed;
	return t->refused ? 0 : bytes.len;
}

static bool header_value(struct str line, const char *name, struct str *out)
{
	size_t len = strlen(name);

	if (line.len <= len || line.at[len] != ':' ||
		!str_is_nocase(str_first(line, len), name))
		return false;
	*out = str_trim(str_from(line, len + 1));
	return true;
}

static size_t take_header(char *at, size_t size, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	struct str line = { at, size * n }, value, cookie;

	t->heard_ms = clock_mono_ms();
	if (header_value(line, "Retry-After", &value))
		str_to_int(value, 0, 86400, &t->retry_after_s);
	else if (header_value(line, "Set-Cookie", &value) &&
		 str_starts(value, "parley=") && str_cut(&value, ';', &cookie))
		buf_clear(&t->cookie),
			buf_add(&t->cookie, str_from(cookie, strlen("parley=")));
	return line.len;
}

static void header_add(struct transfer *t, const char *name, struct str value)
{
	struct buf line = { .max = 8192 };

	if (value.len == 0) return;
	buf_add_text(&line, name);
	buf_add(&line, value);
	struct curl_slist *longer =
		line.failed ? NULL : curl_slist_append(t->headers, buf_text(&line));
	if (longer)
		t->headers = longer;
	else
		t->refused = true;
	buf_done(&line);
}

static void headers_set(struct transfer *t, const struct api_call *call)
{
	const struct client *c = t->client;

	header_add(t, "Authorization: Bearer ", c->with.token);
	if (c->with.cookie.len > 0) {
		header_add(t, "Cookie: parley=", c->with.cookie);
		header_add(t, "Origin: ", url_origin(c->base));
	}
	header_add(t, "Parley-Via: ", c->with.via);
	header_add(t, "Parley-Workspace: ", c->with.workspace);
	header_add(t, "Accept-Language: ", c->with.lang);
	header_add(t, "Parley-Project: ", c->with.project);
	header_add(t, "Parley-Work-Tree: ", c->with.work_tree);
	header_add(t, "Parley-Program: ", c->with.program);
	header_add(t, "Parley-Machine-User: ", c->with.machine_user);
	header_add(t, "traceparent: ", c->with.traceparent);
	header_add(t, "tracestate: ", c->with.tracestate);
	header_add(t, "Idempotency-Key: ", call->key);
	header_add(t, "Last-Event-ID: ", call->after);
	if (call->body.len > 0) header_add(t, "Content-Type: ", STR("application/json"));
	header_add(t, "Expect:", STR(" "));
	for (const struct header *h = call->headers; h && h->start; h++)
		header_add(t, h->start, h->value);
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
}

/* Ends a transfer that is silent for too long. libcurl's own speed limit counts whole bytes a
 * second, but a held reply has one byte in 15 s. */
static int silence_end(
	void *ctx, curl_off_t total, curl_off_t now, curl_off_t up, curl_off_t up_now)
{
	const struct transfer *t = ctx;

	(void)total, (void)now, (void)up, (void)up_now;
	return t->heard_ms + t->client->with.silence_ms < clock_mono_ms();
}

static void times_set(struct transfer *t, int64_t hold_ms)
{
	curl_easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_TIMEOUT_S);
	if (hold_ms >= 0)
		curl_easy_setopt(
			t->easy, CURLOPT_TIMEOUT_MS, (long)(PLAIN_TIMEOUT_MS + hold_ms));
	if (hold_ms != 0) {
		t->heard_ms = clock_mono_ms();
		curl_easy_setopt(t->easy, CURLOPT_NOPROGRESS, 0L);
		curl_easy_setopt(t->easy, CURLOPT_XFERINFOFUNCTION, silence_end);
		curl_easy_setopt(t->easy, CURLOPT_XFERINFODATA, t);
		curl_easy_setopt(t->easy, CURLOPT_TCP_KEEPALIVE, 1L);
	}
}

static void target_set(struct transfer *t, const struct api_call *call)
{
	const struct client *c = t->client;
	struct buf url = { .max = 8192 };

	buf_add(&url, c->base);
	buf_add(&url, call->path);
	t->refused |= url.failed;
	curl_easy_setopt(t->easy, CURLOPT_URL, buf_text(&url));
	buf_done(&url);
	curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, call->method);
	if (c->socket.len > 0)
		curl_easy_setopt(t->easy, CURLOPT_UNIX_SOCKET_PATH, c->socket.at);
	/* A proxy of the environment cannot reach this machine's own loopback. */
	if (c->local) curl_easy_setopt(t->easy, CURLOPT_PROXY, "");
}

static void body_set(struct transfer *t, struct str body)
{
	buf_add(&t->request, body);
	t->refused |= t->request.failed;
	if (body.len == 0) return;
	curl_easy_setopt(
		t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->request.len);
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, t->request.at);
}

struct transfer *transfer_start(
	struct client *client, const struct api_call *call, struct sse *sse)
{
	struct transfer *t = mem_alloc(sizeof *t);

	if (!t) return NULL;
	*t = (struct transfer){ .client = client,
		.sse = sse,
		.take = call->take,
		.take_ctx = call->take_ctx };
	t->cookie.max = COOKIE_MAX;
	t->easy = curl_easy_init();
	if (!t->easy) return transfer_free(t);
	body_set(t, call->body);
	target_set(t, call);
	headers_set(t, call);
	times_set(t, call->hold_ms);
	curl_easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(t->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	/* A private authority, named the way OpenSSL's own tools are told of it. */
	if (getenv("SSL_CERT_FILE"))
		curl_easy_setopt(t->easy, CURLOPT_CAINFO, getenv("SSL_CERT_FILE"));
	curl_easy_setopt(t->easy, CURLOPT_USERAGENT, "parley/" PARLEY_VERSION);
	curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
	if (t->refused || curl_multi_add_handle(client->multi, t->easy) != CURLM_OK)
		return transfer_free(t);
	return t;
}

struct transfer *transfer_free(struct transfer *t)
{
	if (!t) return NULL;
	if (t->easy) {
		curl_multi_remove_handle(t->client->multi, t->easy);
		curl_easy_cleanup(t->easy);
	}
	curl_slist_free_all(t->headers);
	buf_done(&t->request);
	buf_done(&t->body);
	buf_done(&t->cookie);
	mem_free(t);
	return NULL;
}

bool transfer_over(const struct transfer *t)
{
	return t->over;
}

int transfer_status(const struct transfer *t)
{
	long status = 0;

	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	return (int)status;
}

struct str transfer_header(const struct transfer *t, const char *name)
{
	struct curl_header *h = NULL;

	if (curl_easy_header(t->easy, name, 0, CURLH_HEADER, -1, &h) != CURLHE_OK)
		return STR_NONE;
	return str_of(h->value);
}

/* True when a transfer came to its end. */
static bool collect(struct client *c)
{
	CURLMsg *m;
	int left;
	bool any = false;

	while ((m = curl_multi_info_read(c->multi, &left))) {
		struct transfer *t = NULL;

		if (m->msg != CURLMSG_DONE) continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
		t->over = any = true;
		t->code = m->data.result;
	}
	return any;
}

enum stirred client_stir(struct client *c, int input_fd, int64_t wait_ms)
{
	struct curl_waitfd fds[2];
	unsigned len = 0;
	int running = 0;

	/* Silence is noticed within a third of its limit. */
	if (wait_ms > c->with.silence_ms / 3) wait_ms = c->with.silence_ms / 3;
	curl_multi_perform(c->multi, &running);
	if (collect(c)) wait_ms = 0;
	if (c->with.stop_fd >= 0)
		fds[len++] = (struct curl_waitfd){ .fd = c->with.stop_fd,
			.events = CURL_WAIT_POLLIN };
	if (input_fd >= 0)
		fds[len++] = (struct curl_waitfd){ .fd = input_fd,
			.events = CURL_WAIT_POLLIN };
	curl_multi_poll(c->multi, fds, len, (int)wait_ms, NULL);
	if (c->with.stop_fd >= 0 && fds[0].revents) return STIRRED_STOP;
	if (input_fd >= 0 && fds[len - 1].revents) return STIRRED_INPUT;
	curl_multi_perform(c->multi, &running);
	collect(c);
	return STIRRED_NET;
}

int64_t transfer_backoff_ms(int n, const struct fault *why)
{
	int64_t most = n >= 6 ? 10000 : (int64_t)250 << n;
	int64_t ms = most / 2 + (int64_t)(random_u64(NULL) % (uint64_t)(most / 2 + 1));

	return why && why->retry_after_s * 1000 > ms ? why->retry_after_s * 1000 : ms;
}

static const struct {
	int status;
	enum err err;
} by_status[] = {
	{ 400, ERR_BAD_REQUEST },
	{ 401, ERR_NO_TOKEN },
	{ 403, ERR_FORBIDDEN },
	{ 404, ERR_NOT_FOUND },
	{ 405, ERR_METHOD },
	{ 409, ERR_CONFLICT },
	{ 413, ERR_TOO_BIG },
	{ 415, ERR_MEDIA_TYPE },
	{ 422, ERR_INVALID },
	{ 429, ERR_RATE },
	{ 502, ERR_UNAVAILABLE },
	{ 503, ERR_UNAVAILABLE },
	{ 504, ERR_UNAVAILABLE },
};

static enum err status_err(int status)
{
	for (size_t i = 0; i < sizeof by_status / sizeof *by_status; i++)
		if (by_status[i].status == status) return by_status[i].err;
	return status >= 400 && status < 500 ? ERR_BAD_REQUEST : ERR_INTERNAL;
}

static enum err problem_fail(const struct api_reply *r, struct fault *why)
{
	struct str type = json_text_of(r->json, "type");
	struct str detail = json_text_of(r->json, "detail");
	const struct json *errors = json_get(r->json, "errors");
	enum err err = status_err(r->status);

	if (str_ends(type, "/outcome-unknown")) err = ERR_UNKNOWN;
	if (str_ends(type, "/channel-off")) err = ERR_CHANNEL_OFF;
	if (detail.len == 0) detail = json_text_of(r->json, "title");
	for (uint32_t i = 0; json_is(errors, JSON_ARRAY) && i < errors->count; i++) {
		struct str at = json_text_of(&errors->items[i], "pointer");
		struct str what = json_text_of(&errors->items[i], "detail");
		char pointer[160];

		snprintf(pointer, sizeof pointer, "%.*s", STR_ARGS(at));
		fail_at(why, pointer, "%.*s", STR_ARGS(what));
	}
	if (detail.len == 0) return fail(why, err, "HTTP %d", r->status);
	return fail(why, err, "%.*s", STR_ARGS(detail));
}

enum err transfer_result(
	struct transfer *t, struct arena *arena, struct api_reply *out, struct fault *why)
{
	struct api_reply r = { 0 };
	curl_off_t connect_us = 0;
	struct fault not_json = { 0 };

	curl_easy_getinfo(t->easy, CURLINFO_CONNECT_TIME_T, &connect_us);
	r.connected = connect_us > 0 || transfer_status(t) > 0 ||
		      t->code == CURLE_SEND_ERROR || t->code == CURLE_RECV_ERROR ||
		      t->code == CURLE_GOT_NOTHING;
	if (t->code != CURLE_OK) {
		*out = r;
		return fail(why, ERR_UNAVAILABLE, "%.*s: %s",
			STR_ARGS(t->client->with.url),
			t->code == CURLE_ABORTED_BY_CALLBACK
				? "nothing was heard of the server"
				: curl_easy_strerror(t->code));
	}
	r.status = transfer_status(t);
	r.body = arena_str(arena, buf_str(&t->body));
	r.cookie = arena_str(arena, buf_str(&t->cookie));
	if (r.body.len > 0 &&
		json_read(r.body, &mcp_list_limits, arena, &r.json, &not_json) != OK)
		r.json = NULL;
	*out = r;
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	if (why) why->retry_after_s = t->retry_after_s;
	if (r.status >= 200 && r.status < 300) return OK;
	return problem_fail(&r, why);
}
