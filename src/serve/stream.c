/* stream.c - the event log as text/event-stream.
 *
 * A stream is a cursor. It catches up by reading pages of the log, and is live once it
 * has seen all that was told; when told of a gap it catches up again. So no event is
 * skipped or sent twice, whatever comes between. */
#include "serve/inner.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/json_pattern.h"
#include "base/mem.h"

#include <stdio.h>

#define STREAM_HEADERS "Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n"

static void frame_write(struct buf *b, const struct event *e)
{
	struct json_writer w = { .out = b };

	buf_add(b, STR("id: "));
	buf_add_int(b, e->n);
	buf_add(b, STR("\nevent: "));
	buf_add_text(b, e->type);
	buf_add(b, STR("\ndata: "));
	event_write(&w, e);
	buf_add(b, STR("\n\n"));
}

static void stream_done(struct event_stream *st)
{
	if (st->begun && st->transient) transient_readers(st->serve->desk, -1);
	open_credential_drop(st->serve, st->bearer);
	mem_free(st->texts);
	mem_free(st);
}

static void stream_free(struct event_stream *st)
{
	feed_unfollow(&st->serve->feed, &st->follower);
	tick_stop(st->serve->loop, &st->tick);
	st->follower.live = false;
	if (st->kind->left) st->kind->left(st);
	if (st->reading) return; /* freed when the read that is under way returns */
	stream_done(st);
}

static void stream_gone(void *ctx)
{
	struct event_stream *st = ctx;

	st->x = NULL;
	stream_free(st);
}

static void stream_mark(struct event_stream *st)
{
	st->kind->mark(st);
	tick_set(st->serve->loop, &st->tick, HEARTBEAT_MS);
}

static void stream_read(struct event_stream *);

static void stream_tick(struct tick *tick)
{
	struct event_stream *st = LINK_OF(tick, struct event_stream, tick);

	if (!st->unread && !open_credential_doubtful(st->bearer)) {
		stream_mark(st);
		return;
	}
	tick_set(st->serve->loop, &st->tick, HEARTBEAT_MS);
	stream_read(st);
}

/* One frame for all streams that these events go to. */
static struct frame *stream_frame(
	struct serve *s, const struct committed_event *events, size_t len)
{
	const struct event *first = &events[0].event, *last = &events[len - 1].event;
	struct buf b = { 0 };

	if (s->frame && s->frame_ws == first->ws && s->frame_first == first->n &&
		s->frame_last == last->n)
		return s->frame;
	s->frame = frame_drop(s->frame);
	for (size_t i = 0; i < len; i++)
		frame_write(&b, &events[i].event);
	if (!b.failed) s->frame = frame_new(buf_str(&b));
	s->frame_ws = first->ws;
	s->frame_first = first->n;
	s->frame_last = last->n;
	buf_done(&b);
	return s->frame;
}

static void stream_end(struct event_stream *st)
{
	struct exchange *x = st->x;

	st->x = NULL;
	http_on_gone(x, NULL, NULL);
	http_on_drained(x, NULL, NULL);
	http_end(x);
	stream_free(st);
}

/* Writes events to one stream that cannot share the frame of the others. */
static void stream_say(
	struct event_stream *st, const struct committed_event *events, size_t len)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < len; i++)
		if (event_passes(&events[i].event, &st->filter)) {
			st->kind->write(st, &b, &events[i].event);
			if (st->filter.agent.len && event_is_settlement(&events[i].event))
				desk_note_fetched(st->serve->desk, events[i].event.ws,
					events[i].event.ask, events[i].lone);
		}
	if (b.failed)
		stream_end(st);
	else if (b.len)
		http_write(st->x, buf_str(&b));
	buf_done(&b);
}

static void stream_told(
	struct follower *f, const struct committed_event *events, size_t len)
{
	struct event_stream *st = LINK_OF(f, struct event_stream, follower);
	struct frame *frame;
	size_t passed = 0;

	if (!st->x) return;
	if (open_credential_doubtful(st->bearer)) {
		f->live = false;
		f->seen = events[0].event.n - 1;
		stream_read(st);
		return;
	}
	for (size_t i = 0; i < len; i++)
		passed += event_passes(&events[i].event, &st->filter);
	if (!st->kind->alike || passed < len) {
		if (passed) stream_say(st, events, len);
		return;
	}
	frame = stream_frame(st->serve, events, len);
	/* Without memory for it, the reader comes back and asks for it again. */
	if (frame)
		http_write_frame(st->x, frame);
	else
		stream_end(st);
}

static void stream_lost(struct follower *f)
{
	stream_read(LINK_OF(f, struct event_stream, follower));
}

static void stream_drained(void *ctx)
{
	struct event_stream *st = ctx;

	http_on_drained(st->x, NULL, NULL);
	stream_read(st);
}

/* The page whole, or false: out of memory, nothing was sent. */
static bool stream_send_page(struct event_stream *st, const struct task *t)
{
	struct buf b = { 0 };
	bool whole;

	for (size_t i = 0; i < t->events_len; i++)
		st->kind->write(st, &b, &t->events[i]);
	whole = !b.failed;
	if (whole && b.len) http_write(st->x, buf_str(&b));
	buf_done(&b);
	return whole;
}

