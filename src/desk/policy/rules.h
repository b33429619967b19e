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

/* A past or open approval, or a call of our runs that nobody was asked about, as trying, warnings and
 * rehearsals look at it. Borrowed for the call. */
struct past_operation {
	struct str id, agent;
	bool call;	 /* of a run: no approval */
	bool by_mode;	 /* where no rule fits, the policy's mode decides */
	enum effect was; /* a call's; of approvals see past_was */
	const struct json *operation;
	struct operation_view look; /* at it, as rules see it */
	enum ask_status status;
	bool approved, rejected;
	bool by_person; /* whoever settled it */
	bool by_rule;
	struct str answered_by; /* JSON */
	bool sensitive;
	bool requires; /* more than a yes: votes, or another required question */
	int64_t created_ms, settled_ms;
};
typedef enum err past_fn(
	void *ctx, const struct past_operation *, struct arena *, struct fault *);

struct past_filter {
	struct str agent, project;
	int64_t from_ms, to_ms; /* created; 0: any */
	int64_t limit;
};
/* The last ones, newest first. */
enum err past_each(struct rows *, int64_t ws, const struct past_filter *, past_fn *,
	void *ctx, struct fault *);
/* Approvals, then calls of our runs, created from then to before then, each oldest first. */
enum err past_replay(struct rows *, int64_t ws, int64_t from_ms, int64_t to_ms, past_fn *,
	void *ctx, struct fault *);
/* Allowed or denied by a rule or the policy; EFFECT_ASK: people or nobody decided. */
enum effect past_was(const struct past_operation *);
/* What these rules and this policy say of it. */
enum effect past_would(const struct policy_snapshot *, const struct past_operation *,
	int64_t now_ms, struct arena *, struct rule_verdict *out);

/* As rule_read of a new rule that stands at this pointer of the body; borrows nothing. */
enum err rule_read_at(struct task *, const struct json *, const char *at,
	struct rule_record *out, struct fault *);
/* What it wants exists: who may approve, and its verifier. */
enum err rule_check_wants(
	struct task *, struct rows *, const struct rule_record *, struct fault *);

/* `shadow` of rules: null, or what people said where it fits. Counted from the approvals since it was
 * made; for those that are to be shown, in one look. */
struct rule_shadows {
	struct shadow_count *first;
	struct arena *arena;
};
enum err shadows_count(struct task *, struct rows *, struct rule_shadows *,
	const struct rule_record *const *, size_t len, struct fault *);
void shadow_show(
	struct json_writer *, const struct rule_shadows *, const struct rule_record *);

#endif
