/* stop_line.c - the line of a stop. */
#include "tui/stop_line.h"

#include "base/keep.h"
#include "text/safe_text.h"
#include "tui/words.h"

/* "agent ci-*, project billing"; empty: everything. */
static struct str what_words(const struct json *match, struct arena *arena)
{
	static const char *const parts[][2] = { { "agent", "web.stop.what.agent" },
		{ "project", "web.stop.what.project" },
		{ "session", "web.stop.what.session" } };
	struct buf words = { .max = 4096 };

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct json *value = json_get(match, parts[i][0]);

		if (json_is(value, JSON_NULL))
			words_join(&words, ", ", MSG(arena, "web.stop.what.projectless"));
		else if (value)
			words_join(&words, ", ",
				MSG(arena, parts[i][1], { "name", json_text(value) }));
	}
	return buf_keep_done(&words, arena);
}

/* The one that reaches furthest: of everything, or the newest. */
static const struct json *stop_first(const struct json *stops, struct arena *arena)
{
	for (const struct json *stop = NULL; json_each(stops, &stop);)
		if (!what_words(json_get(stop, "match"), arena).len) return stop;
	return stops->items;
}

void stop_line_add(const struct kept_json *stops, struct page *p, int64_t now_ms)
{
	struct arena *arena = &p->words;
	const struct json *stop = stop_first(stops->json, arena);
	struct str what = what_words(json_get(stop, "match"), arena);
	struct str name = json_text_of(json_get(stop, "made_by"), "name");
	/* The reason has the room where there is little. */
	struct str lift =
		p->width < 100 ? STR("parley resume") : MSG(arena, "tui.stop.lift");
	int64_t until = ask_time(stop, "until");
	size_t width = p->width, tail;

	if (stops->json->count > 1)
		lift = arena_print(
			arena, "+%u · %.*s", stops->json->count - 1, STR_ARGS(lift));
	tail = text_width(lift) + 2;
	p->width = width > 2 * tail ? width - tail : width;
	page_add_text(p, STYLE_BAD, " ");
	page_add(p, STYLE_BAD,
		what.len ? MSG(arena, "web.colon",
				   { "words", MSG(arena, "web.stop.stopped") },
				   { "text", what })
			 : MSG(arena, "web.stop.is"));
	page_add_text(p, STYLE_BAD, " ");
	PAGE_MSG(p, STYLE_PLAIN, "web.stop.by", { "name", name },
		{ "at", time_local(ask_time(stop, "created_at"), now_ms, arena) });
	if (until)
		page_dot(p, STYLE_PLAIN,
			MSG(arena, "web.stop.until.at",
				{ "at", time_local(until, now_ms, arena) }));
	page_dot(p, STYLE_BOLD, json_text_of(stop, "reason"));
	if (p->width == width) return;
	p->width = width;
	page_pad(p, width - tail + 1);
	page_add(p, STYLE_SOFT, lift);
}
