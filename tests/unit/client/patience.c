/* Waiting, streaming and insisting, against a server that misbehaves. */
#include <unistd.h>

#include "client/client.h"
#include "client/stream.h"
#include "client/waiter.h"

#include "script.h"
#include "unit.h"

static struct script *script;
static struct client *client;
static struct arena arena;
static struct fault why;
static int troubles, returns;

static int64_t silence_ms;

static void play(const struct scene *scenes, int stop_fd)
{
	script = script_start(scenes);
	struct client_setup setup = { .url = str_of(script_url(script)),
		.token = STR("prl_x"),
		.stop_fd = stop_fd,
		.silence_ms = silence_ms };

	why = (struct fault){ 0 };
	troubles = returns = 0;
	client = client_new(&setup, &why);
	assert_non_null(client);
}

/* Ends the play; how often the text was in the requests. */
static int curtain(const char *text)
{
	struct buf seen = script_stop(script);
	struct str rest = buf_str(&seen);
	int count = 0;

	for (int at; (at = str_find(rest, str_of(text))) >= 0; count++)
		rest = str_from(rest, (size_t)at + 1);
	client = client_free(client);
	arena_done(&arena);
	buf_done(&seen);
	return count;
}

static void trouble(void *ctx, const struct fault *what)
{
	(void)ctx;
	(void)what;
	troubles++;
}

static void back(void *ctx)
{
	(void)ctx;
	returns++;
}

static void a_call_is_repeated_with_the_same_key(void **state)
{
	static const struct scene scenes[] = { { NULL },
		{ REPLY("503 Service Unavailable",
			"{\"type\":\"/problems/outcome-unknown\"}") },
		{ REPLY("201 Created", "{\"id\":\"ask_1\"}") }, { .end = true } };
	struct api_call call = { .method = "POST",
		.path = STR("/v1/asks"),
		.body = STR("{}"),
		.key = STR("k1") };
	struct patience patience = {
		.total_ms = 20000, .must_connect = true, .trouble = trouble
	};
	struct api_reply reply;

	(void)state;
	play(scenes, -1);
	CHECK_INT(client_insist(client, &call, &patience, &arena, &reply, &why), OK);
	CHECK_INT(reply.status, 201);
	CHECK_STR(json_text(json_get(reply.json, "id")), "ask_1");
	CHECK_INT(troubles, 1);
	CHECK_INT(curtain("Idempotency-Key: k1\r\n"), 3);
}

static void what_is_refused_is_not_repeated(void **state)
{
	static const struct scene scenes[] = {
		{ REPLY("422 Unprocessable Content",
			"{\"detail\":\"no\",\"errors\":[{\"pointer\":\"/a\",\"detail\":\"b\"}]}") },
		{ .end = true }
	};
	struct api_call call = {
		.method = "POST", .path = STR("/v1/asks"), .body = STR("{}")
	};
	struct patience patience = { .total_ms = -1 };
	struct api_reply reply;

	(void)state;
	play(scenes, -1);
	CHECK_INT(client_insist(client, &call, &patience, &arena, &reply, &why),
		ERR_INVALID);
	CHECK_INT(why.items_len, 1);
	CHECK_STR(str_of(why.items[0].pointer), "/a");
	CHECK_STR(str_of(why.detail), "no");
	CHECK_INT(curtain("Authorization: Bearer prl_x\r\n"), 1);
}

static void waiting_survives_what_passes(void **state)
{
	static const struct scene scenes[] = { { NULL },
		{ REPLY("503 Service Unavailable", "{}") },
		{ REPLY("200 OK", "   {\"status\":\"pending\",\"version\":1}") },
		{ REPLY("200 OK", "{\"status\":\"pending\",\"version\":2}") },
		{ REPLY("200 OK", "{\"status\":\"answered\",\"version\":3}") },
		{ .end = true } };
	struct waiter_setup setup;
	struct api_waiter *w;
	const struct json *ask;

	(void)state;
	play(scenes, -1);
	setup = (struct waiter_setup){
		.client = client, .id = STR("ask_1"), .trouble = trouble, .back = back
	};
	w = waiter_new(&setup);
	assert_non_null(w);
	CHECK_INT(waiter_run(w, -1, &ask, &why), WAITED_REPLY);
	CHECK_INT(waiter_run(w, -1, &ask, &why), WAITED_SETTLED);
	CHECK_STR(json_text(json_get(ask, "status")), "answered");
	CHECK_INT(troubles, 1);
	CHECK_INT(returns, 1);
	waiter_free(w);
	CHECK_INT(curtain("GET /v1/asks/ask_1?wait="), 5);
}

static void waiting_ends_where_it_makes_no_sense(void **state)
{
	static const struct scene scenes[] = {
		{ REPLY("404 Not Found", "{\"detail\":\"no ask\"}") }, { .end = true }
	};
	struct waiter_setup setup;
	struct api_waiter *w;
	const struct json *ask;

	(void)state;
	play(scenes, -1);
	setup = (struct waiter_setup){ .client = client, .id = STR("ask_1") };
	w = waiter_new(&setup);
	CHECK_INT(waiter_run(w, -1, &ask, &why), WAITED_FAILED);
	CHECK_INT(why.err, ERR_NOT_FOUND);
	waiter_free(w);
	CHECK_INT(curtain("GET"), 1);
}

