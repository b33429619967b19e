/* rehearsal.c - what other rules would have made of operations that were, counted. */
#include "core/policy/rehearsal.h"

bool rehearsal_add(struct rehearsal *r, const struct rehearsed *one)
{
	r->operations++;
	r->was[one->was]++;
	r->would[one->would]++;
	r->ran_though_rejected += one->would == EFFECT_ALLOW && one->rejected;
	r->stopped_though_approved += one->would == EFFECT_DENY && one->approved;
	return one->was != one->would;
}

static void effects_write(
	struct json_writer *w, const char *name, const int64_t by[EFFECT_DENY + 1])
{
	jw_put_object(w, name);
	jw_put_int(w, "asked", by[EFFECT_ASK]);
	jw_put_int(w, "allowed", by[EFFECT_ALLOW]);
	jw_put_int(w, "denied", by[EFFECT_DENY]);
	jw_object_end(w);
}

void rehearsal_write(struct json_writer *w, const struct rehearsal *r, bool truncated)
{
	jw_put_int(w, "operations", r->operations);
	jw_put_bool(w, "truncated", truncated);
	effects_write(w, "was", r->was);
	effects_write(w, "would", r->would);
	jw_put_int(w, "ran_though_rejected", r->ran_though_rejected);
	jw_put_int(w, "stopped_though_approved", r->stopped_though_approved);
}
