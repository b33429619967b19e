/* told.c - who was told of an ask: "Told: you, push 14:02 · ops in Slack 14:07", who could not be
 * reached, who is told later, and what comes next. web/src/lib/told.ts says the same. */
#include "tui/told.h"

#include "text/msg.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum { TIMES_MAX = 3 };

/* What became of messages; each is a line of its own. */
enum told_state { TOLD, TOLD_RETRIED, TOLD_FAILED, TOLD_LATER, TOLD_STATES };

static const char *const lines[TOLD_STATES] = {
	[TOLD] = "web.told",
	[TOLD_RETRIED] = "web.told.retried",
	[TOLD_FAILED] = "web.told.failed",
	[TOLD_LATER] = "web.told.later",
};

struct told_writer {
	struct page *page;
	const struct json *told, *items;
	struct str me;
	int64_t now_ms;
	struct arena arena;
	bool some; /* were told, or will be */
};

static struct str member(const struct json *d, const char *name)
{
	return json_text_of(d, name);
}

/* False: it says nothing about who was told. */
static bool state_of(const struct json *d, enum told_state *out)
{
	struct str purpose = member(d, "purpose"), status = member(d, "status");
	const struct json *attempts = json_get(d, "attempts");

	if (!str_is(purpose, "ask") && !str_is(purpose, "reminder") &&
		!str_is(purpose, "thread"))
		return false;
	if (str_is(status, "done"))
		*out = TOLD;
	else if (str_is(status, "dead"))
		*out = TOLD_FAILED;
	else if (str_is(status, "waiting") && attempts)
		*out = attempts->integer ? TOLD_RETRIED : TOLD_LATER;
	else
		return false;
	return true;
}

static struct str whose(const struct json *d)
{
	struct str user = member(d, "user");

	return user.len ? user : member(d, "contact");
}

static bool same_line(const struct json *a, const struct json *b)
{
	return str_eq(whose(a), whose(b)) && str_eq(member(a, "kind"), member(b, "kind"));
}

static struct str name_of(struct told_writer *w, const struct json *d)
{
	struct str id = whose(d);
	struct str name = json_text(json_get_str(json_get(w->told, "names"), id));

	if (w->me.len && str_eq(id, w->me)) return MSG(&w->arena, "web.told.you");
	return safe_line(&w->arena, name.len ? name : member(d, "target"));
}

static int64_t when(const struct json *d, enum told_state state)
{
	return ask_time(
		d, state == TOLD_LATER || state == TOLD_RETRIED ? "next_at" : "done_at");
}

/* The times of what is like the i-th: the first few. */
static struct str times_of(struct told_writer *w, uint32_t i, enum told_state state)
{
	struct buf out = { .max = 256 };
	enum told_state other;
	struct str kept;
	int n = 0;

	for (uint32_t k = i; k < w->items->count && n < TIMES_MAX; k++) {
		const struct json *d = &w->items->items[k];

		if (!state_of(d, &other) || other != state ||
			!same_line(d, &w->items->items[i]) || !when(d, state))
			continue;
		if (n++) buf_add_text(&out, ", ");
		buf_add(&out, time_local(when(d, state), w->now_ms, &w->arena));
	}
	kept = arena_str(&w->arena, buf_str(&out));
	buf_done(&out);
	return kept;
}

static struct str entry_words(struct told_writer *w, uint32_t i, enum told_state state)
{
	const struct json *d = &w->items->items[i];
	bool room = !member(d, "user").len && str_is(member(d, "kind"), "slack");
	struct str id = arena_print(
		&w->arena, "web.deliveries.%.*s", STR_ARGS(member(d, "kind")));
	struct str channel = MSG(&w->arena, id.at);

	return MSG(&w->arena, room ? "web.told.room" : "web.told.entry",
		{ "who", name_of(w, d) }, { "channel", channel },
		{ "at", times_of(w, i, state) });
}

static bool said_before(struct told_writer *w, uint32_t i, enum told_state state)
{
	enum told_state other;

	for (uint32_t k = 0; k < i; k++)
		if (state_of(&w->items->items[k], &other) && other == state &&
			same_line(&w->items->items[k], &w->items->items[i]))
			return true;
	return false;
}

/* ---- steps that reached nobody ---- */

