/* notify_fill.c - what a message to a person is made of: the contact, the ask, what a digest
 * stands for; and the body of a webhook that Parley itself designed. */
#include "desk/notify/notify_fill.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/zone.h"
#include "core/notify/notify_prefs.h"
#include "core/policy/operation.h"
#include "core/shared/show.h"
#include "desk/notify/notify_ask.h"

enum { CARRIED_MAX = 50 };

static enum err contact_find(struct rows *rows, const struct delivery *d,
	struct contact *out, struct fault *why)
{
	const struct contact *c;
	enum err e = contact_fetch(rows, d->ws, d->contact, &c, why);

	if (!e && !c) e = fail(why, ERR_NOT_FOUND, "the contact was removed");
	if (!e) *out = *c;
	return e;
}

/* Their language, and how much of an ask they want to see. */
static enum err person_find(struct rows *rows, struct delivery_fill *f, struct fault *why)
{
	const struct notify_person *person;
	struct notify_prefs prefs;
	const struct user *u;
	enum err e;

	if (!f->contact.user.len) return OK;
	e = rows_fetch_user(rows, f->delivery->ws, f->contact.user, &u, why);
	if (!e)
		e = rows_get(rows, RECORD_NOTIFY_PEOPLE,
			KEY(f->delivery->ws, f->contact.user), &person, why);
	if (!e)
		e = prefs_load(
			person ? person->prefs : STR_NONE, rows->arena, &prefs, why);
	if (e) return e;
	f->language = u->language;
	f->user_name = u->name;
	f->title_only = prefs.title_only;
	f->zone_name = prefs.has_quiet	  ? prefs.quiet_tz
		       : prefs.has_digest ? prefs.digest_tz
					  : STR_NONE;
	/* A zone that the system has lost shows UTC. */
	if (f->zone_name.len && zone_load(f->zone_name, rows->arena, &f->zone, NULL))
		f->zone_name = STR_NONE;
	return OK;
}

/* Where the contact shows the ask, once it does. */
static enum err shown_find(struct rows *rows, struct delivery_fill *f, struct fault *why)
{
	const struct delivery *d = f->delivery;

	size_t found;

	return rows_texts(rows, SQL_SLACK_SHOWN, ARGS(d->ws, d->ask, d->contact),
		&f->shown_at, 1, &found, why);
}

/* Who wants titles alone gets those that were given: what we call an approval by says what
 * would run. */
static enum err parts_find(const struct delivery_fill *f, const struct ask *a,
	struct arena *arena, struct ask_parts *out, struct fault *why)
{
	enum err e = ask_parts(a, arena, out, why);

	if (!e && f->title_only && out->operation &&
		str_eq(out->title, operation_title(out->operation, ASK_TITLE_MAX, arena)))
		out->title = STR_NONE;
	return e;
}

static enum err carried_find(
	struct rows *rows, struct delivery_fill *f, struct fault *why)
{
	const struct delivery *d = f->delivery;
	const struct ask *a = NULL;
	enum err e = rows_fetch(rows, RECORD_ASKS, SQL_ASKS_CARRIED,
		ARGS(d->ws, d->id, CARRIED_MAX), why);

	f->carried = ARENA_ARRAY(rows->arena, struct ask, CARRIED_MAX);
	f->carried_parts = ARENA_ARRAY(rows->arena, struct ask_parts, CARRIED_MAX);
	if (rows->arena->failed) return e;
	while (!e && (a = rows_next(rows, RECORD_ASKS, a))) {
		size_t i = f->carried_len++;

		f->carried[i] = *a;
		e = parts_find(f, a, rows->arena, &f->carried_parts[i], why);
	}
	f->nothing = !f->carried_len;
	return e;
}

bool fill_is_hidden(const struct delivery_fill *f)
{
	return f->parts.sensitive;
}

/* ---- {"type": "ask.notify", …}, alert.notify, session.notify ---- */

/* Of a sensitive one neither its name nor what it says. */
static void body_session(struct json_writer *w, const struct delivery_fill *f)
{
	struct session s = f->of;

	if (s.sensitive)
		s.title = s.progress = s.metadata = s.error = s.external_id = STR_NONE;
	jw_key(w, "session");
	session_write(w, &s, STR_NONE);
}

