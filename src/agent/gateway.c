/* gateway.c - threads that speak to MCP servers for agents from elsewhere. Each works on one message or one held call
 * at a time; they are made when they are first needed. A subscription has one of its own.
 *
 * 1. A held call is begun in the moment in which the connection stands: the commit that uses its approval up comes
 *    before its first byte (call_may_send).
 * 2. What was sent is never sent again. What came of it is told to the store until that has it. */
#include "agent/gateway.h"

#include "agent/inner.h"
#include "agent/mcp_link.h"
#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/table.h"
#include "desk/gateway.h"

#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	THREADS_MAX = 256,
	SERVER_MAX =
		64, /* of these at one server: what hangs keeps nobody else waiting */
	LASTING_MAX = 16, /* beside these: subscriptions at one server */
	STACK_SIZE = 512 * 1024,
	TROUBLE_MS = 500, /* before the store is asked again */
	LOOK_MS = 5000,	  /* between looks at what is due */
	AGENT_KEY_MAX = 600,
};

/* What is under way at a server. */
struct server_load {
	char key[128];
	int busy, lasting;
};

/* A held call that is to be run. */
struct held {
	struct held *next;
	struct server_load *load;
	int64_t ws;
	int stop_fd; /* readable: it is given up */
	char call[ID_SIZE];
};

/* The session that an agent has at a server, where its client has none of its own. */
struct agent_session {
	char key[AGENT_KEY_MAX];
	char session[256];
	enum revision revision;
};

struct gateway {
	struct desk *desk;
	char node[128];
	pthread_mutex_t lock; /* over all below */
	pthread_cond_t go, idle;
	struct relay *first, **last;
	struct held *held;     /* to be run */
	struct held *running;  /* being run */
	struct table sessions; /* key → struct agent_session */
	struct table loads;    /* key → struct server_load */
	pthread_t keeper;
	pthread_cond_t keep;
	int threads, waiting, woken_up; /* those that wait and were told to go on */
	int lasting;			/* threads beside these */
	bool stopping, kept, shared;
	bool woken; /* a task may be run */
	int stop_fd;
	void (*unreached)(void *of, struct str call, struct str why);
	void *unreached_of;
};

/* ---- the store ---- */

/* False: we stop. The store in trouble: tried again until it works. */
static bool tell(
	struct gateway *g, const struct use *use, struct task *t, void *what, bool *again)
{
	struct pollfd p = { .fd = g->stop_fd, .events = POLLIN };

	for (;;) {
		task_empty(t);
		t->checked = what;
		desk_wait(g->desk, use, t);
		if (t->job.err == ERR_UNKNOWN && again) *again = true;
		if (t->job.err != ERR_UNKNOWN && t->job.err != ERR_UNAVAILABLE &&
			t->job.err != ERR_BUSY && t->job.err != ERR_MEMORY)
			return true;
		if (poll(&p, 1, TROUBLE_MS) != 0) return false;
	}
}

/* ---- sessions of agents ---- */

static void session_key(const struct relay *r, char out[AGENT_KEY_MAX])
{
	snprintf(out, AGENT_KEY_MAX, "%lld/%u/%.*s/%.*s", (long long)r->access->ws,
		r->can, STR_ARGS(r->access->name), STR_ARGS(r->agent));
}

static void session_take(struct gateway *g, struct relay *r)
{
	const struct agent_session *s;
	char key[AGENT_KEY_MAX];

	session_key(r, key);
	pthread_mutex_lock(&g->lock);
	s = table_get(&g->sessions, str_of(key));
	if (s) {
		memcpy(r->session, s->session, sizeof r->session);
		r->revision = s->revision;
		r->known = true;
	}
	pthread_mutex_unlock(&g->lock);
}

