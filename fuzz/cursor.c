/* cursor.c - the cursors of lists, as clients send them back: a token is refused, or says
 * where to go on, and what it says makes the same token again. The bytes are also tried
 * as what stands in a token, and as limit, search and types. */
#include "base/utf8.h"
#include "desk/shared/inner.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const kinds[] = { "asks", "attention", "sessions", "events", "users" };

static enum err cursor_try(
	struct task *t, struct str token, const char *kind, struct list_page *p)
{
	struct param param = { STR("cursor"), token };
	struct fault why = { 0 };

	t->params = &param;
	t->params_len = 1;
	t->job.who.ws = 1;
	return page_params(t, kind, p, &why);
}

/* The token that a list would give for this place. */
static struct str cursor_make(struct task *t, const struct list_page *p)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *json;
	struct str out;

	page_begin(&w);
	page_end(t, &w, p, p->cursor, 4);
	out = arena_str(&t->job.arena, buf_str(&b));
	buf_done(&b);
	assert(json_read(out, NULL, &t->job.arena, &json, NULL) == OK);
	return json_text(json_get(json, "next_cursor"));
}

static void cursor_check(struct task *t, struct str token)
{
	struct list_page p, again;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (cursor_try(t, token, kinds[i], &p)) continue;
		struct str made = cursor_make(t, &p);
		if (!made.len) continue; /* longer than a token may be */
		assert(cursor_try(t, made, kinds[i], &again) == OK);
		for (int k = 0; k < 4; k++)
			assert(str_eq(p.cursor[k], again.cursor[k]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_make((const char *)data, size), like, types;
	struct task t = { 0 };
	struct param limit = { STR("limit"), text };
	struct buf token = { .max = 4096 };
	struct fault why = { 0 };
	struct list_page p;

	cursor_check(&t, text);
	base64url_write(&token, text);
	if (!token.failed) cursor_check(&t, buf_str(&token));
	t.params = &limit;
	t.params_len = 1;
	if (page_params(&t, "asks", &p, &why) == OK)
		assert(p.limit >= 1 && p.limit <= 200);
	if (utf8_valid(text)) like_read(text, &t.job.arena, &like, &why);
	event_types_read(text, &t.job.arena, &types, &why);
	buf_done(&token);
	arena_done(&t.job.arena);
	return 0;
}
