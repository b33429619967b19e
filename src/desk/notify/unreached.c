/* unreached.c - a step of a route that reaches nobody: told as an event, kept with the step's row,
 * and the next step follows at once. */
#include "base/keep.h"
#include "core/shared/show.h"
#include "desk/notify/alert_rows.h"
#include "desk/notify/notify_ask.h"

#include <stdarg.h>
#include <stdio.h>

/* Those who hear of nothing, each once. */
static void reasons_write(struct json_writer *w, const struct notify_plan *p)
{
	jw_array(w);
	for (size_t i = 0; i < p->len; i++) {
		const struct plan_entry *e = &p->at[i];

		jw_object(w);
		show_text(w, "user", e->user);
		show_text(w, "team", e->team);
		jw_put_text(w, "why", plan_why_name(e->why));
		show_time(w, "from", e->from_ms);
		jw_object_end(w);
	}
	jw_array_end(w);
}

static struct str reasons_text(const struct notify_plan *p, struct arena *arena)
{
	struct buf b = { .max = 1 << 16 };
	struct json_writer w = { .out = &b };

	reasons_write(&w, p);
	return buf_keep_done(&b, arena);
}

static struct str entry_name(const struct roster *r, const struct plan_entry *e)
{
	const struct user *u = roster_user(r, e->user);
	const struct team *t = roster_team(r, e->team);

	return u ? u->name : t ? t->name : STR("nobody");
}

void notify_note(struct notify_notes *notes, const char *format, ...)
{
	va_list values;

	if (notes->len++ >= TELLING_NOTES) return;
	va_start(values, format);
	vsnprintf(notes->lines[notes->len - 1], TELLING_NOTE_SIZE, format, values);
	va_end(values);
}

/* For the log: which ask, who, and why not. */
static void note_write(struct notify_notes *notes, const struct plan_facts *f,
	const struct route_point *at, const struct notify_plan *p, const char *next)
{
	struct buf who = { .max = TELLING_NOTE_SIZE };

	for (size_t i = 0; i < p->len; i++)
		buf_print(&who, "%s%.*s (%s)", i ? ", " : "",
			STR_ARGS(entry_name(f->roster, &p->at[i])),
			plan_why_name(p->at[i].why));
	notify_note(notes, "step %lld of ask %.*s reached nobody; %s: %.*s",
		(long long)at->step + 1, STR_ARGS(f->ask->id), next,
		STR_ARGS(buf_str(&who)));
	buf_done(&who);
}

/* The rows of a route around one of its points. */
struct around {
	const struct delivery *here, *next; /* NULL: there is none, or it does not wait */
	bool passed;			    /* a later point was worked before */
};

static struct around rows_around(
	const struct rows *rows, struct str ask, const struct route_point *at)
{
	struct around out = { 0 };
	const struct delivery *d = NULL;

	while ((d = rows_next(rows, RECORD_DELIVERIES, d))) {
		if (d->kind != DELIVERY_ROUTE || d->step < 0 || !str_eq(d->ask, ask) ||
			d->step < at->step ||
			(d->step == at->step && d->round < at->round))
			continue;
		if (d->step == at->step && d->round == at->round)
			out.here = d;
		else if (d->status == DELIVERY_WAITING)
			out.next = d;
		else
			out.passed = true;
	}
	return out;
}

enum err unreached_step(struct rows *rows, const struct plan_facts *f,
	const struct route_point *at, const struct notify_plan *p,
	struct notify_notes *notes, struct fault *why)
{
	const struct around rest = rows_around(rows, f->ask->id, at);
	/* The same step again keeps its time, and so does what follows one that was worked. */
	bool hurry = rest.next && !rest.passed && rest.next->step > at->step;
	struct str reasons = reasons_text(p, rows->arena);
	struct session *s;
	struct delivery *d;
	enum err e;

	if (!rest.here || rest.here->detail.len) return OK; /* said before */
	if (ask_is_alert(f->ask)) {
		((struct delivery *)rows_change(rows, rest.here))->detail = reasons;
		note_write(notes, f, at, p, "it is an alert");
		return OK;
	}
	e = rows_fetch_session(rows, f->ask->ws, f->ask->session, &s, why);
	if (e) return e;
	d = rows_change(rows, rest.here);
	d->detail = reasons;
	if (hurry && rest.next->next_ms > rows->now_ms && !rest.next->lease.by.len) {
		d = rows_change(rows, rest.next);
		d->next_ms = rows->now_ms;
		rows_deliver_at(rows, d->next_ms);
	}
	note_write(notes, f, at, p,
		hurry	      ? "the next step follows now"
		: rest.next   ? "the next step follows in its time"
		: rest.passed ? "it was the last message of the route"
			      : "no step is left");
	rows_event(rows, "ask.unreached", s, f->ask,
		arena_print(rows->arena, "{\"step\":%lld,\"reasons\":%.*s}",
			(long long)at->step, STR_ARGS(reasons)));
	if (rest.next || rest.passed) return OK;
	return alert_raise(rows,
		&(struct alert_finding){ .ws = f->ask->ws,
			.kind = ALERT_UNREACHED,
			.about = f->ask->id,
			.asks = alert_asks(&f->ask->id, 1, rows->arena) },
		why);
}
