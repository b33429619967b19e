/* ask.h - the durable record of one interruption, and every way out of pending.
 *
 * Invariants:
 * 1. A settled ask (status other than pending) never changes its status or answer again.
 * 2. answered_by says who answered or skipped, and is empty when nobody did. A default
 *    or a policy never carries kind "human".
 * 3. version grows by one with every change. Prefix: priority_. */
#ifndef CORE_ASK_H
#define CORE_ASK_H

#include "core/ask/answer.h"
#include "core/people/people.h"
#include "core/policy/operation.h"
#include "core/policy/require.h"
#include "core/shared/digest.h"
#include "core/shared/principal.h"

struct operation_view; /* core/policy/rule_set.h */

enum ask_kind { ASK_BLOCKING, ASK_NON_BLOCKING, ASK_APPROVAL, ASK_ERROR_RECOVERY };
enum ask_status { ASK_PENDING, ASK_ANSWERED, ASK_SKIPPED, ASK_EXPIRED, ASK_CANCELLED };
enum priority { PRIORITY_LOW, PRIORITY_NORMAL, PRIORITY_HIGH, PRIORITY_URGENT };

/* Strings are borrowed from the arena it was loaded or made in. Empty means null. */
struct ask {
	int64_t ws;
	struct str id;
	struct str session;
	struct str run;
	struct str agent;      /* its name, or the id of the person who asks */
	struct str agent_name; /* of that person; empty: as the agent */
	struct str token;      /* tok_… that asked */
	struct str project;
	enum ask_kind kind;
	enum ask_status status;
	enum priority priority;
	enum risk risk;
	bool exclusive; /* the one open blocking ask of a session that is not parallel */
	/* JSON members that never change: "title":…,"context":…,"questions":[…],
	 * "operation":…,"default":…,"metadata":… */
	struct str fixed;
	struct str search; /* case-folded title and question texts */
	struct str digest;
	struct str approved_digest;
	struct str assignees; /* JSON array of ids of users and teams */
	struct str claimed_user;
	struct str claimed_name;
	int64_t claimed_until_ms;
	int64_t version;
	int64_t created_ms;
	int64_t deadline_ms;	/* 0: waits for ever */
	int64_t settled_ms;	/* 0: not yet */
	int64_t used_ms;	/* when the approval was used; 0: not yet */
	struct str answer;	/* JSON object */
	struct str answered_by; /* JSON object */
	struct str summary;
	struct str reason;  /* of a skip or a cancel */
	struct str replies; /* JSON array */
	/* Digest of what was asked, where asking it again while it is open shall give
	 * this ask back. */
	struct str dedupe_key;
	struct str requester;	 /* usr_… of the person behind the token; empty: none */
	int64_t fetched_ms;	 /* when its agent first had the outcome; 0: not yet */
	struct str revoked;	 /* JSON object {by, reason, at}; empty: it was not */
	struct str settled_user; /* usr_… who answered or skipped it; empty: nobody */
	int64_t urgency;	 /* what ask_urgency said when it was made */
	/* When its outcome, which its agent had not had, went to the same question asked
	 * again; 0: never. */
	int64_t again_ms;
	/* JSON array, core/policy/require.h; empty: one approval of anybody. */
	struct str require;
	struct str votes; /* JSON array, core/approval/vote.h; empty: none */
	/* JSON array of users who do not count where others are required: who made the
	 * asking token, who started the session. Kept only with `require`. */
	struct str starters;
	struct str verify; /* JSON array, core/policy/verifier.h; empty: no verifier */
	struct str route;  /* rou_… that tells people of it; empty: nobody was told */
	/* JSON object, core/ask/because.h: why a person is asked; empty: nobody is, or it is
	 * older. */
	struct str because;
	/* When it ran although it was rejected or skipped here: the terminal beside decided; 0: never. */
	int64_t overtaken_ms;
	/* Of an approval that was used for a target: which, and the token that it got. */
	struct str used_for, used_jti;
	int64_t redeemed_ms; /* when the target gave that token back; 0: never */
	struct str trace;    /* JSON, core/shared/trace.h; or empty */
};

enum { ASK_TITLE_MAX = 200, CONTEXT_TEXT_MAX = 5000, METADATA_MAX = 16384 };

const char *ask_kind_name(enum ask_kind);
bool ask_kind_read(struct str, enum ask_kind *);
const char *ask_status_name(enum ask_status);
bool ask_status_read(struct str, enum ask_status *);
extern const char *const priority_names[PRIORITY_URGENT + 1];
const char *priority_name(enum priority);
bool priority_read(struct str, enum priority *);

