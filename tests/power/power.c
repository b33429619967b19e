/* power.c - cuts the power of a desk at work, all over its history: what it acknowledged
 * is there when it opens again, nothing is settled twice, and the log is whole. With
 * synchronous=NORMAL the same work must be seen to lose something. */
#include "desk_rig.h"
#include "sweep.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ASKS_MAX = 400, CLIENTS = 4, LONG_MORE = 3 };

static const uint64_t never = UINT64_MAX;

/* One ask's life: when each step began, and when it was acknowledged. */
struct life {
	char id[ID_SIZE], session[ID_SIZE], key[24];
	int n; /* of its body */
	uint64_t made;
	const char *status; /* what it is settled as; NULL: it stays pending */
	uint64_t settle_began, settled;
	uint64_t delete_began, deleted;
	uint64_t shown, shown_settled; /* when a reader first saw it */
};

/* What a reader saw, once: an event of an ask. */
struct sight {
	char ask[ID_SIZE];
	bool settled;
	uint64_t at;
};

struct work {
	struct rig rig;
	struct rig_options options;
	uint64_t ready; /* when the desk stood, with its people */
	pthread_mutex_t lock;
	struct life lives[ASKS_MAX];
	size_t len;
	struct sight sights[2 * ASKS_MAX];
	size_t sights_len;
	bool reads;	  /* somebody follows the log meanwhile */
	atomic_bool over; /* who may go now */
	int asks_each;
	int refused; /* what should have succeeded and did not */
	unsigned looks;
	char why[256];
};

static struct work work;

/* ---- the work ---- */

/* Some asks are long, so that a commit is many pages. */
static const char *ask_body(int n)
{
	static char bodies[4][9000];
	int size = n % 4 * 2500;

	if (!bodies[n % 4][0])
		snprintf(bodies[n % 4], sizeof bodies[0],
			"{'question':'Go?','type':'boolean','context':{'preview':'%0*d'}}",
			size + 1, 0);
	return bodies[n % 4];
}

static struct life *life_new(struct work *w, int n)
{
	struct life *l;

	pthread_mutex_lock(&w->lock);
	l = &w->lives[w->len];
	l->n = n;
	snprintf(l->key, sizeof l->key, "key-%zu", w->len);
	l->made = l->settled = l->deleted = l->settle_began = l->delete_began = never;
	l->shown = l->shown_settled = never;
	w->len++;
	pthread_mutex_unlock(&w->lock);
	return l;
}

static void life_settle(struct work *w, struct life *l, int how)
{
	static const struct {
		const struct use *use;
		const char *status;
	} ways[] = { { &use_answer, "answered" }, { &use_skip, "skipped" },
		{ &use_cancel, "cancelled" } };

	l->status = ways[how].status;
	l->settle_began = cut_position();
	w->refused += rig_settle(&w->rig, ways[how].use, l->id, NULL) != OK;
	l->settled = cut_position();
}

static void life_live(struct work *w, int n)
{
	struct life *l = life_new(w, n);
	struct made made = rig_ask_body(&w->rig, ask_body(n), l->key);

	w->refused += made.err != OK;
	memcpy(l->id, made.id, ID_SIZE);
	memcpy(l->session, made.session, ID_SIZE);
	l->made = cut_position();
	if (n % 5 == 4) return;
	life_settle(w, l, n % 3);
	if (n % 7 != 6) return;
	l->delete_began = cut_position();
	w->refused += rig_delete(&w->rig, l->session) != OK;
	l->deleted = cut_position();
}

static void *client(void *ctx)
{
	struct work *w = ctx;

	for (int n = 0; n < w->asks_each; n++)
		life_live(w, n);
	return NULL;
}

/* Follows the log: what it shows, nobody may take back. Returns the last event seen. */
static int64_t reader_look(struct work *w, int64_t after)
{
	char query[160];
	struct outcome o;
	const struct json *items;

	snprintf(query, sizeof query,
		"limit=200&after=%lld&types=ask.created,ask.answered,ask.skipped,"
		"ask.cancelled",
		(long long)after);
	rig_do(&w->rig, &(struct request){ &use_events, w->rig.ada, .query = query }, &o);
	uint64_t at = cut_position();

	items = outcome_read(&o) ? json_get(o.json, "items") : NULL;
	for (uint32_t i = 0; items && i < items->count; i++) {
		const struct json *e = &items->items[i];
		struct sight *s = &w->sights[w->sights_len++];

		*s = (struct sight){ .at = at };
		snprintf(s->ask, sizeof s->ask, "%.*s", STR_ARGS(text_at(e, "ask")));
		s->settled = !str_is(text_at(e, "type"), "ask.created");
		after = int_at(e, "id");
	}
	outcome_done(&o);
	return after;
}

static void *reader(void *ctx)
{
	struct work *w = ctx;
	int64_t after = 0;

	while (!w->over)
		after = reader_look(w, after);
	return NULL;
}

