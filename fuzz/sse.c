/* sse.c - an event stream: however the bytes are cut into pieces, the same frames come
 * out. The first byte says where to cut. */
#include "base/sse.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool frame_tell(void *ctx, const struct sse_frame *f)
{
	struct buf *told = ctx;

	assert(f->type.len > 0);
	buf_print(told, "%zu %zu %zu|", f->id.len, f->type.len, f->data.len);
	buf_add(told, f->id);
	buf_add(told, f->type);
	buf_add(told, f->data);
	return !f->data.len || f->data.at[0] != '!';
}

static void stream_read(struct str bytes, size_t piece, struct buf *told)
{
	struct sse sse = { .fn = frame_tell, .ctx = told };

	while (bytes.len > 0) {
		size_t n = piece < bytes.len ? piece : bytes.len;

		if (!sse_feed(&sse, str_first(bytes, n))) break;
		bytes = str_from(bytes, n);
	}
	buf_print(told, "%lld", (long long)sse.retry_ms);
	sse_done(&sse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole = { 0 }, pieces = { 0 };
	struct str bytes;

	if (size == 0) return 0;
	bytes = str_make((const char *)data + 1, size - 1);
	stream_read(bytes, bytes.len, &whole);
	stream_read(bytes, (size_t)data[0] % 7 + 1, &pieces);
	assert(str_eq(buf_str(&whole), buf_str(&pieces)));
	buf_done(&whole);
	buf_done(&pieces);
	return 0;
}