static void session_keep(struct gateway *g, const struct relay *r)
{
	struct agent_session *s;
	char key[AGENT_KEY_MAX];

	session_key(r, key);
	pthread_mutex_lock(&g->lock);
	s = table_get(&g->sessions, str_of(key));
	if (!s && (s = mem_alloc(sizeof *s))) {
		*s = (struct agent_session){ 0 };
		memcpy(s->key, key, sizeof key);
		if (!table_put(&g->sessions, str_of(s->key), s)) {
			mem_free(s);
			s = NULL;
		}
	}
	if (s) {
		memcpy(s->session, r->session, sizeof s->session);
		s->revision = r->revision;
	}
	pthread_mutex_unlock(&g->lock);
}

/* By the agent's session; one that the server has forgotten is begun anew, once: it ran nothing. */
static void pass_shared(struct gateway *g, struct fetcher *f, struct relay *r)
{
	session_take(g, r);
	for (int tries = 0; tries < 2; tries++) {
		bool had = r->known;

		mcp_link_pass(f, r);
		if (r->known && !had) session_keep(g, r);
		if (!had || r->reply || (r->status != 404 && r->status != 400)) return;
		r->known = false;
		r->session[0] = '\0';
	}
}

/* ---- what is passed on ---- */

/* Did its client go while it was queued? */
static bool relay_left(const struct relay *r)
{
	struct pollfd p = { .fd = r->stop_fd, .events = POLLIN };

	return r->kind == RELAY_PASS && r->id.len && poll(&p, 1, 0) > 0;
}

static void relay_do(struct gateway *g, struct fetcher *f, struct relay *r)
{
	r->arena.max = MCP_LIST_MEMORY;
	if (relay_left(r)) {
		r->wrong = STR("nobody waits for it");
	} else if (r->kind == RELAY_LIST) {
		if (!mcp_link_list(f, r->stop_fd, r->access, &r->arena, &r->found))
			r->found = (struct mcp_found){ .status = MCP_FAILED,
				.error = STR("out of memory") };
	} else if (r->kind != RELAY_PASS || r->known) {
		mcp_link_pass(f, r);
		/* Since 2026-07-28 a client has no session of its own. */
		if (r->kind == RELAY_GREET && r->known && r->client >= REV_2026_07_28)
			session_keep(g, r);
	} else {
		pass_shared(g, f, r);
	}
	r->done(r);
}

/* ---- held calls ---- */

struct held_run {
	struct relay relay; /* first */
	struct gateway *gateway;
	struct gateway_start start;
	bool asked;	    /* it was connected, and the store was asked */
	struct str refused; /* why it was not begun; or empty */
};

static bool call_may_send(struct relay *r)
{
	struct held_run *c = (struct held_run *)(void *)r;
	struct task t = { 0 };
	bool told;

	c->asked = true;
	told = tell(c->gateway, &use_gateway_start, &t, &c->start, &c->start.again);

	if (told && t.job.err)
		c->refused = arena_str(&r->arena, str_of(t.job.why.detail));
	task_empty(&t);
	return told && c->start.started;
}

static void call_done(struct relay *r)
{
	(void)r;
}

static void call_outcome(
	const struct relay *r, struct gateway_end *end, struct arena *arena)
{
	if (r->reply && r->said.result) {
		end->how = GATEWAY_DONE;
		end->text = json_keep(r->said.result, arena);
	} else if (r->reply) {
		end->how = GATEWAY_FAILED;
		end->text = arena_print(arena, "The server refused it: %.*s (%lld)",
			STR_ARGS(str_first(r->said.message, 2000)),
			(long long)r->said.code);
	} else if (r->over) {
		end->how = GATEWAY_FAILED;
		end->text = STR(
			"It ran; its result is larger than gateway_result_max and was cut off.");
	} else if (r->unknown) {
		end->how = GATEWAY_UNKNOWN;
		end->text = STR("No answer came");
	} else {
		end->how = GATEWAY_FAILED;
		end->text = arena_print(arena, "It failed: %.*s", STR_ARGS(r->wrong));
	}
}