static void sights_take(struct work *w)
{
	for (size_t i = 0; i < w->sights_len; i++)
		for (size_t j = 0; j < w->len; j++) {
			struct life *l = &w->lives[j];

			if (strcmp(l->id, w->sights[i].ask) == 0)
				*(w->sights[i].settled ? &l->shown_settled : &l->shown) =
					w->sights[i].at;
		}
}

static struct cut_history *work_run(
	struct work *w, const struct rig_options *options, int asks)
{
	int clients = options->alone ? 1 : CLIENTS;
	pthread_t threads[CLIENTS], looking;
	bool reads = w->reads;

	*w = (struct work){ .options = *options, .asks_each = asks / clients };
	pthread_mutex_init(&w->lock, NULL);
	ask_body(0), ask_body(1), ask_body(2), ask_body(3);
	cut_reset();
	assert_true(rig_open(&w->rig, options));
	w->ready = cut_position();
	for (int i = 0; i < clients; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, client, w), 0);
	if (reads) assert_int_equal(pthread_create(&looking, NULL, reader, w), 0);
	for (int i = 0; i < clients; i++)
		pthread_join(threads[i], NULL);
	w->over = true;
	if (reads) pthread_join(looking, NULL);
	sights_take(w);
	assert_int_equal(w->refused, 0);
	struct cut_history *history = cut_power_off();

	rig_shut(&w->rig);
	return history;
}

/* ---- looking at what is left ---- */

struct found {
	char id[ID_SIZE];
	char status[16];
	int settled; /* how many events say so */
};

static struct found *find(struct found *all, size_t len, struct str id)
{
	for (size_t i = 0; i < len; i++)
		if (str_is(id, all[i].id)) return &all[i];
	return NULL;
}

/* All asks there are; -1: they cannot be read. */
static int64_t find_asks(struct rig *r, struct found *all)
{
	char query[300], cursor[200] = "";
	size_t len = 0;

	do {
		struct outcome o;
		const struct json *items;

		snprintf(query, sizeof query, "status=all&limit=200%s%s",
			cursor[0] ? "&cursor=" : "", cursor);
		rig_do(r, &(struct request){ &use_ask_list, r->ada, .query = query }, &o);
		items = outcome_read(&o) ? json_get(o.json, "items") : NULL;
		for (uint32_t i = 0; items && i < items->count && len < ASKS_MAX;
			i++, len++) {
			struct found *f = &all[len];

			*f = (struct found){ 0 };
			snprintf(f->id, sizeof f->id, "%.*s",
				STR_ARGS(text_at(&items->items[i], "id")));
			snprintf(f->status, sizeof f->status, "%.*s",
				STR_ARGS(text_at(&items->items[i], "status")));
		}
		snprintf(cursor, sizeof cursor, "%.*s",
			STR_ARGS(text_at(o.json, "next_cursor")));
		outcome_done(&o);
		if (!items) return -1;
	} while (cursor[0]);
	return (int64_t)len;
}

static void count_settlings(struct rig *r, struct found *all, size_t len)
{
	int64_t after = 0;
	uint32_t got = 200;

	while (got == 200) {
		char query[160];
		struct outcome o;
		const struct json *items;

		snprintf(query, sizeof query,
			"limit=200&after=%lld&types=ask.answered,ask.skipped,ask.cancelled",
			(long long)after);
		rig_do(r, &(struct request){ &use_events, r->ada, .query = query }, &o);
		items = outcome_read(&o) ? json_get(o.json, "items") : NULL;
		got = items ? items->count : 0;
		for (uint32_t i = 0; i < got; i++) {
			struct found *f =
				find(all, len, text_at(&items->items[i], "ask"));

			if (f) f->settled++;
			after = int_at(&items->items[i], "id");
		}
		outcome_done(&o);
	}
}

static enum verdict life_look(
	const struct life *l, const struct found *f, uint64_t position)
{
	bool settled = f && strcmp(f->status, "pending") != 0;

	bool known = l->made <= position || l->shown <= position;

	if (!f) return !known || l->delete_began <= position ? INTACT : LOST;
	if (l->deleted <= position) return LOST;
	if ((l->settled <= position || l->shown_settled <= position) && !settled)
		return LOST;
	if (settled && (!l->status || strcmp(f->status, l->status) != 0)) return BROKEN;
	return f->settled == settled ? INTACT : BROKEN;
}

/* What was cut off can be tried again with its key, and work goes on. */
static enum verdict go_on(struct work *w, struct rig *r, uint64_t position)
{
	struct life *l = &w->lives[w->looks % w->len];
	struct made again = rig_ask_body(r, ask_body(l->n), l->key);

	if (again.err || rig_ask(r, NULL).err) return BROKEN;
	if (l->made <= position && l->delete_began > position)
		return strcmp(again.id, l->id) == 0 ? INTACT : LOST;
	return INTACT;
}

