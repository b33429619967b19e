/* inbox_sessions.c - the inbox and the list of sessions: kept true while it is looked at; how many run
 * is always known. */
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "tui/inbox_inner.h"

enum { EVERY_MS = 300 }; /* between two looks at the list */

static void running_set(struct inbox *in, struct str id, bool on)
{
	struct running *r = &in->running;
	uint64_t sum = str_hash(id);
	size_t at = 0;

	while (at < r->len && r->ids[at] != sum)
		at++;
	if (!on) {
		if (at < r->len) r->ids[at] = r->ids[--r->len];
		return;
	}
	if (at < r->len) return;
	if (r->len == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 16;
		uint64_t *grown = mem_grow(r->ids, cap * sizeof *grown);

		if (!grown) return;
		r->ids = grown;
		r->cap = cap;
	}
	r->ids[r->len++] = sum;
}

static void running_take(struct inbox *in, const struct json *page)
{
	const struct json *items = json_get(page, "items");

	for (const struct json *item = NULL; json_each(items, &item);)
		running_set(in, json_text_of(item, "id"), true);
}

void data_sessions(struct inbox *in)
{
	struct sessions *l = &in->sessions;

	l->stale = l->reading;
	if (l->reading) return;
	l->reading = true;
	l->looked_ms = clock_person_ms();
	data_call(in, "GET", STR("/v1/sessions?limit=100"), STR_NONE, TAG_SESSIONS);
}

void data_sessions_keep(struct inbox *in)
{
	struct sessions *l = &in->sessions;

	if (l->stale && !l->reading && in->view == VIEW_SESSIONS &&
		clock_person_ms() - l->looked_ms >= EVERY_MS)
		data_sessions(in);
}

static void list_take(struct inbox *in, const struct json *page)
{
	struct sessions *l = &in->sessions;

	session_list_take(l, page, clock_now_ms());
	if (session_list_has(l, SECTION_FAILED))
		data_call(in, "GET", STR("/v1/runs?status=failed&limit=200"), STR_NONE,
			TAG_FAILED);
	if (session_list_has(l, SECTION_RUNNING))
		data_call(in, "GET", STR("/v1/runs?status=queued&limit=200"), STR_NONE,
			TAG_QUEUED);
}

static void unfolded_want(struct inbox *in)
{
	struct sessions *l = &in->sessions;
	struct buf path = { .max = 1024 };

	l->tree_stale = l->tree_reading;
	if (l->tree_reading || !l->unfolded.len) return;
	l->tree_reading = true;
	buf_add_text(&path, "/v1/runs?limit=100&session=");
	url_add(&path, buf_str(&l->unfolded));
	data_path(in, "GET", &path, STR_NONE, TAG_UNFOLDED);
}

/* What comes late may be of another session: each run names its own. */
static void unfolded_take(struct inbox *in, const struct json *page)
{
	struct sessions *l = &in->sessions;
	const struct json *items = json_get(page, "items");
	bool other =
		json_is(items, JSON_ARRAY) && items->count > 0 &&
		!str_eq(json_text_of(&items->items[0], "session"), buf_str(&l->unfolded));

	if (!other) run_tree_runs(&l->tree, page);
	if (l->tree_stale) unfolded_want(in);
}

void data_unfold(struct inbox *in, struct str session)
{
	struct sessions *l = &in->sessions;
	bool same = str_eq(buf_str(&l->unfolded), session);

	buf_clear(&l->unfolded);
	run_tree_done(&l->tree);
	if (same) return;
	buf_add(&l->unfolded, session);
	unfolded_want(in);
}

void sessions_event(
	struct inbox *in, struct str type, struct str session, const struct json *event)
{
	in->sessions.stale = true;
	if (str_is(type, "session.status"))
		running_set(in, session,
			str_is(json_text_of(json_get(event, "data"), "status"),
				"running"));
	if (str_is(type, "session.deleted")) running_set(in, session, false);
	if (str_starts(type, "run.") && str_eq(session, buf_str(&in->sessions.unfolded)))
		unfolded_want(in);
}

void sessions_came(struct inbox *in, int tag)
{
	if (tag == TAG_SESSIONS) in->sessions.reading = false;
	if (tag == TAG_UNFOLDED) in->sessions.tree_reading = false;
}

void sessions_take(struct inbox *in, int tag, const struct json *json)
{
	switch (tag) {
	case TAG_SESSIONS: list_take(in, json); break;
	case TAG_RUNNING: running_take(in, json); break;
	case TAG_FAILED: run_page_take(&in->sessions.failed, json); break;
	case TAG_QUEUED: run_page_take(&in->sessions.queued, json); break;
	case TAG_UNFOLDED: unfolded_take(in, json); break;
	default: break;
	}
}
