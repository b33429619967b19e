/* peers.c - the thread that hears of other nodes' commits.
 *
 * A hint names the workspaces in which something was committed. It may be lost, late or
 * doubled: the log itself, read from the last number that was told, is what counts, and
 * every second it is compared without any hint. We listen before we look, so that nothing
 * falls between the two. What nodes say to each other goes the same way: several lines at once,
 * told from a hint by their first letter. */
#include "store/peers.h"

#include "base/clock.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	POLL_MS = 1000,
	PAGE = 500,
	HINT_MAX = 2000,
	LINES_MS = 100,		/* between lines that are said */
	LINES_MAX = 256 * 1024, /* that wait */
	SYNCED_MS = 5000,	/* between looks at how commits are kept */
};

/* A workspace's place in the log. */
struct peers_post {
	int64_t ws;
	int64_t last;	     /* the last number that was told */
	int64_t revocations; /* how often somebody lost a right */
	bool revoked;	     /* more often than we said */
	bool look;	     /* there may be more in the log */
	bool hint;	     /* the others are to hear of ours */
	int64_t asked;	     /* `last` when the poll was begun */
	int64_t back; /* what was told of a log that is shorter now; 0: it is not */
};

struct peers {
	char *url;
	struct peers_hooks hooks;
	struct db *db; /* the thread's */
	int wake;      /* eventfd */
	pthread_t thread;
	bool started, troubled;
	_Atomic bool synced;
	int64_t synced_ms; /* when that was looked at; the thread's */
	_Atomic bool stopping;
	int64_t polled_ms;	  /* by the steady clock; 0: look at all now */
	pthread_mutex_t lock;	  /* of what follows, and of telling */
	struct peers_post *posts; /* by workspace */
	size_t len, cap;
	pthread_mutex_t lines_lock;
	struct buf lines; /* to be said, each with its end; under lines_lock */
	int64_t lines_ms; /* when some were said last; the thread's */
};

/* ---- posts ---- */

static struct peers_post *post_find(struct peers *l, int64_t ws, size_t *at)
{
	size_t low = 0, high = l->len;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (l->posts[mid].ws < ws)
			low = mid + 1;
		else
			high = mid;
	}
	*at = low;
	return low < l->len && l->posts[low].ws == ws ? &l->posts[low] : NULL;
}

/* A new workspace's log begins at 1. NULL: out of memory. */
static struct peers_post *post_of(struct peers *l, int64_t ws)
{
	size_t at;
	struct peers_post *p = post_find(l, ws, &at);

	if (p) return p;
	if (l->len == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 16;

		p = mem_grow(l->posts, cap * sizeof *p);
		if (!p) return NULL;
		l->posts = p;
		l->cap = cap;
	}
	p = &l->posts[at];
	memmove(p + 1, p, (l->len++ - at) * sizeof *p);
	*p = (struct peers_post){ .ws = ws };
	return p;
}

/* ---- telling ---- */

static void peers_wake(struct peers *l)
{
	uint64_t one = 1;

	if (write(l->wake, &one, sizeof one) < 0) return; /* full: it is awake */
}

static void peers_mark(struct peers *l, const struct committed *told)
{
	for (size_t i = 0; i < told->len; i++) {
		struct peers_post *p = post_of(l, told->events[i].event.ws);

		if (!p) continue;
		p->hint = true;
		if (p->last < told->events[i].event.n) p->look = true;
	}
}

/* True: each event follows what was told of its workspace, and counts as told now. */
static bool told_follows(struct peers *l, const struct committed *told)
{
	size_t i = 0;

	for (; i < told->len; i++) {
		struct peers_post *p = post_of(l, told->events[i].event.ws);

		if (!p || told->events[i].event.n != p->last + 1) break;
		p->last++;
	}
	if (i == told->len) return true;
	while (i-- > 0)
		post_of(l, told->events[i].event.ws)->last--;
	return false;
}

