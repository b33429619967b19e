/* list.c - the rows of the inbox: order, filter, cursor. */
#include "tui/list.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/ask/question_kind.h"
#include "core/policy/operation.h"
#include "tui/words.h"

enum { SOON_MS = 5 * 60 * 1000, TITLE_POINTS = 200, LINE_BYTES = 1024 };

void list_done(struct list *l)
{
	listing_done(&l->rows);
	table_done(&l->by_id);
	filter_done(l->filters, LIST_FILTERS);
	*l = (struct list){ 0 };
}

static struct item *item_of(const struct list *l, size_t i)
{
	return l->rows.all[i];
}

/* ---- an item of an ask ---- */

static struct str assignees_of(const struct json *ask, struct arena *arena)
{
	const struct json *list = json_get(ask, "assignees");
	struct str lines = STR_NONE;

	for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++)
		lines = arena_print(arena, "%.*s%s%.*s", STR_ARGS(lines), i ? "\n" : "",
			STR_ARGS(json_text(&list->items[i])));
	return lines;
}

static bool assigned_to(const struct item *item, struct str me)
{
	struct str rest = item->assignees, one;

	while (me.len > 0 && str_cut(&rest, '\n', &one))
		if (str_eq(one, me)) return true;
	return false;
}

/* Asks with the same questions can take one answer. A single approval has the same form
 * whatever it approves. */
static uint64_t form_of(const struct json *ask)
{
	const struct json *questions = json_get(ask, "questions");
	struct buf text = { 0 };
	bool lone = json_is(questions, JSON_ARRAY) && questions->count == 1;

	if (lone && question_kind_json(questions->items)->input == INPUT_DECISION)
		buf_add(&text, json_text_of(questions->items, "key"));
	else
		json_write(&text, questions);
	uint64_t sum = str_hash(buf_str(&text));
	buf_done(&text);
	return sum;
}

/* One tool with the same names of arguments: its operations go together in a batch. */
static uint64_t shape_of(const struct json *op)
{
	const struct json *arguments = json_get(op, "arguments");
	struct json_member *names;
	struct arena arena = { 0 };
	struct json shape = { .type = JSON_OBJECT };
	struct buf text = { 0 };

	buf_print(&text, "%.*s\n%.*s\n%d", STR_ARGS(json_text_of(op, "type")),
		STR_ARGS(json_text_of(op, "name")),
		arguments ? (int)arguments->type : -1);
	if (json_is(arguments, JSON_OBJECT)) {
		names = ARENA_ARRAY(&arena, struct json_member, arguments->count + 1);
		for (uint32_t i = 0; names && i < arguments->count; i++)
			names[shape.count++] =
				(struct json_member){ arguments->members[i].name,
					{ .type = JSON_NULL } };
		shape.members = names;
		json_canonical(&text, &shape);
	}
	uint64_t sum = str_hash(buf_str(&text));
	buf_done(&text);
	arena_done(&arena);
	return sum;
}

/* Empty where a batch cannot show all that is to be read: too long, or with a diff. */
static struct str line_of(const struct json *ask, struct arena *arena)
{
	const struct json *op = json_get(ask, "operation");
	struct buf text = { .max = LINE_BYTES };
	struct str line = STR_NONE;

	if (!json_is(op, JSON_OBJECT) ||
		json_text_of(json_get(ask, "context"), "diff").len)
		return line;
	operation_line(&text, op, "\n");
	if (!text.failed) line = arena_str(arena, buf_str(&text));
	buf_done(&text);
	return line;
}

/* Writes the text with each run of digits as one sign, so that numbers compare equal. */
static void but_digits(struct buf *out, struct str text)
{
	bool digit = false;

	for (size_t i = 0; i < text.len; i++) {
		bool is = text.at[i] >= '0' && text.at[i] <= '9';

		if (!is || !digit) buf_add_char(out, is ? '#' : text.at[i]);
		digit = is;
	}
}

