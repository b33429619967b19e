/* legal_hold.h - holds: what nobody deletes while one stands. Pure. */
#ifndef CORE_LEGAL_HOLD_H
#define CORE_LEGAL_HOLD_H

#include "base/json.h"
#include "core/shared/digest.h"

/* Borrowed texts. Exactly one of project, session, agent and user is set. */
struct legal_hold {
	int64_t ws;
	struct str id; /* hld_… */
	struct str project, session, agent;
	struct str user; /* usr_… */
	struct str reason;
	struct str made_by; /* JSON object, as answered_by */
	int64_t created_ms;
	struct str lifted; /* JSON object {at, by}; empty: it stands */
	int64_t version;
};

enum { HOLDS_MAX = 200, HOLD_REASON_MAX = 500 };

void legal_hold_show(struct json_writer *, const struct legal_hold *);
void legal_hold_digest(const struct legal_hold *, char out[SHORT_DIGEST_SIZE]);

#endif
