/* notify.c - the deliverer: a thread that claims deliveries, has them filled, starts them, looks
 * after them and reports how each ended.
 *
 * 1. A delivery is claimed before it is begun, and reported after it ended.
 * 2. A report that the store does not take is made again until it does.
 * 3. Claims and reports block this thread and no other; what a delivery brings is read by a
 *    clerk meanwhile, and one that cannot be filled ends alone. */
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "channel/program.h"
#include "core/shared/trace.h"

enum {
	REPORT_MAX = 64,
	RENEW_MAX = 256,   /* more than there are slots */
	TROUBLE_MS = 1000, /* before the store is asked again */
	LOOK_MS = 250,	   /* clocks jump */
	FRESH_MS = 1000,   /* older ones are filled again before they start */
	POLL_MS = 1000,	   /* others write */
	SHARE_MS = 100,	   /* pause before deliveries without a share are tried again */
	RENEW_MS = DELIVERY_LEASE_MS / 3,
	PURGE_MS = 3600 * 1000,
	NAP_MS = 1000,	   /* the longest: something is due by the wall clock */
	ALONE_LEN = 256,   /* claimed one by one after the store refused several */
	REFUSED_TIMES = 3, /* then it is this one, and no passing trouble */
	FDS_MAX = 64,
};

void claimed_over(
	struct claimed *c, enum delivery_ending ending, int64_t status, struct str error)
{
	struct notify *n = claimed_notify(c);

	c->state = CLAIMED_OVER;
	c->outcome.delivery = c->delivery;
	c->outcome.by = str_of(c->batch->by);
	c->outcome.ending = ending;
	c->outcome.status = status;
	c->outcome.error = error;
	c->outcome.trace = c->fill.trace;
	n->under_way[c->delivery->kind]--;
	n->over++;
}

/* The next one in this state, or the first when `at` is NULL; NULL at the end. */
static struct claimed *claimed_next(
	struct notify *n, struct claimed *at, enum claimed_state state)
{
	struct delivery_batch *b = at ? at->batch : n->batches;
	size_t i = at ? (size_t)(at - b->claimed) + 1 : 0;

	for (; b; b = b->next, i = 0)
		for (; i < BATCH_LEN; i++)
			if (b->claimed[i].state == state) return &b->claimed[i];
	return NULL;
}

/* ---- the store ---- */

/* Logged once: we are who notices it even when nobody asks for anything. */
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

static enum err notify_tell(struct notify *n, const struct use *use, void *what)
{
	struct task *t = &n->task;
	enum err e;

	t->checked = what;
	desk_wait(n->desk, use, t);
	e = t->job.err;
	if (e) notify_trouble(n, &t->job.why);
	task_empty(t);
	return e;
}

/* ---- reporting ---- */

static void report_log(const struct delivery_outcome *o)
{
	const struct delivery *d = o->delivery;

	if (!o->dead) return;
	log_about(trace_id(o->trace));
	log_line(LOG_WARN, "delivery %.*s (%s %.*s) is dead: %.*s", STR_ARGS(d->id),
		delivery_kind_name(d->kind), STR_ARGS(d->target), STR_ARGS(o->error));
	log_about(STR_NONE);
}

static void notes_log(const struct notify_notes *notes)
{
	for (size_t i = 0; i < notes->len && i < TELLING_NOTES; i++)
		log_line(LOG_WARN, "%s", notes->lines[i]);
	if (notes->len > TELLING_NOTES)
		log_line(LOG_WARN, "%zu more of that kind", notes->len - TELLING_NOTES);
}

/* A delivery that reached the agent itself counts as fetched. */
static void report_note(struct notify *n, const struct delivery_outcome *o)
{
	if (o->ours && o->ending == ENDED_WELL && !o->delivery->contact.len &&
		o->delivery->purpose != DELIVERY_REPLIED &&
		o->delivery->purpose != DELIVERY_VERIFY)
		desk_note_fetched(n->desk, o->delivery->ws, o->delivery->ask, false);
}