static void call_run(struct gateway *g, struct fetcher *f, const struct held *h)
{
	struct gateway_load load = { .ws = h->ws, .call = str_of(h->call) };
	struct gateway_end end = { .ws = h->ws, .call = str_of(h->call) };
	struct held_run c = { .gateway = g,
		.start = { .ws = h->ws,
			.call = str_of(h->call),
			.owner = str_of(g->node) },
		.relay = { .kind = RELAY_PASS,
			.access = &load.access,
			.client = REV_2025_11_25,
			.method = STR("tools/call"),
			.stop_fd = h->stop_fd,
			.may_send = call_may_send,
			.done = call_done } };
	struct relay *r = &c.relay;
	struct task found = { 0 }, t = { 0 };

	if (!tell(g, &use_gateway_load, &found, &load, NULL) || found.job.err ||
		!load.ready ||
		json_read(load.arguments, NULL, &found.job.arena, &r->arguments, NULL)) {
		task_empty(&found);
		return;
	}
	r->arena.max = MCP_LIST_MEMORY;
	r->agent = load.agent;
	/* A session has several at once. */
	r->id = JSON_TEXT(&r->arena, "%s", str_of(h->call));
	r->timeout_ms = load.access.timeout_ms;
	r->params = JSON_TEXT(&r->arena, "{'name':%s,'arguments':%j}", load.access.tool,
		load.arguments);
	/* In its client's own session while the server still knows that. */
	if (load.behind.len && revision_read(load.revision, &r->revision)) {
		struct relay ping = { .kind = RELAY_PASS,
			.access = &load.access,
			.client = REV_2025_11_25,
			.method = STR("ping"),
			.id = STR("\"parley-ping\""),
			.known = true,
			.revision = r->revision,
			.timeout_ms = MCP_LIST_MS,
			.stop_fd = g->stop_fd,
			.arena.max = MCP_LIST_MEMORY };

		snprintf(r->session, sizeof r->session, "%.*s", STR_ARGS(load.behind));
		memcpy(ping.session, r->session, sizeof ping.session);
		mcp_link_pass(f, &ping);
		r->known = ping.reply != NULL;
		arena_done(&ping.arena);
	}
	if (r->known)
		mcp_link_pass(f, r);
	else
		pass_shared(g, f, r);
	if (c.start.started && !(g->stopping && !r->reply)) {
		call_outcome(r, &end, &r->arena);
		run_count_gateway(g->desk, h->ws, load.access.name, NULL, r->took_ms);
		tell(g, &use_gateway_end, &t, &end, NULL);
	}
	if (!c.start.started && !g->stopping && g->unreached &&
		(!c.asked || c.refused.len))
		g->unreached(g->unreached_of, str_of(h->call),
			c.asked ? c.refused
				: arena_print(&r->arena, "%.*s cannot be called: %.*s",
					  STR_ARGS(load.access.name),
					  STR_ARGS(r->wrong)));
	task_empty(&t);
	task_empty(&found);
	arena_done(&r->arena);
}

/* ---- threads ---- */

static struct held **held_find(struct held **at, int64_t ws, struct str call)
{
	while (*at && !((*at)->ws == ws && str_is(call, (*at)->call)))
		at = &(*at)->next;
	return at;
}

static void held_free(struct held *h)
{
	close(h->stop_fd);
	mem_free(h);
}

static void fd_raise(int fd)
{
	const uint64_t one = 1;

	/* It can only fail when it is readable already. */
	if (write(fd, &one, sizeof one) < 0) return;
}

/* Of this server; NULL: no memory. Under the lock. */
static struct server_load *load_of(struct gateway *g, int64_t ws, struct str server)
{
	struct server_load *l;
	char key[sizeof l->key];

	snprintf(key, sizeof key, "%lld/%.*s", (long long)ws, STR_ARGS(server));
	l = table_get(&g->loads, str_of(key));
	if (l || !(l = mem_alloc(sizeof *l))) return l;
	*l = (struct server_load){ 0 };
	memcpy(l->key, key, sizeof key);
	if (table_put(&g->loads, str_of(l->key), l)) return l;
	mem_free(l);
	return NULL;
}