/* What an agent's body asks for, checked. Lives in the arena; borrows from the body. */
struct draft {
	struct str session; /* named in the body; empty: none */
	struct str project; /* likewise */
	enum ask_kind kind;
	struct str title;	  /* as given, may be empty */
	struct str session_title; /* of a session made by it: title, or first text */
	enum priority priority;
	enum risk risk;
	struct question *questions;
	size_t questions_len;
	const struct json *operation; /* or NULL */
	struct str schema;	      /* of its arguments, JSON; or empty */
	int64_t timeout_ms;	      /* 0: waits for ever */
	struct str *assignees;
	size_t assignees_len;
	struct require require; /* of an approval */
	bool sensitive;		/* its words are for page, terminal and API alone */
	struct str fixed;	/* as in struct ask */
	struct str search;
};

struct draft_limits {
	int64_t timeout_min_ms;
	int64_t timeout_max_ms;
	struct str
		schema; /* JSON Schema of the operation's arguments, shown with them; or empty */
};

/* Everything that is wrong with a body is found at once, each with its pointer. */
enum err draft_read(const struct json *body, const struct draft_limits *, struct arena *,
	struct draft *out, struct fault *why);
/* A plain text body: a yes/no ask with this text. */
enum err draft_plain(
	struct str text, struct arena *, struct draft *out, struct fault *why);

/* A duration within the limits: seconds, or "90s" "30m" "24h" "7d". */
enum err timeout_read(const struct json *, const char *at, const struct draft_limits *,
	int64_t *ms, struct fault *why);
/* At most ASSIGNEES_MAX ids of users and teams; repeats are dropped. */
enum { ASSIGNEES_MAX = 100 };
enum err assignees_read(const struct json *, const char *at, struct arena *,
	struct str **out, size_t *len, struct fault *why);
/* The one text of a small body, {"reason": "…"} or {"text": "…"}, at most `max` code
 * points long; without `needed` it may be absent, null or empty. */
enum err note_read(const struct json *body, const char *name, size_t max, bool needed,
	struct str *out, struct fault *why);
enum { REASON_MAX = 2000, REPLY_MAX = 10000 };

/* The JSON of an ask is deeper and longer than what we take from others, which is inside. */
extern const struct json_limits ask_limits;
/* `fixed` as an object. */
enum err ask_fixed(
	const struct ask *, struct arena *, const struct json **out, struct fault *why);
/* The ask's questions and operation, read back from `fixed`. */
struct ask_parts {
	struct question *questions;
	size_t questions_len;
	const struct json *operation; /* or NULL */
	const struct json *fallback;  /* the "default" member, or NULL */
	/* Of `foreign`: offers that last, by their ids; or NULL. */
	const struct json *scopes;
	bool never_once; /* likewise: no offer allows this call alone */
	struct str title;
	struct str program;	   /* that asks; empty: unknown */
	struct str machine_user;   /* who runs it; likewise */
	struct str context;	   /* its text; empty: none */
	const struct json *around; /* the whole "context" member, or NULL */
	bool sensitive;		   /* its words are for page, terminal and API alone */
};
enum err ask_parts(
	const struct ask *, struct arena *, struct ask_parts *out, struct fault *why);

enum settling { SETTLE_ANSWER, SETTLE_SKIP, SETTLE_EXPIRE, SETTLE_CANCEL };

/* How an ask is settled. */
struct settlement {
	enum settling verb;
	const struct answer *answer; /* ANSWER, and EXPIRE with a default; else NULL */
	struct str answered_by; /* made by answered_by_write; with an answer or a skip */
	struct str approved_digest; /* of edited arguments; empty: as it was asked */
	struct str reason;
	struct str user; /* usr_… who answers or skips; empty: nobody of ours */
};

/* The one way out of pending. ERR_CONFLICT when it is settled already; untouched then.
 * What it keeps is borrowed from the settlement; a summary that no answer brings along is
 * made in the arena. *event_type is the event to stage ("ask.answered"). */
enum err ask_finish(struct ask *, const struct settlement *, int64_t now_ms,
	struct arena *, const char **event_type, struct fault *why);
/* How soon people should look: 2 for critical risk or urgent priority, 1 for high, else 0. */
int64_t ask_urgency(enum risk, enum priority);
/* The arguments a person put in place of the operation's; NULL: they are as asked. */
enum err ask_edited(const struct ask *, const struct ask_parts *, struct arena *,
	const struct json **out, struct fault *why);
/* Its operation as rules see it; `arguments` may be NULL. See operation_view. */
void ask_operation(struct operation_view *out, const struct ask *,
	const struct json *operation, const struct json *arguments, struct arena *);
/* Was it answered, and every approval question with "approve"? */
enum err ask_approved(const struct ask *, struct arena *, bool *out, struct fault *);
/* Takes back an approval that was not used. `own`: this person or a rule of theirs gave it.
 * ERR_FORBIDDEN: neither that nor an admin; ERR_CONFLICT: there is none, or it was used or revoked. */