static struct str reason_words(struct told_writer *w, const struct json *reason)
{
	struct str user = member(reason, "user"), team = member(reason, "team");
	struct str id = user.len ? user : team;
	struct str name = json_text(json_get_str(json_get(w->told, "names"), id));
	struct str key = arena_print(
		&w->arena, "web.told.why.%.*s", STR_ARGS(member(reason, "why")));

	if (!id.len) return MSG(&w->arena, "web.told.why.nobody");
	return MSG(&w->arena, key.at,
		{ "who", safe_line(&w->arena, name.len ? name : id) },
		{ "at", time_local(ask_time(reason, "from"), w->now_ms, &w->arena) });
}

/* Adds each reason once. Failed messages have their own line, unless nobody was reached. */
static void reasons_add(struct told_writer *w, struct buf *list, bool with_failed)
{
	const struct json *steps = json_get(w->told, "unreached");

	for (const struct json *item = NULL; json_each(steps, &item);) {
		const struct json *reasons = json_get(item, "reasons");

		for (uint32_t k = 0; reasons && k < reasons->count; k++) {
			struct str why = member(&reasons->items[k], "why");
			struct str words = reason_words(w, &reasons->items[k]);

			if (!with_failed && (str_is(why, "down") || str_is(why, "dead")))
				continue;
			if (str_find(buf_str(list), words) >= 0) continue;
			if (list->len) buf_add_text(list, " · ");
			buf_add(list, words);
		}
	}
}

/* Somebody was told, or will be. */
static bool some_hear(struct told_writer *w)
{
	enum told_state own;

	for (uint32_t i = 0; i < w->items->count; i++)
		if (state_of(&w->items->items[i], &own) &&
			(own == TOLD || own == TOLD_LATER))
			return true;
	return false;
}

/* ---- the lines ---- */

static void line_write(struct told_writer *w, enum told_state state)
{
	struct buf list = { .max = 8192 };
	enum told_state own;

	for (uint32_t i = 0; i < w->items->count; i++) {
		if (!state_of(&w->items->items[i], &own) || own != state ||
			said_before(w, i, state))
			continue;
		if (list.len) buf_add_text(&list, " · ");
		buf_add(&list, entry_words(w, i, state));
	}
	if (state == TOLD_FAILED && w->some) reasons_add(w, &list, false);
	if (list.len)
		page_wrap(w->page, state == TOLD_FAILED ? STYLE_WARN : STYLE_SOFT, 0,
			MSG(&w->arena, lines[state], { "list", buf_str(&list) }));
	buf_done(&list);
}

static void unreached_write(struct told_writer *w)
{
	struct buf list = { .max = 8192 };

	reasons_add(w, &list, true);
	if (list.len)
		page_wrap(w->page, STYLE_WARN, 0,
			MSG(&w->arena, "web.told.unreached", { "list", buf_str(&list) }));
	buf_done(&list);
}

static void next_write(struct told_writer *w)
{
	const struct json *to = json_get(w->told, "next_to");
	int64_t at = ask_time(w->told, "next_at");
	struct buf list = { .max = 4096 };

	if (!at) return;
	for (const struct json *item = NULL; json_each(to, &item);) {
		struct str id = arena_print(
			&w->arena, "web.told.to.%.*s", STR_ARGS(member(item, "kind")));

		if (list.len) buf_add_text(&list, ", ");
		buf_add(&list,
			MSG(&w->arena, id.at,
				{ "name", safe_line(&w->arena, member(item, "name")) }));
	}
	if (list.len)
		page_wrap(w->page, STYLE_SOFT, 0,
			MSG(&w->arena, "web.told.next", { "who", buf_str(&list) },
				{ "at", time_local(at, w->now_ms, &w->arena) }));
	buf_done(&list);
}

void told_draw(struct page *p, const struct json *told, struct str me, int64_t now_ms)
{
	struct told_writer w = { p, told, json_get(told, "items"), me, now_ms, { 0 },
		false };

	if (!json_is(w.items, JSON_ARRAY)) return;
	w.some = some_hear(&w);
	page_gap(p);
	if (!w.some) unreached_write(&w);
	for (enum told_state s = TOLD; s < TOLD_STATES; s++)
		line_write(&w, s);
	next_write(&w);
	arena_done(&w.arena);
}
