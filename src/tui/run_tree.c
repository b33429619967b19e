/* run_tree.c - the last run of a session with its sub-agents, a row each, and its tasks in
 * one. */
#include "tui/run_tree.h"

#include "base/keep.h"
#include "text/msg.h"
#include "tui/words.h"

#include <string.h>

enum { NAME_COLUMN = 28, END_COLUMNS = 18 };

void run_page_done(struct run_page *p)
{
	arena_done(&p->arena);
	*p = (struct run_page){ 0 };
}

void run_page_take(struct run_page *p, const struct json *page)
{
	const struct json *items = json_get(page, "items");
	struct buf b = { 0 };

	run_page_done(p);
	if (json_is(items, JSON_ARRAY)) json_write(&b, items);
	if (!b.len ||
		json_read(buf_keep_done(&b, &p->arena), NULL, &p->arena, &p->items, NULL))
		p->items = NULL;
	buf_done(&b);
}

struct str run_page_error(const struct run_page *p, struct str run)
{
	for (uint32_t i = 0; run.len && p->items && i < p->items->count; i++)
		if (str_eq(json_text_of(&p->items->items[i], "id"), run))
			return json_text_of(
				json_get(&p->items->items[i], "error"), "message");
	return STR_NONE;
}

size_t run_page_place(const struct run_page *p, struct str session)
{
	size_t place = 0;

	for (uint32_t i = p->items ? p->items->count : 0; i > 0; i--) {
		const struct json *run = &p->items->items[i - 1];

		if (json_is(json_get(run, "parent"), JSON_STRING)) continue;
		place++;
		if (str_eq(json_text_of(run, "session"), session)) return place;
	}
	return 0;
}

void run_tree_done(struct run_tree *t)
{
	run_page_done(&t->runs);
	run_page_done(&t->tasks);
}

void run_tree_runs(struct run_tree *t, const struct json *page)
{
	run_page_take(&t->runs, page);
}

void run_tree_tasks(struct run_tree *t, const struct json *page)
{
	run_page_take(&t->tasks, page);
}

/* ---- a run ---- */

struct run_shown {
	const char *mark;
	enum style style;
	struct str words;
};

static int64_t waits_of(const struct json *run, const char *type)
{
	const struct json *all = json_get(run, "waits_for");
	int64_t n = 0;

	for (const struct json *item = NULL; json_each(all, &item);)
		n += str_is(json_text_of(item, "type"), type);
	return n;
}

static struct run_shown waiting_show(const struct json *run, struct arena *arena)
{
	int64_t children = waits_of(run, "run");

	if (waits_of(run, "ask"))
		return (struct run_shown){ "!", STYLE_WARN,
			MSG(arena, "web.run.waits.person") };
	if (children)
		return (struct run_shown){ "~", STYLE_SOFT,
			msg_count(arena, "web.run.waits.children", children) };
	return (struct run_shown){ "o", STYLE_SOFT, MSG(arena, "cli.run.retrying") };
}

static struct str first_line(struct str text)
{
	struct str line = STR_NONE;

	str_cut(&text, '\n', &line);
	return line;
}

static struct run_shown run_show(const struct json *run, struct arena *arena)
{
	struct str status = json_text_of(run, "status");
	struct str progress = json_text_of(json_get(run, "progress"), "text");

	if (str_is(status, "queued"))
		return (struct run_shown){ "o", STYLE_SOFT,
			MSG(arena, "web.run.queued") };
	if (str_is(status, "running"))
		return (struct run_shown){ "*", STYLE_GOOD,
			progress.len ? progress : MSG(arena, "web.run.working.now") };
	if (str_is(status, "waiting")) return waiting_show(run, arena);
	if (str_is(status, "completed"))
		return (struct run_shown){ "=", STYLE_PLAIN,
			first_line(json_text_of(run, "report")) };
	if (str_is(status, "failed"))
		return (struct run_shown){ "x", STYLE_BAD,
			json_text_of(json_get(run, "error"), "message") };
	return (struct run_shown){ "x", STYLE_SOFT, MSG(arena, "cli.run.cancelled") };
}

