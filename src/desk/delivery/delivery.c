/* delivery.c - what a session wants called: staged in the transaction of what it is about, once.
 *
 * A settlement calls the webhook each time, and the resumer when the session waits for nothing
 * more. A person who asks back, or answers late, calls both: a stopped agent hears of it. */
#include "desk/delivery.h"

#include "core/shared/address.h"
#include "desk/delivery/callbacks.h"

void delivery_listen(struct desk *d, void (*fn)(void *, int64_t at_ms), void *ctx)
{
	pthread_mutex_lock(&d->listeners);
	d->deliver = fn;
	d->deliver_ctx = ctx;
	pthread_mutex_unlock(&d->listeners);
}

void delivery_wake(struct desk *d, int64_t at_ms)
{
	pthread_mutex_lock(&d->listeners);
	if (d->deliver) d->deliver(d->deliver_ctx, at_ms);
	pthread_mutex_unlock(&d->listeners);
}

/* ---- staging ---- */

/* What is to be told of an ask. */
struct news {
	const struct ask *ask;
	enum delivery_purpose purpose;
	int64_t round;
};

struct delivery *delivery_new(
	struct rows *rows, const struct ask *a, struct delivery like)
{
	like.id = rows_new_id(rows, "dlv");
	like.status = DELIVERY_WAITING;
	like.last_status = -1;
	like.created_ms = rows->now_ms;
	if (!like.next_ms) like.next_ms = rows->now_ms;
	if (a) {
		like.session = a->session;
		like.ask = a->id;
		like.agent = a->agent;
	}
	rows_deliver_at(rows, like.next_ms);
	return rows_new(rows, RECORD_DELIVERIES, &like);
}

static void delivery_stage(struct rows *rows, const struct news *n,
	enum delivery_kind kind, struct str target)
{
	const struct ask *a = n->ask;
	const struct delivery like = { .ws = a->ws,
		.kind = kind,
		.target = target,
		.purpose = n->purpose,
		.round = n->round,
		.host = url_host(target, rows->arena),
		.owner = arena_print(
			rows->arena, "%lld/%.*s", (long long)a->ws, STR_ARGS(a->agent)) };

	if (target.len) delivery_new(rows, a, like);
}

void delivery_run_ended(
	struct rows *rows, const struct session *s, struct str run, struct str webhook)
{
	const struct delivery like = { .ws = s->ws,
		.session = s->id,
		.agent = s->agent,
		.kind = DELIVERY_WEBHOOK,
		.target = webhook,
		.purpose = DELIVERY_ENDED,
		.detail = arena_print(rows->arena, "{\"run\":\"%.*s\"}", STR_ARGS(run)),
		.host = url_host(webhook, rows->arena),
		.owner = arena_print(
			rows->arena, "%lld/%.*s", (long long)s->ws, STR_ARGS(s->agent)) };

	if (webhook.len) delivery_new(rows, NULL, like);
}

/* Which of the two a session's on_settled names. */
static enum err stage_kind(struct rows *rows, const struct session *s,
	const struct news *n, enum delivery_kind kind, struct fault *why)
{
	struct callback c;
	enum err e;

	if (!s->on_settled.len) return OK;
	e = callback_read(s->on_settled, rows->arena, &c, why);
	if (!e)
		delivery_stage(
			rows, n, kind, kind == DELIVERY_WEBHOOK ? c.webhook : c.resumer);
	return e;
}

enum err webhook_settled(const struct happened *h, struct fault *why)
{
	const struct news n = { h->ask, DELIVERY_SETTLED, 0 };

	return stage_kind(h->rows, h->session, &n, DELIVERY_WEBHOOK, why);
}

/* The agent withdrew its own question, so it is running and needs no wake-up. */
static bool is_withdrawn(const struct happened *h)
{
	return h->ask->status == ASK_CANCELLED &&
	       (h->ask->run.len || h->task->job.who.role == ROLE_AGENT);
}

bool resumer_is_late(const struct session *s, const struct ask *a)
{
	return session_ended(s) && (!a->run.len || s->status == SESSION_CANCELLED);
}

enum err resumer_settled(const struct happened *h, struct fault *why)
{
	const struct session *s = h->session;
	bool aside = h->ask->kind == ASK_NON_BLOCKING;
	const struct news n = { h->ask, aside ? DELIVERY_LATE : DELIVERY_SETTLED, 0 };

	if (h->event->replied || is_withdrawn(h)) return OK;
	if (!session_resumed(s) || resumer_is_late(s, h->ask)) return OK;
	if (aside && !session_stopped(s)) return OK;
	return stage_kind(h->rows, s, &n, DELIVERY_RESUMER, why);
}

void delivery_call_verifier(
	struct rows *rows, const struct ask *a, struct str name, int64_t n)
{
	const struct news news = { a, DELIVERY_VERIFY, n };

	delivery_stage(rows, &news, DELIVERY_VERIFIER, name);
}

enum err call_replied(const struct happened *h, struct fault *why)
{
	const struct session *s = h->session;
	const struct ask *a = h->ask;
	const struct json *replies;
	struct news n = { a, a->status == ASK_PENDING ? DELIVERY_REPLIED : DELIVERY_LATE,
		0 };
	enum err e;

	if (!role_may(h->task->job.who.role, MAY_SETTLE)) return OK;
	if (!s->on_settled.len || session_ended(s)) return OK;
	e = json_read(a->replies, NULL, h->rows->arena, &replies, why);
	if (e) return e;
	n.round = replies->count;
	e = stage_kind(h->rows, s, &n, DELIVERY_WEBHOOK, why);
	return e ? e : stage_kind(h->rows, s, &n, DELIVERY_RESUMER, why);
}

/* ---- may it be called at all? ---- */

bool delivery_name_known(struct str names, struct str name)
{
	struct str one;

	while (str_cut(&names, ',', &one))
		if (str_eq(str_trim(one), name)) return true;
	return false;
}

enum err delivery_check_webhook(
	const struct desk *d, struct str webhook, const char *at, struct fault *why)
{
	struct url url;

	if (!webhook.len || (url_split(webhook, &url) &&
				    reach_may_allow(d->set.webhook_internal, &url)))
		return OK;
	return fail_at(why, at,
		"the operator must allow an internal address, or one without TLS "
		"(webhook_internal)");
}

enum err delivery_check_callback(
	const struct desk *d, const struct callback *c, struct fault *why)
{
	struct str names = str_of(d->resumers);
	enum err e = delivery_check_webhook(d, c->webhook, "/on_settled/webhook", why);

	if (c->resumer.len && !delivery_name_known(names, c->resumer))
		e = fail_at(why, "/on_settled/resumer",
			names.len ? "no such resumer; configured: %.*s"
				  : "no such resumer; none is configured%.*s",
			STR_ARGS(names));
	return e;
}