/* Same asker, same kind of thing, the same words and arguments but for their numbers. */
static uint64_t likeness_of(const struct json *ask, struct str title)
{
	const struct json *questions = json_get(ask, "questions");
	const struct json *op = json_get(ask, "operation");
	struct buf text = { 0 }, arguments = { 0 };

	buf_print(&text, "%.*s\n%.*s\n%.*s\n%.*s\n", STR_ARGS(json_text_of(ask, "kind")),
		STR_ARGS(json_text_of(json_get(ask, "agent"), "name")),
		STR_ARGS(json_text_of(op, "name")),
		STR_ARGS(str_of(risk_name(ask_risk(ask)))));
	but_digits(&text, title);
	if (json_get(op, "arguments"))
		json_canonical(&arguments, json_get(op, "arguments"));
	but_digits(&text, buf_str(&arguments));
	buf_done(&arguments);
	for (const struct json *q = NULL; json_each(questions, &q);) {
		const struct json *options = json_get(q, "options");

		buf_print(&text, "\n%.*s:%.*s", STR_ARGS(json_text_of(q, "key")),
			STR_ARGS(json_text_of(q, "type")));
		for (const struct json *item = NULL; json_each(options, &item);)
			buf_print(&text, ",%.*s", STR_ARGS(json_text_of(item, "id")));
	}
	uint64_t sum = str_hash(buf_str(&text));
	buf_done(&text);
	return sum;
}

static struct item *item_make(const struct json *ask)
{
	struct arena arena = { 0 };
	struct str parts[] = { json_text_of(ask, "id"),
		utf8_first(ask_title(ask, &arena), TITLE_POINTS),
		json_text_of(json_get(ask, "agent"), "name"),
		json_text_of(ask, "session"),
		utf8_first(session_title(ask, &arena), TITLE_POINTS),
		json_text_of(ask, "project"), assignees_of(ask, &arena),
		ask_end_short(ask, &arena), json_text_of(ask, "digest"),
		line_of(ask, &arena) };
	struct item *item =
		listing_row(sizeof *item, parts, sizeof parts / sizeof *parts);

	arena_done(&arena);
	if (!item) return NULL;
	item->like = likeness_of(ask, item->title);
	item->shape = shape_of(json_get(ask, "operation"));
	item->voted = json_is(json_get(ask, "require"), JSON_ARRAY) &&
		      json_get(ask, "require")->count > 0;
	ask_kind_read(json_text_of(ask, "kind"), &item->kind);
	priority_read(json_text_of(ask, "priority"), &item->priority);
	item->risk = ask_risk(ask);
	item->created_ms = ask_time(ask, "created_at");
	item->deadline_ms = ask_time(ask, "expires_at");
	item->version = json_int_of(ask, "version");
	item->form = form_of(ask);
	/* Agents have no marks: to them everything is read. */
	item->read = !json_is(json_get(json_get(ask, "mark"), "read"), JSON_FALSE);
	item->snoozed_ms = ask_time(json_get(ask, "mark"), "snoozed_until");
	return item;
}

/* ---- order and filter ---- */

static int64_t sort_now; /* qsort carries no context; one thread */

static enum list_group group_of(const struct item *item)
{
	if (item->deadline_ms && item->deadline_ms - sort_now <= SOON_MS)
		return GROUP_SOON;
	return item->risk >= RISK_HIGH || item->priority >= PRIORITY_HIGH ? GROUP_HIGH
									  : GROUP_OTHER;
}

/* As the page has it: deadline within five minutes, then risk or priority high and above,
 * then age; what is assigned to others only stands behind the rest of its group. */
static int by_attention(const void *left, const void *right)
{
	const struct item *a = *(struct item *const *)left;
	const struct item *b = *(struct item *const *)right;
	enum list_group ga = group_of(a), gb = group_of(b);
	bool oa = a->assignees.len && !a->mine, ob = b->assignees.len && !b->mine;

	if (ga != gb) return ga < gb ? -1 : 1;
	if (ga == GROUP_SOON && a->deadline_ms != b->deadline_ms)
		return a->deadline_ms < b->deadline_ms ? -1 : 1;
	if (oa != ob) return oa ? 1 : -1;
	if (a->created_ms != b->created_ms) return a->created_ms < b->created_ms ? -1 : 1;
	return str_cmp(a->id, b->id);
}

