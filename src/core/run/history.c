/* history.c - messages in the order in which a model reads them, and their results. */
#include "core/run/message.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/run/tool_call.h"
#include "core/shared/body.h"
#include "core/shared/field.h"

#include <string.h>

/* Moves the message at `from` to `to`, before it. */
static void message_move(const struct run_message **all, size_t from, size_t to)
{
	const struct run_message *m = all[from];

	memmove(&all[to + 1], &all[to], (from - to) * sizeof *all);
	all[to] = m;
}

void history_order(const struct run_message **all, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		size_t at = i, k;

		if (all[i]->role != MESSAGE_ASSISTANT) continue;
		while (all[i]->seen && at && all[at - 1]->role == MESSAGE_USER &&
			all[at - 1]->n > all[i]->seen)
			at--;
		message_move(all, i, at);
		for (k = at + 1; k < len && all[k]->role == MESSAGE_USER;)
			k++;
		if (k < len && all[k]->role == MESSAGE_TOOL) message_move(all, k, at + 1);
	}
}

/* ---- results ---- */

/* So many bytes at most, and no half of a character at its beginning. */
static struct str tail_of(struct str s, size_t n)
{
	size_t start = n < s.len ? s.len - n : 0;

	while (start < s.len && ((unsigned char)s.at[start] & 0xc0) == 0x80)
		start++;
	return str_from(s, start);
}

enum { RESULT_SHORT = 200 };

/* A result is for the model's eyes, not for its whole context. */
static struct str result_cut(struct str text, size_t most, struct arena *arena)
{
	const size_t half = most / 2;

	if (!most && text.len > RESULT_SHORT)
		return arena_print(arena, "[left out: %zu bytes]", text.len);
	if (!most || text.len <= most) return text;
	return arena_print(arena, "%.*s\n[… %zu bytes left out …]\n%.*s",
		STR_ARGS(utf8_fit(text, half)), text.len - most,
		STR_ARGS(tail_of(text, half)));
}

struct str history_results(struct str content, size_t most, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *parts;

	if (most && content.len <= most) return content;
	if (json_read(content, NULL, arena, &parts, NULL)) return content;
	jw_array(&w);
	for (uint32_t i = 0; i < parts->count; i++) {
		const struct json *part = &parts->items[i];

		jw_object(&w);
		for (uint32_t k = 0; k < part->count; k++) {
			const struct json_member *m = &part->members[k];

			jw_name(&w, m->name);
			if (str_is(m->name, "content") && m->value.type == JSON_STRING)
				jw_str(&w, result_cut(m->value.text, most, arena));
			else
				jw_json(&w, &m->value);
		}
		jw_object_end(&w);
	}
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

struct str history_unanswered(struct str content, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *parts;
	bool some = false;

	if (str_find(content, STR("\"tool_call\"")) < 0 ||
		json_read(content, NULL, arena, &parts, NULL))
		return STR_NONE;
	jw_array(&w);
	for (uint32_t i = 0; i < parts->count; i++) {
		const struct json *part = &parts->items[i];

		if (!str_is(json_text(json_get(part, "type")), "tool_call")) continue;
		some = true;
		fields_object(
			&w, FIELDS(field_word("type", "tool_result"),
				    field_text("id", json_text(json_get(part, "id"))),
				    field_text("name", json_text(json_get(part, "name"))),
				    field_word("content", "It was not carried out."),
				    field_json("is_error", STR("true"))));
	}
	jw_array_end(&w);
	if (some) return buf_keep_done(&b, arena);
	buf_done(&b);
	return STR_NONE;
}
