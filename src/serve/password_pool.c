/* password_pool.c - password sums in the pool, by turns. */
#include "serve/password_pool.h"

#include "serve/inner.h"

#include "base/mem.h"

#include <uv.h>

struct sum_work {
	uv_work_t work;
	STAILQ_ENTRY(sum_work) others; /* of its lane */
	struct sum_lane *lane;
	struct request *request;
	struct str password, against;
	bool verify;
	struct sum sum;
	sum_fn *then;
};

struct sum_lane {
	TAILQ_ENTRY(sum_lane) others;
	STAILQ_HEAD(, sum_work) works;
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

static struct sum_lane *lane_find(struct password_pool *s, const char *address)
{
	for (struct sum_lane *l = TAILQ_FIRST(&s->lanes); l; l = TAILQ_NEXT(l, others))
		if (strcmp(l->address, address) == 0) return l;
	return NULL;
}

static struct sum_lane *lane_new(struct password_pool *s, const char *address)
{
	struct sum_lane *l = s->lanes_len < LANES_MAX ? mem_alloc(sizeof *l) : NULL;

	if (!l) return NULL;
	memcpy(l->address, address, sizeof l->address);
	STAILQ_INIT(&l->works);
	TAILQ_INSERT_TAIL(&s->lanes, l, others);
	s->lanes_len++;
	return l;
}

static void lane_tidy(struct password_pool *s, struct sum_lane *l)
{
	if (l->running || !STAILQ_EMPTY(&l->works)) return;
	TAILQ_REMOVE(&s->lanes, l, others);
	s->lanes_len--;
	mem_free(l);
}

/* False: too many wait. */
static bool lane_put(struct password_pool *s, const char *address, struct sum_work *w)
{
	struct sum_lane *l = lane_find(s, address);

	if (!l) l = lane_new(s, address);
	if (!l || l->len == LANE_MAX) return false;
	STAILQ_INSERT_TAIL(&l->works, w, others);
	w->lane = l;
	l->len++;
	return true;
}

/* The next one of the lane whose turn it is; the lane goes behind the others, and has no
 * other turn before this one is done. */
static struct sum_work *lane_take(struct password_pool *s)
{
	struct sum_lane *l = TAILQ_FIRST(&s->lanes);
	struct sum_work *w;

	while (l && (l->running || STAILQ_EMPTY(&l->works)))
		l = TAILQ_NEXT(l, others);
	if (!l) return NULL;
	w = STAILQ_FIRST(&l->works);
	STAILQ_REMOVE_HEAD(&l->works, others);
	l->len--;
	l->running = true;
	TAILQ_REMOVE(&s->lanes, l, others);
	TAILQ_INSERT_TAIL(&s->lanes, l, others);
	return w;
}

/* ---- the pool ---- */

static void password_pool_run(struct serve *);

static void work_do(uv_work_t *work)
{
	struct sum_work *w = work->data;

	w->sum.ok = w->verify ? password_fits(w->password, w->against)
			      : password_hash(w->password, w->sum.hash);
}

static void work_end(struct sum_work *w, bool made)
{
	struct request *r = w->request;
	struct serve *s = r->serve;

	s->away--;
	w->lane->running = false;
	lane_tidy(&s->sums, w->lane);
	if (!r->x)
		request_free(r);
	else if (made)
		w->then(r, &w->sum);
	else
		request_refuse(r, ERR_UNAVAILABLE, "try again");
	mem_free(w);
	serve_try_end(s);
}

static void work_done(uv_work_t *work, int status)
{
	struct sum_work *w = work->data;
	struct serve *s = w->request->serve;

	s->sums.running--;
	work_end(w, status == 0);
	password_pool_run(s);
}

static void password_pool_run(struct serve *s)
{
	while (s->sums.running < SUMS_AT_ONCE) {
		struct sum_work *w = lane_take(&s->sums);

		if (!w) return;
		/* Nobody is left to hear of it. */
		if (!w->request->x ||
			uv_queue_work(loop_uv(s->loop), &w->work, work_do, work_done)) {
			work_end(w, false);
			continue;
		}
		s->sums.running++;
	}
}

static void sum_refuse(struct request *r)
{
	r->task.job.why.retry_after_s = 1;
	request_refuse(r, ERR_RATE, "too many passwords are being checked");
}

bool sum_room(struct request *r)
{
	struct password_pool *s = &r->serve->sums;
	const struct sum_lane *l;
	char address[PEER_SIZE];

	request_address(r, address);
	l = lane_find(s, address);
	if (l ? l->len < LANE_MAX : s->lanes_len < LANES_MAX) return true;
	sum_refuse(r);
	return false;
}

static void sum_put(struct request *r, const struct sum_work *like)
{
	struct sum_work *w = r->x ? mem_alloc(sizeof *w) : NULL;
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
	if (!lane_put(&s->sums, address, w)) {
		mem_free(w);
		sum_refuse(r);
		return;
	}
	s->away++;
	password_pool_run(s);
}

void sum_verify(struct request *r, struct str password, struct str hash, sum_fn *then)
{
	sum_put(r, &(struct sum_work){ .password = password,
			   .against = hash,
			   .verify = true,
			   .then = then });
}

void sum_hash(struct request *r, struct str password, sum_fn *then)
{
	sum_put(r, &(struct sum_work){ .password = password, .then = then });
}
