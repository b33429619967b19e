/* notify_fill.c - what a message to a person is made of: the contact, the ask, what a digest
 * stands for; and the body of a webhook that Parley itself designed. */
#include "desk/notify/notify_fill.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/zone.h"
#include "core/notify/notify_prefs.h"
#include "core/policy/operation_line.h"
#include "core/shared/show.h"
#include "desk/people/people.h"

enum { CARRIED_MAX = 50 };

struct notify_row {
	struct arena *arena;
	enum record_id id;
	void *out;
	bool found;
};

static enum err notify_row(void *ctx, const struct row *row, struct fault *why)
{
	struct notify_row *r = ctx;

	r->found = true;
	return record_read(&records[r->id], row, r->arena, r->out, why);
}

static enum err contact_find(struct rows *rows, const struct delivery *d,
	struct arena *arena, struct contact *out, struct fault *why)
{
	struct notify_row r = { arena, RECORD_CONTACTS, out, false };
	const struct val key[] = { val_int(d->ws), val_text(d->contact) };
	enum err e = rows_query(
		rows, SQL_OF(RECORD_CONTACTS, RECORD_GET), key, 2, notify_row, &r, why);

	return e || r.found ? e : fail(why, ERR_NOT_FOUND, "the contact was removed");
}

/* Their language, and how much of an ask they want to see. */
static enum err person_find(struct rows *rows, struct arena *arena,
	struct delivery_fill *f, struct fault *why)
{
	const struct delivery *d = f->delivery;
	const struct val key[] = { val_int(d->ws), val_text(f->contact.user) };
	struct notify_person person = { 0 };
	struct notify_row r = { arena, RECORD_NOTIFY_PEOPLE, &person, false };
	struct notify_prefs prefs;
	struct user u;
	enum err e;

	if (!f->contact.user.len) return OK;
	e = user_find(rows, d->ws, f->contact.user, arena, &u, why);
	if (!e)
		e = rows_query(rows, SQL_OF(RECORD_NOTIFY_PEOPLE, RECORD_GET), key, 2,
			notify_row, &r, why);
	if (!e) e = prefs_load(person.prefs, arena, &prefs, why);
	if (e) return e;
	f->language = u.language;
	f->user_name = u.name;
	f->title_only = prefs.title_only;
	f->zone_name = prefs.has_quiet	  ? prefs.quiet_tz
		       : prefs.has_digest ? prefs.digest_tz
					  : STR_NONE;
	/* A zone that the system has lost shows UTC. */
	if (f->zone_name.len && zone_load(f->zone_name, arena, &f->zone, NULL))
		f->zone_name = STR_NONE;
	return OK;
}

/* Where the contact shows the ask, once it does. */
struct shown_row {
	struct arena *arena;
	struct str text;
};

static enum err shown_row(void *ctx, const struct row *row, struct fault *why)
{
	struct shown_row *s = ctx;

	(void)why;
	s->text = arena_str(s->arena, row_text(row, 0));
	return OK;
}

static enum err shown_find(struct rows *rows, struct arena *arena,
	struct delivery_fill *f, struct fault *why)
{
	const struct delivery *d = f->delivery;
	const struct val args[] = { val_int(d->ws), val_text(d->ask),
		val_text(d->contact) };
	struct shown_row s = { arena, STR_NONE };
	enum err e = rows_query(rows, SQL_SLACK_SHOWN, args, 3, shown_row, &s, why);

	f->shown_at = s.text;
	return e;
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

struct carried_list {
	struct arena *arena;
	struct delivery_fill *fill;
};

static enum err carried_row(void *ctx, const struct row *row, struct fault *why)
{
	struct carried_list *l = ctx;
	struct delivery_fill *f = l->fill;
	struct ask *a = &f->carried[f->carried_len];
	enum err e = ask_from_row(row, l->arena, a, why);

	if (!e) e = parts_find(f, a, l->arena, &f->carried_parts[f->carried_len], why);
	if (!e) f->carried_len++;
	return e;
}

static enum err carried_find(struct rows *rows, struct arena *arena,
	struct delivery_fill *f, struct fault *why)
{
	const struct delivery *d = f->delivery;
	const struct val args[] = { val_int(d->ws), val_text(d->id),
		val_int(CARRIED_MAX) };
	struct carried_list l = { arena, f };
	enum err e;

	f->carried = ARENA_ARRAY(arena, struct ask, CARRIED_MAX);
	f->carried_parts = ARENA_ARRAY(arena, struct ask_parts, CARRIED_MAX);
	if (!f->carried || !f->carried_parts)
		return fail(why, ERR_MEMORY, "out of memory");
	e = rows_query(rows, SQL_ASKS_CARRIED, args, 3, carried_row, &l, why);
	f->nothing = !f->carried_len;
	return e;
}

bool fill_is_hidden(const struct delivery_fill *f)
{
	return f->parts.sensitive;
}

/* ---- {"type": "ask.notify", …} ---- */

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
	jw_put_text(&w, "type", "ask.notify");
	jw_put_text(&w, "timestamp", at);
	jw_put_object(&w, "data");
	jw_put_text(&w, "purpose", delivery_purpose_name(d->purpose));
	jw_put_int(&w, "step", d->step);
	jw_put_object(&w, "to");
	show_text(&w, "user", f->contact.user);
	show_text(&w, "team", f->contact.team);
	show_text(&w, "contact", f->contact.id);
	jw_object_end(&w);
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

enum err notify_fill(struct task *t, struct rows *rows, int64_t now_ms,
	struct delivery_fill *f, struct fault *why)
{
	struct arena *arena = &t->job.arena;
	const struct delivery *d = f->delivery;
	struct buf body = { 0 };
	enum err e = contact_find(rows, d, arena, &f->contact, why);

	f->now_ms = now_ms;
	/* A read sees every settlement whose reply was sent: nothing begins after that but
	 * its end. */
	f->settled = f->ask.id.len && f->ask.status != ASK_PENDING &&
		     d->purpose != DELIVERY_SETTLED;
	if (f->settled) return e;
	if (!e) e = person_find(rows, arena, f, why);
	if (!e && d->kind == DELIVERY_PUSH)
		e = fill_server_key(rows, STR(PUSH_KEY), arena, &f->keys[0], why);
	if (!e && d->kind == DELIVERY_SLACK && d->ask.len)
		e = shown_find(rows, arena, f, why);
	if (!e && f->ask.id.len) e = parts_find(f, &f->ask, arena, &f->parts, why);
	if (!e && (d->purpose == DELIVERY_DIGEST || d->purpose == DELIVERY_SUMMARY))
		e = carried_find(rows, arena, f, why);
	if (e || f->nothing || d->kind != DELIVERY_WEBHOOK ||
		contact_format(&f->contact) != FORMAT_PARLEY)
		return e;
	body_write(&body, t, f);
	f->body = buf_keep_done(&body, arena);
	return OK;
}
