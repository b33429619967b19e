/* lease.c - claim, renew, lost. */
#include "core/delivery/lease.h"

bool lease_free(const struct lease *l, struct str by, int64_t now_ms)
{
	return !l->by.len || (l->until_ms <= now_ms && !str_eq(l->by, by));
}

bool lease_claim(struct lease *l, struct str by, int64_t now_ms, int64_t length_ms)
{
	if (!by.len || !lease_free(l, by, now_ms)) return false;
	*l = (struct lease){ by, now_ms + length_ms };
	return true;
}

bool lease_holds(const struct lease *l, struct str by)
{
	return by.len && str_eq(l->by, by);
}

bool lease_renew(struct lease *l, struct str by, int64_t now_ms, int64_t length_ms)
{
	if (!lease_holds(l, by)) return false;
	l->until_ms = now_ms + length_ms;
	return true;
}

bool lease_lost(const struct lease *l, struct str by, int64_t now_ms)
{
	return l->by.len && l->until_ms <= now_ms && !str_eq(l->by, by);
}

bool lease_share_allows(int64_t held, int64_t free)
{
	return held < free;
}
