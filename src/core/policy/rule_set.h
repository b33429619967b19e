/* rule_set.h - the rules of a workspace, parsed once and indexed by the literal beginning
 * of their patterns; and the decision about one operation.
 *
 * Deny beats ask beats allow, whoever wrote it and when; there is no order among rules.
 * Adding a deny or an ask, or taking an allow away, never loosens a decision. */
#ifndef CORE_RULE_SET_H
#define CORE_RULE_SET_H

#include "core/policy/rule.h"

/* An operation as the rules see it. Made by operation_view; lives in its arena. */
struct operation_view {
	struct str name;
	struct str also_name;	    /* a command line of gate is a call of Bash, too */
	struct str open, also_open; /* the names with "(" behind them */
	enum operation_type type;
	const struct json *arguments;	    /* or NULL */
	enum risk claimed;		    /* what the agent says; RISK_NONE: nothing */
	char same[DIGEST_SIZE];		    /* digest of {type, name, arguments} */
	struct str agent, project, session; /* empty project: none */
	struct str requester; /* usr_…: no allow of their own fits; empty: nobody */
	struct subject subjects[SUBJECTS_MAX];
	size_t subjects_len;
	bool failed; /* no memory: no allow fits, every deny and ask does */
};

/* `operation` has passed operation_read and is borrowed. `arguments` replaces its own
 * when not NULL (an edit). Never fails: see `failed`. */
void operation_view(struct operation_view *out, const struct json *operation,
	const struct json *arguments, struct str agent, struct str project,
	struct str session, struct arena *);

struct rule_set;

struct rule_set *rule_set_new(void); /* NULL: no memory */
struct rule_set *rule_set_free(struct rule_set *);
/* Adds a rule, in the order in which decisions name them. The record is borrowed for the
 * life of the set: enabled, expires_ms, uses_left and ended_ms are read at each decision,
 * so that the owner may change them in between; match, ask and effect must not change.
 * A record that cannot be parsed is taken as one that fits everything if it is a deny or
 * an ask, and as one that fits nothing if it is an allow. */
enum err rule_set_add(struct rule_set *, const struct rule_record *, struct fault *why);
/* Makes the index; once, after the last rule. */
enum err rule_set_seal(struct rule_set *, struct fault *why);

/* Why a rule that fits, or almost does, is not what decided. */
enum lost {
	LOST_NOT, /* it decides, or is one of those that do */
	LOST_TO_DENY,
	LOST_TO_ASK,
	LOST_SOME_COMMANDS, /* an allow for some commands of the line; see `commands` */
	LOST_DOUBT,	    /* an allow that would fit but for `doubt` */
	LOST_RISK,	    /* an allow that does not reach up to this risk */
	LOST_REQUIRE,	    /* an allow, but the ask brings a requirement or questions */
	LOST_TO_OTHER,	    /* another rule of the same effect is named */
};

const char *rule_lost_name(
	enum lost); /* "deny", "ask", "some_commands", …; NULL: not lost */

struct rule_fit {
	const struct rule_record *rule;
	enum lost lost;
	enum doubt doubt;  /* of LOST_DOUBT; for deny and ask: fits only because of it */
	uint64_t commands; /* LOST_SOME_COMMANDS: bit n: fits the command n, up to 64 */
};

struct ruling {
	enum effect effect; /* EFFECT_NONE: no rule fits; the policy's mode or a person */
	/* The first that decided; NULL with EFFECT_NONE. */
	const struct rule_record *rule;
	/* Those that decided, each counting a hit and a use: the first deny; every ask;
	 * of allows one for each command of the line. */
	const struct rule_record **hits;
	size_t hits_len;
	/* What the ask rules that fit add up to (EFFECT_ASK). */
	struct require require;
	enum risk risk;	    /* at least the operation's; raised by ask rules */
	int64_t timeout_ms; /* the shortest; 0: none */
	const struct str *verify;
	size_t verify_len;
	/* Only with DECIDE_EXPLAIN: every rule that fits, and why it lost. */
	struct rule_fit *fits;
	size_t fits_len;
};

enum decide_flags {
	DECIDE_NO_ALLOW = 1, /* it brings `require` or another required question */
	DECIDE_EXPLAIN = 2,
};

/* `risk` is policy_risk's. What is decided lies in the arena. Without memory nothing is
 * allowed: then `effect` is EFFECT_DENY with the first live deny of the set, else
 * EFFECT_ASK with rule NULL, and the arena has failed. */
void rule_set_decide(struct rule_set *, const struct operation_view *, enum risk,
	int64_t now_ms, unsigned flags, struct arena *, struct ruling *out);
/* The rule was made from this operation of the ask: keeps its tool and what it is about, which a
 * sensitive ask does not tell. */
void rule_from(struct rule_record *, struct str ask, const struct operation_view *,
	bool sensitive, struct arena *);
/* Whether this one rule fits: for scopes ("a pattern must fit this very operation"), for
 * trying a rule over past operations, and for warnings. */
bool rule_fits(const struct rule_match *, enum effect, const struct operation_view *,
	enum risk, struct arena *);

#endif