/* When it is seen again: at its time, or when its deadline is near. */
static int64_t wake_of(const struct item *item)
{
	int64_t near = item->deadline_ms ? item->deadline_ms - SOON_MS : INT64_MAX;

	return item->snoozed_ms < near ? item->snoozed_ms : near;
}

static bool sleeping(const struct item *item, int64_t now_ms)
{
	return wake_of(item) > now_ms;
}

static const struct filter_kind filters[LIST_FILTERS] = {
	[LIST_KIND] = { 'f', "tui.filter.kind",
		{ NULL, "web.kind.blocking", "web.kind.non_blocking", "web.kind.approval",
			"web.kind.error_recovery" } },
	[LIST_PRIORITY] = { 'p', "tui.filter.priority",
		{ NULL, "web.priority.urgent", "web.priority.high", "web.priority.normal",
			"web.priority.low" } },
	[LIST_SNOOZED] = { 'Z', NULL, { NULL, "web.views.snoozed" } },
	[LIST_PROJECT] = { 'P', "tui.filter.project",
		.names = offsetof(struct item, project) },
	[LIST_AGENT] = { 'A', "tui.filter.agent", .names = offsetof(struct item, agent) },
	[LIST_ASSIGNED] = { 'm', "tui.filter.assignee",
		{ [ASSIGNED_ME] = "web.filter.assignee.me",
			[ASSIGNED_NOBODY] = "web.filter.assignee.none" } },
};

/* Kinds and priorities are chosen in the order of the table above. */
static bool passes(const struct filter *f, const struct item *item, struct str folded)
{
	const struct str shown[] = { item->title, item->agent, item->session_title,
		item->project };
	size_t kind = f[LIST_KIND].at, priority = f[LIST_PRIORITY].at;
	size_t assigned = f[LIST_ASSIGNED].at;

	return sleeping(item, sort_now) == (f[LIST_SNOOZED].at > 0) &&
	       (!kind || item->kind == ASK_BLOCKING + kind - 1) &&
	       (!priority || item->priority == PRIORITY_URGENT + 1 - priority) &&
	       (assigned != ASSIGNED_ME || item->mine) &&
	       (assigned != ASSIGNED_NOBODY || !item->assignees.len) &&
	       filter_passes(&f[LIST_AGENT], item->agent) &&
	       filter_passes(&f[LIST_PROJECT], item->project) &&
	       listing_found(shown, sizeof shown / sizeof *shown, folded);
}

static size_t list_count(const void *list)
{
	const struct list *l = list;
	struct buf folded = { 0 };
	size_t count = 0;

	if (l->search) utf8_fold(&folded, line_text(l->search));
	for (size_t i = 0; i < l->rows.all_len; i++)
		count += passes(l->filters, l->rows.all[i], buf_str(&folded));
	buf_done(&folded);
	return count;
}

struct filter_group list_filters(struct list *l)
{
	return (struct filter_group){ l->filters, filters, LIST_FILTERS, &l->rows,
		list_count, l };
}

static bool fold_open(const struct list *l, uint64_t like)
{
	for (size_t i = 0; i < FOLDS_OPEN; i++)
		if (l->open[i] == like) return true;
	return false;
}

static void show(struct list *l, struct item *item, const struct item *here)
{
	if (item == here) l->rows.at = l->rows.len;
	l->rows.shown[l->rows.len++] = item;
}

/* Those alike stand behind their first. Marks each with what it is in its fold; `heads`
 * maps a likeness to its first item. Lists are a few hundred long where anything folds. */
static void folds_count(struct list *l)
{
	struct table heads = { 0 };

	for (size_t i = 0; i < l->rows.all_len; i++) {
		struct item *item = item_of(l, i), *head;
		struct str key = str_make((const char *)&item->like, sizeof item->like);

		item->similar = 0;
		item->inside = false;
		if (!item->passes) continue;
		head = table_get(&heads, key);
		if (!head) l->failed |= !table_put(&heads, key, item);
		item->inside = head != NULL;
		(head ? head : item)->similar++;
	}
	for (size_t i = 0; i < l->rows.all_len; i++) {
		struct item *item = item_of(l, i);
		struct str key = str_make((const char *)&item->like, sizeof item->like);
		const struct item *head = item->inside ? table_get(&heads, key) : NULL;

		if (head && head->similar < FOLD_FROM) item->inside = false;
	}
	for (size_t i = 0; i < l->rows.all_len; i++)
		if (item_of(l, i)->similar < FOLD_FROM) item_of(l, i)->similar = 0;
	table_done(&heads);
}

