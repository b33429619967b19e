/* go_on.c - when a model is asked to go on, how often, and in which words. */
#include "core/run/go_on.h"

#include "base/keep.h"
#include "core/shared/body.h"

/* The member `asked` of the part. */
static const char *const names[GO_ONS] = {
	[GO_ON_NOT] = "",
	[GO_ON_CUT] = "cut",
	[GO_ON_CALL] = "call",
	[GO_ON_THOUGHTS] = "thoughts",
	[GO_ON_EMPTY] = "empty",
	[GO_ON_OUTPUT] = "output",
};

static const char *const words[GO_ONS] = {
	[GO_ON_CUT] =
		"[Your answer reached the greatest length. Go on exactly where it stopped; "
		"repeat nothing.]",
	[GO_ON_THOUGHTS] =
		"[The greatest length was reached before you said anything. Answer "
		"now, with fewer thoughts.]",
	[GO_ON_EMPTY] = "Please go on.",
};

enum go_on go_on_after(const struct go_on_end *end)
{
	bool said = false, calls = false;

	for (uint32_t i = 0; i < end->parts->count; i++) {
		const struct json *p = &end->parts->items[i];
		struct str type = json_text(json_get(p, "type"));

		calls |= str_is(type, "tool_call");
		said |= str_is(type, "text") &&
			str_trim(json_text(json_get(p, "text"))).len > 0;
	}
	if (end->cut && end->call.len) return GO_ON_CALL;
	if (calls) return GO_ON_NOT;
	if (end->cut) return said ? GO_ON_CUT : GO_ON_THOUGHTS;
	return said && !end->nothing ? GO_ON_NOT : GO_ON_EMPTY;
}

enum go_on go_on_of(const struct run_message *m, struct arena *arena)
{
	const struct json *parts;
	int at = -1;

	/* Most messages are not asked for: they are not read. */
	if (m->role != MESSAGE_USER || str_find(m->content, STR("\"asked\"")) < 0 ||
		json_read(m->content, NULL, arena, &parts, NULL) || !parts->count)
		return GO_ON_NOT;
	at = name_find(names, GO_ONS, json_text(json_get(&parts->items[0], "asked")));
	return at > 0 ? (enum go_on)at : GO_ON_NOT;
}

bool go_on_may(enum go_on what, const struct run_message *const *before, size_t len,
	struct arena *arena)
{
	int asked[GO_ONS] = { 0 }, all = 0;

	/* Each stands behind the answer that it was about. */
	for (; len; len -= len > 1 ? 2 : 1) {
		enum go_on was = go_on_of(before[len - 1], arena);

		if (was == GO_ON_NOT) break;
		asked[was]++;
		all += was != GO_ON_OUTPUT;
	}
	if (what == GO_ON_THOUGHTS || what == GO_ON_EMPTY) return !asked[what];
	return all < GO_ON_TIMES;
}

struct str go_on_content(enum go_on what, struct str call, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct str text =
		what == GO_ON_CALL
			? arena_print(arena,
				  "[Your answer reached the greatest length inside the call of "
				  "%.*s, which was not made. Make it again, with less in it.]",
				  STR_ARGS(str_first(call, 64)))
		: what == GO_ON_OUTPUT
			? arena_print(arena,
				  "[%.*s. Answer again, with the whole of it: JSON alone.]",
				  STR_ARGS(call))
			: str_of(words[what]);

	jw_array(&w);
	jw_object(&w);
	jw_put_text(&w, "type", "text");
	jw_put_str(&w, "text", text);
	jw_put_text(&w, "asked", names[what]);
	jw_object_end(&w);
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}