static struct delivery_batch *batch_free(struct delivery_batch *b)
{
	task_empty(&b->task);
	for (size_t i = 0; i < BATCH_LEN; i++)
		task_empty(&b->claimed[i].task);
	mem_free(b);
	return NULL;
}

static void batches_drop(struct notify *n)
{
	for (struct delivery_batch **at = &n->batches, *b; (b = *at);) {
		if (b->left) {
			at = &b->next;
			continue;
		}
		*at = b->next;
		batch_free(b);
	}
}

/* False: nothing was there to report, or the store would not have it now. */
static bool notify_report(struct notify *n)
{
	struct delivery_outcome outcomes[REPORT_MAX];
	struct claimed *over[REPORT_MAX];
	struct delivery_report report = { .outcomes = outcomes };

	for (struct claimed *c = NULL;
		report.len < REPORT_MAX && (c = claimed_next(n, c, CLAIMED_OVER));) {
		over[report.len] = c;
		outcomes[report.len++] = c->outcome;
	}
	if (!report.len) return false;
	if (notify_tell(n, &use_delivery_report, &report)) return false;
	notes_log(&report.notes);
	for (size_t i = 0; i < report.len; i++) {
		int64_t next_ms = outcomes[i].next_ms;

		report_log(&outcomes[i]);
		notify_count(n->desk, &outcomes[i]);
		report_note(n, &outcomes[i]);
		if (next_ms && (!n->next_ms || next_ms < n->next_ms))
			n->next_ms = next_ms;
		over[i]->state = CLAIMED_NONE;
		over[i]->batch->left--;
		task_empty(&over[i]->task);
	}
	n->over -= report.len;
	batches_drop(n);
	if (n->full) atomic_store(&n->woken, true);
	return true;
}

/* ---- filling ---- */

/* On a clerk's thread. */
static void claimed_filled(struct job *job)
{
	struct claimed *c = job->ctx;
	struct notify *n = claimed_notify(c);

	c->filled_ms = clock_mono_ms();
	atomic_store(&c->filled, true);
	outbound_wake(n->outbound);
}

static void claimed_fill(struct claimed *c)
{
	c->fill.delivery = c->delivery;
	c->fill.by = str_of(c->batch->by);
	c->task.checked = &c->fill;
	c->task.job.ctx = c;
	c->task.job.done = claimed_filled;
	desk_put(claimed_notify(c)->desk, &use_delivery_fill, &c->task);
}

void claimed_fill_anew(struct claimed *c)
{
	task_empty(&c->task);
	c->fill = (struct delivery_fill){ 0 };
	atomic_store(&c->filled, false);
	c->state = CLAIMED_FILLING;
	claimed_fill(c);
}

/* The outcome of a delivery that could not be filled: not started if the store failed,
 * retried if memory was short and retries are allowed, else dead. */
static enum delivery_ending unfilled_ending(const struct claimed *c)
{
	switch (c->task.job.err) {
	case ERR_UNAVAILABLE:
	case ERR_UNKNOWN:
	case ERR_BUSY: return ENDED_UNMADE;
	case ERR_MEMORY: return c->channel->once ? ENDED_DEAD : ENDED_BADLY;
	default: return ENDED_DEAD;
	}
}

/* Starts those that are filled, and fills those anew that the store kept us from starting. True while
 * some are not filled. */
static bool notify_start_filled(struct notify *n)
{
	bool some = false;

	for (struct claimed *c = NULL; (c = claimed_next(n, c, CLAIMED_FILLING));) {
		const struct job *job = &c->task.job;

		if (!atomic_load(&c->filled)) {
			some = true;
			continue;
		}
		if (job->err)
			claimed_over(c, unfilled_ending(c), -1,
				arena_str(claimed_arena(c), str_of(job->why.detail)));
		else if (c->fill.nothing)
			claimed_over(c, ENDED_NOTHING, -1, STR("nothing is open"));
		else if (c->fill.settled || c->fill.lost || atomic_load(&n->stopping))
			claimed_over(c, ENDED_UNMADE, -1, STR_NONE);
		else if (clock_mono_ms() - c->filled_ms > FRESH_MS)
			claimed_fill_anew(c);
		else {
			c->state = CLAIMED_STARTED;
			c->channel->start(c);
		}
	}
	return some;
}

