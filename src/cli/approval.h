/* approval.h - asking whether one exact operation may run: what approve and gate
 * share. */
#ifndef CLI_APPROVAL_H
#define CLI_APPROVAL_H

#include "cli/asking.h"
#include "core/policy/operation.h"

/* The operation's {"type", "name", "arguments"} in one JSON object, without its risk. */
struct approval {
	struct asking asking;
	const struct json *operation;
	struct str diff;    /* empty: none */
	struct str target;  /* who will ask for proof when it is used; empty: nobody */
	struct str token;   /* by approval_use: that proof */
	struct str refused; /* by approval_use: what the server said; empty: nothing */
	bool forbidden;	    /* likewise: a stop or a rule forbids it by now */
};

/* {"type", "name", "arguments"}, of arguments in JSON; or ends the program. */
const struct json *approval_operation(
	struct cli *, const char *type, struct str name, struct str arguments);
/* Posts it, and checks that the server's digest is that of our operation; or ends the program. */
void approval_ask(struct approval *);
/* The arguments as a person edited them; NULL: approved as they were. */
const struct json *approval_edited(const struct json *ask);
/* The digest of what was approved, recomputed by us and the same as the server's; false:
 * something does not fit, and nothing may run. */
bool approval_digest(const struct approval *, char out[DIGEST_SIZE]);
/* Uses it up at the server: it runs once. EXIT_YES, or said. */
int approval_use(struct approval *, const char *digest);
/* {"operation": …, "session"?}: the body of /v1/decide. */
struct str decide_body(struct approval *, struct str session);

#endif
