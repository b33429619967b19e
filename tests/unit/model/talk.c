#include "talk.h"

#include <stdio.h>

static void note(void *ctx, const struct model_delta *d)
{
	struct heard *h = ctx;

	buf_print(&h->deltas, "%c:%.*s;", "trc"[d->type], STR_ARGS(d->text));
}

void hear(struct heard *h, enum model_wire wire, int status, const char *text,
	size_t piece, bool whole)
{
	struct str rest = str_of(text);
	struct model_setup setup = { wire, note, h, STR("run_1/1") };
	struct model_end end = { .status = status, .whole = whole, .retry_after_ms = -1 };

	h->reader = model_reader_new(&setup);
	CHECK(h->reader);
	for (; rest.len > 0; rest = str_from(rest, piece))
		model_reader_feed(h->reader, status, str_first(rest, piece));
	model_reader_end(h->reader, &end, &h->reply);
}

void heard_done(struct heard *h)
{
	model_reader_free(h->reader);
	buf_done(&h->deltas);
}

static void print(struct buf *out, const struct heard *h)
{
	buf_print(out, "%d %d %s %zu %lld %s|%.*s|%.*s", h->reply.trouble, h->reply.stop,
		h->reply.message, h->reply.calls, (long long)h->reply.cost,
		counts(&h->reply.usage), STR_ARGS(h->reply.content),
		STR_ARGS(h->reply.kept));
}

void hear_cut_anywhere(struct heard *out, enum model_wire wire, const char *text)
{
	struct buf first = { 0 }, now = { 0 };
	size_t len = strlen(text);

	for (size_t piece = len; piece > 0; piece = piece > 64 ? piece / 2 : piece - 1) {
		struct heard h = { 0 };

		hear(&h, wire, 200, text, piece, true);
		buf_clear(&now);
		print(&now, &h);
		if (first.len == 0) print(&first, &h);
		CHECK_STR(buf_str(&now), buf_text(&first));
		if (piece > 1)
			heard_done(&h);
		else
			*out = h;
	}
	buf_done(&first);
	buf_done(&now);
}

const char *counts(const struct usage *u)
{
	static char text[160];

	snprintf(text, sizeof text, "%lld/%lld/%lld/%lld/%lld/%lld", (long long)u->input,
		(long long)u->cache_read, (long long)u->cache_write,
		(long long)u->cache_write_1h, (long long)u->output,
		(long long)u->reasoning);
	return text;
}

void check_request(
	enum model_wire wire, const struct model_request *request, const char *json)
{
	struct arena arena = { 0 };
	struct buf body = { 0 };
	struct fault why = { 0 };
	const struct json *is, *should;

	CHECK_INT(model_request_write(&body, wire, request, &why), OK);
	CHECK_INT(json_read(buf_str(&body), NULL, &arena, &is, &why), OK);
	if (json_read(str_of(json), NULL, &arena, &should, &why))
		fail_msg("the test's JSON: %s", why.detail);
	if (!json_equal(is, should)) fail_msg("%s\nis not\n%s", buf_text(&body), json);
	arena_done(&arena);
	buf_done(&body);
}
