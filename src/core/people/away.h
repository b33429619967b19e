/* away.h - who is away, from when to when, and who stands in for them. */
#ifndef CORE_AWAY_H
#define CORE_AWAY_H

#include "base/json.h"
#include "core/people/people.h"

enum { AWAY_MAX_DAYS = 90, AWAY_NOTE_MAX = 500, AWAY_CHAIN_MAX = 3 };

struct away {
	int64_t from_ms, until_ms;
	struct str delegate; /* usr_…; empty: nobody stands in */
	struct str note;
	struct str by; /* usr_… who set it for them; empty: they did */
};

/* {"from"?, "until", "delegate"?, "note"?}; without `from` from now on. */
enum err away_read(
	const struct json *body, int64_t now_ms, struct away *out, struct fault *why);
/* As it was stored; false: they are not away at all, at any time. */
bool away_load(const struct user *, struct arena *, struct away *out);
struct str away_text(const struct away *, struct arena *);
static inline bool away_holds(const struct away *a, int64_t now_ms)
{
	return a->from_ms <= now_ms && now_ms < a->until_ms;
}

#endif
