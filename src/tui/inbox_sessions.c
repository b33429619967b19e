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

void inbox_running_take(struct inbox *in, const struct json *page)
{
	for (const struct json *s = NULL; json_each(json_get(page, "items"), &s);)
		running_set(in, json_text_of(s, "id"), true);
}

void inbox_sessions_read(struct inbox *in)
{
	in->sessions.stale = in->waits[REQUEST_SESSIONS];
	if (in->sessions.stale) return;
	in->sessions.looked_ms = clock_person_ms();
	inbox_get(in, REQUEST_SESSIONS, STR_NONE);
}

void inbox_sessions_keep(struct inbox *in)
{
	if (in->sessions.stale && !in->waits[REQUEST_SESSIONS] &&
		in->view == VIEW_SESSIONS &&
		clock_person_ms() - in->sessions.looked_ms >= EVERY_MS)
		inbox_sessions_read(in);
}

void inbox_sessions_take(struct inbox *in, const struct json *page)
{
	session_list_take(&in->sessions, page, clock_now_ms());
	if (session_list_has(&in->sessions, SECTION_FAILED))
		inbox_get(in, REQUEST_FAILED, STR_NONE);
	if (session_list_has(&in->sessions, SECTION_RUNNING))
		inbox_get(in, REQUEST_QUEUED, STR_NONE);
}

void inbox_unfolded_want(struct inbox *in)
{
	struct str id = buf_str(&in->sessions.unfolded);

	if (id.len) inbox_get_anew(in, REQUEST_UNFOLDED, id);
}

void inbox_unfolded_take(struct inbox *in, const struct json *page)
{
	struct sessions *l = &in->sessions;

	if (!inbox_page_of_other(page, "session", buf_str(&l->unfolded)))
		kept_set(&l->tree.runs, json_get(page, "items"));
}

void inbox_unfold(struct inbox *in, struct str session)
{
	struct sessions *l = &in->sessions;
	bool same = str_eq(buf_str(&l->unfolded), session);

	buf_clear(&l->unfolded);
	run_tree_done(&l->tree);
	if (!same) buf_add(&l->unfolded, session);
	inbox_unfolded_want(in);
}

void inbox_sessions_event(
	struct inbox *in, struct str type, struct str session, const struct json *event)
{
	in->sessions.stale = true;
	if (str_is(type, "session.status"))
		running_set(in, session,
			str_is(json_text_of(json_get(event, "data"), "status"),
				"running"));
	if (str_is(type, "session.deleted")) running_set(in, session, false);
	if (str_starts(type, "run.") && str_eq(session, buf_str(&in->sessions.unfolded)))
		inbox_unfolded_want(in);
}