/* Most streams have no filter, and then nothing beside themselves. */
static bool stream_keep_filter(struct event_stream *st, const struct event_filter *f)
{
	size_t len = f->agent.len + f->session.len + f->types.len;
	char *at;

	st->filter.not_people = f->not_people;
	if (!len) return true;
	at = st->texts = mem_alloc(len);
	if (!at) return false;
	st->filter.agent = str_put(&at, f->agent);
	st->filter.session = str_put(&at, f->session);
	st->filter.types = str_put(&at, f->types);
	return true;
}

static void stream_begin(struct event_stream *st, struct request *r)
{
	st->begun = true;
	if (st->transient) transient_readers(st->serve->desk, 1);
	st->follower.ws = r->task.job.who.ws;
	st->role = r->task.job.who.role;
	open_credential_known(st->serve, st->bearer, &r->task.job);
	serve_count(st->serve, 200);
	http_begin(st->x, 200, "text/event-stream", STR(STREAM_HEADERS));
	http_park(st->x);
	st->kind->begin(st);
}

static void stream_was_read(struct request *r)
{
	struct event_stream *st = r->ctx;
	struct task *t = &r->task;
	bool first = !st->begun;

	st->reading = false;
	if (!st->x) {
		stream_done(st);
		r->x = NULL;
		request_free(r);
		return;
	}
	if (first && !t->job.err && st->bearer && st->bearer->ended)
		t->job.err = open_credential_refuse(&t->job.why);
	if (first && !t->job.err && !stream_keep_filter(st, &t->filter))
		t->job.err = fail(&t->job.why, ERR_MEMORY, "out of memory");
	if (t->job.err && first) {
		r->x = st->x;
		st->x = NULL;
		stream_free(st);
		request_reply(r, STR_NONE);
		return;
	}
	st->unread = t->job.err == ERR_UNAVAILABLE;
	if (t->job.err) {
		request_free(r);
		if (st->unread)
			tick_set(st->serve->loop, &st->tick, AGAIN_MS);
		else
			stream_end(st);
		return;
	}
	if (first) {
		stream_begin(st, r);
		st->follower.seen = t->after;
		stream_mark(st);
	}
	if (!stream_send_page(st, t)) {
		request_free(r);
		stream_end(st);
		return;
	}
	st->follower.seen = t->as_of;
	request_free(r);
	if (first && st->transient && st->filter.session.len)
		transient_replay(st->serve->desk, st->follower.ws, st->filter.session);
	if (feed_live(&st->serve->feed, &st->follower)) return;
	/* A slow reader of a long log gets the next page when it has taken this one. */
	if (http_backlog(st->x))
		http_on_drained(st->x, stream_drained, st);
	else
		stream_read(st);
}

static void stream_ask_for(struct event_stream *st, struct request *r, int64_t after)
{
	r->ctx = st;
	r->x = NULL;
	r->task.stream = true;
	r->task.after = after;
	st->reading = true;
	request_put(r, &use_events, stream_was_read);
}

static void param_add(struct task *t, const char *name, struct str value)
{
	if (!t->params || !value.len) return;
	t->params[t->params_len++] =
		(struct param){ str_of(name), arena_str(&t->job.arena, value) };
}

static void stream_read(struct event_stream *st)
{
	struct str types = st->filter.types;
	struct request *r;

	if (st->reading || !st->x) return;
	r = request_new(st->serve, NULL);
	if (!r) {
		stream_end(st);
		return;
	}
	/* The filter from the start of the stream, passed as query parameters. */
	r->task.params = ARENA_ARRAY(&r->task.job.arena, struct param, 2);
	param_add(&r->task, "session", st->filter.session);
	if (types.len > 2)
		param_add(&r->task, "types", str_make(types.at + 1, types.len - 2));
	open_credential_sign(st->bearer, st->role, st->follower.ws, &r->task.job);
	stream_ask_for(st, r, st->follower.seen);
}

bool stream_open(struct request *r, const struct stream_kind *kind,
	struct event_stream *st, int64_t after)
{
	if (!st) return false;
	if (!open_credential_take(r->serve, &r->task.job, &st->bearer)) {
		mem_free(st);
		return false;
	}
	st->kind = kind;
	st->serve = r->serve;
	st->x = r->x;
	st->tick.fn = stream_tick;
	st->follower.told = stream_told;
	st->follower.lost = stream_lost;
	feed_follow(&r->serve->feed, &st->follower);
	http_on_gone(st->x, stream_gone, st);
	stream_ask_for(st, r, after);
	return true;
}

/* ---- GET /v1/events ---- */

static void events_begin(struct event_stream *st)
{
	uint64_t jitter = random_u64(NULL) % 2000;
	char text[48];
	int n = snprintf(text, sizeof text, "retry: %d\n", (int)(1000 + jitter));

	http_write(st->x, str_make(text, (size_t)n));
}

static void events_mark(struct event_stream *st)
{
	char text[48];
	int n = snprintf(text, sizeof text, "id: %lld\n\n", (long long)st->follower.seen);

	http_write(st->x, str_make(text, (size_t)n));
}

