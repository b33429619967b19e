/* book.h - the rules, stops and the policy of a workspace, read once and taken apart, as
 * decisions need them.
 *
 * A book belongs to one version of its workspace's policy. The writing clerk keeps books in
 * memory and uses one only in a transaction that read the same version (store/rows.h,
 * rows_policy_seen); if another node changes the version before the commit, the batch is void.
 * So nothing is allowed after the end of a rule was acknowledged, on any node. */
#ifndef DESK_BOOK_H
#define DESK_BOOK_H

#include "core/policy.h"
#include "desk/inner.h"

struct book {
	int64_t ws, version;
	uint64_t
		batch; /* that changed it, and alone may use it; 0: as it is in the store */
	struct arena arena;
	struct kept_rule *rules;
	size_t rules_len;
	/* As they were loaded; those that may be used a number of times only. */
	struct counted_rule {
		struct kept_rule *rule;
		int64_t uses_left;
	} * counted;
	size_t counted_len;
	struct rule_set *set;
	struct kept_stop *stops;
	struct rule_match *stop_matches;
	size_t stops_len;
	struct kept_policy kept; /* version 0: the default */
	struct policy policy;
};

struct book *book_free(struct book *); /* NULL is fine; returns NULL */

/* The book that this batch decides by; borrowed until the next call. */
enum err desk_book(struct desk *, const struct job *, struct rows *, int64_t ws,
	struct book **out, struct fault *);
void desk_books_done(struct desk *);
/* For readers: from the snapshot at hand; yours. `extra` (may be NULL): as if this rule were
 * there, too. */
enum err book_read(struct db *, int64_t ws, const struct kept_rule *extra,
	struct book **out, struct fault *);

/* For readers: the stop that fits, as what an agent is told of it, in the arena; empty: none. */
enum err stop_read(struct db *, int64_t ws, struct str agent, struct str project,
	struct str session, int64_t now_ms, struct arena *, struct str *out,
	struct fault *);

/* The first stop that fits and holds; NULL: none. */
const struct kept_stop *book_stop(const struct book *, struct str agent,
	struct str project, struct str session, int64_t now_ms);

/* What is said of an operation. */
struct rule_verdict {
	enum risk risk; /* by the policy and the agent's claim; raised by ask rules */
	struct ruling ruling;
	const struct kept_stop *stop; /* that fits; then no rule allows */
};

/* Looks at the rules without counting; `flags` of decide_flags. */
void book_rule(const struct book *, const struct operation_look *, int64_t now_ms,
	unsigned flags, struct arena *, struct rule_verdict *out);
/* Beside decide_flags: rules that ask do not count, the ask that follows does. */
enum { RULE_ASK_UNCOUNTED = 1 << 8 };
/* The same in a batch, where each rule that decides counts a hit and a use. */
enum err desk_rule(struct book *, struct rows *, const struct operation_look *,
	unsigned flags, struct rule_verdict *out, struct fault *);
/* "stopped by Ada: the reason"; fills ERR_STOPPED. */
enum err stop_fail(const struct kept_stop *, struct fault *);
/* "denied by a rule: its note", with the rule. */
enum err rule_fail(const struct kept_rule *, enum err, struct fault *);
/* {"id", "reason", "by", "at", "until"}: what an agent is told of a stop. */
void stop_tell(struct json_writer *, const struct kept_stop *);
struct str stop_told(const struct kept_stop *, struct arena *); /* NULL: empty */

#endif