static void held_do(struct gateway *g, struct fetcher *f, struct held *h)
{
	struct held **at;

	h->next = g->running;
	g->running = h;
	h->load->busy++;
	pthread_cond_signal(&g->keep); /* what runs is to be said to run */
	pthread_mutex_unlock(&g->lock);
	call_run(g, f, h);
	pthread_mutex_lock(&g->lock);
	at = held_find(&g->running, h->ws, str_of(h->call));
	*at = h->next;
	h->load->busy--;
	held_free(h);
}

/* The first of a server that has room, taken out; NULL: none. Under the lock. */
static struct held *held_next(struct gateway *g)
{
	struct held **at = &g->held, *h;

	while (*at && (*at)->load->busy >= SERVER_MAX)
		at = &(*at)->next;
	h = g->stopping ? NULL : *at;
	if (h) *at = h->next;
	return h;
}

static struct relay *relay_next(struct gateway *g)
{
	struct relay **at = &g->first, *r;

	while (*at && !g->stopping && (*at)->load->busy >= SERVER_MAX)
		at = &(*at)->next;
	r = *at;
	if (!r) return NULL;
	*at = r->next;
	if (!r->next) g->last = at;
	return r;
}

/* Under the lock, which is let go meanwhile. */
static void relay_work(struct gateway *g, struct fetcher *f, struct relay *r, int *count)
{
	++*count;
	pthread_mutex_unlock(&g->lock);
	relay_do(g, f, r);
	pthread_mutex_lock(&g->lock);
	--*count;
}

static void *gateway_thread(void *ctx)
{
	struct gateway *g = ctx;
	struct fetcher *f = fetcher_new(NULL);
	struct server_load *load;
	struct relay *r;
	struct held *h;

	pthread_mutex_lock(&g->lock);
	while (f) {
		if ((h = held_next(g))) {
			held_do(g, f, h);
		} else if ((r = relay_next(g))) {
			load = r->load;
			relay_work(g, f, r, &load->busy);
		} else if (g->stopping) {
			break;
		} else {
			g->waiting++;
			while (!g->woken_up && !g->stopping)
				pthread_cond_wait(&g->go, &g->lock);
			g->waiting--;
			if (g->woken_up) g->woken_up--;
		}
	}
	g->threads--;
	pthread_cond_broadcast(&g->idle);
	pthread_mutex_unlock(&g->lock);
	fetcher_free(f);
	return NULL;
}

static bool thread_make(void *(*fn)(void *), void *ctx)
{
	pthread_attr_t attr;
	pthread_t thread;
	bool made;

	if (pthread_attr_init(&attr)) return false;
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	made = pthread_create(&thread, &attr, fn, ctx) == 0;
	pthread_attr_destroy(&attr);
	return made;
}

/* With the lock: somebody works on what was just queued. */
static void thread_wake(struct gateway *g)
{
	if (g->waiting > g->woken_up) {
		g->woken_up++;
		pthread_cond_signal(&g->go);
	} else if (g->threads < THREADS_MAX && thread_make(gateway_thread, g)) {
		g->threads++;
	}
}

/* A subscription, until its client goes. */
static void *lasting_thread(void *ctx)
{
	struct relay *r = ctx;
	struct server_load *load = r->load;
	struct gateway *g = r->ctx;
	struct fetcher *f = fetcher_new(NULL);

	pthread_mutex_lock(&g->lock);
	relay_work(g, f, r, &load->lasting);
	g->lasting--;
	pthread_cond_broadcast(&g->idle);
	pthread_mutex_unlock(&g->lock);
	fetcher_free(f);
	return NULL;
}

