/* notify_alert.c - people are told of alerts as of asks: by the first route that fits their kind, its
 * steps, contacts and deliveries. */
#include "core/notify/alert.h"
#include "desk/notify/notify_ask.h"
#include "desk/shared/workspace.h"

enum err notify_subject(
	struct rows *rows, int64_t ws, struct str id, struct ask **out, struct fault *why)
{
	const struct alert *found;
	struct ask *a;
	enum err e;

	if (!str_starts(id, "alr_")) return rows_fetch_ask(rows, ws, id, out, why);
	e = rows_get(rows, RECORD_ALERTS, KEY(ws, id), &found, why);
	if (!e && !found)
		e = fail(
			why, ERR_NOT_FOUND, "no alert %.*s", STR_ARGS(str_first(id, 64)));
	if (e) return e;
	a = ARENA_NEW(rows->arena, struct ask);
	if (!a) return fail_memory(why);
	alert_as_ask(found, a);
	*out = a;
	return OK;
}

enum delivery_purpose notify_purpose(const struct ask *a)
{
	return ask_is_alert(a) ? DELIVERY_ALERT : DELIVERY_ASK;
}

/* The alert that an event is about, and as an ask. */
static enum err alert_of(const struct happened *h, const struct alert **out,
	struct ask *as, struct fault *why)
{
	const struct json *data;
	enum err e = json_read(h->event->event.data, NULL, h->rows->arena, &data, why);

	if (!e)
		e = rows_get(h->rows, RECORD_ALERTS,
			KEY(h->event->event.ws, json_text_of(data, "id")), out, why);
	if (!e && !*out) e = fail(why, ERR_INTERNAL, "an event of no alert");
	if (!e) alert_as_ask(*out, as);
	return e;
}

enum err notify_alert_raised(const struct happened *h, struct fault *why)
{
	struct rows *rows = h->rows;
	const struct notify_route *r;
	const struct alert *found;
	struct workspace_facts facts;
	struct route_table table;
	struct route_point p;
	struct alert *alert;
	struct ask a;
	enum err e = alert_of(h, &found, &a, why);

	if (!e) e = workspace_facts(&h->task->job, rows, a.ws, &facts, why);
	if (e || !facts.contacts) return e;
	e = route_table_load(rows, a.ws, &table, why);
	r = e ? NULL : routes_find(&table, &a);
	if (!r || !route_next(r, a.created_ms, 0, NULL, &p)) return e;
	alert = rows_change(rows, found);
	alert->route = r->id;
	notify_step_stage(rows, &a, p.step, p.round, DELIVERY_ALERT, p.due_ms);
	return OK;
}

enum err notify_alert_cleared(const struct happened *h, struct fault *why)
{
	const struct alert *found;
	struct ask a;
	enum err e = alert_of(h, &found, &a, why);

	return e ? e : notify_over(h->task->desk, h->rows, &a, why);
}
