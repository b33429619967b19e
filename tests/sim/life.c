/* life.c - the desk over its disk: made, opened, closed, killed; the clock; the trace. */
#include "random.h"
#include "world.h"

#include "base/clock.h"
#include "base/hash.h"
#include "desk/shared/inner.h"

#include <stdarg.h>
#include <stdio.h>

static const int64_t epoch_ms = INT64_C(1800000000000);

const char *const flaw_names[FLAW_LEN] = {
	[FLAW_NONE] = "none",
	[FLAW_LOSE] = "lose",
	[FLAW_WEAK_SYNC] = "weak-sync",
	[FLAW_DROP_EVENT] = "drop-event",
	[FLAW_NO_WAKE] = "no-wake",
	[FLAW_SETTLE_TWICE] = "settle-twice",
	[FLAW_EARLY] = "early",
	[FLAW_FORGET_KEY] = "forget-key",
	[FLAW_EDIT_LOG] = "edit-log",
	[FLAW_GAP] = "gap",
	[FLAW_USE_AGAIN] = "use-again",
	[FLAW_LEAK] = "leak",
	[FLAW_COUNT] = "count",
};

/* ---- chance and trace ---- */

uint64_t below(struct world *w, uint64_t n)
{
	return random_below(&w->chance, n);
}

bool one_in(struct world *w, uint64_t n)
{
	return below(w, n) == 0;
}

static void trace_mix(struct world *w, const char *text)
{
	for (; *text; text++)
		w->trace = (w->trace ^ (unsigned char)*text) * 1099511628211u;
}

static char *last_line(struct world *w)
{
	return w->lines[(w->lines_len - 1) % LINES];
}

static void line_put(struct world *, size_t at, const char *format, va_list)
	__attribute__((format(printf, 3, 0)));
static void line_put(struct world *w, size_t at, const char *format, va_list args)
{
	char *line = last_line(w);

	vsnprintf(line + at, LINE_SIZE - at, format, args);
	trace_mix(w, line + at);
	if (w->loud) fputs(line + at, stdout);
}

void world_say(struct world *w, const char *format, ...)
{
	int64_t ms = w->now_ms - epoch_ms;
	va_list args;
	char *line;
	int at;

	w->lines_len++;
	line = last_line(w);
	at = snprintf(line, LINE_SIZE, "%3d  %+9.3fs  ", w->step, (double)ms / 1000);
	if (w->loud) printf("\n%s", line);
	va_start(args, format);
	line_put(w, (size_t)at, format, args);
	va_end(args);
}

void world_add(struct world *w, const char *format, ...)
{
	va_list args;

	if (!w->lines_len) world_say(w, "start");
	va_start(args, format);
	line_put(w, strlen(last_line(w)), format, args);
	va_end(args);
}

bool world_fail(struct world *w, const char *format, ...)
{
	va_list args;

	if (w->failed[0]) return false;
	va_start(args, format);
	vsnprintf(w->failed, sizeof w->failed, format, args);
	va_end(args);
	return false;
}

/* ---- what every history starts from ---- */

static struct {
	struct cut_history *history;
	uint8_t hashes[WHO_LEN][SHA256_SIZE];
	char users[WHO_LEN][ID_SIZE];
	char tokens[WHO_LEN][ID_SIZE];
	int64_t places[PLACES];
} base;

const char *base_agent(const char *name)
{
	for (int i = 0; i < WHO_LEN; i++)
		if (actors[i].role >= ROLE_VIEWER && strcmp(actors[i].agent, name) == 0)
			return base.users[i];
	return name;
}

const char *base_user(enum who w)
{
	return base.users[w];
}

const char *base_token(enum who w)
{
	return base.tokens[w];
}

int64_t base_place(int place)
{
	return base.places[place];
}

void base_show(enum who w, struct job *job)
{
	job->has_hash = true;
	memcpy(job->hash, base.hashes[w], SHA256_SIZE);
}

static struct desk *desk_make(uint64_t seed, bool weak_sync)
{
	const struct db_options db = { .vfs = "cut", .weak_sync = weak_sync };
	const struct desk_settings set = { .set = { .store = STR("sqlite:/sim.db"),
						   .timeout_min_ms = 1000,
						   .timeout_max_ms =
							   INT64_C(30) * 86400000 },
		.url = STR("http://sim"),
		.db = &db,
		.alone = true,
		.test_tools = true,
		.seed = seed };

	return desk_open(&set, NULL);
}

static void ignore_done(struct job *job)
{
	(void)job;
}