/* Under the lock. NULL, or why not. */
static const char *relay_queue(struct gateway *g, struct relay *r)
{
	r->next = NULL;
	*g->last = r;
	g->last = &r->next;
	thread_wake(g);
	if (g->threads) return NULL;
	g->first = NULL;
	g->last = &g->first;
	return "out of memory";
}

static const char *lasting_begin(struct gateway *g, struct relay *r)
{
	if (r->load->lasting >= LASTING_MAX)
		return "too many subscriptions are open at it";
	r->ctx = g;
	if (!thread_make(lasting_thread, r)) return "out of memory";
	g->lasting++;
	return NULL;
}

static void gateway_pass(void *ctx, struct relay *r)
{
	struct gateway *g = ctx;
	const char *refused;

	pthread_mutex_lock(&g->lock);
	r->load = load_of(g, r->access->ws, r->access->name);
	refused = g->stopping ? "the desk stops" : !r->load ? "out of memory" : NULL;
	if (!refused) refused = r->lasts ? lasting_begin(g, r) : relay_queue(g, r);
	pthread_mutex_unlock(&g->lock);
	if (!refused) return;
	r->wrong = str_of(refused);
	r->found = (struct mcp_found){ .status = MCP_FAILED, .error = r->wrong };
	r->done(r);
}

