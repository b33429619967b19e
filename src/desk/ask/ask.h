/* ask.h - the one door for asking, and the one for settling. Private to desk.
 *
 * Whoever asks or settles comes through here: requests, runs, rules, deadlines. Both stage
 * events; what follows from them is the table of reactions.c. */
#ifndef DESK_ASK_H
#define DESK_ASK_H

#include "desk/ask/ask_rule.h"

/* The ways in which an ask is made; tests/api/matrix.test.mjs walks them all. */
enum ask_origin {
	ASK_BY_REQUEST, /* HTTP, a dialect, MCP, a hook, gate, a template */
	ASK_BY_RUN_QUESTION,
	ASK_BY_RUN_APPROVAL,
	ASK_BY_RUN_ERROR,
	ASK_BY_RUN_LIMIT,
	ASK_BY_RUN_INTERRUPTED, /* a call was cut short */
	ASK_BY_MANDATE,
	ASK_BY_GATEWAY, /* a call of an MCP server's tool from elsewhere */
	ASK_ORIGINS
};

/* Where an ask comes from. */
struct ask_from {
	enum ask_origin origin;
	struct session *session;
	enum session_status was; /* of the session, before it was asked in */
	bool fresh;		 /* the session was made for it: its status is no news */
	const struct run *run;	 /* that asks; NULL: the caller does */
	/* What was decided about the call of a run; NULL: rules are asked now. */
	const struct rule_verdict *verdict;
	int64_t timeout_ms; /* unless the draft brings one; 0: none */
	struct str
		schema;	 /* of the operation's arguments, of a run's approval; or empty */
	struct str call; /* call_… at the gateway that waits for it; or empty */
	struct str
		foreign; /* of what an MCP server wants to know: the shape it came in; or empty */
};

/* The draft keeps the foreign shape that it came in. */
void ask_keep_foreign(struct draft *, struct str foreign, struct arena *);
/* Makes an ask of a draft that was checked. What rules decide is settled at once. */
enum err ask_make(struct task *, struct rows *, const struct draft *,
	const struct ask_from *, struct ask **out, struct fault *);

/* As a request does: in the session of the draft or of the task, else in one of its own; the agent's
 * limits count. */
enum err ask_by_request(struct task *, struct rows *, const struct draft *,
	struct ask **out, struct fault *);

/* Settles it, counts it in its session, and stages the events; everything was checked. */
enum err ask_settle(struct task *, struct rows *, struct ask *, const struct settlement *,
	struct fault *);
/* Without the event of the session's status: for who tells it of the session as a whole. */
enum err ask_settle_within(struct task *, struct rows *, struct ask *,
	const struct settlement *, struct fault *);
/* By this rule, whoever's it is: for those that were open when it was made. */
enum err ask_settle_by(struct task *, struct rows *, struct ask *,
	const struct rule_record *, bool approve, struct fault *);
/* Past its deadline: settles it as expired, by its default if it has one. */
enum err ask_expire(struct task *, struct rows *, struct ask *, struct fault *);
/* Expires it when it is due: ERR_CONFLICT, which carries the ask, unless it is open. */
enum err ask_is_open(struct task *, struct rows *, struct ask *, struct fault *);
/* Cancels every open ask of a session (wants_open_asks). */
enum err ask_cancel_all(struct task *, struct rows *, struct session *, struct str reason,
	struct fault *);

/* What the asks that one request settles share: see settle_many.c. */
struct of_many {
	/* Id → digest of the operation that was shown; or NULL. */
	const struct json *digests;
	const struct json *first;    /* the first operation that was approved; or NULL */
	const struct json *approves; /* the one that is being approved; or NULL */
};
/* May this one be settled so together with others? */
enum err many_admit(struct of_many *, const struct ask *, const struct ask_parts *,
	const struct answer *, struct fault *why);

#endif
