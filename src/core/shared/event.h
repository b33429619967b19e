/* event.h - what happened, numbered 1, 2, 3 … in a workspace, and chained by hashes. */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include "base/hash.h"
#include "base/json.h"

struct event {
	int64_t ws;
	int64_t n;	  /* 0 until the clerk numbers it */
	int64_t place;	  /* its key in the store: event_place(ws, n) */
	const char *type; /* "ask.created": always one of event_types */
	int64_t at_ms;
	struct str session; /* ids; empty: none */
	struct str ask;
	struct str run;
	struct str agent;	     /* whose: agents see their own only */
	struct str data;	     /* a JSON object; "" once its session was deleted */
	uint8_t digest[SHA256_SIZE]; /* of data as it was */
	uint8_t hash[SHA256_SIZE];   /* of the hash before it and all but data */
};

extern const char *const event_types[];		/* NULL-terminated */
const char *event_type_find(struct str);	/* the constant, or NULL */
bool event_is_settlement(const struct event *); /* an ask was settled */

/* One number for both, so that the log grows at the end of a table with a short key. Events of a
 * workspace are numbered from 1; what is no such number stands before or behind all of them. */
static inline int64_t event_place(int64_t ws, int64_t n)
{
	const int64_t room = (int64_t)1 << 40;

	return ws * room + (n < 0 ? 0 : n < room ? n : room - 1);
}

/* Fills digest (from data) and hash. The chain starts from 32 zero bytes. */
void event_seal(struct event *, const uint8_t before[SHA256_SIZE]);
/* The hash again, from the digest as stored: for checking. */
void event_hash(const struct event *, const uint8_t before[SHA256_SIZE],
	uint8_t out[SHA256_SIZE]);
/* As it was before schema step 4: without the agent. */
void event_hash_old(const struct event *, const uint8_t before[SHA256_SIZE],
	uint8_t out[SHA256_SIZE]);
/* About users, tokens, logins, teams or settings: for admins. */
bool event_of_people(const char *type);
/* {id, type, at, session, ask?, run?, data} */
void event_write(struct json_writer *, const struct event *);

/* What a reader wants to see. */
struct event_filter {
	struct str session; /* empty: any */
	struct str agent;   /* empty: any */
	struct str types;   /* ",ask.created,ask.answered," or empty: any */
	bool not_people;    /* those of people are left out */
};
bool event_passes(const struct event *, const struct event_filter *);
/* "ask.created,ask.answered" → ",ask.created,…,"; ERR_INVALID for an unknown type. */
enum err event_types_read(
	struct str list, struct arena *, struct str *out, struct fault *);

#endif