/* ---- claiming ---- */

static void batch_begin(struct delivery_batch *b)
{
	b->left = b->claim.len;
	for (size_t i = 0; i < b->claim.len; i++) {
		struct claimed *c = &b->claimed[i];

		c->batch = b;
		c->delivery = &b->claim.deliveries[i];
		c->channel = channels[c->delivery->kind];
		c->state = CLAIMED_FILLING;
		b->notify->under_way[c->delivery->kind]++;
		claimed_fill(c);
	}
}

static void notify_name(struct notify *n)
{
	id_make(&(struct ids){ 0 }, "nod", clock_now_ms(), n->by);
}

/* How much can be claimed now; false: nothing. */
static bool room_find(const struct notify *n, struct delivery_claim *c)
{
	int64_t most = BATCH_LEN / DELIVERY_KINDS;
	bool some = false;

	/* Steps of routes are worked in the store, and never under way. */
	c->room[DELIVERY_ROUTE].free = c->room[DELIVERY_ROUTE].take = STEPS_LEN;
	for (int i = 0; i < DELIVERY_KINDS; i++) {
		if (!channels[i]) continue;
		int64_t free = (int64_t)(channels[i]->slots - n->under_way[i]);

		c->room[i].free = free;
		c->room[i].take = free < most ? free : most;
		some = some || free > 0;
	}
	return some;
}

/* When to claim next. At once if the claim was full, or took only what is not started.
 * Otherwise what is left waits for a free slot, or for its agent's or host's share. */
static void claim_learn(struct notify *n, const struct delivery_claim *c)
{
	int64_t now = clock_now_ms(), took[DELIVERY_KINDS] = { 0 };

	for (size_t i = 0; i < c->len; i++)
		took[c->deliveries[i].kind]++;
	n->next_ms = c->next_ms;
	n->full = false;
	n->alone = c->alone_id.len ? n->alone - 1 : 0;
	if (c->steps >= STEPS_LEN / 2 || c->held || n->alone)
		atomic_store(&n->woken, true);
	for (int i = 0; i < DELIVERY_KINDS; i++) {
		if (!channels[i]) continue;
		if (took[i] == c->room[i].free)
			n->full = true;
		else if (took[i] == c->room[i].take)
			atomic_store(&n->woken, true);
	}
	if (n->next_ms && n->next_ms <= now) n->next_ms = now + SHARE_MS;
}

/* When something is due that we know of; 0: never. */
static int64_t notify_next_ms(struct notify *n)
{
	int64_t later = atomic_load(&n->later_ms);

	return !n->next_ms || (later && later < n->next_ms) ? later : n->next_ms;
}

/* Is it only that others may have staged something? Then it is looked for before a claim, which
 * takes the turn of all writers. */
static bool claim_in_vain(struct notify *n)
{
	int64_t next_ms = notify_next_ms(n);
	struct lease_due first = { .by = str_of(n->by) };
	struct task *t = &n->task;
	enum err e;

	if (atomic_load(&n->woken) || (next_ms && next_ms <= clock_now_ms()) ||
		n->troubled)
		return false;
	t->checked = &first;
	desk_wait(n->desk, &use_delivery_due, t);
	e = t->job.err;
	task_empty(t);
	if (e || first.due) return false; /* what is wrong, the claim finds out */
	n->next_ms = first.next_ms;
	return true;
}

/* The store refused the claim. Of several, the one that it refuses is looked for, one after the other;
 * that one is dead, so that it keeps no other waiting. */
static void claim_refused(
	struct notify *n, const struct delivery_claim *c, const struct fault *why)
{
	struct delivery_burial b = {
		.ws = c->alone_ws, .id = c->alone_id, .error = str_of(why->detail)
	};
	uint64_t which = str_hash(c->alone_id);

