/* insight_groups.h - asks counted by agent, and answers by person. Private to desk. */
#ifndef DESK_INSIGHT_GROUPS_H
#define DESK_INSIGHT_GROUPS_H

#include "base/arena.h"
#include "base/json.h"
#include "base/table.h"

struct durations {
	int64_t *ms;
	size_t len, cap;
};

bool durations_add(struct durations *, int64_t ms); /* false: out of memory */
void durations_sort(int64_t *ms, size_t len);
/* So many percent took at most this long, or null. They are sorted. */
void durations_part_write(
	struct json_writer *, const int64_t *sorted, size_t len, size_t percent);
void durations_done(struct durations *);

/* Who asked and who answered one ask. */
struct insight_ask {
	struct str agent, agent_name;
	bool by_rule;
	struct str user, user_name, via; /* empty: no person answered it */
	bool decided, approved;		 /* an approval that was answered, and how */
	int64_t took_ms;		 /* of the person */
};

struct insight_groups {
	struct table by_id;
	struct insight_group *first;
	struct arena arena;
};

/* False: out of memory. */
bool agents_count(struct insight_groups *, const struct insight_ask *);
bool people_count(struct insight_groups *, const struct insight_ask *);
/* Arrays, the ones with most first, of at most 50. */
void agents_counted_write(struct json_writer *, struct insight_groups *, int64_t ws);
void people_counted_write(struct json_writer *, struct insight_groups *);
void groups_done(struct insight_groups *);

#endif
