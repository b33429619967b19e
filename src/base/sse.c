/* sse.c - reads text/event-stream, in pieces of any size. */
#include "base/sse.h"

static void frame_emit(struct sse *s)
{
	if (s->id_seen) {
		buf_set(&s->id, buf_str(&s->next_id));
	}
	struct sse_frame frame = { .id = buf_str(&s->id),
		.type = buf_str(&s->type),
		.data = buf_str(&s->data) };

	if (frame.data.len > 0) frame.data.len--; /* its last line end */
	if (frame.type.len == 0) frame.type = STR("message");
	s->failed |= s->id.failed;
	if (s->data_seen || s->id_seen) s->failed |= !s->fn(s->ctx, &frame);
	buf_clear(&s->type);
	buf_clear(&s->data);
	s->data_seen = s->id_seen = false;
}

static void field_take(struct sse *s, struct str name, struct str value)
{
	if (str_is(name, "data")) {
		buf_add(&s->data, value);
		buf_add_char(&s->data, '\n');
		s->data_seen = true;
	} else if (str_is(name, "event")) {
		buf_set(&s->type, value);
	} else if (str_is(name, "id") &&
		   !(value.len > 0 && memchr(value.at, 0, value.len))) {
		buf_set(&s->next_id, value);
		s->id_seen = true;
	} else if (str_is(name, "retry")) {
		str_to_int(value, 0, 3600000, &s->retry_ms);
	}
	s->failed |= s->data.failed || s->type.failed || s->next_id.failed;
}

static void line_take(struct sse *s)
{
	struct str name, line = buf_str(&s->line);

	if (!s->started && str_starts(line, "\xEF\xBB\xBF")) line = str_from(line, 3);
	s->started = true;
	if (line.len == 0) {
		frame_emit(s);
	} else if (line.at[0] != ':') {
		struct str rest = line;

		str_cut(&rest, ':', &name);
		if (str_starts(rest, " ")) rest = str_from(rest, 1);
		field_take(s, name, rest);
	}
	buf_clear(&s->line);
}

/* Bytes before the next end of a line. */
static size_t line_length(struct str bytes)
{
	const char *lf = memchr(bytes.at, '\n', bytes.len);
	size_t len = lf ? (size_t)(lf - bytes.at) : bytes.len;
	const char *cr = memchr(bytes.at, '\r', len);

	return cr ? (size_t)(cr - bytes.at) : len;
}

bool sse_feed(struct sse *s, struct str bytes)
{
	s->line.max = s->most ? s->most : SSE_LINE_MAX;
	s->id.max = s->next_id.max = s->type.max = 1024;
	s->data.max = s->most ? s->most : SSE_EVENT_MAX;
	while (bytes.len && !s->failed) {
		char ch = bytes.at[0];
		bool end = ch == '\n' || ch == '\r', joined = ch == '\n' && s->after_cr;
		size_t len = end ? 1 : line_length(bytes);

		s->after_cr = ch == '\r';
		if (end && !joined) line_take(s);
		if (!end) buf_add(&s->line, str_first(bytes, len));
		s->failed |= s->line.failed;
		bytes = str_from(bytes, len);
	}
	return !s->failed;
}

void sse_reset(struct sse *s)
{
	buf_clear(&s->line);
	buf_clear(&s->type);
	buf_clear(&s->data);
	s->data_seen = s->id_seen = s->after_cr = s->started = s->failed = false;
}

void sse_done(struct sse *s)
{
	buf_done(&s->line);
	buf_done(&s->id);
	buf_done(&s->next_id);
	buf_done(&s->type);
	buf_done(&s->data);
}