void peers_pass(struct peers *l, struct committed *told)
{
	pthread_mutex_lock(&l->lock);
	if (told && told_follows(l, told)) l->hooks.told(l->hooks.ctx, told);
	if (told)
		peers_mark(l, told);
	else
		for (size_t i = 0; i < l->len; i++)
			l->posts[i].look = l->posts[i].hint = true;
	pthread_mutex_unlock(&l->lock);
	peers_wake(l);
}

/* ---- reading the log ---- */

struct peers_reading {
	struct arena arena;
	struct staged *first, **end;
	size_t len;
};

static enum err event_read(void *ctx, const struct row *row, struct fault *why)
{
	struct peers_reading *r = ctx;
	struct staged *s = ARENA_NEW(&r->arena, struct staged);
	enum err e =
		s ? event_from_row(row, &r->arena, &s->event, why) : fail_memory(why);

	if (e) return e;
	*r->end = s;
	r->end = &s->next;
	r->len++;
	return OK;
}

/* Tells what is new of it: a commit of ours may have been told meanwhile. */
static void reading_tell(struct peers *l, struct peers_reading *r)
{
	struct staged **at = &r->first;
	struct committed *told;

	pthread_mutex_lock(&l->lock);
	while (*at) {
		struct peers_post *p = post_of(l, (*at)->event.ws);

		if (p && (*at)->event.n == p->last + 1) {
			p->last++;
			at = &(*at)->next;
		} else {
			*at = (*at)->next;
			r->len--;
		}
	}
	if (r->len) {
		told = committed_new(r->first, r->len);
		if (told) told->elsewhere = true;
		l->hooks.told(l->hooks.ctx, told);
		committed_drop(told);
	}
	pthread_mutex_unlock(&l->lock);
}

/* The calls that read on in every workspace where there may be more. */
static size_t reading_calls(struct peers *l, struct peers_reading *r, struct call **out)
{
	struct val(*args)[3];
	struct call *calls;
	size_t n = 0;

	pthread_mutex_lock(&l->lock);
	args = arena_array(&r->arena, l->len + 1, sizeof *args);
	calls = ARENA_ARRAY(&r->arena, struct call, l->len + 1);
	for (size_t i = 0; args && calls && i < l->len; i++) {
		struct peers_post *p = &l->posts[i];

		if (!p->look) continue;
		p->look = false;
		args[n][0] = val_int(event_place(p->ws, p->last));
		args[n][1] = val_int(event_place(p->ws, INT64_MAX));
		args[n][2] = val_int(PAGE);
		calls[n] = (struct call){ .sql = SQL_EVENTS_CHAIN,
			.args = args[n],
			.args_len = 3,
			.row = event_read,
			.ctx = r };
		n++;
	}
	pthread_mutex_unlock(&l->lock);
	*out = calls;
	return n;
}

static void posts_look(struct peers *l)
{
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < l->len; i++)
		l->posts[i].look = true;
	pthread_mutex_unlock(&l->lock);
}

static enum err peers_read(struct peers *l, struct fault *why)
{
	struct peers_reading r = { .end = &r.first };
	struct call *calls;
	size_t n = reading_calls(l, &r, &calls);
	enum err e = n ? db_run(l->db, calls, n, why) : OK;
	bool more = r.len >= PAGE;

	if (!e && r.len) reading_tell(l, &r);
	if (e || more) posts_look(l);
	arena_done(&r.arena);
	return e || !more ? e : peers_read(l, why);
}

/* ---- hints ---- */

static enum err hints_send(struct peers *l, struct fault *why)
{
	struct buf text = { .max = HINT_MAX };
	bool any = false;
	enum err e = OK;

	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < l->len; i++) {
		if (!l->posts[i].hint) continue;
		l->posts[i].hint = false;
		buf_print(&text, any ? " %lld" : "%lld", (long long)l->posts[i].ws);
		any = true;
	}
	pthread_mutex_unlock(&l->lock);
	/* Too many to name, or no memory: look at all. */
	if (any)
		e = l->db->driver->hint(
			l->db, text.failed ? STR_NONE : buf_str(&text), why);
	buf_done(&text);
	return e;
}

/* ---- lines ---- */

