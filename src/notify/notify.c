/* notify.c - the thread that makes deliveries: claim, begin, look, report.
 *
 * 1. What it is at was claimed before it was begun, and is reported after it ended.
 * 2. A report that the store does not take is made again until it does.
 * 3. Claims and reports block this thread and no other. */
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "notify/inner.h"

#include <poll.h>

enum {
	WEBHOOKS_MAX = 64, /* at once */
	RESUMERS_MAX = 16,
	REPORT_MAX = 64,
	TROUBLE_MS = 1000, /* before the store is asked again */
	LOOK_MS = 250,	   /* clocks jump */
	POLL_MS = 1000,	   /* others write */
	RENEW_MS = DELIVERY_LEASE_MS / 3,
	PURGE_MS = 3600 * 1000,
	PATIENCE_MS = 5000, /* for webhooks under way when we stop */
};

void work_over(struct work *w, enum ending ending, int64_t status, struct str error)
{
	w->state = WORK_OVER;
	w->outcome.delivery = &w->errand->delivery;
	w->outcome.by = str_of(w->haul->by);
	w->outcome.ending = ending;
	w->outcome.status = status;
	w->outcome.error = error;
	w->haul->notify->under_way[w->errand->delivery.kind]--;
	w->haul->notify->over++;
}

/* ---- the store ---- */

/* Said once: we are who notices it even when nobody asks for anything. */
static void notify_trouble(struct notify *n, const struct fault *why)
{
	if (!n->troubled)
		log_line(LOG_WARN, "the store cannot be written to: %s", why->detail);
	n->troubled = true;
	n->not_before_ms = clock_mono_ms() + TROUBLE_MS;
}

static void notify_fine(struct notify *n)
{
	if (n->troubled) log_line(LOG_INFO, "the store can be written to again");
	n->troubled = false;
}

static enum err notify_tell(
	struct notify *n, const struct use *use, void *what, const char *by)
{
	struct task *t = &n->task;
	enum err e;

	t->checked = what;
	t->id = str_of(by);
	desk_wait(n->desk, use, t);
	e = t->job.err;
	if (e) notify_trouble(n, &t->job.why);
	buf_done(&t->job.out);
	arena_done(&t->job.arena);
	*t = (struct task){ 0 };
	return e;
}

static struct haul *haul_free(struct haul *h)
{
	buf_done(&h->task.job.out);
	arena_done(&h->task.job.arena);
	mem_free(h);
	return NULL;
}

/* ---- reporting ---- */

static void report_log(const struct delivered *o)
{
	const struct delivery *d = o->delivery;

	if (o->dead)
		log_line(LOG_WARN, "delivery %.*s (%s %.*s) is dead: %.*s",
			STR_ARGS(d->id), delivery_kind_name(d->kind), STR_ARGS(d->target),
			STR_ARGS(o->error));
}

static size_t outcomes_gather(
	struct notify *n, struct delivered *outcomes, struct work **works)
{
	size_t len = 0;

	for (struct haul *h = n->hauls; h; h = h->next)
		for (size_t i = 0; i < HAUL_MAX && len < REPORT_MAX; i++) {
			if (h->works[i].state != WORK_OVER) continue;
			works[len] = &h->works[i];
			outcomes[len++] = h->works[i].outcome;
		}
	return len;
}

static void hauls_drop(struct notify *n)
{
	for (struct haul **at = &n->hauls, *h; (h = *at);) {
		if (h->left) {
			at = &h->next;
			continue;
		}
		*at = h->next;
		haul_free(h);
	}
}

/* False: nothing was there to report, or the store would not have it now. */
static bool notify_report(struct notify *n)
{
	struct delivered outcomes[REPORT_MAX];
	struct work *works[REPORT_MAX];
	struct report report = { outcomes, outcomes_gather(n, outcomes, works) };

	if (!report.len) return false;
	if (notify_tell(n, &use_delivery_report, &report, NULL)) return false;
	for (size_t i = 0; i < report.len; i++) {
		report_log(&outcomes[i]);
		works[i]->state = WORK_NONE;
		works[i]->haul->left--;
	}
	n->over -= report.len;
	hauls_drop(n);
	atomic_store(&n->woken, true); /* there is room, and pauses to be known */
	return true;
}

/* ---- claiming ---- */

