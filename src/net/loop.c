/* loop.c - one epoll of descriptors, the mailbox's bell and libuv's own loop, which handles timers,
 * signals and work of other threads. libuv's loop runs only when it has something to do, so the
 * most frequent events, a request or a post, cost one system call each. */
#include "net/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <uv.h>

#include "base/mem.h"
#include "net/wheel.h"

enum { ROUNDS = 8, READY_MAX = 256 };

struct loop {
	uv_loop_t uv;
	uv_prepare_t keeper; /* always active: without one, libuv reports no timeout */
	_Atomic(struct link *) mailbox; /* newest first */
	atomic_bool looks;		/* will look into the mailbox: nobody need ring */
	atomic_bool stopping;
	void (*turn_ends)(void *ctx);
	void *turn_ctx;
	struct wheel wheel;
	int watch_fd;	      /* epoll's, of all that is watched */
	struct watch bell;    /* rings when the mailbox was empty */
	struct watch inner;   /* libuv's descriptor */
	bool inner_ready;     /* it is, in this turn */
	size_t watching;      /* how many want something */
	struct watch *closed; /* newest first */
	struct post closing;
	void *thing;
	void (*thing_done)(void *);
};

/* All that waits, oldest first. */
static struct link *mailbox_take(struct loop *loop)
{
	struct link *newest = atomic_exchange(&loop->mailbox, NULL);
	struct link *oldest = NULL;

	while (newest) {
		struct link *next = newest->next;

		newest->next = oldest;
		oldest = newest;
		newest = next;
	}
	return oldest;
}

static bool mailbox_run(struct loop *loop)
{
	struct link *link = mailbox_take(loop);
	bool some = link;

	while (link) {
		struct post *post = LINK_OF(link, struct post, link);

		link = link->next;
		post->fn(post);
	}
	return some;
}

static void bell_ring(struct loop *loop)
{
	const uint64_t one = 1;
	ssize_t n = write(loop->bell.fd, &one, sizeof one);

	(void)n; /* edge-triggered: the count is never read */
}

/* A post that saw `looks` set is found when the mailbox is checked after `looks` is cleared.
 * Posts may bring more posts: at most ROUNDS, so that sockets get their turn. */
static bool turn_end(struct loop *loop)
{
	if (!loop->turn_ends) return false;
	for (int i = 0; i < ROUNDS; i++) {
		atomic_store(&loop->looks, true);
		loop->turn_ends(loop->turn_ctx);
		atomic_store(&loop->looks, false);
		if (!mailbox_run(loop)) return i > 0;
	}
	bell_ring(loop);
	return true;
}

void loop_after_turns(struct loop *loop, void (*fn)(void *ctx), void *ctx)
{
	loop->turn_ends = fn;
	loop->turn_ctx = ctx;
}

/* ---- descriptors ---- */

static bool watch_tell(struct loop *loop, struct watch *w, unsigned held)
{
	struct epoll_event e = { (held & WATCH_READ ? EPOLLIN : 0u) |
					 (held & WATCH_WRITE ? EPOLLOUT : 0u),
		{ .ptr = w } };
	int what = !w->held ? EPOLL_CTL_ADD : held ? EPOLL_CTL_MOD : EPOLL_CTL_DEL;

	if (held == w->held) return true;
	if (epoll_ctl(loop->watch_fd, what, w->fd, &e) != 0) return false;
	w->held = (uint8_t)held;
	return true;
}

/* A watch may be closed by the callback of an earlier one: it then wants nothing, but is not
 * freed yet. */
static void watch_fire(struct loop *loop, struct watch *w, uint32_t ready)
{
	unsigned events = (ready & (EPOLLIN | EPOLLHUP) ? WATCH_READ : 0u) |
			  (ready & (EPOLLOUT | EPOLLHUP) ? WATCH_WRITE : 0u);

	if (!w->wanted || events & ~(unsigned)w->wanted) watch_tell(loop, w, w->wanted);
	events &= w->wanted;
	if (w->wanted && ready & EPOLLERR) events |= WATCH_BROKEN;
	if (events) w->fn(w, events);
}

static void watch_want(struct loop *loop, struct watch *w, unsigned wanted)
{
	if (!w->wanted != !wanted) loop->watching += wanted ? 1 : (size_t)-1;
	w->wanted = (uint8_t)wanted;
}

bool watch_set(struct loop *loop, struct watch *w, unsigned wanted)
{
	if (wanted & ~(unsigned)w->held && !watch_tell(loop, w, wanted)) return false;
	watch_want(loop, w, wanted);
	return true;
}

static void watches_closed(struct post *post)
{
	struct loop *loop = LINK_OF(post, struct loop, closing);
	struct watch *w = loop->closed;

	loop->closed = NULL;
	while (w) {
		struct watch *next = w->next;

		w->fn(w, 0);
		w = next;
	}
}

void watch_close(struct loop *loop, struct watch *w)
{
	watch_want(loop, w, 0);
	watch_tell(loop, w, 0);
	close(w->fd);
	w->next = loop->closed;
	loop->closed = w;
	if (!w->next) loop_post(loop, &loop->closing);
}

/* ---- the loop's own descriptors ---- */

static void bell_rang(struct watch *bell, unsigned events)
{
	(void)bell, (void)events; /* every turn empties the mailbox */
}

static void inner_is_ready(struct watch *inner, unsigned events)
{
	(void)events;
	LINK_OF(inner, struct loop, inner)->inner_ready = true;
}

