/* list.c - the rows of the inbox: order, filter, cursor. */
#include "tui/list.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "tui/words.h"

enum { SOON_MS = 5 * 60 * 1000, TITLE_POINTS = 200 };

static void items_free(struct list *l)
{
	for (size_t i = 0; i < l->len; i++)
		mem_free(l->items[i]);
	l->len = l->shown_len = l->at = 0;
}

void list_done(struct list *l)
{
	items_free(l);
	table_done(&l->by_id);
	mem_free(l->items);
	mem_free(l->shown);
	*l = (struct list){ 0 };
}

/* ---- an item of an ask ---- */

static struct str text_keep(struct item *item, size_t *used, struct str text)
{
	char *at = item->text + *used;

	if (text.len > 0) memcpy(at, text.at, text.len);
	*used += text.len;
	return str_make(at, text.len);
}

static bool assigned_to(const struct json *ask, struct str me)
{
	const struct json *list = json_get(ask, "assignees");

	for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++)
		if (me.len > 0 && str_eq(json_text(&list->items[i]), me)) return true;
	return false;
}

/* The same questions take the same answer. A lone decision is the same whatever it is
 * about. */
static uint64_t form_of(const struct json *ask)
{
	const struct json *questions = json_get(ask, "questions");
	struct buf text = { 0 };
	bool lone = json_is(questions, JSON_ARRAY) && questions->count == 1;
	struct str type = lone ? json_text(json_get(questions->items, "type")) : STR_NONE;

	if (str_is(type, "approval"))
		buf_add(&text, json_text(json_get(questions->items, "key")));
	else
		json_write(&text, questions);
	uint64_t sum = str_hash(buf_str(&text));
	buf_done(&text);
	return sum;
}

static struct item *item_make(const struct json *ask, struct str me)
{
	struct arena arena = { 0 };
	struct str parts[] = { json_text(json_get(ask, "id")),
		utf8_first(ask_title(ask, &arena), TITLE_POINTS),
		json_text(json_get(json_get(ask, "agent"), "name")),
		json_text(json_get(ask, "session")),
		utf8_first(session_title(ask, &arena), TITLE_POINTS),
		json_text(json_get(ask, "project")) };
	const struct json *version = json_get(ask, "version");
	size_t size = 0, used = 0;
	struct item *item;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		size += parts[i].len;
	item = mem_alloc(sizeof *item + size);
	if (!item) {
		arena_done(&arena);
		return NULL;
	}
	item->id = text_keep(item, &used, parts[0]);
	item->title = text_keep(item, &used, parts[1]);
	item->agent = text_keep(item, &used, parts[2]);
	item->session = text_keep(item, &used, parts[3]);
	item->session_title = text_keep(item, &used, parts[4]);
	item->project = text_keep(item, &used, parts[5]);
	arena_done(&arena);
	ask_kind_read(json_text(json_get(ask, "kind")), &item->kind);
	priority_read(json_text(json_get(ask, "priority")), &item->priority);
	item->risk = ask_risk(ask);
	item->created_ms = ask_time(ask, "created_at");
	item->deadline_ms = ask_time(ask, "expires_at");
	item->version = version && version->is_int ? version->integer : 0;
	item->form = form_of(ask);
	item->mine = assigned_to(ask, me);
	return item;
}

/* ---- order and filter ---- */

static int64_t sort_now; /* qsort carries no context; one thread */

static int64_t soon(const struct item *item)
{
	bool near = item->deadline_ms && item->deadline_ms - sort_now <= SOON_MS;

	return near ? item->deadline_ms : INT64_MAX;
}

/* Deadline within five minutes, then risk, then age. */
static int by_attention(const void *left, const void *right)
{
	const struct item *a = *(struct item *const *)left;
	const struct item *b = *(struct item *const *)right;

	if (soon(a) != soon(b)) return soon(a) < soon(b) ? -1 : 1;
	enum risk ra = a->risk ? a->risk : RISK_LOW, rb = b->risk ? b->risk : RISK_LOW;
	if (ra != rb) return ra > rb ? -1 : 1;
	if (a->created_ms != b->created_ms) return a->created_ms < b->created_ms ? -1 : 1;
	return str_cmp(a->id, b->id);
}

/* Case-folded substring of what the row shows. */
static bool found(const struct item *item, struct str folded)
{
	const struct str parts[] = { item->title, item->agent, item->session_title,
		item->project };
	struct buf text = { 0 };
	bool hit = false;

	for (size_t i = 0; i < sizeof parts / sizeof *parts && !hit; i++) {
		buf_clear(&text);
		utf8_fold(&text, parts[i]);
		hit = str_find(buf_str(&text), folded) >= 0;
	}
	buf_done(&text);
	return hit;
}

