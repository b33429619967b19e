/* rules.h - what the use cases about rules share. Private to desk. */
#ifndef DESK_RULES_H
#define DESK_RULES_H

#include "desk/policy/policy_snapshot.h"
#include "desk/shared/happened.h"

/* The rule of this id, in this batch; ERR_NOT_FOUND. */
enum err rule_find(struct task *, struct rows *, struct str id,
	const struct rule_record **out, struct fault *);
/* Adds it: id, maker and time are set here. ERR_CONFLICT: there are too many. */
enum err rule_add(struct task *, struct rows *, struct rule_record *like,
	const struct rule_record **out, struct fault *);

/* The next rule that this answer made and that holds, after `at` (NULL: the first). The first call
 * reads them. */
enum err rule_made_by(struct task *, struct rows *, const struct ask *,
	const struct rule_record **at, struct fault *);
/* Reactions: rules that were made with an approval end when it is taken back; those of a session end
 * with it. */
enum err rules_revoked(const struct happened *, struct fault *);
enum err rules_of_session(const struct happened *, struct fault *);

/* A past or open approval, as trying and warnings look at it. Borrowed for the call. */
struct past_approval {
	struct str id, agent;
	const struct json *operation;
	struct operation_view look; /* at it, as rules see it */
	enum ask_status status;
	bool approved, rejected;
	bool by_person; /* whoever settled it */
	bool sensitive;
	bool requires; /* more than a yes: votes, or another required question */
	int64_t created_ms;
};
typedef enum err past_fn(
	void *ctx, const struct past_approval *, struct arena *, struct fault *);

struct past_filter {
	struct str agent, project;
	int64_t from_ms, to_ms; /* created; 0: any */
	int64_t limit;
};
/* The last ones, newest first. */
enum err past_each(struct rows *, int64_t ws, const struct past_filter *, past_fn *,
	void *ctx, struct fault *);

#endif