/* "$0.42   1:22": what it cost and how long it worked. */
static struct str end_words(const struct json *run, struct arena *arena)
{
	const struct json *ms = json_get(run, "duration_ms");
	int64_t s = json_is(ms, JSON_NUMBER) ? ms->integer / 1000 : 0;
	struct str dollars = cost_words(run, arena);

	return arena_print(arena, "%8.*s  %lld:%02lld", STR_ARGS(dollars),
		(long long)(s / 60), (long long)(s % 60));
}

static void run_add(
	struct page *p, const struct json *run, const char *branch, struct arena *arena)
{
	struct run_shown shown = run_show(run, arena);
	struct str name = json_text_of(json_get(run, "agent"), "name");
	size_t end = p->width > NAME_COLUMN + 2 * END_COLUMNS ? p->width - END_COLUMNS
							      : p->width;

	page_row(p);
	page_add_text(p, STYLE_SOFT, branch);
	page_add_text(p, shown.style, shown.mark);
	page_add_text(p, STYLE_PLAIN, " ");
	page_add(p, STYLE_PLAIN, str_first(name, NAME_COLUMN - strlen(branch) - 3));
	page_pad(p, NAME_COLUMN);
	page_add(p, shown.style, str_first(shown.words, end - NAME_COLUMN - 1));
	if (end == p->width) return;
	page_pad(p, end);
	page_add(p, STYLE_SOFT, end_words(run, arena));
}

/* ---- tasks ---- */

static struct str task_named(const struct json *tasks, const char *status)
{
	for (uint32_t i = 0; i < tasks->count; i++)
		if (str_is(json_text_of(&tasks->items[i], "status"), status))
			return json_text_of(&tasks->items[i], "name");
	return STR_NONE;
}

static void tasks_add(struct page *p, const struct json *tasks, struct arena *arena)
{
	struct str now = task_named(tasks, "in_progress"),
		   next = task_named(tasks, "pending");
	long long done = 0;

	for (uint32_t i = 0; i < tasks->count; i++)
		done += str_is(json_text_of(&tasks->items[i], "status"), "completed");
	page_row(p);
	page_add(p, STYLE_SOFT,
		MSG(arena, "tui.tasks", { "done", arena_print(arena, "%lld", done) },
			{ "n", arena_print(arena, "%u", tasks->count) }));
	if (now.len)
		page_add(p, STYLE_PLAIN, MSG(arena, "tui.tasks.now", { "name", now }));
	if (next.len)
		page_add(p, STYLE_SOFT, MSG(arena, "tui.tasks.next", { "name", next }));
}

/* ---- all ---- */

/* The newest top-level run. */
static const struct json *run_last(const struct run_tree *t)
{
	for (uint32_t i = 0; t->runs.items && i < t->runs.items->count; i++)
		if (!json_is(json_get(&t->runs.items->items[i], "parent"), JSON_STRING))
			return &t->runs.items->items[i];
	return NULL;
}

void run_tree_add(
	const struct run_tree *t, struct page *p, size_t max, struct arena *arena)
{
	const struct json *top = run_last(t), *child = NULL;
	size_t rows = 1;

	if (top) run_add(p, top, "", arena);
	/* They come newest first; people read them in the order they were started. */
	for (uint32_t i = top ? t->runs.items->count : 0; i > 0; i--) {
		const struct json *run = &t->runs.items->items[i - 1];

		if (!str_eq(json_text_of(run, "parent"), json_text_of(top, "id")))
			continue;
		if (child && ++rows < max) run_add(p, child, "|- ", arena);
		child = run;
	}
	if (child && ++rows <= max) run_add(p, child, "`- ", arena);
	if (t->tasks.items && t->tasks.items->count) tasks_add(p, t->tasks.items, arena);
}
