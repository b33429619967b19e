/* watch.c - parley watch. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli_call.h"
#include "cli/verb/verbs.h"
#include "client/stream.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum { LINE_MAX_LEN = 1 << 22 };

/* Small data as it is: {"status":"running"} says more than we could. */
static void line_write(struct buf *out, const struct json *event)
{
	static const char *const ids[] = { "ask", "session", "run" };
	const struct json *data = json_get(event, "data");
	struct buf raw = { .max = LINE_MAX_LEN };

	safe_line_add(out, json_text_of(event, "at"));
	buf_add_text(out, "  ");
	safe_line_add(out, json_text_of(event, "type"));
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		struct str id = json_text_of(event, ids[i]);

		if (id.len == 0) continue;
		buf_add_text(out, "  ");
		safe_line_add(out, id);
		break;
	}
	if (json_is(data, JSON_OBJECT) && data->count > 0) {
		json_write(&raw, data);
		buf_add_text(out, "  ");
		safe_line_add(out, buf_str(&raw));
	}
	buf_done(&raw);
}

/* "14:05:09  Answered · yes  ask_01jc…": for people. */
static void words_write(struct buf *out, const struct json *event)
{
	struct arena arena = { 0 };
	struct str id = json_text_of(event, "ask");
	int64_t at_ms = 0;

	if (!id.len) id = json_text_of(event, "session");
	if (time_read(json_text_of(event, "at"), &at_ms))
		buf_add(out, time_local(at_ms, clock_now_ms(), &arena));
	buf_add_text(out, "  ");
	safe_line_add(out, event_words(event, STR_NONE, &arena));
	if (id.len) buf_print(out, "  %.*s", STR_ARGS(id));
	arena_done(&arena);
}

static bool event_print(void *ctx, const struct sse_frame *frame)
{
	const struct cli *cli = ctx;
	struct arena arena = { 0 };
	struct buf line = { .max = LINE_MAX_LEN };
	const struct json *event;
	struct fault why = { 0 };

	if (cli_has(cli, "json")) {
		buf_add(&line, frame->data);
	} else if (json_read(frame->data, NULL, &arena, &event, &why) == OK) {
		const struct json *id = json_get(event, "id");

		if (json_is(id, JSON_NUMBER))
			buf_print(&line, "%.*s  ", STR_ARGS(id->text));
		(cli->term.out_tty ? words_write : line_write)(&line, event);
	}
	if (line.len > 0) printf("%s\n", buf_text(&line));
	buf_done(&line);
	arena_done(&arena);
	return fflush(stdout) == 0; /* the reader of our pipe has gone */
}

static void trouble_tell(void *ctx, const struct fault *why)
{
	(void)ctx;
	(void)why;
	SAY("cli.trouble");
}

static void back_tell(void *ctx)
{
	(void)ctx;
	SAY("cli.back");
}

/* A pipe whose reader has gone is an error on its fd: no need to wait for an event to see
 * it. */
static int pipe_fd(void)
{
	struct stat st;

	return fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode) ? STDOUT_FILENO
								      : -1;
}

static int stream_follow(struct cli *cli)
{
	struct stream_setup setup = { .client = cli->client,
		.query = str_from(flags_query(cli, "", "session types"), 1),
		.after = cli_arg(cli, "after"),
		.event = event_print,
		.trouble = trouble_tell,
		.back = back_tell,
		.ctx = cli };
	struct stream *stream = stream_new(&setup);
	struct fault why = { .err = ERR_MEMORY };
	enum streamed end =
		stream ? stream_run(stream, pipe_fd(), -1, &why) : STREAMED_FAILED;

	stream_free(stream);
	if (end == STREAMED_STOPPED) return term_stopped();
	return end == STREAMED_FAILED ? cli_fail(cli, &why) : EXIT_YES;
}

static int watch_run(struct cli *cli)
{
	struct str after = cli_arg(cli, "after");
	int64_t n;

	if (after.at && !str_to_int(after, 0, INT64_MAX, &n))
		return CLI_USAGE(cli, "cli.watch.after", { "value", after });
	term_watch(&cli->term);
	/* A server that is not there at the start is an error; later, a pause. */
	cli_call_get(cli, STR("/v1/events?after=0&format=json&limit=1"));
	return stream_follow(cli);
}

static const struct flag flags[] = { { "after", "N" }, { "session", "SESSION" },
	{ "types", "TYPE,…" }, { "json" }, { 0 } };

const struct command watch_verbs[] = {
	{ "watch", watch_run, NULL, 0, 0, flags, CLIENT, "0 2 3 4 130",
		"parley watch\n"
		"parley watch --after 0 --types ask.created,ask.answered --json" },
	{ 0 },
};
