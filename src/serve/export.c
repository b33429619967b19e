/* export.c - GET /v1/export: lines of a read that has a thread and a connection of its own, since it may
 * take as long as its reader wants. The thread makes a piece, and the next one when the socket has taken
 * it. Prefixes: export_, route_. */
#include "serve/inner.h"

#include "base/mem.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EXPORTS_AT_ONCE = 2, EXPORT_PIECE = 64 * 1024, EXPORT_NICE = 10, DOUBT_MS = 100 };

#define EXPORT_TYPE    "application/x-ndjson"
#define EXPORT_HEADERS API_HEADERS "X-Accel-Buffering: no\r\n"

struct export_stream {
	struct request *request; /* with its task, which the thread works */
	struct serve *serve;
	struct exchange *x; /* NULL: the peer has gone, or nothing more is sent */
	struct open_credential *bearer;
	enum role role;
	struct tick tick;
	struct post post; /* a piece is there, or it is over */
	struct export_sink sink;
	pthread_t thread;
	pthread_mutex_t lock; /* over what follows */
	pthread_cond_t moved;
	struct str piece; /* not sent yet; empty: none */
	bool posted;	  /* the loop has not looked at it yet */
	bool stop, over;
	bool begun; /* the loop's */
};

/* ---- on its thread ---- */

static bool export_put_piece(struct export_stream *st, struct str piece)
{
	bool stop;

	pthread_mutex_lock(&st->lock);
	stop = st->stop;
	if (!stop) st->piece = piece;
	st->posted = !stop;
	pthread_mutex_unlock(&st->lock);
	if (stop) return false;
	loop_post(st->serve->loop, &st->post);
	pthread_mutex_lock(&st->lock);
	while (st->piece.len)
		pthread_cond_wait(&st->moved, &st->lock);
	stop = st->stop;
	pthread_mutex_unlock(&st->lock);
	return !stop;
}

static bool export_put(void *ctx, struct str bytes)
{
	while (bytes.len) {
		struct str piece = str_first(bytes, EXPORT_PIECE);

		if (!export_put_piece(ctx, piece)) return false;
		bytes = str_from(bytes, piece.len);
	}
	return true;
}

static void *export_main(void *ctx)
{
	struct export_stream *st = ctx;

	/* Nobody waits for it as for an answer. On Linux this is the thread's alone. */
	setpriority(PRIO_PROCESS, (id_t)gettid(), EXPORT_NICE);
	desk_read_alone(st->serve->desk, &use_export, &st->request->task);
	pthread_mutex_lock(&st->lock);
	st->over = st->posted = true;
	pthread_mutex_unlock(&st->lock);
	loop_post(st->serve->loop, &st->post);
	return NULL;
}

/* ---- on the loop ---- */

/* The piece was sent, or nobody wants it. */
static void export_taken(struct export_stream *st)
{
	pthread_mutex_lock(&st->lock);
	st->stop |= !st->x;
	st->piece = STR_NONE;
	pthread_cond_signal(&st->moved);
	pthread_mutex_unlock(&st->lock);
}

static void export_gone(void *ctx)
{
	struct export_stream *st = ctx;

	bool posted;

	st->x = NULL;
	tick_stop(st->serve->loop, &st->tick);
	pthread_mutex_lock(&st->lock);
	st->stop = true;
	posted = st->posted;
	pthread_mutex_unlock(&st->lock);
	if (!posted) export_taken(st);
}

/* Ends the reply where it is: a reader sees that its last line is missing. */
static void export_cut(struct export_stream *st)
{
	struct exchange *x = st->x;

	st->x = NULL;
	tick_stop(st->serve->loop, &st->tick);
	if (x && st->begun) {
		http_on_gone(x, NULL, NULL);
		http_on_drained(x, NULL, NULL);
		http_end(x);
	}
}

static void export_drained(void *ctx)
{
	struct export_stream *st = ctx;

	http_on_drained(st->x, NULL, NULL);
	export_taken(st);
}

