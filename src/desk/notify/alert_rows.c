/* alert_rows.c - an alert is raised once and cleared once: at most one is open for a kind and key. */
#include "desk/notify/alert_rows.h"

#include "base/keep.h"
#include "core/shared/field.h"

const struct alert *alert_open(
	const struct rows *rows, int64_t ws, enum alert_kind kind, struct str about)
{
	const struct alert *a = NULL;

	while ((a = rows_next(rows, RECORD_ALERTS, a)))
		if (a->ws == ws && a->kind == kind && !a->cleared_ms &&
			str_eq(a->about, about))
			return a;
	return NULL;
}

static void alert_event(struct rows *rows, const struct alert *a, const char *type)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	alert_write(&w, a);
	rows_event_of(rows, a->ws, type, buf_keep_done(w.out, rows->arena));
}

enum err alert_raise(struct rows *rows, const struct alert_finding *f, struct fault *why)
{
	struct alert fresh = { .ws = f->ws,
		.kind = f->kind,
		.since_ms = rows->now_ms,
		.about = f->about,
		.value = f->value,
		.threshold = f->threshold,
		.asks = f->asks,
		.detail = f->detail };
	enum err e = rows_fetch(rows, RECORD_ALERTS, SQL_ALERTS_OPEN, ARGS(f->ws), why);

	if (e || alert_open(rows, f->ws, f->kind, f->about)) return e;
	fresh.id = rows_new_id(rows, "alr");
	if (f->kind == ALERT_NODE)
		rows_event_of(rows, f->ws, "node.gone",
			fields_text(
				rows->arena, FIELDS(field_str("node", f->about),
						     field_text("detail", f->detail))));
	alert_event(rows, rows_new(rows, RECORD_ALERTS, &fresh), "alert.raised");
	return OK;
}

void alert_clear(struct rows *rows, const struct alert *was)
{
	struct alert *a = rows_change(rows, was);

	a->cleared_ms = rows->now_ms;
	alert_event(rows, a, "alert.cleared");
}

enum err alert_over(struct rows *rows, int64_t ws, enum alert_kind kind, struct str about,
	struct fault *why)
{
	const struct alert *a;
	enum err e = rows_fetch(rows, RECORD_ALERTS, SQL_ALERTS_OPEN, ARGS(ws), why);

	a = e ? NULL : alert_open(rows, ws, kind, about);
	if (a) alert_clear(rows, a);
	return e;
}
