/* waiter.c - long polling for one ask until it is settled or time is up. */
#include "client/waiter.h"

#include "base/clock.h"
#include "base/mem.h"
#include "client/transfer.h"

enum {
	HOLD_S = 120,	  /* what is asked of the server at a time */
	EAGER_MS = 500,	  /* never ask more often than this */
	GRACE_MS = 60000, /* after the deadline, for a server that is away */
};

struct api_waiter {
	struct waiter_setup with;
	struct buf path;
	struct arena arena;    /* of the newest reply: a wait may take weeks */
	struct transfer *held; /* under way, or NULL */
	int tries;	       /* that failed in a row */
	int64_t pause_until;   /* monotonic; no new try before */
	int64_t version;       /* of the ask as last seen */
};

struct api_waiter *waiter_new(const struct waiter_setup *setup)
{
	struct api_waiter *w = mem_alloc(sizeof *w);

	if (!w) return NULL;
	*w = (struct api_waiter){
		.with = *setup, .path = { .max = 512 }, .version = setup->version
	};
	buf_add(&w->path, STR("/v1/asks/"));
	url_add(&w->path, setup->id);
	buf_print(&w->path, "?wait=%d", HOLD_S);
	return w->path.failed ? waiter_free(w) : w;
}

struct api_waiter *waiter_free(struct api_waiter *w)
{
	if (!w) return NULL;
	transfer_free(w->held);
	buf_done(&w->path);
	arena_done(&w->arena);
	mem_free(w);
	return NULL;
}

static void lost(struct api_waiter *w, const struct fault *why)
{
	w->pause_until = clock_mono_ms() + transfer_backoff_ms(++w->tries, why);
	if (w->tries == 1 && w->with.trouble) w->with.trouble(w->with.ctx, why);
}

static void found(struct api_waiter *w)
{
	if (w->tries > 0 && w->with.back) w->with.back(w->with.ctx);
	w->tries = 0;
	w->pause_until = clock_mono_ms() + EAGER_MS;
}

static bool out_of_patience(const struct api_waiter *w)
{
	return w->with.deadline_ms > 0 && clock_now_ms() > w->with.deadline_ms + GRACE_MS;
}

/* The held reply has come. True when *result is to be told to the caller. */
static bool reply_take(struct api_waiter *w, const struct json **out, enum waited *result,
	struct fault *why)
{
	struct api_reply r;
	struct fault now = { 0 };
	enum err err;

	arena_done(&w->arena);
	err = transfer_result(w->held, &w->arena, &r, &now);
	w->held = transfer_free(w->held);
	if (err != OK && reply_passing(&r) && err != ERR_MEMORY && !out_of_patience(w)) {
		lost(w, &now);
		return false;
	}
	struct str status = json_text_of(r.json, "status");
	if (err == OK && status.len == 0)
		err = fail(&now, ERR_INTERNAL, "the reply is no ask");
	if (err != OK) {
		if (why) *why = now;
		*result = WAITED_FAILED;
		return true;
	}
	found(w);
	const struct json *version = json_get(r.json, "version");
	int64_t seen =
		json_is(version, JSON_NUMBER) && version->is_int ? version->integer : 0;
	bool changed = w->version > 0 && seen > w->version;
	w->version = seen;
	*out = r.json;
	*result = str_is(status, "pending") ? WAITED_REPLY : WAITED_SETTLED;
	return *result == WAITED_SETTLED || changed || json_get(r.json, "stopped");
}

enum waited waiter_run(
	struct api_waiter *w, int input_fd, const struct json **out, struct fault *why)
{
	struct api_call call = { .method = "GET",
		.path = buf_str(&w->path),
		.hold_ms = (int64_t)HOLD_S * 1000 };
	enum waited result = WAITED_FAILED;

	for (;;) {
		int64_t pause = w->pause_until - clock_mono_ms();

		if (!w->held && pause <= 0) {
			w->held = transfer_start(w->with.client, &call, NULL);
			if (!w->held)
				return fail(why, ERR_MEMORY, "out of memory"),
				       WAITED_FAILED;
		}
		switch (client_stir(w->with.client, input_fd, w->held ? 60000 : pause)) {
		case STIRRED_STOP: return WAITED_STOPPED;
		case STIRRED_INPUT: return WAITED_INPUT;
		case STIRRED_NET: break;
		}
		/* The head of a held reply comes at once: the server is there again. */
		if (w->held && w->tries > 0 && transfer_status(w->held) == 200) found(w);
		if (w->held && transfer_over(w->held) && reply_take(w, out, &result, why))
			return result;
	}
}