/* As little of the ask as a person wants, or its agent. */
static void ask_reduced(
	struct json_writer *w, const struct task *t, const struct delivery_fill *f)
{
	const struct ask *a = &f->ask;

	jw_object(w);
	jw_put_str(w, "id", a->id);
	if (!fill_is_hidden(f)) show_text(w, "title", f->parts.title);
	show_agent(w, a->ws, a->agent, a->agent_name);
	jw_put_text(w, "kind", ask_kind_name(a->kind));
	jw_put_text(w, "status", ask_status_name(a->status));
	show_time(w, "created_at", a->created_ms);
	show_time(w, "expires_at", a->deadline_ms);
	jw_put_str(w, "url",
		arena_print((struct arena *)&t->job.arena, "%s/asks/%.*s", t->desk->url,
			STR_ARGS(a->id)));
	jw_object_end(w);
}

static void body_ask(struct json_writer *w, struct task *t, const struct delivery_fill *f)
{
	if (f->alert.id.len) {
		jw_key(w, "alert");
		alert_write(w, &f->alert);
		return;
	}
	jw_key(w, "ask");
	if (!f->ask.id.len)
		jw_null(w);
	else if (f->title_only || fill_is_hidden(f))
		ask_reduced(w, t, f);
	else
		jw_raw(w, desk_show(t->desk, &f->ask, f->session_title, f->workspace,
				  f->now_ms, &t->job.arena));
}

static void body_write(struct buf *out, struct task *t, const struct delivery_fill *f)
{
	const struct delivery *d = f->delivery;
	struct json_writer w = { .out = out };
	char at[TIME_SIZE];

	time_write(d->created_ms, at);
	jw_object(&w);
	jw_put_text(&w, "type",
		f->of.id.len	  ? "session.notify"
		: f->alert.id.len ? "alert.notify"
				  : "ask.notify");
	jw_put_text(&w, "timestamp", at);
	jw_put_object(&w, "data");
	jw_put_text(&w, "purpose", delivery_purpose_name(d->purpose));
	if (!f->of.id.len) jw_put_int(&w, "step", d->step);
	jw_put_object(&w, "to");
	show_text(&w, "user", f->contact.user);
	show_text(&w, "team", f->contact.team);
	show_text(&w, "contact", f->contact.id);
	jw_object_end(&w);
	if (f->of.id.len)
		body_session(&w, f);
	else
		body_ask(&w, t, f);
	if (f->carried_len) {
		jw_put_array(&w, "asks");
		for (size_t i = 0; i < f->carried_len; i++)
			jw_str(&w, f->carried[i].id);
		jw_array_end(&w);
	}
	jw_object_end(&w);
	jw_object_end(&w);
}

/* ---- the whole ---- */

enum err notify_fill(
	struct task *t, struct rows *rows, struct delivery_fill *f, struct fault *why)
{
	const struct delivery *d = f->delivery;
	struct buf body = { 0 };
	enum err e = contact_find(rows, d, &f->contact, why);

	f->now_ms = rows->now_ms;
	/* A read sees every settlement whose reply was sent: nothing begins after that but
	 * its end. */
	f->settled = d->purpose != DELIVERY_SETTLED &&
		     ((f->ask.id.len && f->ask.status != ASK_PENDING) ||
			     f->alert.acked.len || f->alert.cleared_ms);
	if (f->settled) return e;
	if (!e) e = person_find(rows, f, why);
	if (!e && channel_is(d->kind, CHANNEL_BROWSER))
		e = fill_server_key(rows, STR(PUSH_KEY), &f->keys[0], why);
	if (!e && channel_is(d->kind, CHANNEL_EDITS) && d->ask.len)
		e = shown_find(rows, f, why);
	if (!e && f->ask.id.len) e = parts_find(f, &f->ask, rows->arena, &f->parts, why);
	if (!e && (d->purpose == DELIVERY_DIGEST || d->purpose == DELIVERY_SUMMARY))
		e = carried_find(rows, f, why);
	if (e || f->nothing || !channel_is(d->kind, CHANNEL_FORMATS) ||
		contact_format(&f->contact) != FORMAT_PARLEY)
		return e;
	body_write(&body, t, f);
	f->body = buf_keep_done(&body, rows->arena);
	return OK;
}