static bool passes(
	const struct list_filter *f, const struct item *item, struct str folded)
{
	return (!f->kind_on || item->kind == f->kind) &&
	       (!f->priority_on || item->priority == f->priority) &&
	       (!f->mine || item->mine) && (folded.len == 0 || found(item, folded));
}

void list_arrange(struct list *l, int64_t now_ms)
{
	const struct item *here = list_at(l);
	size_t before = l->at;
	struct buf folded = { 0 };

	sort_now = now_ms;
	if (l->len > 1) qsort(l->items, l->len, sizeof *l->items, by_attention);
	if (l->filter.search) utf8_fold(&folded, line_text(l->filter.search));
	l->shown_len = 0;
	for (size_t i = 0; i < l->len; i++) {
		if (!passes(&l->filter, l->items[i], buf_str(&folded))) continue;
		if (l->items[i] == here) l->at = l->shown_len;
		l->shown[l->shown_len++] = l->items[i];
	}
	buf_done(&folded);
	if (l->at >= l->shown_len) l->at = l->shown_len ? l->shown_len - 1 : 0;
	if (here && list_at(l) != here && before < l->shown_len) l->at = before;
}

/* ---- putting and dropping ---- */

static bool room_make(struct list *l)
{
	size_t cap = l->cap ? l->cap * 2 : 64;
	struct item **items, **shown;

	if (l->len < l->cap) return true;
	items = mem_grow(l->items, cap * sizeof *items);
	if (items) l->items = items;
	shown = mem_grow(l->shown, cap * sizeof *shown);
	if (shown) l->shown = shown;
	if (!items || !shown) return l->failed = true, false;
	l->cap = cap;
	return true;
}

static void replace(struct list *l, struct item *old, struct item *item)
{
	item->chosen = old->chosen;
	for (size_t i = 0; i < l->len; i++)
		if (l->items[i] == old) l->items[i] = item;
	for (size_t i = 0; i < l->shown_len; i++)
		if (l->shown[i] == old) l->shown[i] = item;
	table_remove(&l->by_id, old->id);
	mem_free(old);
}

void list_put(struct list *l, const struct json *ask, struct str me)
{
	struct item *item = item_make(ask, me), *old;

	if (!item) {
		l->failed = true;
		return;
	}
	old = list_find(l, item->id);
	if ((old && old->version > item->version) || (!old && !room_make(l))) {
		mem_free(item);
		return;
	}
	if (old)
		replace(l, old, item);
	else
		l->items[l->len++] = item;
	l->failed |= !table_put(&l->by_id, item->id, item);
}

/* What stands below moves up; the cursor stays in its place. */
static void remove_at(struct list *l, size_t i)
{
	struct item *item = l->items[i];

	for (size_t n = 0; n < l->shown_len; n++) {
		if (l->shown[n] != item) continue;
		memmove(l->shown + n, l->shown + n + 1,
			(l->shown_len - n - 1) * sizeof *l->shown);
		l->shown_len--;
		if (l->at > n) l->at--;
	}
	if (l->at >= l->shown_len) l->at = l->shown_len ? l->shown_len - 1 : 0;
	memmove(l->items + i, l->items + i + 1, (l->len - i - 1) * sizeof *l->items);
	l->len--;
	table_remove(&l->by_id, item->id);
	mem_free(item);
}

void list_drop(struct list *l, struct str id)
{
	const struct item *item = list_find(l, id);

	for (size_t i = 0; item && i < l->len; i++)
		if (l->items[i] == item) {
			remove_at(l, i);
			return;
		}
}

void list_drop_session(struct list *l, struct str session)
{
	for (size_t i = l->len; i > 0; i--)
		if (str_eq(l->items[i - 1]->session, session)) remove_at(l, i - 1);
}

struct item *list_find(const struct list *l, struct str id)
{
	return table_get(&l->by_id, id);
}

struct item *list_at(const struct list *l)
{
	return l->at < l->shown_len ? l->shown[l->at] : NULL;
}

void list_go(struct list *l, int64_t by)
{
	int64_t to = (int64_t)l->at + by, last = (int64_t)l->shown_len - 1;

	if (to > last) to = last;
	l->at = to > 0 ? (size_t)to : 0;
}

bool list_select(struct list *l, struct str id)
{
	for (size_t i = 0; i < l->shown_len; i++)
		if (str_eq(l->shown[i]->id, id)) return l->at = i, true;
	return false;
}

size_t list_chosen(const struct list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->len; i++)
		n += l->items[i]->chosen;
	return n;
}

void list_choose_none(struct list *l)
{
	for (size_t i = 0; i < l->len; i++)
		l->items[i]->chosen = false;
}

int64_t list_next_deadline(const struct list *l)
{
	int64_t next = 0;

	for (size_t i = 0; i < l->len; i++) {
		int64_t at = l->items[i]->deadline_ms;

		if (at && (!next || at < next)) next = at;
	}
	return next;
}
