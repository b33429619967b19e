/* dialect.h - foreign shapes of asking, and the asks they become.
 *
 * A dialect is one file and one row in the table. Both ways lead from JSON to JSON: a
 * foreign request becomes the body of POST /v1/asks, and the ask as it is shown becomes
 * the foreign reply. The ask keeps the request whole, in its member "foreign":
 * {"dialect": …, "request": …, "repairs": […]}, so that nothing is lost on the way. Pure.
 */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/json.h"

enum { REPAIRS_MAX = 64 };

/* A request on its way in. */
struct inbound {
	const struct json *request;
	bool strict; /* nothing is mended: what breaks a rule is refused */
	struct arena *arena;
	struct json_writer *ask; /* the body is written here */
	struct str repairs[REPAIRS_MAX];
	size_t repairs_len;
};

/* An ask on its way out: settled, or pending where a dialect has something to say then.
 */
struct outbound {
	const struct json *ask;	    /* as GET /v1/asks/{id} shows it */
	const struct json *request; /* as it came */
	bool strict;
	struct arena *arena;
	struct json_writer *reply;
};

struct dialect {
	const char *name;
	/* Does it look like a request of ours? */
	bool (*detect)(const struct json *request);
	/* ERR_INVALID: cannot be understood; *why tells a model how to put it right. */
	enum err (*to_ask)(struct inbound *, struct fault *why);
	/* ERR_CONFLICT: still pending, and there is nothing to say before it is settled.
	 */
	enum err (*from_ask)(struct outbound *, struct fault *why);
	/* The reply as text for a model; NULL: the ask's summary is that. */
	void (*sum)(const struct outbound *, struct buf *text);
};

extern const struct dialect *const dialects[]; /* NULL ends it */

const struct dialect *dialect_find(struct str name); /* NULL: there is none */
const struct dialect *dialect_detect(const struct json *request);
/* Says what was mended, in words for a model. Repeats and those too many are dropped. */
void repaired(struct inbound *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What becomes of a request. */
struct translated {
	const struct json *body; /* of POST /v1/asks */
	struct str foreign; /* {"dialect", "request", "repairs"}, as the ask keeps it */
	const struct str *repairs;
	size_t repairs_len;
};
enum err dialect_to_ask(const struct dialect *, const struct json *request, bool strict,
	struct arena *, struct translated *out, struct fault *why);
/* The reply as JSON; empty when there is none yet. `ask` is the ask as shown; one that
 * came in another dialect, or in none, gets the reply it would have had in this one. */
enum err dialect_from_ask(const struct dialect *, const struct json *ask, bool strict,
	struct arena *, struct str *reply, struct fault *why);
/* The text for a model; empty while it is pending. */
struct str dialect_sum(
	const struct dialect *, const struct json *ask, bool strict, struct arena *);

#endif
