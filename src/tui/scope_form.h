/* scope_form.h - approving for longer: which calls, and for how long; and a rule made from an
 * approval that is over. Keys in, state out. Pure.
 *
 * What a pattern would have matched is known before it can be used: the owner asks the server
 * (scope_form_rule) when a key says WISH_TRY, and hands the reply in.
 * web/src/parts/ask/ScopeMenu.svelte offers the same. */
#ifndef TUI_SCOPE_FORM_H
#define TUI_SCOPE_FORM_H

#include "base/fault.h"
#include "base/json.h"
#include "tui/page.h"

/* Approving for longer offers the first four, a rule the effects. */
enum scope_what {
	WHAT_ONCE,
	WHAT_SESSION,
	WHAT_SAME,
	WHAT_PATTERN,
	WHAT_ALLOW,
	WHAT_ASK,
	WHAT_DENY,
	WHATS
};

/* What is known of the rule as it stands. */
enum scope_known { RULE_UNKNOWN, RULE_ASKED, RULE_KNOWN, RULE_REFUSED };

struct scope_form {
	const struct json *ask; /* borrowed */
	enum scope_what what;
	bool at_open;	 /* the cursor stands on `open`, below the choices */
	bool open;	 /* the others that wait and match are approved, too */
	size_t time;	 /* which of the times */
	bool high;	 /* the same call alone, for a time */
	bool own;	 /* its session ends with the answer */
	bool admin;	 /* any time, any effect */
	bool ruling;	 /* a rule is made from an ask that is settled */
	int64_t most_ms; /* others: at most so long */
	struct line pattern;
	bool writing; /* the pattern is being edited */
	bool sure;    /* Enter was pressed, and once more sends it */
	enum scope_known known;
	int64_t fits, looked, waiting, rejected; /* RULE_KNOWN */
	struct buf problem;			 /* RULE_REFUSED: why */
};

/* Whether it may be approved for longer at all: not if critical, or for several to decide. */
bool scope_offered(const struct json *ask);
/* The form may be open already; the ask has changed then. */
void scope_form_open(struct scope_form *, const struct json *ask);
void scope_form_done(struct scope_form *);
/* Whether a rule can be made from it. */
bool scope_rule_offered(const struct json *ask);
/* The same form for a rule: what was rejected is denied from now on, unless another effect is
 * chosen. Who is no admin allows nothing. */
void scope_form_open_rule(struct scope_form *, const struct json *ask, bool admin);
/* The body of POST /v1/rules for the rule as it stands. */
struct str scope_form_made(const struct scope_form *, int64_t now_ms, struct arena *);
/* How far this person may go: `scopes` of the policy; NULL: not known. */
void scope_form_limit(struct scope_form *, const struct json *scopes, bool admin);
enum wish scope_form_key(struct scope_form *, const struct key *);
/* The pattern that keys go to; NULL: none. */
struct line *scope_form_line(struct scope_form *);

/* The body of POST /v1/rules/try for the rule as it stands; empty: there is nothing to try.
 * Then its reply, or NULL and why there is none. A reply to a rule that has changed since is
 * passed over. */
struct str scope_form_rule(struct scope_form *, struct arena *);
void scope_form_tried(
	struct scope_form *, const struct json *reply, const struct fault *why);

/* `scope` of an answer, unless it is for this call only. */
void scope_form_put(const struct scope_form *, struct json_writer *);
/* `idle`: the keys go elsewhere. */
void scope_form_write(
	struct page *, const struct scope_form *, int64_t now_ms, bool idle);

#endif
