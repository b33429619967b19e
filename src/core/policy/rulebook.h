/* rulebook.h - rules, stops and the policy of a workspace, as they are kept. What they mean
 * is core/policy's. Prefixes: rule_, stop_. */
#ifndef CORE_RULEBOOK_H
#define CORE_RULEBOOK_H

#include "base/json.h"
#include "core/shared/digest.h"
#include "core/shared/principal.h"

enum { RULES_MAX = 2000, STOPS_MAX = 200, RULE_KEPT_DAYS = 366 };

/* Strings are borrowed. Empty means null. JSON is compact. */
struct rule_record {
	int64_t ws;
	struct str id;
	struct str effect; /* allow, ask, deny */
	struct str note;
	bool enabled;
	bool shadow; /* it decides nothing; what people said where it fits is counted */
	struct str match;   /* JSON object */
	struct str ask;	    /* JSON object, of effect ask only; or empty */
	int64_t expires_ms; /* 0: never */
	int64_t uses_left;  /* -1: as often as it fits */
	/* ask_… that was approved with it, or of the suggestion that it was made from; or empty.
	 * The operation of that ask, so that a rule for "the same call" can be read. */
	struct str made_from;
	struct str from_tool;	 /* its name; empty: made before this was kept */
	struct str from_subject; /* what the call was about, one line; empty: sensitive */
	struct str made_by;	 /* JSON object, as answered_by */
	struct str made_user;	 /* usr_… */
	int64_t created_ms;
	int64_t hits;	     /* raised by statements, not with the version */
	int64_t last_hit_ms; /* likewise */
	struct str ended;    /* JSON object {at, by, why}; empty: it holds */
	int64_t ended_ms;
	int64_t version;
};

/* While it fits, nothing that asks goes on. */
struct stop_record {
	int64_t ws;
	struct str id;
	struct str match; /* JSON object */
	struct str reason;
	int64_t until_ms;   /* 0: until somebody lifts it */
	struct str made_by; /* JSON object, as answered_by */
	struct str made_user;
	int64_t created_ms;
	struct str ended; /* JSON object {at, by, why}; empty: it holds */
	int64_t ended_ms;
	int64_t version;
};

/* What a person approved in advance; what it means is core/policy/mandate.h. */
struct mandate_record {
	int64_t ws;
	struct str id, title, reason;
	struct str agent, agent_name; /* as of its session */
	struct str session, project, ask;
	struct str status; /* asked, live, ended */
	struct str lines;  /* JSON array, as mandate_lines_read wrote it */
	struct str counts; /* JSON array of {"used", "spent"}, one for each line */
	int64_t until_ms;
	struct str granted_by, granted_user;
	int64_t created_ms;
	struct str ended; /* JSON object {at, by, why}; empty: not yet */
	int64_t ended_ms;
	int64_t version;
};

/* What holds when no rule fits. A workspace without one has the default. */
struct policy_record {
	int64_t ws;
	struct str body; /* JSON object */
	int64_t changed_ms;
	int64_t version;
};

/* id, effect, …: the members of a rule as the API shows it, but for `shadow` and `warnings`. One whose time is up
 * is shown as ended, whether that was written down yet or not. */
void rule_show_members(struct json_writer *, const struct rule_record *, int64_t now_ms);
/* {ask, tool, subject}, or null. */
void rule_show_from(struct json_writer *, const struct rule_record *);
/* What it is called where it decides: its note, else what it matches, else its id. */
struct str rule_title(const struct rule_record *, struct arena *);
/* What a rule says: effect, note, enabled, match, ask, expires_at, and how many uses are
 * left. */
void rule_show_terms(struct json_writer *, const struct rule_record *);
void stop_show(struct json_writer *, const struct stop_record *, int64_t now_ms);
bool rule_holds(
	const struct rule_record *, int64_t now_ms); /* not ended; may be disabled */
/* It holds, and is not a shadow. */
bool rule_decides(const struct rule_record *, int64_t now_ms);
bool stop_holds(const struct stop_record *, int64_t now_ms);
/* {"at": …, "by": …, "why": …}; `p` may be NULL: nobody did, its time or uses were up. */
struct str ended_write(
	const struct principal *, int64_t at_ms, const char *why, struct arena *);

/* What never changes without an event. Not hits and uses. */
void rule_digest(const struct rule_record *, char out[SHORT_DIGEST_SIZE]);
void stop_digest(const struct stop_record *, char out[SHORT_DIGEST_SIZE]);
void policy_digest(const struct policy_record *, char out[SHORT_DIGEST_SIZE]);

#endif
