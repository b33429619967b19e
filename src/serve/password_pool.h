/* password_pool.h - password hashes (argon2id), which are slow on purpose: made in the pool, few at
 * once, and strangers take turns.
 *
 * At most PASSWORDS_AT_ONCE run, and one of an address. What has to wait stands in the queue of
 * its address, and the queues are served in turn: whoever sends many delays themselves. A queue that is
 * full, and more queues than fit, are refused: 429. A behind-the-proxy address is told by
 * X-Forwarded-For, which is believed from this machine only. */
#ifndef SERVE_PASSWORD_POOL_H
#define SERVE_PASSWORD_POOL_H

#include "base/password.h"
#include "base/str.h"
#include "net/http.h"

#include <sys/queue.h>

struct request;
struct serve;
struct password_queue;

enum { PASSWORDS_AT_ONCE = 2, QUEUE_MAX = 8, QUEUES_MAX = 64 };

struct password_pool {
	int running;
	int queues_len;
	TAILQ_HEAD(, password_queue) queues; /* in turn */
};

struct password_result {
	bool ok; /* it fits, or was made */
	char hash[PASSWORD_HASH_SIZE];
};

typedef void password_fn(struct request *, const struct password_result *);

/* Where it comes from: its peer, or whom a proxy on this machine names. */
void request_address(const struct request *, char out[PEER_SIZE]);
/* Is there room for one more of this address? False, and replied to: 429. */
bool password_pool_room(struct request *);
/* Does the password fit the hash? An empty hash takes as long, and does not. `then` gets
 * the request back; a request whose peer went meanwhile is freed. Texts live in its arena. */
void password_pool_verify(
	struct request *, struct str password, struct str hash, password_fn *then);
void password_pool_hash(struct request *, struct str password, password_fn *then);

#endif