static void export_begin(struct export_stream *st)
{
	st->begun = true;
	serve_count(st->serve, 200);
	http_begin(st->x, 200, EXPORT_TYPE, STR(EXPORT_HEADERS));
	http_park(st->x);
}

static void export_send(struct export_stream *st)
{
	const struct open_credential *b = st->bearer;

	if (st->x && b && open_credential_doubtful(b) && !b->ended) {
		tick_set(st->serve->loop, &st->tick, DOUBT_MS);
		return;
	}
	if (st->x && b && (b->ended || b->role != st->role)) export_cut(st);
	if (st->x && !st->begun) export_begin(st);
	if (st->x && http_write(st->x, st->piece) && http_backlog(st->x))
		http_on_drained(st->x, export_drained, st);
	else
		export_taken(st);
}

static void export_tick(struct tick *tick)
{
	export_send(LINK_OF(tick, struct export_stream, tick));
}

static void export_free(struct export_stream *st)
{
	open_credential_drop(st->serve, st->bearer);
	pthread_mutex_destroy(&st->lock);
	pthread_cond_destroy(&st->moved);
	mem_free(st);
}

static void export_over(struct export_stream *st)
{
	struct serve *s = st->serve;
	struct request *r = st->request;

	pthread_join(st->thread, NULL);
	s->away--;
	s->exports--;
	if (st->x && !st->begun && r->task.job.err) {
		r->x = st->x;
		request_reply(r, STR_NONE);
	} else {
		export_cut(st);
		request_free(r);
	}
	export_free(st);
	serve_try_end(s);
}

static void export_news(struct post *post)
{
	struct export_stream *st = LINK_OF(post, struct export_stream, post);
	bool over;

	pthread_mutex_lock(&st->lock);
	over = st->over;
	st->posted = false;
	pthread_mutex_unlock(&st->lock);
	if (over)
		export_over(st);
	else
		export_send(st);
}

/* The request is the thread's from here on, its exchange ours. */
static void export_start(struct export_stream *st, struct request *r, int64_t ws)
{
	struct serve *s = r->serve;
	struct param *params = r->task.params;
	size_t len = r->task.params_len;

	request_renew(r);
	r->task.params = params;
	r->task.params_len = len;
	if (!r->task.job.has_hash) r->task.job.who.ws = ws;
	r->task.lines = &st->sink;
	st->x = r->x;
	r->x = NULL;
	http_on_gone(st->x, export_gone, st);
	s->away++;
	s->exports++;
	if (pthread_create(&st->thread, NULL, export_main, st) == 0) return;
	s->away--;
	s->exports--;
	r->x = st->x;
	export_free(st);
	request_refuse(r, ERR_MEMORY, "out of memory");
}

static void export_begun(struct request *r)
{
	struct serve *s = r->serve;
	struct export_stream *st;

	if (r->task.job.err || !r->x) {
		request_reply(r, STR_NONE);
		return;
	}
	st = mem_alloc(sizeof *st);
	if (!st || !open_credential_take(s, &r->task.job, &st->bearer)) {
		mem_free(st);
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	open_credential_known(s, st->bearer, &r->task.job);
	st->request = r;
	st->serve = s;
	st->role = r->task.job.who.role;
	st->tick.fn = export_tick;
	st->post.fn = export_news;
	st->sink = (struct export_sink){ export_put, st };
	pthread_mutex_init(&st->lock, NULL);
	pthread_cond_init(&st->moved, NULL);
	export_start(st, r, r->task.job.who.ws);
}

static void export_headed(struct request *r)
{
	if (r->task.job.err || !r->x)
		request_reply(r, STR_NONE);
	else
		request_send(r, 200, EXPORT_TYPE, STR(EXPORT_HEADERS), STR_NONE);
}

void route_export(struct request *r)
{
	if (r->serve->exports >= EXPORTS_AT_ONCE) {
		r->task.job.why.retry_after_s = 5;
		request_refuse(r, ERR_RATE, "%d exports are under way", EXPORTS_AT_ONCE);
	} else if (r->head) {
		request_put(r, &use_export, export_headed);
	} else {
		request_put(r, r->route->use, export_begun);
	}
}