	if (!c->alone) n->alone = ALONE_LEN;
	if (!c->alone_id.len) return;
	n->refused_times = which == n->refused ? n->refused_times + 1 : 1;
	n->refused = which;
	if (n->refused_times < REFUSED_TIMES || notify_tell(n, &use_delivery_bury, &b))
		return;
	n->alone = n->refused_times = 0;
	if (b.dead)
		log_line(LOG_ERROR, "delivery %.*s is dead: it cannot be claimed: %s",
			STR_ARGS(c->alone_id), why->detail);
}

static void notify_claim(struct notify *n)
{
	struct delivery_batch *b;
	enum err e;

	n->poll_ms = clock_mono_ms() + POLL_MS;
	if (claim_in_vain(n)) return;
	b = mem_alloc(sizeof *b);
	if (!b) {
		n->not_before_ms = clock_mono_ms() + TROUBLE_MS;
		return;
	}
	room_find(n, &b->claim);
	b->claim.host_max = n->set.webhook_host_max;
	b->claim.alone = n->alone > 0;
	b->claim.lost = !b->claim.alone && n->lost_ms <= n->poll_ms - POLL_MS;
	if (b->claim.lost) n->lost_ms = n->poll_ms;
	/* Before it is read: what is staged meanwhile is said anew. */
	atomic_store(&n->woken, false);
	atomic_store(&n->later_ms, 0);
	b->notify = n;
	memcpy(b->by, n->by, sizeof b->by);
	b->claim.by = str_of(b->by);
	b->task.checked = &b->claim;
	desk_wait(n->desk, &use_delivery_claim, &b->task);
	e = b->task.job.err;
	/* The claim may be committed: take a new lease name, and let the leases of the old
	 * one run out. */
	if (e == ERR_UNKNOWN) notify_name(n);
	if (e) {
		atomic_store(&n->woken, true);
		notify_trouble(n, &b->task.job.why);
		if (e == ERR_BUSY || e == ERR_INTERNAL)
			claim_refused(n, &b->claim, &b->task.job.why);
	} else {
		notify_fine(n);
		notes_log(&b->claim.notes);
		claim_learn(n, &b->claim);
	}
	if (e || !b->claim.len) {
		batch_free(b);
		return;
	}
	b->next = n->batches;
	n->batches = b;
	batch_begin(b);
}

static bool notify_due(struct notify *n)
{
	int64_t next_ms = notify_next_ms(n);
	struct delivery_claim room = { 0 };

	if (atomic_load(&n->stopping) || clock_mono_ms() < n->not_before_ms ||
		!room_find(n, &room))
		return false;
	return atomic_load(&n->woken) || (next_ms && next_ms <= clock_now_ms()) ||
	       (n->with.shared && n->poll_ms <= clock_mono_ms());
}

/* ---- turns ---- */

/* Those under way that were claimed under this name. What is not ours any more is given up: its
 * session was deleted, or another process took it over. */
static void leases_renew(struct notify *n, const char *by)
{
	const struct delivery *deliveries[RENEW_MAX];
	struct claimed *claimed[RENEW_MAX];
	bool lost[RENEW_MAX] = { false };
	struct delivery_renewal r = { str_of(by), deliveries, lost, 0 };

	for (struct delivery_batch *b = n->batches; b; b = b->next)
		for (size_t i = 0; i < BATCH_LEN && r.len < RENEW_MAX; i++) {
			if (b->claimed[i].state == CLAIMED_NONE || strcmp(b->by, by) != 0)
				continue;
			claimed[r.len] = &b->claimed[i];
			deliveries[r.len++] = b->claimed[i].delivery;
		}
	if (notify_tell(n, &use_delivery_renew, &r)) return;
	for (size_t i = 0; i < r.len; i++)
		if (lost[i] && claimed[i]->state == CLAIMED_STARTED)
			claimed[i]->channel->cut(claimed[i]);
}

