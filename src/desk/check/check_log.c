/* check_log.c - the log of one workspace: numbered without gap, each event's hash over the
 * one before, and its data as it was hashed. */
#include "desk/check/check.h"

#include <stdio.h>

enum { LOG_PAGE = 1000 };

struct log_pass {
	struct checking *c;
	struct arena arena; /* of one page */
	int64_t after;	    /* where the next page starts */
	int64_t last;	    /* number of the event before */
	uint8_t hash[SHA256_SIZE];
	struct log_emptied *emptied;
};

/* An event without data: its session must be gone. */
struct log_emptied {
	struct log_emptied *next;
	int64_t n;
	struct str session;
};

static void log_found(struct log_pass *p, int64_t n, const char *what)
{
	char record[32];

	snprintf(record, sizeof record, "event %lld", (long long)n);
	check_found(p->c, str_of(record), "%s", what);
}

static enum err log_data(struct log_pass *p, const struct event *e, struct fault *why)
{
	struct log_emptied *gone;
	uint8_t digest[SHA256_SIZE];

	if (e->data.len) {
		sha256(e->data, digest);
		if (memcmp(digest, e->digest, SHA256_SIZE) != 0)
			log_found(p, e->n, "its data was changed");
		return OK;
	}
	p->c->emptied++;
	gone = ARENA_NEW(&p->arena, struct log_emptied);
	if (!gone) return fail_memory(why);
	*gone = (struct log_emptied){ p->emptied, e->n, e->session };
	p->emptied = gone;
	return OK;
}

static void log_gap(struct log_pass *p, int64_t n)
{
	if (n == p->last + 1) return;
	if (n == p->last + 2)
		log_found(p, p->last + 1, "it is missing");
	else if (n > p->last)
		check_found(p->c, STR("events"), "%lld to %lld are missing",
			(long long)p->last + 1, (long long)n - 1);
	else
		log_found(p, n, "its number is out of order");
}

/* After a break the chain goes on from the hash that is stored: what follows is looked at,
 * too. */
static enum err log_row(void *ctx, const struct row *row, struct fault *why)
{
	struct log_pass *p = ctx;
	uint8_t hash[SHA256_SIZE];
	struct str stored = row_text(row, EVENT_HASH_AT);
	struct event e;
	enum err err = event_from_row(row, &p->arena, &e, why);
	int64_t n = row_int(row, EVENT_N_AT);

	if (err && err != ERR_INTERNAL) return err;
	log_gap(p, n);
	p->last = n;
	p->after = row_int(row, EVENT_PLACE_AT);
	p->c->events++;
	if (err) {
		log_found(p, n, why ? why->detail : "it cannot be read");
		if (stored.len == SHA256_SIZE) memcpy(p->hash, stored.at, SHA256_SIZE);
		return OK;
	}
	if (check_is_old(p->c, &e))
		event_hash_old(&e, p->hash, hash);
	else
		event_hash(&e, p->hash, hash);
	if (memcmp(hash, e.hash, SHA256_SIZE) != 0)
		log_found(p, n, "it does not follow from the one before");
	memcpy(p->hash, e.hash, SHA256_SIZE);
	return log_data(p, &e, why);
}

static enum err log_emptied(struct log_pass *p, struct fault *why)
{
	enum err e = OK;

	for (struct log_emptied *g = p->emptied; !e && g; g = g->next) {
		int64_t there = 0;

		e = rows_int(p->c->rows, SQL_SESSION_EXISTS, ARGS(p->c->ws, g->session),
			&there, why);
		if (!e && (there || !g->session.len))
			log_found(p, g->n, "its data is gone");
	}
	p->emptied = NULL;
	return e;
}

enum err check_log(struct checking *c, struct fault *why)
{
	struct log_pass p = { .c = c, .after = event_place(c->ws, 0) };
	int64_t seen;
	enum err e = OK;

	do {
		seen = c->events;
		e = rows_query(c->rows, SQL_EVENTS_CHAIN,
			ARGS(p.after, event_place(c->ws, INT64_MAX), LOG_PAGE), log_row,
			&p, why);
		if (!e) e = log_emptied(&p, why);
		arena_done(&p.arena);
		check_step(c, c->events - seen);
	} while (!e && c->events - seen == LOG_PAGE);
	if (e) return e;
	if (p.last != c->last_event || c->old_events > p.last)
		check_found(c, STR("events"),
			"the log ends at %lld, its counter says %lld", (long long)p.last,
			(long long)c->last_event);
	else if (c->last_hash.len != SHA256_SIZE ||
		 memcmp(c->last_hash.at, p.hash, SHA256_SIZE) != 0)
		check_found(c, STR("events"), "the last hash is not the counter's");
	return OK;
}