static void haul_begin(struct haul *h)
{
	h->left = h->claim.len;
	for (size_t i = 0; i < h->claim.len; i++) {
		struct work *w = &h->works[i];
		enum delivery_kind kind = h->claim.errands[i].delivery.kind;

		w->haul = h;
		w->errand = &h->claim.errands[i];
		w->state = WORK_UNDER_WAY;
		h->notify->under_way[kind]++;
		if (kind == DELIVERY_WEBHOOK)
			webhook_start(w);
		else
			resumer_start(w);
	}
}

static void notify_name(struct notify *n)
{
	id_make(&(struct ids){ 0 }, "nod", clock_now_ms(), n->by);
}

static bool room_find(const struct notify *n, int64_t room[2])
{
	static const size_t most[] = {
		[DELIVERY_WEBHOOK] = WEBHOOKS_MAX, [DELIVERY_RESUMER] = RESUMERS_MAX
	};

	for (int i = 0; i < 2; i++) {
		size_t left = most[i] - n->under_way[i];

		room[i] = (int64_t)(left < HAUL_MAX / 2 ? left : HAUL_MAX / 2);
	}
	return room[0] > 0 || room[1] > 0;
}

/* Where there was one there may be more. */
static void claim_learn(struct notify *n, const struct claim *c)
{
	int64_t now = clock_now_ms();

	n->next_ms = c->next_ms;
	if (c->len)
		atomic_store(&n->woken, true);
	else if (n->next_ms && n->next_ms <= now)
		n->next_ms = now + POLL_MS; /* no room for that kind, or that host */
}

static void notify_claim(struct notify *n)
{
	struct haul *h = mem_alloc(sizeof *h);
	enum err e;

	n->poll_ms = clock_mono_ms() + POLL_MS;
	if (!h) {
		n->not_before_ms = clock_mono_ms() + TROUBLE_MS;
		return;
	}
	room_find(n, h->claim.room);
	h->claim.host_max = n->set.webhook_host_max;
	atomic_store(&n->woken, false);
	h->notify = n;
	memcpy(h->by, n->by, sizeof h->by);
	h->claim.by = str_of(h->by);
	h->task.checked = &h->claim;
	desk_wait(n->desk, &use_delivery_claim, &h->task);
	e = h->task.job.err;
	/* What it may have taken runs out under a name that we no longer have. */
	if (e == ERR_UNKNOWN) notify_name(n);
	if (e) {
		atomic_store(&n->woken, true);
		notify_trouble(n, &h->task.job.why);
	} else {
		notify_fine(n);
		claim_learn(n, &h->claim);
	}
	if (e || !h->claim.len) {
		haul_free(h);
		return;
	}
	h->next = n->hauls;
	n->hauls = h;
	haul_begin(h);
}

static bool notify_due(struct notify *n)
{
	int64_t room[2];

	if (atomic_load(&n->stopping) || clock_mono_ms() < n->not_before_ms ||
		!room_find(n, room))
		return false;
	return atomic_load(&n->woken) || (n->next_ms && n->next_ms <= clock_now_ms()) ||
	       (n->set.shared && n->poll_ms <= clock_mono_ms());
}

/* ---- turns ---- */

/* Each name once: those of one follow each other. */
static void leases_renew(struct notify *n)
{
	const char *before = "";

	for (struct haul *h = n->hauls; h; before = h->by, h = h->next)
		if (strcmp(h->by, before) != 0)
			notify_tell(n, &use_delivery_renew, NULL, h->by);
}

static void notify_care(struct notify *n)
{
	int64_t now = clock_mono_ms();

	if (now < n->not_before_ms) return;
	if (n->hauls && n->renew_ms <= now) {
		leases_renew(n);
		n->renew_ms = now + RENEW_MS;
	}
	if (n->purge_ms <= now) {
		notify_tell(n, &use_purge, NULL, NULL);
		n->purge_ms = now + PURGE_MS;
	}
}

/* Looks after the programs that run; their handles, to be slept on. */
static size_t notify_look(struct notify *n, struct pollfd *fds)
{
	size_t len = 0;

	for (struct haul *h = n->hauls; h; h = h->next)
		for (size_t i = 0; i < HAUL_MAX; i++) {
			struct work *w = &h->works[i];

			if (w->state != WORK_UNDER_WAY || !w->process.pid) continue;
			resumer_look(w);
			if (w->state == WORK_UNDER_WAY && w->process.handle >= 0)
				fds[len++] =
					(struct pollfd){ w->process.handle, POLLIN, 0 };
		}
	return len;
}