/* Renew once per lease name; batches of one name are adjacent. */
static void names_renew(struct notify *n)
{
	const char *before = "";

	for (struct delivery_batch *b = n->batches; b; before = b->by, b = b->next)
		if (strcmp(b->by, before) != 0) leases_renew(n, b->by);
}

/* Says that this node lives, and looks for alerts where that is ours to do. */
static void notify_beat(struct notify *n)
{
	struct notify_notes notes = { 0 };
	struct node_beat beat = { .name = n->with.node,
		.by = str_of(n->by),
		.started_ms = n->started_ms,
		.notes = &notes };
	struct fault why = { 0 };
	enum err e = operate_beat(n->desk, &beat, &why);

	if (!e) notes_log(&notes);
	notes.len = 0;
	if (!e && beat.look) {
		e = operate_look(n->desk, beat.by, &notes, &why);
		beat.look_in_ms = ALERT_LOOK_MS;
	}
	if (e)
		notify_trouble(n, &why);
	else
		notes_log(&notes);
	n->beat_ms = clock_now_ms();
	n->look_ms = n->beat_ms + (e ? TROUBLE_MS : beat.look_in_ms);
}

static bool beat_is_due(const struct notify *n)
{
	int64_t wall = clock_now_ms();

	return wall - n->beat_ms >= NODE_BEAT_MS || wall < n->beat_ms ||
	       wall >= n->look_ms;
}

/* A few sessions at a time, and as long a rest: others write meanwhile, and there are messages to send. */
static void notify_retain(struct notify *n, int64_t now)
{
	struct retention *r = &n->retention;
	enum err e;

	if (!n->retaining || now < n->retain_ms) return;
	if (r->next < r->len) {
		e = notify_tell(n, &use_retain, r);
		r->next += RETENTION_BATCH;
	} else {
		e = notify_tell(n, &use_retain_find, r);
	}
	n->retaining = !e && !r->over;
	n->retain_ms = 2 * clock_mono_ms() - now;
}

static void notify_maintain(struct notify *n)
{
	int64_t now = clock_mono_ms();

	if (now < n->not_before_ms) return;
	if (n->batches && n->renew_ms <= now) {
		names_renew(n);
		n->renew_ms = now + RENEW_MS;
	}
	if (beat_is_due(n)) notify_beat(n);
	if (n->purge_ms <= now) {
		if (!notify_tell(n, &use_purge, NULL) && !n->retaining) {
			n->retention = (struct retention){ 0 };
			n->retaining = true;
		}
		n->purge_ms = now + PURGE_MS;
	}
	notify_retain(n, now);
}

/* Looks after those that were started; what they sleep on. */
static size_t notify_look(struct notify *n, struct pollfd *fds)
{
	size_t len = 0;

	for (struct claimed *c = NULL; (c = claimed_next(n, c, CLAIMED_STARTED));)
		if (c->channel->watch && len + CHANNEL_FDS <= FDS_MAX)
			len += c->channel->watch(c, fds + len);
	return len;
}

/* Short while anything goes on: nothing depends on one wake-up. */
static int64_t notify_nap(struct notify *n)
{
	int64_t next_ms = notify_next_ms(n), left = next_ms - clock_now_ms();
	int64_t rest = n->retain_ms - clock_mono_ms();

	if (n->retaining && rest < LOOK_MS) return rest > 0 ? rest : 0;
	if (notify_due(n) || (n->over && clock_mono_ms() >= n->not_before_ms)) return 0;
	if (next_ms && left > 0 && left < LOOK_MS) return left;
	return n->batches || next_ms || n->with.shared || atomic_load(&n->woken) ? LOOK_MS
										 : NAP_MS;
}

static void notify_turn(struct notify *n)
{
	struct pollfd fds[FDS_MAX];
	size_t len;

	notify_start_filled(n); /* first: what follows waits for the store */
	if (clock_mono_ms() >= n->not_before_ms)
		while (notify_report(n))
			continue;
	if (notify_due(n)) notify_claim(n);
	notify_maintain(n);
	notify_start_filled(n);
	len = notify_look(n, fds);
	outbound_turn(n->outbound, fds, len, notify_nap(n));
}

