/* shown.c - asks as a reader sees them. What no team and no requirement concerns is written as
 * it is stored, at once. */
#include "desk/ask/shown.h"

struct shown_later {
	struct shown_later *next;
	size_t start, end; /* where it stands in the list */
	struct ask ask;
	struct session session; /* its title and what it was made for */
	struct str denied;
	struct mark mark;
	bool marked;
};

static bool may_be_asked(const struct shown_asks *s)
{
	return role_may(s->people.task->job.who.role, MAY_SETTLE);
}

static bool needs_people(const struct ask *a)
{
	return a->require.len && a->status == ASK_PENDING;
}

enum err shown_start(struct shown_asks *s, struct task *t, struct rows *rows,
	struct json_writer *w, struct fault *why)
{
	enum err e;

	*s = (struct shown_asks){ .people = { .task = t, .rows = rows }, .w = w };
	s->end = &s->first;
	t->found = NULL;
	s->found_end = &t->found;
	e = since_read(t, rows, &s->rules, why);
	return !e && may_be_asked(s) ? reading_roster_teams(&s->people, why) : e;
}

/* Only for open asks: a settled one cannot be settled. */
static const char *why_not(
	const struct shown_asks *s, const struct ask *a, struct arena *arena)
{
	const struct principal *p = &s->people.task->job.who;
	struct require require = { 0 };

	if (a->status != ASK_PENDING || !may_be_asked(s)) return NULL;
	if (a->require.len && require_load(a->require, arena, &require, NULL))
		return NULL;
	return refusal_name(
		entitled_to_approve(a, &require, p, &s->people.roster, arena));
}

static void write_one(struct shown_asks *s, struct json_writer *w, const struct ask *a,
	const struct session *session, struct str denied, const struct mark *mark)
{
	struct task *t = s->people.task;
	struct ask_view view = { .workspace = t->job.credential.workspace,
		.session_title = session->title,
		.own_session = session->for_ask,
		.url = str_of(t->desk->url),
		.mark = mark,
		.words = t->words,
		.denied = denied,
		.proof = s->proof,
		.refused = why_not(s, a, &t->job.arena) };

	if (!t->wants_record) {
		ask_write(w, a, &view, s->people.rows->now_ms);
		return;
	}
	*s->found_end = desk_keep(t, a, &view);
	if (*s->found_end) s->found_end = &(*s->found_end)->next;
}

static enum err later_add(struct shown_asks *s, const struct row *row,
	const struct since_said *said, const struct session *session,
	const struct mark *mark, size_t start, struct fault *why)
{
	struct arena *arena = &s->people.task->job.arena;
	struct shown_later *l = ARENA_NEW(arena, struct shown_later);
	enum err e;

	if (!l) return fail_memory(why);
	e = ask_from_row(row, arena, &l->ask, why);
	if (e) return e;
	l->ask.require = said->require;
	l->denied = said->denied;
	l->start = start;
	l->end = s->w->out->len;
	l->session.title = arena_str(arena, session->title);
	l->session.for_ask = session->for_ask;
	l->marked = mark != NULL;
	if (mark) l->mark = *mark;
	*s->end = l;
	s->end = &l->next;
	return OK;
}

enum err shown_add(struct shown_asks *s, const struct row *row, const struct ask *a,
	const struct session *session, const struct mark *mark, struct fault *why)
{
	size_t start = s->w->out->len + s->w->more; /* behind the comma */
	struct arena *arena = &s->people.task->job.arena;
	struct since_said said = since_say(&s->rules, a, s->people.rows->now_ms, arena);
	struct ask now = *a;

	now.require = said.require;
	if (!needs_people(&now) || s->people.task->wants_record) {
		write_one(s, s->w, a, session, said.denied, mark);
		return OK;
	}
	/* It may be the row's own, which goes with it. */
	said.require = arena_str(arena, said.require);
	jw_object(s->w); /* room is held by an empty object */
	jw_object_end(s->w);
	return later_add(s, row, &said, session, mark, start, why);
}

enum err shown_end(struct shown_asks *s, struct fault *why)
{
	struct buf *out = s->w->out, whole = { .max = out->max };
	struct json_writer w = { .out = &whole };
	size_t at = 0;
	enum err e = s->first ? reading_roster_users(&s->people, why) : OK;

	if (e || !s->first) return e;
	for (struct shown_later *l = s->first; !e && l; l = l->next) {
		struct ask fresh;

		e = ask_fresh(&l->ask, &s->people.roster, &s->people.task->job.arena,
			&fresh, why);
		if (e) break;
		fresh.require = require_reached(
			&fresh, &s->people.roster, &s->people.task->job.arena);
		buf_add(&whole, str_make(out->at + at, l->start - at));
		w.more = false;
		write_one(s, &w, &fresh, &l->session, l->denied,
			l->marked ? &l->mark : NULL);
		at = l->end;
	}
	if (!e) buf_add(&whole, str_make(out->at + at, out->len - at));
	if (!e && whole.failed) e = fail_memory(why);
	if (e) {
		buf_done(&whole);
		return e;
	}
	buf_done(out);
	*out = whole;
	return OK;
}

enum err shown_one(struct shown_asks *s, const struct ask *a, struct ask *fresh,
	const char **reason, struct fault *why)
{
	struct arena *arena = &s->people.task->job.arena;
	struct since_said said = since_say(&s->rules, a, s->people.rows->now_ms, arena);
	struct ask now = *a;
	enum err e = OK;

	now.require = said.require;
	if (needs_people(&now)) e = reading_roster_users(&s->people, why);
	if (!e) e = ask_fresh(&now, &s->people.roster, arena, fresh, why);
	if (!e && needs_people(&now))
		fresh->require = require_reached(fresh, &s->people.roster, arena);
	if (!e) *reason = why_not(s, fresh, arena);
	s->people.task->denied = said.denied;
	return e;
}
