/* run_tree.c - the last run of a session with its sub-agents, a row each, and its tasks in
 * one. */
#include "tui/run_tree.h"

#include "text/msg.h"
#include "tui/words.h"

#include <string.h>

enum { NAME_COLUMN = 28, END_COLUMNS = 18 };

struct str run_page_error(const struct kept_json *p, struct str run)
{
	for (const struct json *one = NULL; run.len && json_each(p->json, &one);)
		if (str_eq(json_text_of(one, "id"), run))
			return json_text_of(json_get(one, "error"), "message");
	return STR_NONE;
}

size_t run_page_place(const struct kept_json *p, struct str session)
{
	size_t place = 0;

	for (uint32_t i = p->json ? p->json->count : 0; i > 0; i--) {
		const struct json *run = &p->json->items[i - 1];

		if (json_is(json_get(run, "parent"), JSON_STRING)) continue;
		place++;
		if (str_eq(json_text_of(run, "session"), session)) return place;
	}
	return 0;
}

void run_tree_done(struct run_tree *t)
{
	kept_done(&t->runs);
	kept_done(&t->tasks);
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
			MSG(arena, "web.waits.someone") };
	if (children)
		return (struct run_shown){ "~", STYLE_SOFT,
			msg_count(arena, "web.run.waits.children", children) };
	if (waits_of(run, "call"))
		return (struct run_shown){ "o", STYLE_SOFT,
			MSG(arena, "web.run.waits.call") };
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
	return (struct run_shown){ "-", STYLE_SOFT, MSG(arena, "cli.run.cancelled") };
}

/* "$0.42   1:22": what it cost and how long it worked. */
static struct str end_words(const struct json *run, struct arena *arena)
{
	int64_t s = json_int_of(run, "duration_ms") / 1000;

	return arena_print(arena, "%8.*s  %lld:%02lld", STR_ARGS(cost_words(run, arena)),
		(long long)(s / 60), (long long)(s % 60));
}

static void run_add(
	struct page *p, size_t indent, const struct json *run, const char *branch)
{
	struct run_shown shown = run_show(run, &p->words);
	struct str name = json_text_of(json_get(run, "agent"), "name");
	size_t words = indent + NAME_COLUMN;
	bool wide = p->width > words + 2 * END_COLUMNS;
	size_t end = wide ? p->width - END_COLUMNS : p->width;

	page_row(p);
	page_pad(p, indent);
	page_add_text(p, STYLE_SOFT, branch);
	page_add_text(p, shown.style, shown.mark);
	page_add_text(p, STYLE_PLAIN, " ");
	page_add(p, STYLE_PLAIN, str_first(name, NAME_COLUMN - strlen(branch) - 3));
	page_pad(p, words);
	page_add(p, shown.style, str_first(shown.words, end - words - 1));
	if (!wide) return;
	page_pad(p, end);
	page_add(p, STYLE_SOFT, end_words(run, &p->words));
}

/* ---- tasks ---- */

static struct str task_named(const struct json *tasks, const char *status)
{
	for (const struct json *task = NULL; json_each(tasks, &task);)
		if (str_is(json_text_of(task, "status"), status))
			return json_text_of(task, "name");
	return STR_NONE;
}

static void tasks_add(struct page *p, const struct json *tasks)
{
	struct str now = task_named(tasks, "in_progress"),
		   next = task_named(tasks, "pending");
	long long done = 0;

	for (const struct json *task = NULL; json_each(tasks, &task);)
		done += str_is(json_text_of(task, "status"), "completed");
	page_row(p);
	PAGE_MSG(p, STYLE_SOFT, "tui.tasks",
		{ "done", arena_print(&p->words, "%lld", done) },
		{ "n", arena_print(&p->words, "%u", tasks->count) });
	if (now.len) PAGE_MSG(p, STYLE_PLAIN, "tui.tasks.now", { "name", now });
	if (next.len) PAGE_MSG(p, STYLE_SOFT, "tui.tasks.next", { "name", next });
}

/* ---- all ---- */

/* The newest top-level run. */
static const struct json *run_last(const struct run_tree *t)
{
	for (const struct json *run = NULL; json_each(t->runs.json, &run);)
		if (!json_is(json_get(run, "parent"), JSON_STRING)) return run;
	return NULL;
}

void run_tree_add(const struct run_tree *t, struct page *p, size_t indent, size_t max)
{
	const struct json *top = run_last(t), *child = NULL;
	size_t rows = 1;

	if (top) run_add(p, indent, top, "");
	/* They come newest first; people read them in the order they were started. */
	for (uint32_t i = top ? t->runs.json->count : 0; i > 0; i--) {
		const struct json *run = &t->runs.json->items[i - 1];

		if (!str_eq(json_text_of(run, "parent"), json_text_of(top, "id")))
			continue;
		if (child && ++rows < max) run_add(p, indent, child, "|- ");
		child = run;
	}
	if (child && ++rows <= max) run_add(p, indent, child, "`- ");
	if (t->tasks.json && t->tasks.json->count) tasks_add(p, t->tasks.json);
}
