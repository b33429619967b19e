/* page.c - lists: limits, cursors, search patterns.
 *
 * A cursor is base64url of a JSON array: [list's name, workspace, text, text …]. It says
 * only where to go on; who may see what is asked anew with each page. */
#include "desk/shared/inner.h"

#include "base/keep.h"
#include "base/utf8.h"

enum { LIMIT_DEFAULT = 50, LIMIT_MAX = 200, CURSOR_MAX = 1024, Q_MAX = 200 };

static enum err cursor_read(struct task *t, struct str token, const char *kind,
	struct list_page *p, struct fault *why)
{
	struct buf text = { .max = CURSOR_MAX };
	const struct json *json = NULL;
	struct str kept;
	enum err e;

	if (token.len > CURSOR_MAX || !base64url_read(token, &text)) {
		buf_done(&text);
		return fail_at(why, "/cursor", "is not a cursor that a list returned");
	}
	kept = buf_keep_done(&text, &t->job.arena);
	e = json_read(kept, NULL, &t->job.arena, &json, NULL);
	if (e == ERR_MEMORY) return fail(why, e, "out of memory");
	if (e || json->type != JSON_ARRAY || json->count < 2 || json->count > 6 ||
		json->items[0].type != JSON_STRING || !json->items[1].is_int)
		return fail_at(why, "/cursor", "is not a cursor that a list returned");
	if (!str_is(json->items[0].text, kind) || json->items[1].integer != t->job.who.ws)
		return fail(why, ERR_NOT_FOUND, "no such cursor in this list");
	for (uint32_t i = 2; i < json->count; i++) {
		if (json->items[i].type != JSON_STRING)
			return fail_at(
				why, "/cursor", "is not a cursor that a list returned");
		p->cursor[i - 2] = json->items[i].text;
	}
	p->has_cursor = true;
	return OK;
}

enum err page_params(
	struct task *t, const char *kind, struct list_page *p, struct fault *why)
{
	struct str limit = task_param(t, "limit"), cursor = task_param(t, "cursor");

	*p = (struct list_page){ .kind = kind, .limit = LIMIT_DEFAULT };
	if (task_has_param(t, "limit") && !str_to_int(limit, 1, LIMIT_MAX, &p->limit))
		return fail_at(why, "/limit", "must be from 1 to %d", LIMIT_MAX);
	return task_has_param(t, "cursor") ? cursor_read(t, cursor, kind, p, why) : OK;
}

enum err page_read(struct task *t, struct rows *rows, const char *kind,
	struct list_page *p, struct fault *why)
{
	enum err e = page_params(t, kind, p, why);

	return e ? e : last_event(rows, t->job.who.ws, &p->as_of, why);
}

void page_begin(struct json_writer *w)
{
	jw_object(w);
	jw_put_array(w, "items");
}

void page_end(struct task *t, struct json_writer *w, const struct list_page *p,
	const struct str *texts, size_t len)
{
	struct buf token = { .max = CURSOR_MAX };
	struct buf plain = { .max = CURSOR_MAX };
	struct json_writer list = { .out = &plain };

	t->next_cursor = STR_NONE;
	jw_array_end(w);
	jw_key(w, "next_cursor");
	if (texts) {
		jw_array(&list);
		jw_text(&list, p->kind);
		jw_int(&list, t->job.who.ws);
		for (size_t i = 0; i < len; i++)
			jw_str(&list, texts[i]);
		jw_array_end(&list);
		base64url_write(&token, buf_str(&plain));
		jw_str(w, buf_str(&token));
		t->next_cursor = arena_str(&t->job.arena, buf_str(&token));
		if (plain.failed || token.failed) t->job.arena.failed = true;
	} else {
		jw_null(w);
	}
	buf_done(&plain);
	buf_done(&token);
	jw_put_int(w, "as_of", p->as_of);
	jw_object_end(w);
}

enum err like_read(struct str q, struct arena *arena, struct str *out, struct fault *why)
{
	struct buf folded = { .max = 8192 }, pattern = { .max = 16384 };

	*out = STR_NONE;
	if (!q.len) return OK;
	if (utf8_count(q) > Q_MAX)
		return fail_at(why, "/q", "at most %d characters", Q_MAX);
	utf8_fold(&folded, q);
	buf_add_char(&pattern, '%');
	for (size_t i = 0; i < folded.len; i++) {
		char c = folded.at[i];

		if (c == '%' || c == '_' || c == '\\') buf_add_char(&pattern, '\\');
		buf_add_char(&pattern, c);
	}
	buf_add_char(&pattern, '%');
	if (folded.failed || pattern.failed) arena->failed = true;
	*out = arena_str(arena, buf_str(&pattern));
	buf_done(&folded);
	buf_done(&pattern);
	return OK;
}
