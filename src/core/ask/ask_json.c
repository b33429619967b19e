/* ask_json.c - reads the JSON that is in an ask. */
#include "core/ask/ask_json.h"

#include "base/keep.h"

static enum err part_read(
	struct str text, struct arena *arena, const struct json **out, struct fault *why)
{
	return text.len ? json_read(text, &ask_limits, arena, out, why) : OK;
}

static struct str summary_of(const struct ask *a, struct arena *arena)
{
	struct buf b = { 0 };

	ask_sum(&b, a);
	return buf_keep_done(&b, arena);
}

enum err ask_json_read(const struct ask *a, const struct ask_view *view,
	struct arena *arena, struct ask_json *out, struct fault *why)
{
	struct ask_json w = { .ask = a, .view = view };
	enum err e = ask_fixed(a, arena, &w.fixed, why);

	if (!e) e = part_read(a->answer, arena, &w.answer, why);
	if (!e) e = part_read(a->answered_by, arena, &w.answered_by, why);
	if (!e) e = part_read(a->replies, arena, &w.replies, why);
	if (!e) e = part_read(a->revoked, arena, &w.revoked, why);
	w.summary = summary_of(a, arena);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	if (e) return fail(why, ERR_INTERNAL, "ask %.*s is unreadable", STR_ARGS(a->id));
	w.questions = json_get(w.fixed, "questions");
	if (!json_is(w.questions, JSON_ARRAY)) w.questions = NULL;
	w.foreign = json_get(w.fixed, "foreign");
	*out = w;
	return OK;
}
