/* rule.h - what a rule matches and what it asks for: read from a body, and taken apart once
 * for deciding. As it is kept and shown: core/policy/rulebook.h. Prefixes: rule_, effect_. */
#ifndef CORE_RULE_H
#define CORE_RULE_H

#include "core/policy/argument_test.h"
#include "core/policy/operation.h"
#include "core/policy/require.h"
#include "core/policy/rulebook.h"
#include "core/shared/body.h"

struct members; /* core/shared/body.h */

/* In the order of strength: the stronger decides. */
enum effect { EFFECT_NONE, EFFECT_ALLOW, EFFECT_ASK, EFFECT_DENY };

const char *effect_name(enum effect); /* NULL for EFFECT_NONE */
bool effect_read(struct str, enum effect *);

enum operation_type {
	TYPE_TOOL,
	TYPE_SUB_AGENT,
	TYPE_MCP,
	TYPE_FILE_OP,
	TYPE_DB_OP,
	/* Nothing allows these but a person: no rule, no mode. */
	TYPE_PLAN,
	TYPE_MANDATE,
};

const char *operation_type_name(enum operation_type);
bool operation_type_read(struct str, enum operation_type *);
/* As policies and calls of runs have it: tools, sub_agents …; of the first five. */
const char *operation_category_name(enum operation_type);
bool operation_category_read(struct str, enum operation_type *);
/* The same for an operation: another type, or none, counts as a tool. */
enum operation_type operation_type_of(const struct json *operation);

enum { RULE_NOTE_MAX = 200, RULE_TOOLS_MAX = 50, RULE_SUBJECT_MAX = 300 };

/* What an operation must be for the rule to fit. Absent members fit all. */
struct rule_match {
	struct tool_pattern *tools; /* one of them */
	size_t tools_len;
	bool has_type;
	enum operation_type type;
	struct argument_test *arguments; /* all of them */
	size_t arguments_len;
	enum risk min, max; /* filled: an allow's max is medium unless it says high */
	struct str agent;
	bool no_project; /* "project": null */
	struct str project;
	struct str session;
	struct str same;
	bool literal; /* agent and project are no patterns */
};

/* What an ask rule adds to what is asked. */
struct rule_ask {
	struct require require;
	enum risk risk;	    /* at least; RISK_NONE: as it is */
	int64_t timeout_ms; /* 0: none */
	struct str verify;  /* empty: none */
};

/* Reads a body of POST (before is NULL) or PATCH (members it does not bring stay as in
 * `before`): effect, note, enabled, shadow, match, ask, expires_at, uses_left, made_from (POST). Fills these members
 * of *out, in their normal form and in the arena, and leaves the others. `also` are names
 * that the caller reads itself ("version"); may be NULL. ERR_INVALID with pointers for all
 * that is wrong, a rule that can never fit included. Outputs untouched on failure. */
enum err rule_read(const struct json *body, const struct rule_record *before,
	const struct members *also, int64_t now_ms, struct arena *,
	struct rule_record *out, struct fault *why);
/* Takes `match` and `ask` apart; they then live in the arena. ERR_INVALID: the record was
 * not written by rule_read; such a rule must not be passed over (see rule_set_add). */
enum err rule_parse(const struct rule_record *, struct arena *, struct rule_match *match,
	struct rule_ask *ask, struct fault *why);

/* Does the change allow more, or deny or ask less, than before? Only an admin may loosen
 * another's rule. True if in doubt. */
bool rule_loosens(const struct rule_record *before, const struct rule_record *after);
/* Everything that `narrow` fits, `wide` certainly fits: an allow or ask beneath a deny. */
bool rule_match_covers(const struct rule_match *wide, const struct rule_match *narrow);
/* The match of a stop: agent, project and session alone. Borrows the JSON. */
enum err rule_where_read(
	const struct json *, const char *at, struct rule_match *out, struct fault *why);
/* agent, project and session fit, whatever else it says. Empty `project`: it has none. */
bool rule_match_where(const struct rule_match *, struct str agent, struct str project,
	struct str session);

/* ---- what the readers of rules and of the policy share; private to core ---- */

void rule_match_check(struct check *, const struct json_place *, const struct json *,
	enum effect, bool literal, struct arena *, struct rule_match *out);
/* In its normal form. False: it is empty. */
bool rule_match_write(struct json_writer *, const struct json *);
/* An array of patterns. */
void tools_check(struct check *, const struct json_place *, const struct json *,
	bool allows, struct arena *, struct tool_pattern **out, size_t *len);

#endif