static void fold_show(struct list *l, size_t from, const struct item *here)
{
	struct item *head = l->rows.all[from];
	bool open = fold_open(l, head->like);

	show(l, head, here);
	for (size_t i = from + 1; i < l->rows.all_len; i++) {
		struct item *item = l->rows.all[i];

		if (!item->passes || item->like != head->like) continue;
		if (open)
			show(l, item, here);
		else if (item == here) /* folded away: the head has its row */
			l->rows.at = l->rows.len - 1;
	}
}

/* Says which rows head a group; one group alone needs no heading. Rows of a fold stand in
 * the group of its head. */
static void sections_set(struct list *l)
{
	size_t counts[GROUPS] = { 0 }, groups = 0;
	const struct item *before = NULL;

	for (size_t i = 0; i < l->rows.len; i++) {
		struct item *item = l->rows.shown[i];

		item->section = 0;
		item->group = item->inside && before ? before->group : group_of(item);
		if (!item->inside)
			counts[item->group] += item->similar ? item->similar : 1;
		before = item;
	}
	for (size_t i = 0; i < GROUPS; i++)
		groups += counts[i] > 0;
	before = NULL;
	for (size_t i = 0; i < l->rows.len && groups > 1; i++) {
		struct item *item = l->rows.shown[i];

		if (!before || before->group != item->group)
			item->section = counts[item->group];
		before = item;
	}
}

size_t list_line(const struct list *l, size_t row)
{
	size_t line = row;

	for (size_t i = 0; i <= row && i < l->rows.len; i++)
		line += ((const struct item *)l->rows.shown[i])->section > 0;
	return line;
}

size_t list_row(const struct list *l, size_t line)
{
	size_t row = 0, at = 0;

	for (; row < l->rows.len; row++, at++) {
		at += ((const struct item *)l->rows.shown[row])->section > 0;
		if (at >= line) break;
	}
	return row;
}

void list_arrange(struct list *l, int64_t now_ms)
{
	const struct item *here = list_at(l);
	size_t before = l->rows.at;
	struct buf folded = { 0 };

	sort_now = now_ms;
	for (size_t i = 0; i < l->rows.all_len; i++)
		item_of(l, i)->mine = assigned_to(l->rows.all[i], l->me);
	if (l->rows.all_len > 1)
		qsort(l->rows.all, l->rows.all_len, sizeof *l->rows.all, by_attention);
	if (l->search) utf8_fold(&folded, line_text(l->search));
	l->rows.len = 0;
	for (size_t i = 0; i < l->rows.all_len; i++)
		item_of(l, i)->passes =
			passes(l->filters, l->rows.all[i], buf_str(&folded));
	folds_count(l);
	for (size_t i = 0; i < l->rows.all_len; i++) {
		if (!item_of(l, i)->passes || item_of(l, i)->inside) continue;
		if (item_of(l, i)->similar > 0)
			fold_show(l, i, here);
		else
			show(l, l->rows.all[i], here);
	}
	buf_done(&folded);
	sections_set(l);
	listing_go(&l->rows, 0);
	const struct item *now = list_at(l);
	if (here && now != here && !(now && now->like == here->like && here->inside) &&
		before < l->rows.len)
		l->rows.at = before;
}

void list_fold(struct list *l, int64_t now_ms)
{
	const struct item *item = list_at(l);

	if (!item || (!item->similar && !item->inside)) return;
	if (fold_open(l, item->like)) {
		for (size_t i = 0; i < FOLDS_OPEN; i++)
			if (l->open[i] == item->like) l->open[i] = 0;
	} else {
		l->open[l->open_at++ % FOLDS_OPEN] = item->like;
	}
	list_arrange(l, now_ms);
}

/* ---- putting and dropping ---- */

