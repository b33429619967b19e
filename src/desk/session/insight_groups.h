/* insight_groups.h - asks counted by agent, project, hour and question, and answers by person. Private
 * to desk. */
#ifndef DESK_INSIGHT_GROUPS_H
#define DESK_INSIGHT_GROUPS_H

#include "base/arena.h"
#include "base/json.h"
#include "base/table.h"
#include "core/ask/ask.h"
#include "desk/shared/durations.h"

/* Who asked and who answered one ask, and how it ended. */
struct insight_ask {
	struct str id, project, session;
	enum ask_kind kind;
	enum ask_status status;
	int64_t hour; /* of its asking, in the zone of who wants to know */
	/* As the statement has them, of the row. */
	struct str search, fixed, answer, session_status;
	struct str agent, agent_name;
	bool by_rule;
	struct str user, user_name, via; /* empty: no person answered it */
	bool decided, approved;		 /* an approval that was answered, and how */
	int64_t took_ms;		 /* of the person */
};

/* Of an agent, a project, an hour or a question: what was asked. Of a person: what they answered. */
struct insight_group {
	struct insight_group *next;
	struct str id, name;
	int64_t count, by_rules, by[ASK_CANCELLED + 1];
	int64_t decided, approved;
	struct durations took;
	void *more; /* of a person, of a question: what else is counted */
};

struct insight_groups {
	struct table by_id;
	struct insight_group *first;
	struct arena arena;
};

/* The group of this id, made when it is new; NULL: out of memory. */
struct insight_group *group_of(struct insight_groups *, struct str id, struct str name);
bool group_add(struct insight_group *, const struct insight_ask *);
typedef int group_order(
	const void *, const void *); /* of two pointers to groups, for qsort */
group_order groups_by_count;
/* The first 50 in this order; NULL: out of memory. */
struct insight_group **groups_sorted(struct insight_groups *, group_order *, size_t *len);
void group_write_median(struct json_writer *, struct insight_group *);

/* False: out of memory. */
bool agents_count(struct insight_groups *, const struct insight_ask *);
bool people_count(struct insight_groups *, const struct insight_ask *);
bool projects_count(struct insight_groups *, const struct insight_ask *);
bool hours_count(struct insight_groups *, const struct insight_ask *);
/* Arrays, the ones with most first, of at most 50. */
void agents_counted_write(struct json_writer *, struct insight_groups *, int64_t ws);
void people_counted_write(struct json_writer *, struct insight_groups *);
void projects_counted_write(struct json_writer *, struct insight_groups *);
/* All 24. */
void hours_counted_write(struct json_writer *, struct insight_groups *);
void groups_done(struct insight_groups *);

#endif
