/* client.c - the connection to a server, calls, retries, URLs, idempotency keys. */
#include "client/client.h"

#include <curl/curl.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "client/transfer.h"

static const int64_t SILENCE_MS = 45000; /* held replies beat every 15 s */

static bool url_local(struct str origin)
{
	static const char *const starts[] = { "://127.", "://localhost:", "://localhost",
		"://[::1]" };

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (str_find(origin, str_of(starts[i])) >= 0) return true;
	return false;
}

static bool target_read(struct client *c, struct str url)
{
	if (str_starts(url, "unix:/")) {
		c->socket = str_of(arena_copy(&c->arena, str_from(url, strlen("unix:"))));
		c->base = STR("http://localhost");
		c->local = true;
		return true;
	}
	while (url.len > 0 && url.at[url.len - 1] == '/')
		url.len--;
	c->base = arena_str(&c->arena, url);
	c->local = url_local(url_origin(url));
	return url_origin(url).len > 0;
}

struct client *client_new(const struct client_setup *setup, struct fault *why)
{
	struct client *c = mem_alloc(sizeof *c);

	if (!c) return fail(why, ERR_MEMORY, "out of memory"), NULL;
	c->with = *setup;
	if (setup->silence_ms <= 0) c->with.silence_ms = SILENCE_MS;
	struct str *const texts[] = { &c->with.url, &c->with.token, &c->with.cookie,
		&c->with.via, &c->with.workspace, &c->with.lang, &c->with.project,
		&c->with.work_tree, &c->with.program, &c->with.machine_user,
		&c->with.traceparent, &c->with.tracestate };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		*texts[i] = arena_str(&c->arena, *texts[i]);
	if (!target_read(c, setup->url)) {
		fail(why, ERR_INVALID, "%.*s: not an address of a server",
			STR_ARGS(setup->url));
		return client_free(c);
	}
	curl_global_init(CURL_GLOBAL_DEFAULT);
	c->multi = curl_multi_init();
	if (!c->multi || c->arena.failed) {
		fail(why, ERR_MEMORY, "out of memory");
		return client_free(c);
	}
	return c;
}

struct client *client_free(struct client *c)
{
	if (!c) return NULL;
	if (c->multi) curl_multi_cleanup(c->multi);
	arena_done(&c->arena);
	mem_free(c);
	return NULL;
}

enum err client_call(struct client *c, const struct api_call *call, struct arena *arena,
	struct api_reply *out, struct fault *why)
{
	struct transfer *t = transfer_start(c, call, NULL);
	enum err err;

	*out = (struct api_reply){ 0 };
	if (!t) return fail(why, ERR_MEMORY, "out of memory");
	while (!transfer_over(t)) {
		if (client_stir(c, -1, 60000) == STIRRED_STOP) {
			out->stopped = true;
			transfer_free(t);
			return fail(why, ERR_UNAVAILABLE, "interrupted");
		}
	}
	err = transfer_result(t, arena, out, why);
	transfer_free(t);
	return err;
}

bool reply_passing(const struct api_reply *r)
{
	return !r->stopped && (r->status == 0 || r->status == 429 || r->status == 502 ||
				      r->status == 503 || r->status == 504);
}

/* True when stopped. */
static bool nap(struct client *c, int64_t ms)
{
	int64_t until = clock_mono_ms() + ms;

	for (int64_t left = ms; left > 0; left = until - clock_mono_ms())
		if (client_stir(c, -1, left) == STIRRED_STOP) return true;
	return false;
}

enum err client_insist(struct client *c, const struct api_call *call,
	const struct patience *p, struct arena *arena, struct api_reply *out,
	struct fault *why)
{
	int64_t start = clock_mono_ms();

	for (int n = 1;; n++) {
		struct fault now = { 0 };
		enum err err = client_call(c, call, arena, out, &now);
		int64_t pause = transfer_backoff_ms(n, &now);

		/* A channel that is not configured will not appear by waiting. */
		if (err == OK || !reply_passing(out) || err == ERR_MEMORY ||
			err == ERR_CHANNEL_OFF ||
			(n == 1 && p->must_connect && out->status == 0 &&
				!out->connected) ||
			(p->total_ms >= 0 &&
				clock_mono_ms() + pause - start > p->total_ms)) {
			if (why) *why = now;
			return err;
		}
		if (n == 1 && p->trouble) p->trouble(p->ctx, &now);
		if (nap(c, pause)) {
			out->stopped = true;
			return fail(why, ERR_UNAVAILABLE, "interrupted");
		}
	}
}

struct str key_make(struct arena *arena)
{
	uint64_t a = random_u64(NULL), b = random_u64(NULL);

	return arena_print(
		arena, "%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
}