static bool local_admin_do(struct desk *d, const struct use *use, int64_t ws,
	struct str body, struct task *t)
{
	*t = (struct task){ 0 };
	t->job.who.role = ROLE_LOCAL_ADMIN;
	t->job.who.ws = ws;
	t->job.done = ignore_done;
	if (body.len && json_read(body, NULL, &t->job.arena, &t->body, NULL))
		return false;
	desk_do(d, use, t);
	return t->job.err == OK;
}

static void task_end(struct task *t)
{
	buf_done(&t->job.out);
	arena_done(&t->job.arena);
}

static bool token_make(struct desk *d, enum who w)
{
	const struct actor *a = &actors[w];
	const struct json *json;
	struct task t;
	char body[200];
	bool ok;

	snprintf(body, sizeof body, "{\"role\":\"%s\",\"name\":\"%s\",\"agent\":\"%s\"}",
		role_name(a->role), a->name, a->agent);
	ok = local_admin_do(
		d, &use_token_create, base.places[a->place], str_of(body), &t);
	if (ok) {
		sha256(str_of(t.secret), base.hashes[w]);
		json_read(buf_str(&t.job.out), NULL, &t.job.arena, &json, NULL);
		snprintf(base.users[w], ID_SIZE, "%.*s",
			STR_ARGS(json_text(json_get(json, "user"))));
		snprintf(base.tokens[w], ID_SIZE, "%.*s",
			STR_ARGS(json_text(json_get(json, "id"))));
	}
	task_end(&t);
	return ok;
}

bool base_make(void)
{
	struct desk *d;
	struct task t;
	bool ok;

	cut_register();
	cut_reset();
	clock_set(epoch_ms - 1000);
	d = desk_make(1, false);
	if (!d) return false;
	ok = local_admin_do(d, &use_bootstrap, 0, STR_NONE, &t);
	task_end(&t);
	ok = ok &&
	     local_admin_do(d, &use_workspace_create, 0, STR("{\"name\":\"far\"}"), &t);
	task_end(&t);
	base.places[0] = 1;
	base.places[1] = 2;
	for (int w = 0; ok && w < STRANGER; w++)
		ok = token_make(d, (enum who)w);
	desk_close(d);
	base.history = cut_power_off();
	return ok;
}

void base_done(void)
{
	base.history = cut_history_free(base.history);
	cut_reset();
}

/* ---- one history ---- */

void world_time(struct world *w, int64_t ms)
{
	w->now_ms = ms;
	clock_set(ms);
}

static void habits_make(struct world *w)
{
	static const uint64_t fault_in[] = { 0, 3, 7, 7, 20 }, doom_in[] = { 5, 14, 40 };

	w->habits = (struct habits){ .fault_in = fault_in[below(w, 5)],
		.doom_in = doom_in[below(w, 3)],
		.squeezed = one_in(w, 3),
		.faults =
			one_in(w, 2) ? (1 << CUT_FAULTS) - 1 : 1u << below(w, CUT_OPEN) };
	op_habits(w);
}

/* Every history begins with the events of the people who are in it. Readers come later. */
static void prefix_learn(struct world *w, int place)
{
	static struct seen seen[GOT_MAX];
	struct model *m = &w->model;
	int len = 0;

	if (!look_log(w, place, 0, seen, GOT_MAX, &len)) return;
	for (int i = 0; i < len; i++)
		m->log[place][m->log_len[place]++] = (struct model_event){
			.type = seen[i].type,
			.session = NOBODY,
			.ask = NOBODY,
			.at_ms = seen[i].at_ms,
		};
	w->told_last[place] = len;
	for (int i = 0; i < FOLLOWERS; i++)
		if (w->listeners[i].place == place)
			w->listeners[i].checked = w->listeners[i].follower.seen = len;
	for (int i = 0; i < PAGERS; i++)
		if (actors[w->pagers[i].who].place == place) w->pagers[i].after = len;
}

void world_start(struct world *w, uint64_t seed, enum flaw flaw)
{
	bool loud = w->loud;

	memset(w, 0, sizeof *w);
	w->loud = loud;
	w->seed = seed;
	w->flaw = flaw;
	w->chance = seed * 0x9e3779b97f4a7c15u + 1;
	w->trace = 1469598103934665603u;
	random_next(&w->chance);
	cut_reset();
	cut_state(base.history, cut_history_length(base.history), CUT_ALL, 0);
	world_time(w, epoch_ms);
	habits_make(w);
	for (int i = 0; i < PAGERS; i++)
		w->pagers[i].who = (enum who)below(w, STRANGER);
	for (int i = 0; i < WAITERS; i++)
		w->sleepers[i].ask = NOBODY;
	if (!world_open(w)) return;
	for (int place = 0; place < PLACES; place++)
		prefix_learn(w, place);
}

void world_end(struct world *w)
{
	readers_stop(w);
	w->desk = desk_close(w->desk);
	cut_reset();
	clock_set(0);
}

