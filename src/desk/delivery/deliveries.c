/* deliveries.c - deliveries as people see them: what waits, what is dead, and sending it
 * again; and the secret that receivers check signatures with. */
#include "core/shared/show.h"
#include "desk/shared/inner.h"

static enum err list_filter(struct task *t, struct fault *why)
{
	enum delivery_status status;
	enum delivery_kind kind;
	enum delivery_purpose purpose;
	enum err e = OK;

	if (task_has_param(t, "status") &&
		!delivery_status_read(task_param(t, "status"), &status))
		e = fail_at(why, "/status", "waiting, done, dead or dropped");
	if (task_has_param(t, "kind") &&
		!delivery_kind_read(task_param(t, "kind"), &kind))
		e = fail_at(why, "/kind",
			"route, webhook, resumer, email, slack, push or command");
	if (task_has_param(t, "purpose") &&
		!delivery_purpose_read(task_param(t, "purpose"), &purpose))
		e = fail_at(why, "/purpose",
			"settled, replied, late, ask, reminder, thread, voted, digest, "
			"summary, code, alert or test");
	return e;
}

/* The statement for a list by status. */
static enum sql list_statement(struct str status)
{
	if (!status.len) return SQL_DELIVERY_LIST;
	return str_is(status, delivery_status_name(DELIVERY_WAITING))
		       ? SQL_DELIVERY_LIST_WAITING
		       : SQL_DELIVERY_LIST_ENDED;
}

static enum err delivery_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	const struct delivery *d = NULL;
	struct str last = STR_NONE;
	struct list_page p;
	enum err e = page_read(t, rows, "deliveries", &p, why);

	if (list_filter(t, why)) e = why->err;
	if (e) return e;
	const struct val args[] = { val_int(job->who.ws),
		val_text(p.has_cursor ? p.cursor[0] : STR("zz")), val_int(p.limit + 1),
		val_text(task_param(t, "kind")), val_text(task_param(t, "session")),
		val_text(task_param(t, "ask")), val_text(task_param(t, "user")),
		val_text(task_param(t, "purpose")), val_text(task_param(t, "status")) };
	enum sql list = list_statement(args[8].text);
	e = rows_fetch(rows, RECORD_DELIVERIES, list, args,
		list == SQL_DELIVERY_LIST_ENDED ? 9 : 8, why);
	if (e) return e;
	page_begin(&w);
	while ((d = rows_next(rows, RECORD_DELIVERIES, d)) && p.limit-- > 0) {
		delivery_write(&w, d);
		last = d->id;
	}
	page_end(t, &w, &p, d ? &last : NULL, 1);
	return OK;
}

const struct use use_delivery_list =
	READS("delivery_list", MAY_ADMIN, 0, delivery_list_read, NULL);

static enum err delivery_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct delivery *d;
	enum err e = rows_get(rows, RECORD_DELIVERIES, KEY(job->who.ws, t->id), &d, why);

	if (e) return e;
	e = desk_may(&job->who,
		role_may(job->who.role, MAY_ADMIN) ||
			(d && d->user.len &&
				str_eq(d->user, principal_person(&job->who))),
		why);
	if (e) return e;
	if (!d) return desk_missing("delivery", t->id, why);
	delivery_write(TO_REPLY(job), d);
	return OK;
}

/* A person's own: how the test of a contact went. */
const struct use use_delivery_get = READS("delivery_get", 0, 0, delivery_get_read, NULL);

/* ---- again ---- */

static void replay_needs(struct job *job, struct wants *w)
{
	wants_record(w, RECORD_DELIVERIES, KEY(job->who.ws, task_of(job)->id));
}

/* A resumer that succeeded is not run again for the same answer, even if a person asks for it
 * by mistake. */
static enum err replay_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct delivery *found = rows_find(rows, RECORD_DELIVERIES, t->id);
	struct delivery *d;

	if (!found || found->ws != job->who.ws)
		return desk_missing("delivery", t->id, why);
	if (found->status == DELIVERY_WAITING || found->kind == DELIVERY_ROUTE ||
		found->status == DELIVERY_DROPPED ||
		(found->status == DELIVERY_DONE && found->kind == DELIVERY_RESUMER))
		return fail(why, ERR_CONFLICT, "this delivery is %s",
			delivery_status_name(found->status));
	d = rows_change(rows, found);
	d->status = DELIVERY_WAITING;
	d->attempts = 0;
	d->next_ms = rows->now_ms;
	d->last_error = STR_NONE;
	d->last_status = -1;
	d->done_ms = 0;
	rows->so_far.delivers = true;
	delivery_write(TO_REPLY(job), d);
	return OK;
}

const struct use use_delivery_replay = WRITES("delivery_replay", MAY_ADMIN, 0,
	replay_needs, replay_decide, NULL, desk_empty_check);

/* ---- the secret ---- */

static enum err secret_check(struct task *t, struct fault *why)
{
	const struct json *rotate = json_get(t->body, "rotate");
	enum err e = MEMBERS_ONLY(t->body, why, "rotate");

	return rotate && !json_is_bool(rotate) ? fail_at(why, "/rotate", "true or false")
					       : e;
}

static enum err secret_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct json_writer w = { .out = &job->out };
	struct str keys[WEBHOOK_KEYS];
	enum err e = OK;

	if (json_is(json_get(task_of(job)->body, "rotate"), JSON_TRUE))
		e = webhook_key_rotate(rows, job->who.ws, why);
	if (!e) e = webhook_keys_load(rows, job->who.ws, rows->arena, keys, why);
	if (e) return e;
	jw_object(&w);
	jw_put_str(&w, "secret", webhook_secret(keys[0], rows->arena));
	show_text(&w, "previous",
		keys[1].len ? webhook_secret(keys[1], rows->arena) : STR_NONE);
	jw_object_end(&w);
	return OK;
}

const struct use use_webhook_secret =
	WRITES("webhook_secret", MAY_ADMIN, 0, NULL, secret_decide, NULL, secret_check);