void peers_say(struct peers *l, struct str line)
{
	bool first;

	if (line.len > PEERS_LINE_MAX) return;
	pthread_mutex_lock(&l->lines_lock);
	first = !l->lines.len;
	if (l->lines.len + line.len < LINES_MAX) {
		buf_add(&l->lines, line);
		buf_add_text(&l->lines, "\n");
	}
	pthread_mutex_unlock(&l->lines_lock);
	if (first) peers_wake(l);
}

static bool lines_wait(struct peers *l)
{
	bool wait;

	pthread_mutex_lock(&l->lines_lock);
	wait = l->lines.len > 0;
	pthread_mutex_unlock(&l->lines_lock);
	return wait;
}

/* Sends as many lines as fit into one hint. */
static enum err lines_send(struct peers *l, struct fault *why)
{
	struct buf all = { 0 };
	struct str rest;
	enum err e = OK;

	if (clock_mono_ms() - l->lines_ms < LINES_MS) return OK;
	pthread_mutex_lock(&l->lines_lock);
	all = l->lines;
	l->lines = (struct buf){ 0 };
	pthread_mutex_unlock(&l->lines_lock);
	if (all.len) l->lines_ms = clock_mono_ms();
	rest = buf_str(&all);
	while (!e && !all.failed && rest.len) {
		struct str part = str_first(rest, PEERS_LINE_MAX + 1);

		while (part.len && part.at[part.len - 1] != '\n')
			part.len--;
		rest = str_from(rest, part.len);
		part.len -= part.len > 0;
		if (!part.len) break;
		e = l->db->driver->hint(l->db, part, why);
	}
	buf_done(&all);
	return e;
}

static void transient_heard(void *ctx, struct str hint)
{
	struct peers *l = ctx;
	struct str word;
	int64_t ws;

	if (hint.len && (hint.at[0] < '0' || hint.at[0] > '9')) {
		while (str_cut(&hint, '\n', &word))
			l->hooks.said(l->hooks.ctx, word);
		return;
	}
	if (!hint.len) l->polled_ms = 0;
	pthread_mutex_lock(&l->lock);
	while (str_cut(&hint, ' ', &word)) {
		struct peers_post *p =
			str_to_int(word, 0, INT64_MAX, &ws) ? post_of(l, ws) : NULL;

		if (p) p->look = true;
	}
	pthread_mutex_unlock(&l->lock);
}

/* ---- the poll ---- */

struct poll_round {
	struct peers *peers;
	bool first; /* first poll: start from the end of the log */
};

static enum err news_row(void *ctx, const struct row *row, struct fault *why)
{
	struct poll_round *round = ctx;
	struct peers *l = round->peers;
	struct peers_post *p;

	pthread_mutex_lock(&l->lock);
	p = post_of(l, row_int(row, 0));
	if (p) {
		if (round->first) p->last = row_int(row, 1);
		if (row_int(row, 1) < p->asked && !round->first) {
			p->back = p->last;
			p->last = row_int(row, 1);
		}
		if (p->last < row_int(row, 1)) p->look = true;
		if (p->revocations != row_int(row, 2)) p->revoked = !round->first;
		p->revocations = row_int(row, 2);
	}
	pthread_mutex_unlock(&l->lock);
	return p ? OK : fail_memory(why);
}

static enum err synced_look(struct peers *l, struct fault *why)
{
	bool synced = false;
	enum err e = OK;

	if (l->synced_ms && clock_mono_ms() - l->synced_ms < SYNCED_MS) return OK;
	e = db_synced(l->db, &synced, why);
	if (e) return e;
	l->synced_ms = clock_mono_ms();
	atomic_store(&l->synced, synced);
	return OK;
}

bool peers_synced(struct peers *l)
{
	return atomic_load(&l->synced);
}

static enum err peers_poll(struct peers *l, bool first, struct fault *why)
{
	struct poll_round round = { l, first };
	enum err e;

