/* mandate.c - approvals in advance in words. */
#include "tui/mandate.h"

#include "base/clock.h"
#include "base/keep.h"
#include "tui/words.h"

const struct json *mandate_asked(const struct json *operation)
{
	const struct json *arguments = json_get(operation, "arguments");

	return str_is(json_text_of(operation, "type"), "mandate") &&
			       json_is(json_get(arguments, "lines"), JSON_ARRAY)
		       ? arguments
		       : NULL;
}

/* ---- words ---- */

/* A text without its quotes. */
static struct str value_words(const struct json *value, struct arena *arena)
{
	struct buf out = { .max = 65536 };

	if (!json_is(value, JSON_ARRAY))
		return json_is(value, JSON_STRING) ? value->text
						   : json_keep(value, arena);
	for (const struct json *one = NULL; json_each(value, &one);)
		words_join(&out, ", ", value_words(one, arena));
	return buf_keep_done(&out, arena);
}

/* "/repo is web, /n is at most 3" */
static struct str tests_words(const struct json *arguments, struct arena *arena)
{
	struct buf out = { .max = 65536 };

	for (uint32_t i = 0; json_is(arguments, JSON_OBJECT) && i < arguments->count;
		i++) {
		const struct json_member *at = &arguments->members[i];

		for (uint32_t k = 0;
			json_is(&at->value, JSON_OBJECT) && k < at->value.count; k++) {
			const struct json_member *test = &at->value.members[k];

			words_join(&out, ", ", at->name);
			words_join(&out, " ",
				msg_named(arena, "web.rules.test", test->name));
			words_join(&out, " ", value_words(&test->value, arena));
		}
	}
	return buf_keep_done(&out, arena);
}

struct str mandate_call_words(const struct json *line, struct arena *arena)
{
	struct str tests = tests_words(json_get(line, "arguments"), arena);
	struct buf out = { .max = 65536 };

	for (const struct json *one = NULL; json_each(json_get(line, "tool"), &one);) {
		if (out.len) words_join(&out, " ", MSG(arena, "web.rules.says.or"));
		words_join(&out, " ", json_text(one));
	}
	if (tests.len)
		words_join(&out, " ",
			MSG(arena, "web.rules.says.where", { "arguments", tests }));
	return buf_keep_done(&out, arena);
}

static struct str until_words(struct str until, int64_t now_ms, struct arena *arena)
{
	int64_t ms;

	return MSG(arena, "web.mandate.till",
		{ "at", time_read(until, &ms) ? time_local(ms, now_ms, arena) : until });
}

/* "20 times, up to 500 of “amount” in all" */
static struct str limit_words(const struct json *line, struct arena *arena)
{
	const struct json *sum = json_get(line, "sum");
	struct str times =
		msg_count(arena, "web.mandate.times", json_int_of(line, "uses"));

	if (!json_is(sum, JSON_OBJECT)) return times;
	return arena_print(arena, "%.*s, %.*s", STR_ARGS(times),
		STR_ARGS(MSG(arena, "web.mandate.sum",
			{ "max", json_keep(json_get(sum, "max"), arena) },
			{ "at", str_from(json_text_of(sum, "pointer"), 1) })));
}

struct str mandate_used_words(const struct json *line, struct arena *arena)
{
	const struct json *sum = json_get(line, "sum");
	struct str used = MSG(arena, "web.mandate.used",
		{ "n", json_keep(json_get(line, "used"), arena) },
		{ "of", json_keep(json_get(line, "uses"), arena) });

	if (!json_is(sum, JSON_OBJECT)) return used;
	return arena_print(arena, "%.*s · %.*s", STR_ARGS(used),
		STR_ARGS(MSG(arena, "web.mandate.spent",
			{ "n", json_keep(json_get(line, "spent"), arena) },
			{ "of", json_keep(json_get(sum, "max"), arena) })));
}

/* ---- rows ---- */

/* The line of this key among those that are left. */
static const struct json *line_left(const struct json *left, const struct json *line)
{
	for (const struct json *one = NULL; json_each(json_get(left, "lines"), &one);)
		if (str_eq(json_text_of(one, "key"), json_text_of(line, "key")))
			return one;
	return NULL;
}

static struct str line_risk(const struct json *line, struct arena *arena)
{
	struct str risk = json_text_of(line, "risk");

	return msg_named(arena, "web.risk", risk.len ? risk : STR("medium"));
}

/* "[x] mcp__github__close_issue where /repo is web, 20 times, until 17:30 · Medium" */
void mandate_asked_draw(struct page *p, const struct json *asked,
	const struct json *edited, int64_t now_ms)
{
	const struct json *left = edited ? edited : asked;
	struct str until = until_words(json_text_of(left, "until"), now_ms, &p->words);

	for (const struct json *line = NULL;
		json_each(json_get(asked, "lines"), &line);) {
		const struct json *now = line_left(left, line);
		struct str call = mandate_call_words(line, &p->words);

		if (now)
			page_wrap(p, json_equal(line, now) ? STYLE_PLAIN : STYLE_WARN, 2,
				arena_print(&p->words, "[x] %.*s, %.*s, %.*s · %.*s",
					STR_ARGS(call),
					STR_ARGS(limit_words(now, &p->words)),
					STR_ARGS(until),
					STR_ARGS(line_risk(line, &p->words))));
		else
			page_wrap(p, STYLE_BAD, 2,
				arena_print(&p->words, "[ ] %.*s · %s", STR_ARGS(call),
					msg_text("web.mandate.struck")));
	}
	PAGE_WRAP(p, STYLE_SOFT, 2, "web.mandate.else");
}

void mandate_live_draw(struct page *p, const struct json *mandate, struct str hint,
	size_t max, int64_t now_ms)
{
	const struct json *lines = json_get(mandate, "lines");

	if (!max) return;
	page_row(p);
	PAGE_MSG(p, STYLE_SOFT, "web.colon",
		{ "words", MSG(&p->words, "web.mandate.one") },
		{ "text", json_text_of(mandate, "title") });
	page_dot(p, STYLE_SOFT,
		until_words(json_text_of(mandate, "until"), now_ms, &p->words));
	page_dot(p, STYLE_ACCENT, hint);
	for (const struct json *line = NULL; --max && json_each(lines, &line);) {
		page_row(p);
		page_pad(p, 2);
		page_add(p, STYLE_PLAIN, mandate_used_words(line, &p->words));
		page_dot(p, STYLE_PLAIN, mandate_call_words(line, &p->words));
	}
}
