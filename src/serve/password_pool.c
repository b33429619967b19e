/* password_pool.c - password hashes in the pool, by turns. */
#include "serve/password_pool.h"

#include "serve/inner.h"

#include "base/mem.h"

#include <uv.h>

struct password_work {
	uv_work_t work;
	STAILQ_ENTRY(password_work) others; /* of its queue */
	struct password_queue *queue;
	struct request *request;
	struct str password, against;
	bool verify;
	struct password_result result;
	password_fn *then;
};

struct password_queue {
	TAILQ_ENTRY(password_queue) others;
	STAILQ_HEAD(, password_work) works;
	int len;
	bool running; /* one of it is in the pool */
	char address[PEER_SIZE];
};

/* ---- whose turn ---- */

static bool is_this_machine(const char *address)
{
	return !address[0] || strncmp(address, "127.", 4) == 0 ||
	       strcmp(address, "::") == 0 || strncmp(address, "::ffff:127.", 11) == 0;
}

/* The last address of the header is the one that the nearest proxy saw. */
void request_address(const struct request *r, char out[PEER_SIZE])
{
	const struct http_request *h = http_request(r->x);
	struct str list = h ? http_header(h, "x-forwarded-for") : STR_NONE, one,
		   last = STR_NONE;

	http_peer(r->x, out);
	if (!list.len || !is_this_machine(out)) return;
	while (str_cut(&list, ',', &one))
		last = str_trim(one);
	last = str_first(last, PEER_SIZE - 1);
	memcpy(out, last.at, last.len);
	out[last.len] = '\0';
}

static struct password_queue *password_queue_find(
	struct password_pool *s, const char *address)
{
	for (struct password_queue *l = TAILQ_FIRST(&s->queues); l;
		l = TAILQ_NEXT(l, others))
		if (strcmp(l->address, address) == 0) return l;
	return NULL;
}

static struct password_queue *password_queue_new(
	struct password_pool *s, const char *address)
{
	struct password_queue *l =
		s->queues_len < QUEUES_MAX ? mem_alloc(sizeof *l) : NULL;

	if (!l) return NULL;
	memcpy(l->address, address, sizeof l->address);
	STAILQ_INIT(&l->works);
	TAILQ_INSERT_TAIL(&s->queues, l, others);
	s->queues_len++;
	return l;
}

static void password_queue_tidy(struct password_pool *s, struct password_queue *l)
{
	if (l->running || !STAILQ_EMPTY(&l->works)) return;
	TAILQ_REMOVE(&s->queues, l, others);
	s->queues_len--;
	mem_free(l);
}

/* False: too many wait. */
static bool password_queue_put(
	struct password_pool *s, const char *address, struct password_work *w)
{
	struct password_queue *l = password_queue_find(s, address);

	if (!l) l = password_queue_new(s, address);
	if (!l || l->len == QUEUE_MAX) return false;
	STAILQ_INSERT_TAIL(&l->works, w, others);
	w->queue = l;
	l->len++;
	return true;
}

/* The next one of the queue whose turn it is; the queue goes behind the others, and has no
 * other turn before this one is done. */
static struct password_work *password_queue_take(struct password_pool *s)
{
	struct password_queue *l = TAILQ_FIRST(&s->queues);
	struct password_work *w;

	while (l && (l->running || STAILQ_EMPTY(&l->works)))
		l = TAILQ_NEXT(l, others);
	if (!l) return NULL;
	w = STAILQ_FIRST(&l->works);
	STAILQ_REMOVE_HEAD(&l->works, others);
	l->len--;
	l->running = true;
	TAILQ_REMOVE(&s->queues, l, others);
	TAILQ_INSERT_TAIL(&s->queues, l, others);
	return w;
}

/* ---- the pool ---- */

static void password_pool_run(struct serve *);

static void work_do(uv_work_t *work)
{
	struct password_work *w = work->data;

	w->result.ok = w->verify ? password_fits(w->password, w->against)
				 : password_hash(w->password, w->result.hash);
}

static void work_end(struct password_work *w, bool made)
{
	struct request *r = w->request;
	struct serve *s = r->serve;

	s->away--;
	w->queue->running = false;
	password_queue_tidy(&s->passwords, w->queue);
	if (!r->x)
		request_free(r);
	else if (made)
		w->then(r, &w->result);
	else
		request_refuse(r, ERR_UNAVAILABLE, "try again");
	mem_free(w);
	serve_try_end(s);
}

static void work_done(uv_work_t *work, int status)
{
	struct password_work *w = work->data;
	struct serve *s = w->request->serve;

	s->passwords.running--;
	work_end(w, status == 0);
	password_pool_run(s);
}

static void password_pool_run(struct serve *s)
{
	while (s->passwords.running < PASSWORDS_AT_ONCE) {
		struct password_work *w = password_queue_take(&s->passwords);

		if (!w) return;
		/* Nobody is left to hear of it. */
		if (!w->request->x ||
			uv_queue_work(loop_uv(s->loop), &w->work, work_do, work_done)) {
			work_end(w, false);
			continue;
		}
		s->passwords.running++;
	}
}

static void password_refuse(struct request *r)
{
	r->task.job.why.retry_after_s = 1;
	request_refuse(r, ERR_RATE, "too many passwords are being checked");
}

bool password_pool_room(struct request *r)
{
	struct password_pool *s = &r->serve->passwords;
	const struct password_queue *l;
	char address[PEER_SIZE];

	request_address(r, address);
	l = password_queue_find(s, address);
	if (l ? l->len < QUEUE_MAX : s->queues_len < QUEUES_MAX) return true;
	password_refuse(r);
	return false;
}

static void password_put(struct request *r, const struct password_work *like)
{
	struct password_work *w = r->x ? mem_alloc(sizeof *w) : NULL;
	struct serve *s = r->serve;
	char address[PEER_SIZE];

	if (!w) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	*w = *like;
	w->work.data = w;
	w->request = r;
	request_address(r, address);
	if (!password_queue_put(&s->passwords, address, w)) {
		mem_free(w);
		password_refuse(r);
		return;
	}
	s->away++;
	password_pool_run(s);
}

void password_pool_verify(
	struct request *r, struct str password, struct str hash, password_fn *then)
{
	password_put(r, &(struct password_work){ .password = password,
				.against = hash,
				.verify = true,
				.then = then });
}

void password_pool_hash(struct request *r, struct str password, password_fn *then)
{
	password_put(r, &(struct password_work){ .password = password, .then = then });
}
