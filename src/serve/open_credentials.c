/* open_credentials.c - the credentials behind open waits and streams, and their second look. */
#include "serve/open_credentials.h"

#include "serve/inner.h"

#include "base/clock.h"
#include "base/mem.h"

static void recheck_run(struct serve *);

static struct str open_credential_key(const uint8_t hash[SHA256_SIZE])
{
	return str_make((const char *)hash, SHA256_SIZE);
}

bool open_credential_take(
	struct serve *s, const struct job *job, struct open_credential **out)
{
	struct open_credential *b;

	*out = NULL;
	if (!job->has_hash) return true;
	b = table_get(&s->bearers, open_credential_key(job->hash));
	if (!b) {
		b = mem_alloc(sizeof *b);
		if (!b) return false;
		memcpy(b->hash, job->hash, SHA256_SIZE);
		if (!table_put(&s->bearers, open_credential_key(b->hash), b)) {
			mem_free(b);
			return false;
		}
	}
	b->refs++;
	*out = b;
	return true;
}

void open_credential_drop(struct serve *s, struct open_credential *b)
{
	if (!b || --b->refs) return;
	table_remove(&s->bearers, open_credential_key(b->hash));
	mem_free(b);
}

void open_credential_known(
	struct serve *s, struct open_credential *b, const struct job *job)
{
	if (!b) return;
	b->ws = job->who.ws;
	b->expires_ms = job->credential.expires_ms;
	/* The job may have read the role before or after the last lookup: look again. */
	b->due = b->due || (b->role && b->role != job->who.role);
	b->role = job->who.role;
	if (b->due) recheck_run(s);
}

bool open_credential_doubtful(const struct open_credential *b)
{
	return b && (b->due || b->asked || b->ended ||
			    (b->expires_ms && b->expires_ms <= clock_now_ms()));
}

enum err open_credential_refuse(struct fault *why)
{
	return fail(why, ERR_NO_TOKEN, "this token has expired or was revoked");
}

void open_credential_sign(
	const struct open_credential *b, enum role role, int64_t ws, struct job *job)
{
	job->has_hash = b != NULL;
	if (b) {
		memcpy(job->hash, b->hash, SHA256_SIZE);
	} else {
		job->who.role = role;
		job->who.ws = ws;
	}
}

/* ---- the second look ---- */

struct second_look {
	struct recheck recheck;
	struct open_credential **bearers; /* a reference to each */
};

static void recheck_tick(struct tick *tick)
{
	recheck_run(LINK_OF(tick, struct serve, recheck_tick));
}

static bool hold_ended(const struct waiter *w, void *ctx)
{
	const struct open_credential *b = hold_bearer(w);

	(void)ctx;
	return b && b->ended;
}

static void rechecked(struct request *r)
{
	struct serve *s = r->serve;
	struct second_look *look = r->ctx;
	bool failed = r->task.job.err != OK, any = false;

	for (size_t i = 0; i < look->recheck.len; i++) {
		struct open_credential *b = look->bearers[i];

		b->asked = false;
		if (failed) {
			b->due = true;
			continue;
		}
		any |= !look->recheck.roles[i] || b->role != look->recheck.roles[i];
		b->role = look->recheck.roles[i];
		b->ended = b->ended || !b->role;
	}
	if (any) {
		feed_expel(&s->feed, hold_ended, NULL, hold_expelled);
		streams_expel(s);
	}
	for (size_t i = 0; i < look->recheck.len; i++)
		open_credential_drop(s, look->bearers[i]);
	request_free(r);
	s->rechecking = false;
	if (failed)
		tick_set(s->loop, &s->recheck_tick, AGAIN_MS);
	else
		recheck_run(s);
}

static size_t open_credentials_due(struct serve *s)
{
	size_t at = 0, n = 0;
	struct str key;
	void *b;

	while (table_next(&s->bearers, &at, &key, &b))
		n += ((struct open_credential *)b)->due;
	return n;
}

static struct second_look *look_new(struct serve *s, struct arena *arena, size_t len)
{
	struct second_look *look = ARENA_NEW(arena, struct second_look);
	size_t at = 0, n = 0;
	struct str key;
	void *value;

	if (!look) return NULL;
	look->bearers = ARENA_ARRAY(arena, struct open_credential *, len);
	look->recheck.hashes = arena_array(arena, len, SHA256_SIZE);
	look->recheck.roles = ARENA_ARRAY(arena, enum role, len);
	if (!look->bearers || !look->recheck.hashes || !look->recheck.roles) return NULL;
	while (table_next(&s->bearers, &at, &key, &value)) {
		struct open_credential *b = value;

		if (!b->due) continue;
		b->due = false;
		b->asked = true;
		b->refs++;
		memcpy(look->recheck.hashes[n], b->hash, SHA256_SIZE);
		look->bearers[n++] = b;
	}
	look->recheck.len = n;
	return look;
}

/* One at a time: what comes to be due meanwhile is looked up after it. */
static void recheck_run(struct serve *s)
{
	size_t len = s->rechecking ? 0 : open_credentials_due(s);
	struct request *r;

	if (!len) return;
	s->recheck_tick.fn = recheck_tick;
	r = request_new(s, NULL);
	if (r) r->ctx = look_new(s, &r->task.job.arena, len);
	if (!r || !r->ctx) {
		request_free(r);
		tick_set(s->loop, &s->recheck_tick, AGAIN_MS);
		return;
	}
	r->task.recheck = &((struct second_look *)r->ctx)->recheck;
	s->rechecking = true;
	request_put(r, &use_recheck, rechecked);
}

void open_credentials_recheck(struct serve *s, int64_t ws)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&s->bearers, &at, &key, &value)) {
		struct open_credential *b = value;

		if (!b->ws || b->ws == ws) b->due = true;
	}
	recheck_run(s);
}

/* ---- of other nodes ---- */

/* What was last heard of a workspace. */
struct heard {
	int64_t ws; /* its bytes are the key */
	int64_t revocations;
};

static struct str heard_key(const int64_t *ws)
{
	return str_make((const char *)ws, sizeof *ws);
}

/* True: somebody lost a right since the last time, or that is not known. */
static bool heard_more(struct serve *s, int64_t ws, int64_t revocations)
{
	struct heard *h = table_get(&s->heard, heard_key(&ws));
	bool more = !h || h->revocations != revocations;

	if (!h && (h = mem_alloc(sizeof *h))) {
		h->ws = ws;
		if (!table_put(&s->heard, heard_key(&h->ws), h)) {
			mem_free(h);
			return true;
		}
	}
	if (h) h->revocations = revocations;
	return more;
}

void open_credentials_told(struct serve *s, const struct committed *told)
{
	if (!told || told->elsewhere || !desk_is_shared(s->desk)) return;
	for (size_t i = 0; i < told->len; i++) {
		const struct committed_event *e = &told->events[i];

		if (heard_more(s, e->event.ws, e->revocations))
			open_credentials_recheck(s, e->event.ws);
	}
}

void open_credentials_done(struct serve *s)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&s->heard, &at, &key, &value))
		mem_free(value);
	table_done(&s->heard);
	table_done(&s->bearers);
}
