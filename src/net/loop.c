/* loop.c - a libuv loop with a mailbox that other threads post to. */
#include "net/loop.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <uv.h>

#include "base/mem.h"
#include "net/loop_parts.h"
#include "net/wheel.h"

enum { ROUNDS = 8, READY_MAX = 256 };

struct loop {
	uv_loop_t uv;
	uv_async_t bell;		/* rings when the mailbox was empty */
	_Atomic(struct link *) mailbox; /* newest first */
	atomic_bool looks;		/* will look into the mailbox: nobody need ring */
	atomic_bool stopping;
	uv_prepare_t before_sleep;
	uv_check_t after_sleep;
	void (*turn_ends)(void *ctx);
	void *turn_ctx;
	struct wheel wheel;
	int watch_fd; /* epoll's, of all that is watched */
	uv_poll_t watcher;
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

static void bell_rang(uv_async_t *bell)
{
	struct loop *loop = bell->data;

	mailbox_run(loop);
	/* From now on only the sockets of others keep the loop going. */
	if (atomic_load_explicit(&loop->stopping, memory_order_relaxed)) {
		uv_unref((uv_handle_t *)&loop->bell);
		uv_unref((uv_handle_t *)&loop->wheel.timer);
	}
}

/* Whoever posts first and then sees `looks` is seen by what follows its end. A post that is
 * run may bring more to do; but others want their turn as well. */
static bool turn_end(struct loop *loop)
{
	if (!loop->turn_ends) return false;
	for (int i = 0; i < ROUNDS; i++) {
		atomic_store(&loop->looks, true);
		loop->turn_ends(loop->turn_ctx);
		atomic_store(&loop->looks, false);
		if (!mailbox_run(loop)) return i > 0;
	}
	uv_async_send(&loop->bell);
	return true;
}

static void turn_slept(uv_check_t *check)
{
	turn_end(check->data);
}

static void turn_sleeps(uv_prepare_t *prepare)
{
	turn_end(prepare->data);
}

void loop_after_turns(struct loop *loop, void (*fn)(void *ctx), void *ctx)
{
	loop->turn_ends = fn;
	loop->turn_ctx = ctx;
}

/* Handlers run after the sleep, timers before it. */
static void turns_init(struct loop *loop)
{
	loop->before_sleep.data = loop;
	loop->after_sleep.data = loop;
	uv_prepare_init(&loop->uv, &loop->before_sleep);
	uv_check_init(&loop->uv, &loop->after_sleep);
	uv_prepare_start(&loop->before_sleep, turn_sleeps);
	uv_check_start(&loop->after_sleep, turn_slept);
	uv_unref((uv_handle_t *)&loop->before_sleep);
	uv_unref((uv_handle_t *)&loop->after_sleep);
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

/* One may be closed by what is said to another: it wants nothing then, and is still there. */
static void watch_fire(struct loop *loop, struct watch *w, uint32_t ready)
{
	unsigned events = (ready & (EPOLLIN | EPOLLHUP) ? WATCH_READ : 0u) |
			  (ready & (EPOLLOUT | EPOLLHUP) ? WATCH_WRITE : 0u);

	if (!w->wanted || events & ~(unsigned)w->wanted) watch_tell(loop, w, w->wanted);
	events &= w->wanted;
	if (w->wanted && ready & EPOLLERR) events |= WATCH_BROKEN;
	if (events) w->fn(w, events);
}

static void watches_ready(uv_poll_t *watcher, int status, int events)
{
	struct loop *loop = watcher->data;
	struct epoll_event ready[READY_MAX];
	int len = epoll_wait(loop->watch_fd, ready, READY_MAX, 0);

	(void)status, (void)events;
	for (int i = 0; i < len; i++)
		watch_fire(loop, ready[i].data.ptr, ready[i].events);
}

static void watch_want(struct loop *loop, struct watch *w, unsigned wanted)
{
	bool before = w->wanted;

	w->wanted = (uint8_t)wanted;
	if (before == (wanted != 0)) return;
	loop->watching += wanted ? 1 : (size_t)-1;
	if (wanted && loop->watching == 1)
		uv_poll_start(&loop->watcher, UV_READABLE, watches_ready);
	else if (!loop->watching)
		uv_poll_stop(&loop->watcher);
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

static int watches_init(struct loop *loop)
{
	loop->watch_fd = epoll_create1(EPOLL_CLOEXEC);
	loop->watcher.data = loop;
	loop->closing.fn = watches_closed;
	return loop->watch_fd < 0
		       ? UV_EMFILE
		       : uv_poll_init(&loop->uv, &loop->watcher, loop->watch_fd);
}

static enum err loop_init(struct loop *loop, struct fault *why)
{
	int e = uv_loop_init(&loop->uv);

	if (e) return fail(why, ERR_UNAVAILABLE, "event loop: %s", uv_strerror(e));
	loop->uv.data = loop;
	loop->bell.data = loop;
	e = watches_init(loop);
	if (!e) e = uv_async_init(&loop->uv, &loop->bell, bell_rang);
	if (e) {
		if (loop->watch_fd >= 0) close(loop->watch_fd);
		uv_loop_close(&loop->uv);
		return fail(why, ERR_UNAVAILABLE, "event loop: %s", uv_strerror(e));
	}
	turns_init(loop);
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
	if (uv_is_closing((uv_handle_t *)&loop->bell)) return;
	uv_close((uv_handle_t *)&loop->bell, NULL);
	uv_close((uv_handle_t *)&loop->before_sleep, NULL);
	uv_close((uv_handle_t *)&loop->after_sleep, NULL);
	uv_close((uv_handle_t *)&loop->wheel.timer, NULL);
	uv_close((uv_handle_t *)&loop->watcher, NULL);
	uv_run(&loop->uv, UV_RUN_DEFAULT);
}

struct loop *loop_free(struct loop *loop)
{
	if (!loop) return NULL;
	loop_shut(loop);
	uv_loop_close(&loop->uv);
	close(loop->watch_fd);
	if (loop->thing_done) loop->thing_done(loop->thing);
	mem_free(loop);
	return NULL;
}

void loop_run(struct loop *loop)
{
	do {
		uv_run(&loop->uv, UV_RUN_DEFAULT);
	} while ((int)mailbox_run(loop) | (int)turn_end(loop)); /* both, always */
}

void loop_stop(struct loop *loop)
{
	atomic_store_explicit(&loop->stopping, true, memory_order_relaxed);
	uv_async_send(&loop->bell);
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
	if (!last && !atomic_load(&loop->looks)) uv_async_send(&loop->bell);
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
