/* rate.h - how often a minute one token may ask, decide, tell, …. A bucket that leaks evenly. */
#ifndef DESK_RATE_H
#define DESK_RATE_H

#include "base/table.h"

enum { RATE_KEY_SIZE = 64 };

struct rate {
	struct table buckets; /* key → struct bucket */
};

/* Takes one; false: none left, *retry_after_s says when. rate 0: no limit. Memory short:
 * lets it pass. */
bool rate_take(struct rate *, struct str key, int64_t a_minute, int64_t now_ms,
	int64_t *retry_after_s);
void rate_give_back(struct rate *, struct str key, int64_t a_minute);
void rate_done(struct rate *);

#endif