	/* What was told before the question is in its answer, unless the store went back. */
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < l->len; i++)
		l->posts[i].asked = l->posts[i].last;
	pthread_mutex_unlock(&l->lock);
	e = db_one(l->db, SQL_WORKSPACE_NEWS, NULL, 0, news_row, &round, why);

	if (!e) e = synced_look(l, why);
	if (!e) l->polled_ms = clock_mono_ms();
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < l->len; i++) {
		struct peers_post *p = &l->posts[i];

		if (p->revoked) p->revoked = !l->hooks.revoked(l->hooks.ctx, p->ws);
		if (p->back && l->hooks.back)
			l->hooks.back(l->hooks.ctx, p->ws, p->back, p->last);
		p->back = 0;
	}
	pthread_mutex_unlock(&l->lock);
	return e;
}

/* ---- the thread ---- */

static enum err peers_open(struct peers *l, struct fault *why)
{
	if (l->db && !l->db->lost) return OK;
	l->db = db_close(l->db);
	l->polled_ms = l->synced_ms = 0;
	l->db = db_open(str_of(l->url), DB_WRITE, NULL, why);
	return l->db ? OK : why->err;
}

static enum err peers_turn(struct peers *l, struct fault *why)
{
	int64_t left_ms = l->polled_ms + POLL_MS - clock_mono_ms(), lines_ms;
	uint64_t count;
	enum err e = peers_open(l, why);

	lines_ms = l->lines_ms + LINES_MS - clock_mono_ms();
	if (lines_wait(l) && lines_ms < left_ms) left_ms = lines_ms;
	if (!e)
		e = l->db->driver->await(l->db, l->wake, left_ms > 0 ? left_ms : 0,
			transient_heard, l, why);
	if (!e && read(l->wake, &count, sizeof count) < 0) count = 0;
	if (!e) e = hints_send(l, why);
	if (!e) e = lines_send(l, why);
	if (!e && clock_mono_ms() - l->polled_ms >= POLL_MS)
		e = peers_poll(l, false, why);
	return e ? e : peers_read(l, why);
}

/* As long as it takes, but not when it is to end. */
static void peers_pause(struct peers *l, int64_t ms)
{
	for (; ms > 0 && !l->stopping; ms -= 50)
		usleep(50000);
}

static void *peers_main(void *ctx)
{
	struct peers *l = ctx;
	int64_t pause_ms = 0;

	while (!l->stopping) {
		struct fault why = { 0 };
		enum err e = peers_turn(l, &why);

		if (e != OK || l->troubled)
			l->hooks.trouble(l->hooks.ctx, e ? &why : NULL);
		l->troubled = e != OK;
		pause_ms = !e ? 0 : pause_ms >= 500 ? 1000 : pause_ms * 2 + 50;
		peers_pause(l, pause_ms);
	}
	return NULL;
}

struct peers *peers_new(
	struct str url, const struct peers_hooks *hooks, struct fault *why)
{
	struct peers *l = mem_alloc(sizeof *l);
	enum err e;

	if (!l) return no_memory(why);
	pthread_mutex_init(&l->lock, NULL);
	pthread_mutex_init(&l->lines_lock, NULL);
	l->hooks = *hooks;
	l->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	l->url = mem_copy(url.at, url.len);
	e = l->url && l->wake >= 0 ? peers_open(l, why) : fail_memory(why);
	/* Listens first. */
	if (!e) e = l->db->driver->await(l->db, l->wake, 0, transient_heard, l, why);
	if (!e) e = peers_poll(l, true, why);
	return e ? peers_free(l) : l;
}

enum err peers_start(struct peers *l, struct fault *why)
{
	if (pthread_create(&l->thread, NULL, peers_main, l) != 0)
		return fail(why, ERR_UNAVAILABLE, "cannot start a thread");
	pthread_setname_np(l->thread, "peers");
	l->started = true;
	return OK;
}

struct peers *peers_free(struct peers *l)
{
	if (!l) return NULL;
	l->stopping = true;
	if (l->wake >= 0) peers_wake(l);
	if (l->started) pthread_join(l->thread, NULL);
	db_close(l->db);
	if (l->wake >= 0) close(l->wake);
	pthread_mutex_destroy(&l->lock);
	pthread_mutex_destroy(&l->lines_lock);
	buf_done(&l->lines);
	mem_free(l->url);
	mem_free(l->posts);
	mem_free(l);
	return NULL;
}