/* ---- ending ---- */

/* Ends what has no time left; true when that is all. */
static bool notify_cut(struct notify *n, int64_t stopped_ms)
{
	int64_t now = clock_mono_ms();
	bool all = true;

	for (struct claimed *c = NULL; (c = claimed_next(n, c, CLAIMED_STARTED));) {
		if (now < stopped_ms + c->channel->patience_ms)
			all = false;
		else
			c->channel->cut(c);
	}
	return all;
}

static void *notify_main(void *ctx)
{
	struct notify *n = ctx;
	int64_t stopped_ms;

	while (!atomic_load(&n->stopping))
		notify_turn(n);
	stopped_ms = clock_mono_ms();
	while (notify_start_filled(n) || !notify_cut(n, stopped_ms))
		notify_turn(n);
	while (notify_report(n))
		continue;
	operate_beat(n->desk,
		&(struct node_beat){ .name = n->with.node,
			.by = str_of(n->by),
			.bye = true,
			.notes = &(struct notify_notes){ 0 } },
		&(struct fault){ 0 });
	return NULL;
}

/* ---- the whole ---- */

static void notify_wake(void *ctx, int64_t at_ms)
{
	struct notify *n = ctx;
	int64_t known = atomic_load(&n->later_ms);

	while (at_ms && (!known || at_ms < known))
		if (atomic_compare_exchange_weak(&n->later_ms, &known, at_ms)) {
			outbound_wake(n->outbound);
			return;
		}
	if (at_ms) return;
	if (!atomic_exchange(&n->woken, true)) outbound_wake(n->outbound);
}

static enum err channels_open(struct notify *n, struct fault *why)
{
	enum err e = OK;

	program_env_open(n);
	for (int k = 0; !e && k < DELIVERY_KINDS; k++)
		if (channels[k] && channels[k]->open)
			e = channels[k]->open(n, (enum delivery_kind)k, why);
	return !e && n->arena.failed ? fail(why, ERR_MEMORY, "out of memory") : e;
}

static enum err channels_run(struct notify *n, struct fault *why)
{
	enum err e = OK;

	for (int k = 0; !e && k < DELIVERY_KINDS; k++)
		if (channels[k] && channels[k]->run) e = channels[k]->run(n, why);
	return e;
}

static void channels_end(struct notify *n)
{
	for (int k = 0; k < DELIVERY_KINDS; k++)
		if (channels[k] && channels[k]->end) channels[k]->end(n);
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
	n->set = set->set;
	n->with = *set;
	notify_name(n);
	n->started_ms = clock_now_ms();
	atomic_store(&n->woken, true); /* something may have been left */
	n->outbound = outbound_new(why);
	if (!n->outbound || channels_open(n, why)) return notify_free(n);
	delivery_listen(desk, notify_wake, n);
	return n;
}

enum err notify_start(struct notify *n, struct fault *why)
{
	if (pthread_create(&n->thread, NULL, notify_main, n) != 0)
		return fail(why, ERR_UNAVAILABLE, "cannot start a thread");
	pthread_setname_np(n->thread, "deliverer");
	n->started = true;
	return channels_run(n, why);
}

void notify_stop(struct notify *n)
{
	atomic_store(&n->stopping, true);
	outbound_wake(n->outbound);
}

struct notify *notify_free(struct notify *n)
{
	if (!n) return NULL;
	delivery_listen(n->desk, NULL, NULL);
	if (n->started) {
		notify_stop(n);
		pthread_join(n->thread, NULL);
	}
	channels_end(n);
	for (struct delivery_batch *b = n->batches; b; b = b->next)
		b->left = 0;
	batches_drop(n);
	outbound_free(n->outbound);
	arena_done(&n->arena);
	mem_free(n);
	return NULL;
}