static void input_and_stop_end_a_wait_at_once(void **state)
{
	static const struct scene scenes[] = { { NULL }, { .end = true } };
	struct waiter_setup setup;
	struct api_waiter *w;
	const struct json *ask;
	int input[2], stop[2];

	(void)state;
	CHECK(pipe(input) == 0 && pipe(stop) == 0);
	play(scenes, stop[0]);
	setup = (struct waiter_setup){ .client = client, .id = STR("ask_1") };
	w = waiter_new(&setup);
	CHECK_INT(write(input[1], "x", 1), 1);
	CHECK_INT(waiter_run(w, input[0], &ask, &why), WAITED_INPUT);
	CHECK_INT(write(stop[1], "x", 1), 1);
	CHECK_INT(waiter_run(w, -1, &ask, &why), WAITED_STOPPED);
	waiter_free(w);
	struct api_call call = { .method = "GET", .path = STR("/") };
	struct api_reply reply;
	CHECK_INT(client_call(client, &call, &arena, &reply, &why), ERR_UNAVAILABLE);
	CHECK(reply.stopped);
	for (int i = 0; i < 2; i++)
		close(input[i]), close(stop[i]);
	curtain("GET");
}

static void a_held_reply_lives_by_one_byte_at_a_time(void **state)
{
	static const struct scene scenes[] = {
		{ REPLY("200 OK", ""), .beats = 4,
			.then = "{\"status\":\"answered\",\"version\":1}" },
		{ .end = true }
	};
	struct waiter_setup setup;
	struct api_waiter *w;
	const struct json *ask;

	(void)state;
	silence_ms = 3500; /* less than the reply takes as a whole */
	play(scenes, -1);
	setup = (struct waiter_setup){
		.client = client, .id = STR("ask_1"), .trouble = trouble
	};
	w = waiter_new(&setup);
	CHECK_INT(waiter_run(w, -1, &ask, &why), WAITED_SETTLED);
	CHECK_INT(troubles, 0);
	waiter_free(w);
	CHECK_INT(curtain("GET"), 1);
	silence_ms = 0;
}

static void a_held_reply_without_a_byte_is_lost(void **state)
{
	static const struct scene scenes[] = { { REPLY("200 OK", " "), .beats = -1 },
		{ REPLY("200 OK", "{\"status\":\"answered\",\"version\":1}") },
		{ .end = true } };
	struct waiter_setup setup;
	struct api_waiter *w;
	const struct json *ask;

	(void)state;
	silence_ms = 300;
	play(scenes, -1);
	setup = (struct waiter_setup){
		.client = client, .id = STR("ask_1"), .trouble = trouble, .back = back
	};
	w = waiter_new(&setup);
	CHECK_INT(waiter_run(w, -1, &ask, &why), WAITED_SETTLED);
	CHECK_INT(troubles, 1);
	waiter_free(w);
	CHECK_INT(curtain("GET"), 2);
	silence_ms = 0;
}

static struct buf events;

static bool event_note(void *ctx, const struct sse_frame *f)
{
	(void)ctx;
	buf_print(&events, "%.*s;", STR_ARGS(f->data));
	return !str_is(f->data, "last");
}

static void a_stream_goes_on_where_it_was(void **state)
{
	static const struct scene scenes[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
		  "retry: 20\nid: 6\n\nid: 7\ndata: seven\n\nid: 8\ndata: half" },
		{ REPLY("503 Service Unavailable", "{}") },
		{ "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
		  "id: 8\ndata: eight\n\nid: 9\ndata: last\n\nid: 10\ndata: unseen\n\n" },
		{ .end = true }
	};
	struct stream_setup setup;
	struct stream *s;

	(void)state;
	play(scenes, -1);
	setup = (struct stream_setup){ .client = client,
		.query = STR("types=a"),
		.event = event_note,
		.trouble = trouble,
		.back = back };
	s = stream_new(&setup);
	CHECK_INT(stream_run(s, -1, -1, &why), STREAMED_ENDED);
	CHECK_STR(buf_str(&events), "seven;eight;last;");
	CHECK_INT(troubles, 1);
	CHECK_INT(returns, 1);
	stream_free(s);
	buf_done(&events);
	CHECK_INT(curtain("GET /v1/events?types=a HTTP/1.1\r\n"), 3);
}

static void a_stream_takes_up_after_the_last_whole_event(void **state)
{
	static const struct scene scenes[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
		  "retry: 20\nid: 8\ndata: half" },
		{ "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
		  "id: 9\ndata: last\n\n" },
		{ .end = true }
	};
	struct stream_setup setup;
	struct stream *s;

	(void)state;
	play(scenes, -1);
	setup = (struct stream_setup){
		.client = client, .after = STR("7"), .event = event_note
	};
	s = stream_new(&setup);
	CHECK_INT(stream_run(s, -1, -1, &why), STREAMED_ENDED);
	stream_free(s);
	buf_done(&events);
	CHECK_INT(curtain("Last-Event-ID: 7\r\n"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_call_is_repeated_with_the_same_key),
		TEST(what_is_refused_is_not_repeated),
		TEST(waiting_survives_what_passes),
		TEST(waiting_ends_where_it_makes_no_sense),
		TEST(input_and_stop_end_a_wait_at_once),
		TEST(a_held_reply_lives_by_one_byte_at_a_time),
		TEST(a_held_reply_without_a_byte_is_lost),
		TEST(a_stream_goes_on_where_it_was),
		TEST(a_stream_takes_up_after_the_last_whole_event),
	};

	return RUN(tests);
}
