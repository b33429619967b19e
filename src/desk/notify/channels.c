/* channels.c - which channels work. A channel has a row from the first message that it took, or
 * could not take for a reason of its own (a revoked token, a password that is refused, no route to
 * the host): so all nodes know the same. What waits on one that does not work goes out with the
 * first success. */
#include "core/shared/show.h"
#include "desk/notify/contacts.h"
#include "desk/notify/notify_ask.h"
#include "desk/people/people.h"

bool channel_listed(const char *names, struct str name)
{
	struct str rest = str_of(names), one;

	while (str_cut(&rest, ',', &one))
		if (str_eq(str_trim(one), name)) return true;
	return false;
}

enum err channel_on(const struct task *t, enum delivery_kind channel, struct fault *why)
{
	const char *name = delivery_kind_name(channel);

	return channel_listed(t->desk->channels, str_of(name))
		       ? OK
		       : fail(why, ERR_CHANNEL_OFF, "%s is not configured on this server",
				 name);
}

enum { WOKEN_MAX = 500 };

/* ---- learnt from reports ---- */

static enum err channel_fetch(struct rows *rows, enum delivery_kind channel,
	const struct channel_record **out, struct fault *why)
{
	return rows_get(
		rows, RECORD_CHANNELS, KEY(delivery_kind_name(channel)), out, why);
}

/* What was tried there before is tried now. *all: none of it is left. */
static enum err channel_wake(
	struct rows *rows, enum delivery_kind channel, bool *all, struct fault *why)
{
	const struct delivery *at = NULL;
	size_t woken = 0;
	enum err e = rows_fetch(rows, RECORD_DELIVERIES, SQL_DELIVERIES_STUCK,
		ARGS(delivery_kind_name(channel), rows->now_ms, WOKEN_MAX), why);

	while (!e && (at = rows_next(rows, RECORD_DELIVERIES, at))) {
		struct delivery *d;

		if (at->kind != channel || at->status != DELIVERY_WAITING ||
			!at->contact.len || !at->attempts || at->lease.by.len ||
			at->carrier.len || at->next_ms <= rows->now_ms)
			continue;
		d = rows_change(rows, at);
		d->next_ms = rows->now_ms;
		woken++;
	}
	if (woken) rows_deliver_at(rows, rows->now_ms);
	*all = woken < WOKEN_MAX;
	return e;
}

enum err channel_reported(struct rows *rows, const struct delivery *d,
	const struct delivery_outcome *o, struct notify_notes *notes, struct fault *why)
{
	struct channel_record fresh = { .name = str_of(delivery_kind_name(d->kind)),
		.since_ms = rows->now_ms };
	const struct channel_record *was;
	struct channel_record *c;
	bool all = true;
	enum err e;

	if (o->ending != ENDED_WELL && !o->down) return OK;
	e = channel_fetch(rows, d->kind, &was, why);
	if (e || (was && !was->error.len == !o->down)) return e;
	if (was && !o->down) e = channel_wake(rows, d->kind, &all, why);
	if (e || !all) return e;
	c = was ? rows_change(rows, was) : rows_new(rows, RECORD_CHANNELS, &fresh);
	c->since_ms = rows->now_ms;
	c->error = o->down ? d->last_error : STR_NONE;
	if (o->down)
		notify_note(notes, "%s is not working: %.*s", delivery_kind_name(d->kind),
			STR_ARGS(d->last_error));
	else if (was)
		notify_note(notes, "%s works again", delivery_kind_name(d->kind));
	return OK;
}

static enum err down_row(void *ctx, const struct row *row, struct fault *why)
{
	enum delivery_kind kind;

	(void)why;
	if (delivery_kind_read(row_text(row, 0), &kind)) *(unsigned *)ctx |= 1u << kind;
	return OK;
}

enum err channels_down(struct rows *rows, unsigned *out, struct fault *why)
{
	const struct channel_record *c = NULL;
	enum delivery_kind kind;
	enum err e = rows_query(rows, SQL_CHANNELS_DOWN, NULL, 0, down_row, out, why);

	/* What this batch has learnt the store does not know yet. */
	while ((c = rows_next(rows, RECORD_CHANNELS, c))) {
		if (!delivery_kind_read(c->name, &kind)) continue;
		*out = c->error.len ? *out | 1u << kind : *out & ~(1u << kind);
	}
	return e;
}

/* ---- GET /v1/channels ---- */

static enum err waiting_row(void *ctx, const struct row *row, struct fault *why)
{
	int64_t *waiting = ctx;
	enum delivery_kind kind;

	(void)why;
	if (delivery_kind_read(row_text(row, 0), &kind)) waiting[kind] = row_int(row, 1);
	return OK;
}

/* `c` is NULL when nothing went by it so far. */
static void channel_write(struct json_writer *w, enum delivery_kind kind,
	const struct channel_record *c, int64_t waiting, bool configured)
{
	if (!configured) c = NULL;

	jw_object(w);
	jw_put_text(w, "channel", delivery_kind_name(kind));
	jw_put_bool(w, "configured", configured);
	jw_put_text(w, "state", !c ? "untested" : c->error.len ? "down" : "ok");
	show_time(w, "since", c ? c->since_ms : 0);
	show_text(w, "error", c ? c->error : STR_NONE);
	jw_put_int(w, "waiting", waiting);
	jw_object_end(w);
}

static enum err channels_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	int64_t waiting[DELIVERY_KINDS] = { 0 };
	enum err e = desk_may(&job->who, job->who.role != ROLE_AGENT, why);

	if (!e) e = rows_fetch(rows, RECORD_CHANNELS, SQL_CHANNELS, NULL, 0, why);
	if (!e)
		e = rows_query(rows, SQL_CHANNELS_WAITING, ARGS(job->who.ws), waiting_row,
			waiting, why);
	if (e) return e;
	page_begin(&w);
	for (int kind = 0; kind < DELIVERY_KINDS; kind++)
		if (delivery_kind_is_channel((enum delivery_kind)kind))
			channel_write(&w, (enum delivery_kind)kind,
				rows_find(rows, RECORD_CHANNELS,
					str_of(delivery_kind_name(
						(enum delivery_kind)kind))),
				waiting[kind],
				channel_is((enum delivery_kind)kind, CHANNEL_NAMED)
					? t->desk->commands[0] != '\0'
					: !channel_on(t, (enum delivery_kind)kind, NULL));
	jw_array_end(&w);
	jw_object_end(&w);
	return OK;
}

const struct use use_channels = READS("channels", MAY_READ_ALL, 0, channels_read, NULL);
