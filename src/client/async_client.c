/* async_client.c - calls in the background, each repeated until answered or out of time. */
#include "client/async_client.h"

#include "base/clock.h"
#include "base/mem.h"
#include "client/transfer.h"

struct parcel {
	struct parcel *next;
	struct arena arena; /* of the call */
	struct api_call call;
	struct transfer *on_way; /* or NULL */
	int tries;
	int64_t pause_until, until; /* monotonic */
	async_client_fn *fn;
	void *ctx;
	int tag;
};

struct async_client {
	struct client *client;
	struct stream *stream;
	struct parcel *parcels; /* oldest first */
};

struct async_client *async_client_new(struct client *client)
{
	struct async_client *c = mem_alloc(sizeof *c);

	if (c) c->client = client;
	return c;
}

static void parcel_free(struct parcel *p)
{
	transfer_free(p->on_way);
	arena_done(&p->arena);
	mem_free(p);
}

struct async_client *async_client_free(struct async_client *c)
{
	if (!c) return NULL;
	for (struct parcel *p = c->parcels, *next; p; p = next) {
		next = p->next;
		parcel_free(p);
	}
	mem_free(c);
	return NULL;
}

void async_client_stream(struct async_client *c, struct stream *stream)
{
	c->stream = stream;
}

size_t async_client_load(const struct async_client *c)
{
	size_t n = 0;

	for (const struct parcel *p = c->parcels; p; p = p->next)
		n++;
	return n;
}

bool async_client_send(struct async_client *c, const struct api_call *call,
	int64_t patience_ms, async_client_fn *fn, void *ctx, int tag)
{
	struct parcel *p = mem_alloc(sizeof *p), **end = &c->parcels;

	if (!p) return false;
	*p = (struct parcel){ .call = *call, .fn = fn, .ctx = ctx, .tag = tag };
	p->until = clock_mono_ms() + patience_ms;
	p->call.path = arena_str(&p->arena, call->path);
	p->call.body = arena_str(&p->arena, call->body);
	p->call.key = call->key.len > 0 || strcmp(call->method, "GET") == 0
			      ? arena_str(&p->arena, call->key)
			      : key_make(&p->arena);
	if (p->arena.failed) return parcel_free(p), false;
	while (*end)
		end = &(*end)->next;
	*end = p;
	return true;
}

/* Its reply is here. True when it was told, and the parcel is done with. */
static bool parcel_arrived(struct parcel *p)
{
	struct arena arena = { 0 };
	struct fault why = { 0 };
	struct api_reply reply;
	enum err err = transfer_result(p->on_way, &arena, &reply, &why);
	int64_t pause = transfer_backoff_ms(++p->tries, &why), now = clock_mono_ms();
	bool again = err != OK && err != ERR_MEMORY && reply_passing(&reply);

	p->on_way = transfer_free(p->on_way);
	again = again && now + pause < p->until;
	p->pause_until = now + pause;
	if (!again) p->fn(p->ctx, p->tag, err, &reply, &why);
	arena_done(&arena);
	return !again;
}

/* Starts calls and collects replies. Callbacks may send more while the list is walked. */
static void parcels_move(struct async_client *c, int64_t *sleep_ms)
{
	for (struct parcel **at = &c->parcels; *at;) {
		struct parcel *p = *at;
		int64_t pause = p->pause_until - clock_mono_ms();

		if (!p->on_way && pause <= 0)
			p->on_way = transfer_start(c->client, &p->call, NULL);
		if (!p->on_way && pause < *sleep_ms) *sleep_ms = pause > 0 ? pause : 1000;
		if (!p->on_way || !transfer_over(p->on_way) || !parcel_arrived(p)) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		parcel_free(p);
		*sleep_ms = 0;
	}
}

enum couriered async_client_step(
	struct async_client *c, int input_fd, int64_t wait_ms, struct fault *why)
{
	int64_t sleep = wait_ms;

	parcels_move(c, &sleep);
	if (c->stream && stream_move(c->stream, &sleep, why) != STREAMED_TIME)
		return c->stream = NULL, COURIER_FAILED;
	switch (client_stir(c->client, input_fd, sleep > 0 ? sleep : 0)) {
	case STIRRED_STOP: return COURIER_STOPPED;
	case STIRRED_INPUT: return COURIER_INPUT;
	default: return COURIER_NEWS;
	}
}
