/* stream.c - follows the event stream and reconnects from the last id. */
#include "client/stream.h"

#include "base/clock.h"
#include "base/mem.h"
#include "client/transfer.h"

struct stream {
	struct stream_setup with;
	struct arena arena;
	struct str path;
	struct sse sse;
	struct transfer *open; /* under way, or NULL */
	int tries;	       /* that failed in a row */
	int64_t pause_until;   /* monotonic; no new try before */
	bool troubled;	       /* and told so */
	bool ended;	       /* the event function wants no more */
};

static bool frame_take(void *ctx, const struct sse_frame *frame)
{
	struct stream *s = ctx;

	if (s->troubled && s->with.back) s->with.back(s->with.ctx);
	s->troubled = false;
	s->tries = 0;
	if (frame->data.len > 0 && !s->with.event(s->with.ctx, frame)) s->ended = true;
	return !s->ended;
}

struct stream *stream_new(const struct stream_setup *setup)
{
	struct stream *s = mem_alloc(sizeof *s);

	if (!s) return NULL;
	s->with = *setup;
	s->sse = (struct sse){ .fn = frame_take, .ctx = s, .id = { .max = 1024 } };
	buf_add(&s->sse.id, setup->after);
	s->path = setup->query.len == 0 ? STR("/v1/events")
					: arena_print(&s->arena, "/v1/events?%.*s",
						  STR_ARGS(setup->query));
	return s->arena.failed || s->sse.id.failed ? stream_free(s) : s;
}

struct stream *stream_free(struct stream *s)
{
	if (!s) return NULL;
	transfer_free(s->open);
	sse_done(&s->sse);
	arena_done(&s->arena);
	mem_free(s);
	return NULL;
}

static bool stream_open(struct stream *s)
{
	struct api_call call = { .method = "GET",
		.path = s->path,
		.hold_ms = -1,
		.after = buf_str(&s->sse.id) };

	sse_reset(&s->sse);
	s->open = transfer_start(s->with.client, &call, &s->sse);
	return s->open != NULL;
}

/* The connection is over. False when it need not be tried again. */
static bool stream_closed(struct stream *s, struct fault *why)
{
	struct arena arena = { 0 };
	struct fault now = { 0 };
	struct api_reply r;
	enum err err = transfer_result(s->open, &arena, &r, &now);
	bool again = !s->ended && (err == OK || (reply_passing(&r) && err != ERR_MEMORY));

	s->open = transfer_free(s->open);
	arena_done(&arena);
	if (!again) {
		if (why) *why = now;
		return false;
	}
	s->tries++;
	if (!s->troubled && err != OK && s->with.trouble) {
		s->with.trouble(s->with.ctx, &now);
		s->troubled = true;
	}
	int64_t pause = transfer_backoff_ms(s->tries, &now), asked = s->sse.retry_ms;
	if (s->tries == 1 && asked > now.retry_after_s * 1000) pause = asked;
	s->pause_until = clock_mono_ms() + pause;
	return true;
}

enum streamed stream_move(struct stream *s, int64_t *sleep_ms, struct fault *why)
{
	int64_t now = clock_mono_ms();

	if (s->open && transfer_over(s->open) && !stream_closed(s, why))
		return s->ended ? STREAMED_ENDED : STREAMED_FAILED;
	if (!s->open && now >= s->pause_until && !stream_open(s))
		return fail(why, ERR_MEMORY, "out of memory"), STREAMED_FAILED;
	if (!s->open && s->pause_until - now < *sleep_ms)
		*sleep_ms = s->pause_until - now;
	return STREAMED_TIME;
}

enum streamed stream_run(
	struct stream *s, int input_fd, int64_t wait_ms, struct fault *why)
{
	int64_t until = wait_ms < 0 ? INT64_MAX : clock_mono_ms() + wait_ms;

	for (;;) {
		int64_t sleep = until - clock_mono_ms();
		enum streamed moved = stream_move(s, &sleep, why);

		if (moved != STREAMED_TIME || sleep <= 0) return moved;
		switch (client_stir(s->with.client, input_fd, sleep)) {
		case STIRRED_STOP: return STREAMED_STOPPED;
		case STIRRED_INPUT: return STREAMED_INPUT;
		case STIRRED_NET: break;
		}
	}
}
