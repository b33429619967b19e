/* told.c - who was told of an ask: "Told: you, push 14:02 · ops in Slack 14:07", who could not be
 * reached, who is told later, and what comes next. web/src/lib/told.ts says the same. */
#include "tui/told.h"

#include "base/keep.h"
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
	struct arena *words;
};

/* TOLD_STATES: it says nothing about who was told. */
static enum told_state state_of(const struct json *d)
{
	struct str purpose = json_text_of(d, "purpose"),
		   status = json_text_of(d, "status");

	if (!str_is(purpose, "ask") && !str_is(purpose, "reminder") &&
		!str_is(purpose, "thread"))
		return TOLD_STATES;
	if (str_is(status, "done")) return TOLD;
	if (str_is(status, "dead")) return TOLD_FAILED;
	if (!str_is(status, "waiting") || !json_get(d, "attempts")) return TOLD_STATES;
	return json_int_of(d, "attempts") ? TOLD_RETRIED : TOLD_LATER;
}

static struct str whose(const struct json *d)
{
	struct str user = json_text_of(d, "user");

	return user.len ? user : json_text_of(d, "contact");
}

/* To the same, the same way, with the same result: one entry for both. */
static bool same_entry(const struct json *a, const struct json *b)
{
	return state_of(a) == state_of(b) && str_eq(whose(a), whose(b)) &&
	       str_eq(json_text_of(a, "kind"), json_text_of(b, "kind"));
}

static struct str name_of(struct told_writer *w, struct str id, struct str otherwise)
{
	struct str name = json_text(json_get_str(json_get(w->told, "names"), id));

	return safe_line(w->words, name.len ? name : otherwise);
}

/* The first few times at which this was tried, or will be. */
static struct str times_of(struct told_writer *w, const struct json *first)
{
	enum told_state state = state_of(first);
	bool later = state == TOLD_LATER || state == TOLD_RETRIED;
	struct buf out = { .max = 256 };
	int n = 0;

	for (const struct json *d = NULL; json_each(w->items, &d) && n < TIMES_MAX;) {
		int64_t at = ask_time(d, later ? "next_at" : "done_at");

		if (d < first || !at || !same_entry(d, first)) continue;
		words_join(&out, ", ", time_local(at, w->now_ms, w->words));
		n++;
	}
	return buf_keep_done(&out, w->words);
}

static struct str entry_words(struct told_writer *w, const struct json *d)
{
	struct str kind = json_text_of(d, "kind"), id = whose(d);
	bool room = !json_text_of(d, "user").len && str_is(kind, "slack");
	bool mine = w->me.len && str_eq(id, w->me);

	return MSG(w->words, room ? "web.told.room" : "web.told.entry",
		{ "who", mine ? MSG(w->words, "web.told.you")
			      : name_of(w, id, json_text_of(d, "target")) },
		{ "channel", msg_named(w->words, "web.deliveries", kind) },
		{ "at", times_of(w, d) });
}

static bool said_before(struct told_writer *w, const struct json *entry)
{
	for (const struct json *d = NULL; json_each(w->items, &d) && d < entry;)
		if (same_entry(d, entry)) return true;
	return false;
}

/* ---- steps that reached nobody ---- */

static struct str reason_words(struct told_writer *w, const struct json *reason)
{
	struct str user = json_text_of(reason, "user"),
		   team = json_text_of(reason, "team");
	struct str id = user.len ? user : team;
	struct str key = arena_print(
		w->words, "web.told.why.%.*s", STR_ARGS(json_text_of(reason, "why")));

	if (!id.len) return MSG(w->words, "web.told.why.nobody");
	return MSG(w->words, key.at, { "who", name_of(w, id, id) },
		{ "at", time_local(ask_time(reason, "from"), w->now_ms, w->words) });
}

/* Adds each reason once. Failed messages have their own line, unless nobody was reached. */
static void reasons_add(struct told_writer *w, struct buf *list, bool with_failed)
{
	const struct json *steps = json_get(w->told, "unreached"), *r;

	for (const struct json *step = NULL; json_each(steps, &step);)
		for (r = NULL; json_each(json_get(step, "reasons"), &r);) {
			struct str why = json_text_of(r, "why");
			struct str words = reason_words(w, r);

			if (!with_failed && (str_is(why, "down") || str_is(why, "dead")))
				continue;
			if (str_find(buf_str(list), words) < 0)
				words_join(list, " · ", words);
		}
}

/* Somebody was told, or will be. */
static bool some_hear(struct told_writer *w)
{
	for (const struct json *d = NULL; json_each(w->items, &d);)
		if (state_of(d) == TOLD || state_of(d) == TOLD_LATER) return true;
	return false;
}

/* ---- the lines ---- */

static void list_write(
	struct told_writer *w, enum style style, const char *id, struct buf *list)
{
	if (list->len) PAGE_WRAP(w->page, style, 0, id, { "list", buf_str(list) });
	buf_done(list);
}

static void line_write(struct told_writer *w, enum told_state state, bool some)
{
	struct buf list = { .max = 8192 };

	for (const struct json *d = NULL; json_each(w->items, &d);)
		if (state_of(d) == state && !said_before(w, d))
			words_join(&list, " · ", entry_words(w, d));
	if (state == TOLD_FAILED && some) reasons_add(w, &list, false);
	list_write(
		w, state == TOLD_FAILED ? STYLE_WARN : STYLE_SOFT, lines[state], &list);
}

static void next_write(struct told_writer *w)
{
	int64_t at = ask_time(w->told, "next_at");
	struct buf list = { .max = 4096 };

	if (!at) return;
	for (const struct json *to = NULL;
		json_each(json_get(w->told, "next_to"), &to);) {
		struct str id = arena_print(
			w->words, "web.told.to.%.*s", STR_ARGS(json_text_of(to, "kind")));

		words_join(&list, ", ",
			MSG(w->words, id.at,
				{ "name",
					safe_line(w->words, json_text_of(to, "name")) }));
	}
	if (list.len)
		PAGE_WRAP(w->page, STYLE_SOFT, 0, "web.told.next",
			{ "who", buf_str(&list) },
			{ "at", time_local(at, w->now_ms, w->words) });
	buf_done(&list);
}

void told_draw(struct page *p, const struct json *told, struct str me, bool pending,
	int64_t now_ms)
{
	struct told_writer w = { p, told, json_get(told, "items"), me, now_ms,
		&p->words };
	struct buf unreached = { .max = 8192 };

	if (!json_is(w.items, JSON_ARRAY)) return;
	bool some = some_hear(&w);
	page_gap(p);
	if (!some) reasons_add(&w, &unreached, true);
	list_write(&w, STYLE_WARN, "web.told.unreached", &unreached);
	for (enum told_state s = TOLD; s < TOLD_STATES; s++)
		if (pending || s != TOLD_LATER) line_write(&w, s, some);
	if (pending) next_write(&w);
}