/* Unlike others it does not keep the loop going. */
static bool own_watch(struct loop *loop, struct watch *w, uint32_t edge)
{
	struct epoll_event e = { EPOLLIN | edge, { .ptr = w } };

	w->wanted = w->held = WATCH_READ;
	return w->fd >= 0 && epoll_ctl(loop->watch_fd, EPOLL_CTL_ADD, w->fd, &e) == 0;
}

static bool watches_init(struct loop *loop)
{
	loop->watch_fd = epoll_create1(EPOLL_CLOEXEC);
	loop->closing.fn = watches_closed;
	loop->bell = (struct watch){ .fn = bell_rang, .fd = eventfd(0, EFD_CLOEXEC) };
	loop->inner =
		(struct watch){ .fn = inner_is_ready, .fd = uv_backend_fd(&loop->uv) };
	return own_watch(loop, &loop->bell, EPOLLET) && own_watch(loop, &loop->inner, 0);
}

static void watches_done(struct loop *loop)
{
	if (loop->watch_fd >= 0) close(loop->watch_fd);
	if (loop->bell.fd >= 0) close(loop->bell.fd);
}

/* ---- beginning, turns, end ---- */

static void nothing(uv_prepare_t *keeper)
{
	(void)keeper;
}

static enum err loop_init(struct loop *loop, struct fault *why)
{
	int e = uv_loop_init(&loop->uv);

	if (e) return fail(why, ERR_UNAVAILABLE, "event loop: %s", uv_strerror(e));
	loop->uv.data = loop;
	if (!watches_init(loop)) {
		fail(why, ERR_UNAVAILABLE, "event loop: %s", strerror(errno));
		watches_done(loop);
		uv_loop_close(&loop->uv);
		return ERR_UNAVAILABLE;
	}
	uv_prepare_init(&loop->uv, &loop->keeper);
	uv_prepare_start(&loop->keeper, nothing);
	wheel_init(&loop->wheel, &loop->uv);
	return OK;
}

struct loop *loop_new(struct fault *why)
{
	struct loop *loop = mem_alloc(sizeof *loop);

	if (!loop) {
		fail(why, ERR_MEMORY, "out of memory");
		return NULL;
	}
	signal(SIGPIPE, SIG_IGN); /* a peer that is gone is an error of its write */
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is one, too */
	if (loop_init(loop, why)) {
		mem_free(loop);
		return NULL;
	}
	return loop;
}

/* Closes the loop's own handles and lets libuv see it. */
static void loop_shut(struct loop *loop)
{
	uv_close((uv_handle_t *)&loop->keeper, NULL);
	uv_close((uv_handle_t *)&loop->wheel.timer, NULL);
	uv_run(&loop->uv, UV_RUN_DEFAULT);
}

struct loop *loop_free(struct loop *loop)
{
	if (!loop) return NULL;
	loop_shut(loop);
	uv_loop_close(&loop->uv);
	watches_done(loop);
	if (loop->thing_done) loop->thing_done(loop->thing);
	mem_free(loop);
	return NULL;
}

static void loop_turn(struct loop *loop)
{
	struct epoll_event ready[READY_MAX];
	int len = epoll_wait(
		loop->watch_fd, ready, READY_MAX, uv_backend_timeout(&loop->uv));

	uv_update_time(&loop->uv);
	for (int i = 0; i < len; i++)
		watch_fire(loop, ready[i].data.ptr, ready[i].events);
	mailbox_run(loop);
	/* 0: a timer is due, or libuv has something to tell the kernel. */
	if (loop->inner_ready || uv_backend_timeout(&loop->uv) == 0)
		uv_run(&loop->uv, UV_RUN_NOWAIT);
	loop->inner_ready = false;
}

/* After loop_stop, the loop runs on only while handles of others are open. */
static bool loop_goes_on(struct loop *loop)
{
	bool alive;

	if (!atomic_load_explicit(&loop->stopping, memory_order_relaxed)) return true;
	uv_unref((uv_handle_t *)&loop->wheel.timer);
	uv_unref((uv_handle_t *)&loop->keeper);
	alive = loop->watching || uv_loop_alive(&loop->uv);
	uv_ref((uv_handle_t *)&loop->keeper);
	return alive;
}

void loop_run(struct loop *loop)
{
	turn_end(loop);
	do {
		while (loop_goes_on(loop)) {
			loop_turn(loop);
			turn_end(loop);
		}
	} while ((int)mailbox_run(loop) | (int)turn_end(loop)); /* both, always */
}

void loop_stop(struct loop *loop)
{
	atomic_store_explicit(&loop->stopping, true, memory_order_relaxed);
	bell_ring(loop);
}

struct uv_loop_s *loop_uv(struct loop *loop)
{
	return &loop->uv;
}

int64_t loop_now_ms(const struct loop *loop)
{
	return (int64_t)uv_now(&loop->uv);
}

struct wheel *loop_wheel(struct loop *loop)
{
	return &loop->wheel;
}

void loop_post(struct loop *loop, struct post *post)
{
	struct link *last = atomic_load_explicit(&loop->mailbox, memory_order_relaxed);

	do {
		post->link.next = last;
	} while (!atomic_compare_exchange_weak(&loop->mailbox, &last, &post->link));
	if (!last && !atomic_load(&loop->looks)) bell_ring(loop);
}

void loop_attach(struct loop *loop, void *thing, void (*done)(void *thing))
{
	loop->thing = thing;
	loop->thing_done = done;
}

void *loop_attached(const struct loop *loop)
{
	return loop->thing;
}
