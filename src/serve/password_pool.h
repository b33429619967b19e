/* password_pool.h - password sums (argon2id), which are slow on purpose: made in the pool, few at
 * once, and strangers take turns.
 *
 * At most SUMS_AT_ONCE run, and one of an address. What has to wait stands in the lane of
 * its address, and the lanes are served in turn: whoever sends many delays themselves. A lane that is
 * full, and more lanes than fit, are refused: 429. A behind-the-proxy address is told by
 * X-Forwarded-For, which is believed from this machine only. */
#ifndef SERVE_PASSWORD_POOL_H
#define SERVE_PASSWORD_POOL_H

#include "base/password.h"
#include "base/str.h"
#include "net/http.h"

#include <sys/queue.h>

struct request;
struct serve;
struct sum_lane;

enum { SUMS_AT_ONCE = 2, LANE_MAX = 8, LANES_MAX = 64 };

struct password_pool {
	int running;
	int lanes_len;
	TAILQ_HEAD(, sum_lane) lanes; /* in turn */
};

struct sum {
	bool ok; /* it fits, or was made */
	char hash[PASSWORD_HASH_SIZE];
};

typedef void sum_fn(struct request *, const struct sum *);

/* Where it comes from: its peer, or whom a proxy on this machine names. */
void request_address(const struct request *, char out[PEER_SIZE]);
/* Is there room for one more of this address? False, and replied to: 429. */
bool sum_room(struct request *);
/* Does the password fit the hash? An empty hash takes as long, and does not. `then` gets
 * the request back; a request whose peer went meanwhile is freed. Texts live in its arena. */
void sum_verify(struct request *, struct str password, struct str hash, sum_fn *then);
void sum_hash(struct request *, struct str password, sum_fn *then);

#endif
