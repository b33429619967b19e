/* dialect.h - foreign shapes of asking, and the asks they become.
 *
 * A dialect is one file and one row in the table. A foreign request becomes the body of
 * POST /v1/asks, and the ask becomes the foreign reply. The ask keeps the request whole, in
 * its member "foreign": {"dialect": …, "request": …, "repairs": […]}, so that nothing is
 * lost on the way. Pure, but for one look at the clock where a request names an instant. */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/json.h"
#include "core/ask/ask.h"

struct inbound;	      /* a request on its way in */
struct foreign_reply; /* an ask on its way out */

struct dialect {
	const char *name;
	/* Writes the ask. What cannot be understood is noted as wrong, in words that tell
	 * a model how to put it right. */
	void (*to_ask)(struct inbound *);
	/* Writes the members of the reply to an ask that is settled. */
	void (*from_ask)(struct foreign_reply *);
	bool replies_list; /* the reply is an array, and those are its items */
	/* Writes those of what it says while the ask is pending; NULL: nothing. */
	void (*at_once)(struct foreign_reply *);
	/* The reply as text for a model; NULL: the ask's summary is that. */
	void (*sum)(struct foreign_reply *, struct buf *text);
};

extern const struct dialect *const dialects[]; /* NULL ends it */

const struct dialect *dialect_find(struct str name); /* NULL: there is none */
/* All names, as "a, b or c"; in the arena. */
struct str dialect_names(struct arena *);

enum { REPAIRS_MAX = 64 };

/* What becomes of a request. */
struct translated {
	const struct json *body; /* of POST /v1/asks */
	struct str foreign; /* {"dialect", "request", "repairs"}, as the ask keeps it */
	const struct str *repairs; /* what was mended, in words for a model */
	size_t repairs_len;
};
/* `strict`: nothing is mended, what breaks a rule is refused. ERR_INVALID: *why has the
 * pointers into the request. */
enum err dialect_to_ask(const struct dialect *, const struct json *request, bool strict,
	struct arena *, struct translated *out, struct fault *why);
/* The reply as JSON; empty when there is none yet. An ask that came in another dialect, or
 * in none, gets the reply it would have had in this one. What came strictly is answered
 * strictly, whatever `strict` says. */
enum err dialect_from_ask(const struct dialect *, const struct ask_json *, bool strict,
	struct arena *, struct str *reply, struct fault *why);
/* The text for a model; empty while it is pending. */
struct str dialect_sum(
	const struct dialect *, const struct ask_json *, bool strict, struct arena *);

#endif