static void events_write(struct event_stream *st, struct buf *b, const struct event *e)
{
	(void)st;
	frame_write(b, e);
}

static const struct stream_kind events = { events_begin, events_mark, events_write,
	.alike = true };

static bool stream_after(struct request *r, const struct http_request *h, int64_t *after)
{
	struct str text = http_header(h, "last-event-id");

	*after = -1;
	if (!text.len) text = task_param(&r->task, "after");
	return !text.len || str_to_int(text, 0, INT64_MAX, after);
}

/* ?transient=yes|no; without it: those of one session. False: neither. */
static bool wants_hints(struct request *r, bool *out)
{
	struct str said = task_param(&r->task, "transient");

	*out = said.at ? str_is(said, "yes") : task_param(&r->task, "session").at != NULL;
	return !said.at || *out || str_is(said, "no");
}

/* HEAD asks what the stream would be, not for it. */
static void events_headed(struct request *r)
{
	if (r->task.job.err || !r->x) {
		request_reply(r, STR_NONE);
		return;
	}
	request_send(r, 200, "text/event-stream", STR(STREAM_HEADERS), STR_NONE);
}

static void events_refuse(struct request *r, const char *pointer, const char *detail)
{
	struct fault why = { 0 };

	fail_at(&why, pointer, "%s", detail);
	clerk_job_refuse(&r->task.job, &why);
	request_put(r, r->route->use, request_finish);
}

/* What the query says, else what would be accepted: a stream unless only JSON is. */
static struct str format_wanted(struct request *r)
{
	struct str format = task_param(&r->task, "format"),
		   accept = http_header(http_request(r->x), "accept");

	if (format.at || str_find(accept, STR("application/json")) < 0 ||
		str_find(accept, STR("text/event-stream")) >= 0)
		return format;
	return STR("json");
}

void route_events(struct request *r)
{
	struct str format = format_wanted(r);
	struct event_stream *st;
	int64_t after;
	bool transient;

	if (!wants_hints(r, &transient)) {
		events_refuse(r, "/transient", "yes or no");
	} else if (str_is(format, "json")) {
		request_put(r, r->route->use, request_finish);
	} else if (format.at && !str_is(format, "sse")) {
		events_refuse(r, "/format", "json or sse");
	} else if (!stream_after(r, http_request(r->x), &after)) {
		events_refuse(r, "/after", "must be an event's number");
	} else if (r->head) {
		r->task.stream = true;
		r->task.after = -1;
		request_put(r, r->route->use, events_headed);
	} else {
		st = mem_alloc(sizeof *st);
		if (st) st->transient = transient;
		if (!stream_open(r, &events, st, after))
			request_refuse(r, ERR_MEMORY, "out of memory");
	}
}

void transient_write(struct buf *b, const struct transient *h, int64_t now_ms)
{
	struct json_writer w = { .out = b };
	char at[TIME_SIZE];

	time_write(now_ms, at);
	buf_print(b, "event: %s\ndata: ", h->type);
	JW(&w, "{'type':%s,'at':%s,'session':%s,'run':%s,'data':%j}", str_of(h->type),
		str_of(at), h->session, h->run, h->data);
	buf_add(b, STR("\n\n"));
}

static bool stream_wants_hint(
	const struct event_stream *st, int64_t ws, struct str session, const char *type)
{
	const struct event_filter *f = &st->filter;
	char mark[64];

	if (!st->begun || !st->x || !st->transient || st->follower.ws != ws ||
		(f->session.len && !str_eq(f->session, session)))
		return false;
	snprintf(mark, sizeof mark, ",%s,", type);
	return !f->types.len || str_find(f->types, str_of(mark)) >= 0;
}

void streams_hint(struct serve *s, int64_t ws, struct str session, const char *type,
	struct str frame)
{
	for (struct follower *f = s->feed.followers, *next; f; f = next) {
		struct event_stream *st = LINK_OF(f, struct event_stream, follower);

		next = f->next;
		/* Hints are skipped for a slow reader. */
		if (stream_wants_hint(st, ws, session, type) && !st->filter.agent.len &&
			!open_credential_doubtful(st->bearer) && !http_backlog(st->x))
			http_write(st->x, frame);
	}
}

void streams_expel(struct serve *s)
{
	for (struct follower *f = s->feed.followers, *next; f; f = next) {
		struct event_stream *st = LINK_OF(f, struct event_stream, follower);

		next = f->next;
		if (st->begun && st->bearer && st->bearer->role != st->role)
			stream_end(st);
	}
}

void streams_back(struct serve *s, int64_t ws, int64_t end)
{
	for (struct follower *f = s->feed.followers, *next; f; f = next) {
		struct event_stream *st = LINK_OF(f, struct event_stream, follower);

		next = f->next;
		if (st->begun && st->x && f->ws == ws && f->seen > end) stream_end(st);
	}
	feed_back(&s->feed, ws, end);
}

void told_arrived(struct serve *s, struct committed *told)
{
	open_credentials_told(s, told);
	feed_tell(&s->feed, told);
	gated_told(s, told);
	s->frame = frame_drop(s->frame);
}
