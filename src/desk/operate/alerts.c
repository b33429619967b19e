/* alerts.c - alerts as people see them: listed, shown, acknowledged. */
#include "desk/operate.h"

#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/field.h"
#include "core/shared/show.h"
#include "desk/notify/alert_rows.h"
#include "desk/shared/collection.h"

/* ?state=: open ones (1, the default), cleared ones (0) or both (2). */
static enum err alert_args(
	struct task *t, struct rows *rows, struct val *args, int *len, struct fault *why)
{
	static const char *const states[] = { "cleared", "open", "all" };
	struct str state =
		task_has_param(t, "state") ? task_param(t, "state") : STR("open");
	int i = name_find(states, 3, state);

	(void)rows;
	args[(*len)++] = val_int(i);
	return i < 0 ? fail_at(why, "/state", "open, cleared or all") : OK;
}

static enum err alert_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	(void)t, (void)rows, (void)why;
	alert_write(w, record);
	return OK;
}

static const struct collection alerts = {
	.noun = "alert",
	.nouns = "alerts",
	.record = RECORD_ALERTS,
	.id_at = offsetof(struct alert, id),
	.list = SQL_ALERTS_LIST,
	.paged = true,
	.first = "~",
	.args = alert_args,
	.show = alert_shown,
};

const struct use use_alert_list = LISTS("alert_list", MAY_READ_ALL, alerts);
const struct use use_alert_get = GETS("alert_get", MAY_READ_ALL, alerts);

/* ---- acknowledging ---- */

static enum err ack_check(struct task *t, struct fault *why)
{
	const struct json *note = json_get(t->body, "note");
	enum err e = t->body ? MEMBERS_ONLY(t->body, why, "note") : OK;

	if (note && note->type != JSON_NULL &&
		(!json_is(note, JSON_STRING) || text_longer(note->text, ALERT_NOTE_MAX)))
		e = fail_at(why, "/note", "a text of at most %d characters, or null",
			ALERT_NOTE_MAX);
	return e;
}

static enum err ack_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const void *at;
	const struct alert *was;
	struct buf by = { .max = 4096 };
	struct alert *a;
	enum err e = collection_find(&alerts, t, rows, t->id, &at, why);

	if (e) return e;
	was = at;
	if (was->cleared_ms)
		return fail(why, ERR_CONFLICT, "the alert is already cleared");
	if (was->kind == ALERT_LOST && !role_may(job->who.role, MAY_ADMIN))
		return fail(why, ERR_FORBIDDEN,
			"only an admin can acknowledge that events were lost");
	a = rows_change(rows, was);
	answered_by_write(&by, "human", &job->who);
	a->acked = fields_text(rows->arena,
		FIELDS(field_json("by", buf_keep_done(&by, rows->arena)),
			field_time("at", rows->now_ms),
			field_text("note", json_text(json_get(t->body, "note")))));
	rows_event_of(rows, a->ws, "alert.acked",
		fields_text(
			rows->arena, FIELDS(field_str("id", a->id),
					     field_word("kind", alert_kind_name(a->kind)),
					     field_text("key", a->about),
					     field_json("value", a->value),
					     field_text("detail", a->detail),
					     field_json("acked", a->acked))));
	if (a->kind == ALERT_LOST) alert_clear(rows, a);
	alert_write(TO_REPLY(job), a);
	return OK;
}

const struct use use_alert_ack =
	WRITES("alert_ack", MAY_SETTLE, 0, NULL, ack_decide, NULL, ack_check);