enum err ask_revoke(struct ask *, const struct principal *, bool own, struct str reason,
	int64_t now_ms, struct arena *, struct fault *why);
/* The line that says so to a model, after the summary; nothing when it was not taken back. */
void ask_sum_revoked(struct buf *, const struct ask *);
/* Both of them. */
void ask_sum(struct buf *, const struct ask *);
/* answered_by_write of the vote that met what was required: {…, "votes": 2}. */
void ask_answered_by_vote(struct buf *, const struct principal *, int64_t votes);

/* What stands around an ask when it is shown. */
/* Where the log has its settling, and the hash of the chain there; event 0: it is not asked for, or not settled. */
struct ask_proof {
	int64_t event;
	struct str hash; /* as bytes */
};

struct ask_view {
	struct str workspace;
	struct str session_title;
	bool own_session;	 /* it was made for this ask, and ends with it */
	struct str url;		 /* of the server, no trailing slash */
	const struct mark *mark; /* the caller's own; NULL: not shown */
	struct str stopped;	 /* JSON: the stop that holds it back; empty: not shown */
	struct str denied;	 /* JSON: the rule that denies it by now; likewise */
	struct str expect;	 /* JSON: when somebody will answer; likewise */
	/* English sentences in the reader's language; NULL: as they are. */
	struct str (*words)(struct str english, struct arena *);
	const char *refused; /* why the caller may not settle it; NULL: not shown */
	struct ask_proof proof;
};
/* Its page; `url`: of the server, no trailing slash. */
struct str ask_url(struct str url, struct str id, struct arena *);
/* The ask as the contract shows it: one JSON object. */
void ask_write(struct json_writer *, const struct ask *, const struct ask_view *,
	int64_t now_ms);
/* Appends {"by": …, "text": …, "at": …} to a JSON array of replies; the new array. */
struct str ask_replies_add(struct str replies, const struct principal *, struct str text,
	int64_t now_ms, struct arena *);

/* An ask with all that is in it, for whoever tells it in other words than ours: its record, what stands
 * around it, and its JSON, read. */
/* Borrowed from the record and its view, or in the arena it was read into. */
struct ask_json {
	const struct ask *ask;
	const struct ask_view *view;
	const struct json *fixed;     /* its members that never change */
	const struct json *questions; /* of these; NULL: none */
	const struct json *foreign;   /* likewise: the shape it came in */
	const struct json *answer, *answered_by, *replies, *revoked; /* NULL: none */
	struct str summary; /* and that the approval was taken back, if it was */
};

/* ERR_INTERNAL: what is stored cannot be read. */
enum err ask_json_read(const struct ask *, const struct ask_view *, struct arena *,
	struct ask_json *out, struct fault *);

/* ---- what a person has to read before they decide: the operation, its diff and the error, as plain text.
 * Every channel shows these texts, and none takes an approval where they do not fit ---- */

enum detail_part { DETAIL_OPERATION, DETAIL_DIFF, DETAIL_ERROR, DETAIL_PARTS };

/* Harmless text (base/safe.h) in the arena; empty: there is none. */
struct ask_detail {
	struct str parts[DETAIL_PARTS];
	size_t len; /* bytes of all, and of the question where nothing else says what is approved */
};
/* False: out of memory. */
bool ask_detail_draw(const struct ask_parts *, struct arena *, struct ask_detail *out);

/* The operation alone: its name, and its arguments one below the other. Texts stand as they are, an argv
 * as a line of shell, the lines of a text of several lines are indented. */
struct str operation_draw(const struct json *operation, struct arena *);

/* ---- digests of an ask, carried by its events: what was asked, what was decided ----
 *
 * `check` makes them again from the rows and compares. The decision is "sha256:" and 64 hex digits, because
 * anybody may make it again; "" when there is no memory, which equals no digest. */

/* The RFC 8785 form of {ask, status, answer, answered_by, approved_digest, reason}, each as
 * the ask shows it (null when there is none), and of `revoked` once it was taken back. */
struct str decision_write(const struct ask *, struct arena *);
void decision_digest(const struct ask *, char out[DIGEST_SIZE]);
/* The same in the memory of `arena`: part of every answer. */
void decision_digest_in(const struct ask *, struct arena *, char out[DIGEST_SIZE]);

/* What never changes once it was asked. Not assignees, deadline and thread. */
void asked_digest(const struct ask *, char out[SHORT_DIGEST_SIZE]);
/* What approvals an ask requires, and the votes for it. */
void votes_digest(const struct ask *, char out[SHORT_DIGEST_SIZE]);

#endif