static void replace(struct list *l, struct item *old, struct item *item)
{
	item->chosen = old->chosen;
	for (size_t i = 0; i < l->rows.all_len; i++)
		if (l->rows.all[i] == old) l->rows.all[i] = item;
	for (size_t i = 0; i < l->rows.len; i++)
		if (l->rows.shown[i] == old) l->rows.shown[i] = item;
	table_remove(&l->by_id, old->id);
	mem_free(old);
}

void list_put(struct list *l, const struct json *ask)
{
	struct item *item = item_make(ask), *old;

	if (!item) {
		l->failed = true;
		return;
	}
	old = list_find(l, item->id);
	if (old && old->version > item->version) {
		mem_free(item);
		return;
	}
	if (old)
		replace(l, old, item);
	else if (!listing_add(&l->rows, item)) {
		l->failed = true;
		return;
	}
	l->failed |= !table_put(&l->by_id, item->id, item);
}

static void remove_at(struct list *l, size_t i)
{
	const struct item *item = l->rows.all[i];

	table_remove(&l->by_id, item->id);
	listing_remove(&l->rows, i);
}

void list_drop(struct list *l, struct str id)
{
	const struct item *item = list_find(l, id);

	for (size_t i = l->rows.all_len; item && i > 0; i--)
		if (l->rows.all[i - 1] == item) remove_at(l, i - 1);
}

void list_drop_session(struct list *l, struct str session)
{
	for (size_t i = l->rows.all_len; i > 0; i--) {
		const struct item *item = l->rows.all[i - 1];

		if (str_eq(item->session, session)) remove_at(l, i - 1);
	}
}

struct item *list_find(const struct list *l, struct str id)
{
	return table_get(&l->by_id, id);
}

struct item *list_at(const struct list *l)
{
	return listing_at(&l->rows);
}

bool list_select(struct list *l, struct str id)
{
	const struct item *item = list_find(l, id);

	if (item && item->inside && !fold_open(l, item->like)) {
		l->open[l->open_at++ % FOLDS_OPEN] = item->like;
		list_arrange(l, sort_now);
	}
	for (size_t i = 0; i < l->rows.len; i++)
		if (l->rows.shown[i] == item) return l->rows.at = i, true;
	return false;
}

size_t list_chosen(const struct list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->rows.all_len; i++)
		n += item_of(l, i)->chosen && item_of(l, i)->passes;
	return n;
}

void list_choose(struct list *l)
{
	const struct item *at = list_at(l);
	bool on = at && !at->chosen;

	if (!at) return;
	bool all = at->similar > 0 && !fold_open(l, at->like);
	for (size_t i = 0; i < l->rows.all_len; i++) {
		struct item *item = l->rows.all[i];

		if (item == at || (all && item->passes && item->like == at->like))
			item->chosen = on;
	}
}

void list_show_all(struct list *l)
{
	filter_done(l->filters, LIST_FILTERS);
	if (l->search) line_set(l->search, STR_NONE);
}

void list_choose_none(struct list *l)
{
	for (size_t i = 0; i < l->rows.all_len; i++)
		item_of(l, i)->chosen = false;
}

size_t list_passing(const struct list *l)
{
	size_t count = 0;

	for (size_t i = 0; i < l->rows.all_len; i++)
		count += item_of(l, i)->passes;
	return count;
}

size_t list_waiting(const struct list *l, int64_t now_ms)
{
	size_t count = 0;

	for (size_t i = 0; i < l->rows.all_len; i++)
		count += !sleeping(l->rows.all[i], now_ms);
	return count;
}

/* The sooner of two times, where 0 is none, and `at` counts only after `from`. */
static int64_t sooner(int64_t next, int64_t at, int64_t from)
{
	return at > from && (!next || at < next) ? at : next;
}

int64_t list_next_wake(const struct list *l, int64_t now_ms)
{
	int64_t next = 0;

	for (size_t i = 0; i < l->rows.all_len; i++)
		next = sooner(next, wake_of(l->rows.all[i]), now_ms);
	return next;
}

const struct item *list_next_due(const struct list *l)
{
	const struct item *next = NULL;

	for (size_t i = 0; i < l->rows.all_len; i++) {
		const struct item *item = l->rows.all[i];

		if (item->deadline_ms && (!next || item->deadline_ms < next->deadline_ms))
			next = item;
	}
	return next;
}
