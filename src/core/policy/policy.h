/* policy.h - a workspace's policy: what holds when no rule fits, and how grave an
 * operation is. Pure; as JSON it is `GET /v1/policy`. Prefixes: policy_, decided_. */
#ifndef CORE_POLICY_H
#define CORE_POLICY_H

#include "core/policy/rule_set.h"

enum policy_mode { MODE_AUTO, MODE_MANUAL, MODE_SELECTIVE };

struct risk_row {
	struct tool_pattern *tools;
	size_t tools_len;
	enum risk risk;
};

enum { RISK_ROWS_MAX = 200 };

struct policy {
	enum policy_mode mode;
	bool mode_unset; /* nobody has set it: hooks and gate ask for everything */
	bool selective[TYPE_DB_OP + 1]; /* by operation_type: asked in this mode */
	bool auto_approve_low;
	bool always_confirm_high;
	int64_t timeout_ms; /* of approvals that bring none; 0: none */
	bool stop_on_reject;
	int64_t at_once[MODE_SELECTIVE + 1];
	struct risk_row *risks;
	size_t risks_len;
	int64_t scope_member_ms, scope_high_ms;
	int64_t keep_settled_ms; /* sessions that nobody touched; 0: for ever */
};

/* The policy of a new workspace, as the contract shows it. */
extern const char *const policy_default;

/* Reads a body of PUT over `before` (compact JSON, as policy_read wrote it; policy_default
 * at first): members it brings replace those. `json` gets the new whole, *out (may be
 * NULL) its parsed form; both live in the arena. `also`: see rule_read. */
enum err policy_read(const struct json *body, struct str before,
	const struct members *also, struct arena *, struct str *json, struct policy *out,
	struct fault *why);
/* Parses what policy_read wrote. */
enum err policy_parse(
	struct str json, struct arena *, struct policy *out, struct fault *);

/* The gravest row that fits, none: medium; a graver claim of the agent counts. Rows below
 * medium fit as an allow does, others as a deny does. */
enum risk policy_risk(const struct policy *, const struct operation_view *);
/* At least `base`, which is known of a tool of ours: rows only raise it. */
enum risk policy_raise(
	const struct policy *, const struct operation_view *, enum risk base);
/* The mode's word for an operation that no rule fits: EFFECT_ALLOW or EFFECT_ASK. Only
 * for those who would not ask by themselves. */
enum effect policy_effect(const struct policy *, enum operation_type, enum risk);

/* How a change lets more run without a person, as bits; 0: it does not. If in doubt, it
 * does. */
enum policy_looser {
	LOOSER_UNASKED = 1, /* hooks and gate go by the mode, which they did not */
	LOOSER_MODE = 2,    /* more of the risks and types is allowed */
	LOOSER_RISKS = 4,   /* an operation may have a lower risk */
	LOOSER_SCOPES = 8,  /* approvals can be given for longer */
};
unsigned policy_looser(const struct policy *before, const struct policy *after);

/* What is decided about an operation without asking anybody: the word of a rule, or the policy's where no
 * rule fits. Composed here alone, for /v1/decide, hooks, gate and runs. */
/* Texts are borrowed, or in the arena. */
struct decided {
	enum effect effect;
	enum risk risk;
	struct str rule;    /* rul_…, "policy", or empty */
	struct str stop;    /* stp_…: it is denied while that holds */
	struct str reason;  /* a clause: "a rule denies it: its note" */
	struct str mandate; /* JSON: the line of one that allows it; or empty */
	bool by_default;    /* by a mode that nobody has set */
};

/* `risk`: as far as known without the ruling, which may raise it. */
void decided_make(struct decided *, const struct policy *, enum operation_type,
	const struct ruling *, enum risk, struct arena *);
/* The reason as a sentence. */
struct str decided_sentence(const struct decided *, struct arena *);

#endif