/* Short while anything goes on: nothing depends on one wake-up. */
static int64_t notify_nap(struct notify *n)
{
	int64_t left = n->next_ms - clock_now_ms();

	if (notify_due(n) || (n->over && clock_mono_ms() >= n->not_before_ms)) return 0;
	if (n->next_ms && left > 0 && left < LOOK_MS) return left;
	return n->hauls || n->next_ms || n->set.shared || atomic_load(&n->woken)
		       ? LOOK_MS
		       : PURGE_MS;
}

static void notify_turn(struct notify *n)
{
	struct pollfd fds[RESUMERS_MAX];
	size_t len;

	if (clock_mono_ms() >= n->not_before_ms)
		while (notify_report(n))
			continue;
	if (notify_due(n)) notify_claim(n);
	notify_care(n);
	len = notify_look(n, fds);
	outbound_turn(n->outbound, fds, len, notify_nap(n));
}

/* ---- ending ---- */

static void works_cut(struct notify *n, enum delivery_kind kind)
{
	for (struct haul *h = n->hauls; h; h = h->next)
		for (size_t i = 0; i < HAUL_MAX; i++) {
			struct work *w = &h->works[i];

			if (w->state != WORK_UNDER_WAY ||
				w->errand->delivery.kind != kind)
				continue;
			if (kind == DELIVERY_RESUMER)
				resumer_leave(w);
			else
				work_over(w, ENDED_EARLY, -1,
					STR("the server stopped meanwhile"));
		}
}

static void *notify_main(void *ctx)
{
	struct notify *n = ctx;
	int64_t end_ms;

	while (!atomic_load(&n->stopping))
		notify_turn(n);
	works_cut(n, DELIVERY_RESUMER);
	end_ms = clock_mono_ms() + PATIENCE_MS;
	while (n->under_way[DELIVERY_WEBHOOK] && clock_mono_ms() < end_ms)
		notify_turn(n);
	outbound_cut(n->outbound);
	works_cut(n, DELIVERY_WEBHOOK);
	while (notify_report(n))
		continue;
	return NULL;
}

/* ---- the whole ---- */

static void notify_wake(void *ctx)
{
	struct notify *n = ctx;

	if (!atomic_exchange(&n->woken, true)) outbound_wake(n->outbound);
}

static void settings_keep(struct notify *n, const struct notify_settings *set)
{
	n->set = *set;
	n->set.url = arena_str(&n->arena, set->url);
	n->set.data = arena_str(&n->arena, set->data);
	n->set.webhook_internal = arena_str(&n->arena, set->webhook_internal);
}

struct notify *notify_new(
	struct desk *desk, const struct notify_settings *set, struct fault *why)
{
	struct notify *n = mem_alloc(sizeof *n);

	if (!n) {
		fail(why, ERR_MEMORY, "out of memory");
		return NULL;
	}
	n->desk = desk;
	settings_keep(n, set);
	notify_name(n);
	atomic_store(&n->woken, true); /* something may have been left */
	n->outbound = outbound_new(why);
	if (!n->outbound || resumers_open(n, why)) return notify_free(n);
	desk_on_delivery(desk, notify_wake, n);
	return n;
}

enum err notify_start(struct notify *n, struct fault *why)
{
	if (pthread_create(&n->thread, NULL, notify_main, n) != 0)
		return fail(why, ERR_UNAVAILABLE, "cannot start a thread");
	pthread_setname_np(n->thread, "errands");
	n->started = true;
	return OK;
}

void notify_stop(struct notify *n)
{
	atomic_store(&n->stopping, true);
	outbound_wake(n->outbound);
}

struct notify *notify_free(struct notify *n)
{
	if (!n) return NULL;
	desk_on_delivery(n->desk, NULL, NULL);
	if (n->started) {
		notify_stop(n);
		pthread_join(n->thread, NULL);
	}
	while (n->hauls) {
		struct haul *next = n->hauls->next;

		haul_free(n->hauls);
		n->hauls = next;
	}
	outbound_free(n->outbound);
	arena_done(&n->arena);
	mem_free(n);
	return NULL;
}
