/* estimate.c - tokens by bytes, in whole numbers. */
#include "core/run/estimate.h"

#include "base/json.h"

/* Tokens a byte, as a fraction. */
struct ratio {
	int64_t tokens, bytes;
};

static struct ratio ratio_of(const struct estimate_count *last)
{
	int64_t bytes = last->of.bytes,
		tokens = last->tokens - last->of.images * ESTIMATE_IMAGE;

	if (last->tokens <= 0 || bytes <= 0) return (struct ratio){ 1, 3 };
	if (tokens < bytes / 6) return (struct ratio){ 1, 6 };
	if (tokens > bytes) return (struct ratio){ 1, 1 };
	return (struct ratio){ tokens, bytes };
}

struct estimate_size estimate_content(struct str content)
{
	struct estimate_size size = { .bytes = (int64_t)content.len };
	struct arena arena = { 0 };
	const struct json *parts;

	if (str_find(content, STR("\"image\"")) < 0 ||
		json_read(content, NULL, &arena, &parts, NULL)) {
		arena_done(&arena);
		return size;
	}
	for (uint32_t i = 0; parts->type == JSON_ARRAY && i < parts->count; i++) {
		const struct json *p = &parts->items[i];

		if (!str_is(json_text(json_get(p, "type")), "image")) continue;
		size.images++;
		size.bytes -= (int64_t)json_text(json_get(p, "data")).len;
	}
	arena_done(&arena);
	return size;
}

int64_t estimate_tokens(
	const struct estimate_count *last, const struct estimate_size *size)
{
	struct ratio r = ratio_of(last);

	return (size->bytes * r.tokens + r.bytes - 1) / r.bytes +
	       size->images * ESTIMATE_IMAGE;
}

int64_t estimate_bytes(const struct estimate_count *last, int64_t tokens)
{
	struct ratio r = ratio_of(last);

	return tokens > 0 ? tokens * r.bytes / r.tokens : 0;
}
