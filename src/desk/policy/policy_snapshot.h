/* policy_snapshot.h - the rules, stops and the policy of a workspace, read once and taken apart, as
 * decisions need them.
 *
 * A snapshot belongs to one version of its workspace's policy. The writing clerk keeps snapshots in
 * memory and uses one only in a transaction that read the same version (store/rows.h,
 * rows_policy_seen); if another node changes the version before the commit, the batch is void.
 * So nothing is allowed after the end of a rule was acknowledged, on any node. */
#ifndef DESK_POLICY_SNAPSHOT_H
#define DESK_POLICY_SNAPSHOT_H

#include "core/policy/mandate.h"
#include "core/policy/policy.h"
#include "desk/shared/inner.h"

struct policy_snapshot {
	int64_t ws, version;
	/* That changed it, and alone may use it; 0: as it is in the store. */
	uint64_t batch;
	struct arena arena;
	struct rule_record *rules;
	size_t rules_len;
	/* As they were loaded; those that may be used a number of times only. */
	struct counted_rule {
		struct rule_record *rule;
		int64_t uses_left;
	} * counted;
	size_t counted_len;
	struct rule_set *set;
	struct stop_record *stops;
	struct rule_match *stop_matches;
	size_t stops_len;
	/* Those that are live, and their lines. What is left of them is in the rows. */
	struct mandate_record *mandates;
	struct mandate_lines *mandate_lines;
	size_t mandates_len;
	struct policy_record kept; /* version 0: the default */
	struct policy policy;
	/* The one that it took the place of, whose texts that batch may still have to write. */
	struct policy_snapshot *before;
	uint64_t since; /* the batch */
};

struct policy_snapshot *snapshot_free(
	struct policy_snapshot *); /* NULL is fine; returns NULL */

/* The snapshot that this batch decides by; borrowed until the batch is written. */
enum err snapshot_of(struct task *, struct rows *, int64_t ws,
	struct policy_snapshot **out, struct fault *);
void snapshots_done(struct desk *);
/* As if these rules were there, too, those had ended, and this were the policy (JSON; empty: as it
 * is). */
struct snapshot_change {
	const struct rule_record *add;
	size_t add_len;
	const struct str *end;
	size_t end_len;
	struct str policy;
};
/* As rows (NULL: nothing was ever set) have it, but for the change (NULL: none); yours. */
enum err snapshot_load(struct rows *, int64_t ws, const struct snapshot_change *,
	struct policy_snapshot **out, struct fault *);

/* The stop that holds back the ask, as what an agent is told of it, in the arena; empty: none. */
enum err stop_load(struct rows *, const struct ask *, struct str *out, struct fault *);

/* The first stop that fits and holds; NULL: none. */
/* The stop that fits what this agent does in a session; NULL: none does. */
enum err policy_stop(struct task *, struct rows *, const struct session *,
	struct str agent, const struct stop_record **out, struct fault *);
const struct stop_record *snapshot_stop(const struct policy_snapshot *, struct str agent,
	struct str project, struct str session, int64_t now_ms);

/* What is said of an operation. */
struct rule_verdict {
	enum risk risk; /* by the policy and the agent's claim; raised by ask rules */
	struct ruling ruling;
	const struct stop_record *stop; /* that fits; then no rule allows */
	/* JSON: the line of the mandate that allows it, where no rule says anything; else empty. Then
	 * `ruling.rule` is made of the mandate. */
	struct str mandate;
};

/* Where neither a stop nor a rule says anything: the first mandate with a line that fits and has
 * enough left allows it. `draws`: that is taken of it now; else by mandate_use, when it runs. */
enum err mandate_decide(struct policy_snapshot *, struct rows *,
	const struct operation_view *, bool draws, struct rule_verdict *, struct fault *);
/* An approval that a mandate gave is used. ERR_MANDATE_SPENT, ERR_REVOKED. */
enum err mandate_use(struct policy_snapshot *, struct rows *, struct str id,
	const struct operation_view *, enum risk, struct fault *);
/* Ends it; `who` may be NULL: its time or uses were up. `reason`: in their words, or empty. */
void mandate_end(struct rows *, const struct mandate_record *,
	const struct principal *who, const char *why, struct str reason);
/* Of its life: mandate.asked, granted, drawn, ended. */
/* What events tell of it, but of its counts (mandate_digest). */
struct field mandate_field(const struct mandate_record *, struct arena *);
void mandate_event(
	struct rows *, const struct mandate_record *, const char *type, struct str data);
enum err mandates_end_due(struct rows *, int64_t limit, struct fault *);

/* Looks at the rules without counting; `flags` of decide_flags. */
void snapshot_rule(const struct policy_snapshot *, const struct operation_view *,
	int64_t now_ms, unsigned flags, struct arena *, struct rule_verdict *out);
/* Beside decide_flags: rules that ask do not count, the ask that follows does. */
enum { RULE_ASK_UNCOUNTED = 1 << 8 };
/* The same in a batch, where each rule that decides counts a hit and a use. */
enum err snapshot_decide(struct policy_snapshot *, struct rows *,
	const struct operation_view *, unsigned flags, struct rule_verdict *out,
	struct fault *);
/* "stopped by Ada: the reason"; fills ERR_STOPPED. */
enum err stop_fail(const struct stop_record *, struct fault *);
/* "denied by a rule: its note", with the rule. */
enum err rule_fail(const struct rule_record *, enum err, struct fault *);
/* {"id", "reason", "by", "at", "until"}: what an agent is told of a stop. NULL: empty. */
struct str stop_told(const struct stop_record *, struct arena *);

#endif
