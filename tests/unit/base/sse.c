#include "base/sse.h"

#include "unit.h"

static struct buf seen;

/* Writes each frame as id|type|data; */
static bool note(void *ctx, const struct sse_frame *f)
{
	(void)ctx;
	buf_print(&seen, "%.*s|%.*s|%.*s;", STR_ARGS(f->id), STR_ARGS(f->type),
		STR_ARGS(f->data));
	return !str_is(f->type, "stop");
}

static void read_in_pieces(struct str text, size_t piece)
{
	struct sse sse = { .fn = note };

	buf_clear(&seen);
	for (size_t i = 0; i < text.len; i += piece)
		sse_feed(&sse, str_first(str_from(text, i), piece));
	sse_done(&sse);
}

static void frames_come_out_whole_whatever_the_pieces(void **state)
{
	struct str text =
		STR("\xEF\xBB\xBFid: 7\n\n: hello\n\nid: 8\nevent: ask.created\n"
		    "data: {\"a\":1}\n\ndata: one\r\ndata:two\r\n\r\nevent: x\n\n"
		    "retry: 500\rid\rdata\r\r");

	(void)state;
	for (size_t piece = 1; piece <= text.len; piece++) {
		read_in_pieces(text, piece);
		CHECK_STR(buf_str(&seen), "7|message|;8|ask.created|{\"a\":1};"
					  "8|message|one\ntwo;|message|;");
	}
}

static void a_frame_that_is_not_finished_is_not_told(void **state)
{
	(void)state;
	read_in_pieces(STR("id: 1\ndata: half\n"), 3);
	CHECK_STR(buf_str(&seen), "");
}

static void the_id_of_the_last_whole_frame_outlives_a_reset(void **state)
{
	struct sse sse = { .fn = note };

	(void)state;
	buf_clear(&seen);
	CHECK(sse_feed(&sse, STR("id: 9\ndata: a\n\nid: 10\ndata: lost")));
	sse_reset(&sse);
	CHECK(sse_feed(&sse, STR("data: b\n\n")));
	CHECK_STR(buf_str(&seen), "9|message|a;9|message|b;");
	sse_done(&sse);
}

static void the_reader_can_end_it(void **state)
{
	struct sse sse = { .fn = note };

	(void)state;
	buf_clear(&seen);
	CHECK(!sse_feed(&sse, STR("event: stop\ndata: 1\n\ndata: 2\n\n")));
	CHECK_STR(buf_str(&seen), "|stop|1;");
	sse_done(&sse);
}

static void a_line_without_end_is_given_up(void **state)
{
	struct sse sse = { .fn = note };
	static char big[65536];

	(void)state;
	memset(big, 'x', sizeof big);
	for (size_t i = 0; i <= SSE_LINE_MAX / sizeof big; i++)
		sse_feed(&sse, str_make(big, sizeof big));
	CHECK(sse.failed);
	sse_done(&sse);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(frames_come_out_whole_whatever_the_pieces),
		TEST(a_frame_that_is_not_finished_is_not_told),
		TEST(the_id_of_the_last_whole_frame_outlives_a_reset),
		TEST(the_reader_can_end_it),
		TEST(a_line_without_end_is_given_up),
	};
	int failed = RUN(tests);

	buf_done(&seen);
	return failed;
}