/* What needs much data elsewhere: checkpoints in the midst of things, not only at the
 * end; pages that are read again, and written before their transaction commits. */
static void world_squeeze(struct world *w)
{
	struct db *db = clerk_db(w->desk->writer);

	if (one_in(w, 3)) db->driver->script(db, "PRAGMA wal_autocheckpoint=30", NULL);
	if (w->habits.squeezed) db->driver->script(db, "PRAGMA cache_size=1", NULL);
}

/* Faults may meet the opening; without them it must succeed. */
bool world_open(struct world *w)
{
	bool weak = w->flaw == FLAW_WEAK_SYNC;

	w->life++;
	w->desk = desk_make(w->seed * 1000 + (uint64_t)w->life, weak);
	if (!w->desk) {
		world_add(w, ", could not be opened");
		if (!cut_failures()) return world_fail(w, "the store does not open");
		cut_fail_none();
		w->desk = desk_make(w->seed * 1000 + (uint64_t)w->life, weak);
	}
	cut_fail_none();
	if (!w->desk) return world_fail(w, "the store does not open after a fault");
	world_squeeze(w);
	desk_listen(w->desk, readers_told, NULL, NULL, w);
	readers_start(w);
	return true;
}

/* The power goes at a position of the present life; at times once more while what comes
 * after it recovers. */
void world_crash(struct world *w, uint64_t position)
{
	bool again = one_in(w, 4);

	if (w->flaw == FLAW_LOSE && ++w->flawed) position -= position / 4;
	for (;;) {
		enum cut_choice choice = (enum cut_choice)below(w, CUT_CHOICES);
		uint64_t end = cut_position();
		struct cut_history *h;

		readers_stop(w);
		h = cut_power_off();
		w->desk = desk_close(w->desk);
		world_say(w, "power cut at %d of %d, %s", (int)position, (int)end,
			cut_choice_name(choice));
		cut_state(h, position, choice, w->seed + (uint64_t)w->step);
		cut_history_free(h);
		w->tally.crashes++;
		if (again && one_in(w, 3)) world_arm(w);
		if (!world_open(w) || !again) return;
		again = false;
		position = below(w, cut_position() + 1);
	}
}

void world_restart(struct world *w)
{
	world_say(w, "stop and start");
	w->tally.restarts++;
	if (one_in(w, 3)) world_arm(w);
	readers_stop(w);
	w->desk = desk_close(w->desk);
	world_open(w);
}

void world_arm(struct world *w)
{
	static const struct {
		const char *name;
		enum cut_fault kind;
		uint64_t soon, late; /* within so many calls */
	} faults[] = {
		{ "write", CUT_WRITE, 6, 40 },
		{ "full", CUT_FULL, 6, 40 },
		{ "sync", CUT_SYNC, 2, 4 },
		{ "read", CUT_READ, 20, 150 },
		{ "truncate", CUT_TRUNCATE, 1, 2 },
		{ "open", CUT_OPEN, 1, 4 },
		{ "delete", CUT_DELETE, 1, 2 },
	};
	size_t i = (size_t)below(w, sizeof faults / sizeof *faults);
	uint64_t n = 1 + below(w, one_in(w, 2) ? faults[i].soon : faults[i].late);
	bool onwards = one_in(w, 3);

	if (!(w->habits.faults & 1u << faults[i].kind)) return;
	world_add(w, ", %s %d fails%s", faults[i].name, (int)n, onwards ? " and on" : "");
	cut_fail_at(faults[i].kind, n, onwards);
	w->tally.faults++;
}

/* ---- planted faults that are statements ---- */

static const char *const planted[FLAW_LEN] = {
	[FLAW_SETTLE_TWICE] = "UPDATE asks SET status = 'skipped', version = version + 1"
			      " WHERE status = 'answered'",
	[FLAW_FORGET_KEY] = "DELETE FROM idempotency",
	[FLAW_EDIT_LOG] = "UPDATE events SET data = '{}' WHERE n % 7 = 3",
	[FLAW_GAP] = "DELETE FROM events WHERE n % 11 = 5",
	[FLAW_USE_AGAIN] = "UPDATE asks SET used_ms = 0",
	[FLAW_LEAK] = "UPDATE asks SET agent = 'beta' WHERE agent = 'alpha' AND ws = 1",
	[FLAW_COUNT] = "UPDATE sessions SET open_blocking = open_blocking + 1,"
		       " open_input = open_input + 1 WHERE parallel = 0",
};

void world_plant(struct world *w)
{
	struct db *db = w->desk ? clerk_db(w->desk->writer) : NULL;

	if (!planted[w->flaw] || !db || !one_in(w, 10)) return;
	db->driver->script(db, planted[w->flaw], NULL);
	w->flawed++;
}