static void gateway_run(void *ctx, int64_t ws, struct str server, struct str call)
{
	struct gateway *g = ctx;
	struct server_load *load;
	struct held *h, **last;

	pthread_mutex_lock(&g->lock);
	load = load_of(g, ws, server);
	last = held_find(&g->held, ws, call);
	if (!g->stopping && load && !*last && !*held_find(&g->running, ws, call) &&
		(h = mem_alloc(sizeof *h))) {
		*h = (struct held){ .load = load,
			.ws = ws,
			.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
		snprintf(h->call, sizeof h->call, "%.*s", STR_ARGS(call));
		*last = h;
		thread_wake(g);
	}
	pthread_mutex_unlock(&g->lock);
}

static void gateway_cancel(void *ctx, int64_t ws, struct str call)
{
	struct gateway *g = ctx;
	struct held *h;

	pthread_mutex_lock(&g->lock);
	h = *held_find(&g->running, ws, call);
	if (h) fd_raise(h->stop_fd);
	pthread_mutex_unlock(&g->lock);
}

static void gateway_listen(
	void *ctx, void (*unreached)(void *of, struct str call, struct str why), void *of)
{
	struct gateway *g = ctx;

	g->unreached = unreached;
	g->unreached_of = of;
}

struct relay_server gateway_server(struct gateway *g)
{
	return (struct relay_server){ g, gateway_pass, gateway_run, gateway_cancel,
		gateway_listen };
}

/* ---- what nobody sends again ---- */

static bool runs_here(void *ctx, int64_t ws, struct str call)
{
	struct gateway *g = ctx;
	bool found;

	pthread_mutex_lock(&g->lock);
	found = *held_find(&g->running, ws, call) != NULL;
	pthread_mutex_unlock(&g->lock);
	return found;
}

/* False: nothing is left to be looked at again. */
static bool keeper_look(struct gateway *g)
{
	struct gateway_due due = { .owner = str_of(g->node) };
	struct gateway_cut cut = { str_of(g->node), runs_here, g };
	struct task t = { 0 }, done = { 0 };
	bool again = true;

	if (tell(g, &use_gateway_due, &t, &due, NULL) && !t.job.err) {
		for (size_t i = 0; i < due.len; i++)
			gateway_run(g, due.calls[i].ws, due.calls[i].server,
				due.calls[i].call);
		if (due.tend) tell(g, &use_gateway_cut, &done, &cut, NULL);
		again = due.len || due.more;
	}
	task_empty(&done);
	task_empty(&t);
	return again;
}

/* Under the lock: until a task may be run, or for a while. */
static void keeper_wait(struct gateway *g, bool again)
{
	int64_t end_ms = clock_mono_ms() + LOOK_MS;

	while (!g->woken && !g->stopping) {
		struct timespec at = clock_mono_after(end_ms - clock_mono_ms());

		if (!again && !g->shared && !g->running) {
			pthread_cond_wait(&g->keep, &g->lock);
			end_ms = clock_mono_ms() + LOOK_MS;
		} else if (clock_mono_ms() >= end_ms) {
			return;
		} else {
			pthread_cond_timedwait(&g->keep, &g->lock, &at);
		}
	}
}

static void *keeper_main(void *ctx)
{
	struct gateway *g = ctx;
	bool again;

	pthread_mutex_lock(&g->lock);
	while (!g->stopping) {
		g->woken = false;
		pthread_mutex_unlock(&g->lock);
		again = keeper_look(g);
		pthread_mutex_lock(&g->lock);
		keeper_wait(g, again);
	}
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

/* On the thread that commits. */
static void keeper_woken(void *ctx)
{
	struct gateway *g = ctx;

	pthread_mutex_lock(&g->lock);
	g->woken = true;
	pthread_cond_signal(&g->keep);
	pthread_mutex_unlock(&g->lock);
}

static bool keeper_start(struct gateway *g)
{
	gateway_on_held(g->desk, keeper_woken, g);
	g->kept = pthread_create(&g->keeper, NULL, keeper_main, g) == 0;
	return g->kept;
}

/* ---- from its beginning to its end ---- */

struct gateway *gateway_new(struct desk *desk, struct str node, struct fault *why)
{
	struct gateway *g = mem_alloc(sizeof *g);
	struct gateway_cut cut = { 0 };
	struct task t = { 0 };
	pthread_condattr_t attr;

	if (!g) {
		fail_memory(why);
		return NULL;
	}
	*g = (struct gateway){ .desk = desk,
		.shared = desk_is_shared(desk),
		.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	snprintf(g->node, sizeof g->node, "%.*s", STR_ARGS(node));
	g->last = &g->first;
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->go, NULL);
	pthread_cond_init(&g->idle, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&g->keep, &attr);
	pthread_condattr_destroy(&attr);
	cut.owner = str_of(g->node);
	tell(g, &use_gateway_cut, &t, &cut, NULL);
	if (t.job.err) log_line(LOG_ERROR, "gateway: %s", t.job.why.detail);
	task_empty(&t);
	if (keeper_start(g)) return g;
	fail(why, ERR_UNAVAILABLE, "no thread for the gateway");
	return gateway_free(g);
}

void gateway_stop(struct gateway *g)
{
	if (!g) return;
	gateway_on_held(g->desk, NULL, NULL);
	pthread_mutex_lock(&g->lock);
	g->stopping = true;
	fd_raise(g->stop_fd);
	for (struct held *h = g->running; h; h = h->next)
		fd_raise(h->stop_fd);
	pthread_cond_broadcast(&g->go);
	pthread_cond_signal(&g->keep);
	while (g->threads || g->lasting)
		pthread_cond_wait(&g->idle, &g->lock);
	pthread_mutex_unlock(&g->lock);
	if (g->kept) pthread_join(g->keeper, NULL);
	g->kept = false;
}

struct gateway *gateway_free(struct gateway *g)
{
	size_t at = 0;
	struct str key;
	void *value;

	if (!g) return NULL;
	gateway_stop(g);
	for (struct held *h; (h = g->held);) {
		g->held = h->next;
		held_free(h);
	}
	while (table_next(&g->sessions, &at, &key, &value))
		mem_free(value);
	table_done(&g->sessions);
	at = 0;
	while (table_next(&g->loads, &at, &key, &value))
		mem_free(value);
	table_done(&g->loads);
	close(g->stop_fd);
	pthread_cond_destroy(&g->go);
	pthread_cond_destroy(&g->idle);
	pthread_cond_destroy(&g->keep);
	pthread_mutex_destroy(&g->lock);
	mem_free(g);
	return NULL;
}
