/* lease.h - which process holds a record, and until when; and how many slots one owner may
 * take. Pure rules, for any record that several processes could work on.
 *
 *     free ──claim──► held ──finish──► free
 *                     │  ▲
 *                     └──┴─renew         held past its end: lost, and free for another
 *
 * A holder says with every write that it still holds: what another has claimed meanwhile is no
 * longer its to change. */
#ifndef CORE_LEASE_H
#define CORE_LEASE_H

#include "base/str.h"

struct lease {
	struct str by;	  /* which process; empty: nobody */
	int64_t until_ms; /* 0: nobody */
};

/* May this process claim it: nobody holds it, or another's lease ran out? A process knows
 * what it holds itself, whatever the clock says: that is not free for it. */
bool lease_free(const struct lease *, struct str by, int64_t now_ms);
/* False: it is not free, and stays as it is. */
bool lease_claim(struct lease *, struct str by, int64_t now_ms, int64_t length_ms);
bool lease_holds(const struct lease *, struct str by);
/* False: it is not the process's any more, and stays as it is. */
bool lease_renew(struct lease *, struct str by, int64_t now_ms, int64_t length_ms);
/* Its lease ran out while another process held it. */
bool lease_lost(const struct lease *, struct str by, int64_t now_ms);

/* Would a claim find anything? A read, outside of the writers' turns, so that polling blocks
 * nobody. */
struct lease_due {
	struct str by;	 /* the process */
	int64_t next_ms; /* found: when the first is due; 0: nothing waits */
	bool due;	 /* found: it is now, by the store's clock */
};

/* May an owner that holds this many take one more of the free slots? No more than are left free:
 * of 16 slots one that never gives back gets 8, the next such 4, then 2 and 1, and those who come
 * after them still find one. */
bool lease_share_allows(int64_t held, int64_t free);

#endif