static enum verdict desk_look(void *ctx, uint64_t position)
{
	static struct found found[ASKS_MAX];
	struct work *w = ctx;
	struct rig r = w->rig;
	enum verdict v = INTACT;
	int64_t len;

	r.options.alone = true;
	if (!rig_reopen(&r)) return BROKEN;
	w->looks++;
	len = find_asks(&r, found);
	if (len < 0) v = position < w->ready ? INTACT : LOST;
	if (len > 0) count_settlings(&r, found, (size_t)len);
	for (size_t i = 0; len >= 0 && v == INTACT && i < w->len; i++)
		v = life_look(&w->lives[i],
			find(found, (size_t)len, str_of(w->lives[i].id)), position);
	if (v == INTACT && rig_check(&r, w->why) < 0) v = BROKEN;
	if (v == INTACT && len >= 0 && w->looks % 8 == 0) v = go_on(w, &r, position);
	rig_shut(&r);
	return v;
}

static struct sweep work_sweep(
	const struct rig_options *options, int asks, uint64_t states)
{
	struct sweep s = { .history = work_run(&work, options, asks),
		.look = desk_look,
		.ctx = &work,
		.states = sweep_states(states) * (getenv("PARLEY_LONG") ? LONG_MORE : 1),
		.seed = 1 };

	sweep_run(&s);
	cut_history_free(s.history);
	print_message("%llu states, %llu lost, %llu broken; %s %s\n",
		(unsigned long long)s.tried, (unsigned long long)s.lost,
		(unsigned long long)s.broken, s.first, work.why);
	return s;
}

/* ---- tests ---- */

static void nothing_acknowledged_is_lost(void **state)
{
	struct sweep s = work_sweep(
		&(struct rig_options){ .cut = true, .alone = true, .log_pages = 60 }, 40,
		600);

	(void)state;
	assert_true(s.tried > 500);
	assert_int_equal(s.lost + s.broken, 0);
}

static void nothing_acknowledged_is_lost_in_batches(void **state)
{
	struct sweep s = work_sweep(
		&(struct rig_options){ .cut = true, .log_pages = 100 }, 60, 400);

	(void)state;
	assert_true(s.tried > 330);
	assert_int_equal(s.lost + s.broken, 0);
}

/* Nothing but the usual settings: the log is never checkpointed while it works. */
static void nothing_acknowledged_is_lost_with_the_usual_log(void **state)
{
	struct sweep s =
		work_sweep(&(struct rig_options){ .cut = true, .alone = true }, 20, 200);

	(void)state;
	assert_int_equal(s.lost + s.broken, 0);
}

/* The clerk goes on while its commits are synced. */
static void nothing_acknowledged_is_lost_while_syncs_are_owed(void **state)
{
	struct sweep s = work_sweep(
		&(struct rig_options){ .cut = true, .ahead = true, .log_pages = 100 }, 80,
		200);

	(void)state;
	assert_true(s.tried > 160);
	assert_int_equal(s.lost + s.broken, 0);
}

/* A reader all the time: SQLite begins no log anew beside it, so this is no substitute for the
 * one before. */
static void nothing_that_was_shown_is_lost_while_syncs_are_owed(void **state)
{
	work.reads = true;
	struct sweep s = work_sweep(
		&(struct rig_options){ .cut = true, .ahead = true, .log_pages = 100 }, 80,
		300);

	(void)state;
	assert_true(s.tried > 250);
	assert_int_equal(s.lost + s.broken, 0);
}

static void replies_before_their_sync_are_seen_to_lose(void **state)
{
	struct sweep s = work_sweep(
		&(struct rig_options){
			.cut = true, .ahead = true, .hasty = true, .log_pages = 100 },
		80, 300);

	(void)state;
	assert_true(s.lost > s.tried / 100);
	assert_int_equal(s.broken, 0);
}

static void weak_sync_is_seen_to_lose(void **state)
{
	struct sweep s = work_sweep(
		&(struct rig_options){
			.cut = true, .alone = true, .weak_sync = true, .log_pages = 60 },
		40, 300);

	(void)state;
	assert_true(s.lost > s.tried / 10);
	assert_int_equal(s.broken, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_acknowledged_is_lost),
		cmocka_unit_test(nothing_acknowledged_is_lost_in_batches),
		cmocka_unit_test(nothing_acknowledged_is_lost_with_the_usual_log),
		cmocka_unit_test(nothing_acknowledged_is_lost_while_syncs_are_owed),
		cmocka_unit_test(nothing_that_was_shown_is_lost_while_syncs_are_owed),
		cmocka_unit_test(replies_before_their_sync_are_seen_to_lose),
		cmocka_unit_test(weak_sync_is_seen_to_lose),
	};

	cut_register();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
