/* pick_client.h - how a verb reaches the server: its credential, and calls that report
 * their own failures. */
#ifndef CLI_PICK_CLIENT_H
#define CLI_PICK_CLIENT_H

#include "cli/cli.h"
#include "client/client.h"
#include "client/locate.h"

/* Where the settings lead to. */
enum err pick_client_locate(
	struct cli *, enum as, struct located *out, struct fault *why);
/* A client for the server that the settings name. NULL: why says. */
struct client *pick_client(struct cli *, enum as, struct fault *why);
/* As the person who reads the inbox here: a login, or the token given. */
struct client *pick_client_inbox(struct cli *, struct fault *why);
/* Whoever sees this ask: the agent, or when it is another agent's, the person logged in.
 */
struct client *pick_client_seeing(struct cli *, struct str id, struct fault *why);
/* The login of the person at this shell, whatever token was given. NULL: nobody is. */
struct client *pick_client_person(struct cli *);
/* A person is logged in at the server meant, or a token was given: false means that we
 * come as this machine's agent. */
bool pick_client_knows_person(struct cli *);

/* One call that is tried again while the server is away for a moment; with a fresh
 * Idempotency-Key unless it is a GET. EXIT_YES and *out, or the failure's exit status
 * after it was said. ERR_CONFLICT is left to the caller when `conflict` is given. */
int cli_call(struct cli *, struct client *, const char *method, struct str path,
	struct str body, struct api_reply *out, struct fault *conflict);
/* What the reply warns of, on stderr. */
void warnings_say(struct cli *, const struct json *reply);
/* "/v1/asks/<id><tail>", escaped. */
struct str ask_path(struct cli *, struct str id, const char *tail);
/* "<path>?status=…&limit=…": those of the flags that were given; `names` end with NULL.
 */
struct str flags_query(struct cli *, const char *path, const char *const *names);
/* {"reason": …}: the body of skip and cancel, from --reason. */
struct str reason_body(struct cli *);

/* The session that a person named: an id as it is; any other word is an agent's own name
 * for one, which is made when it is new. Empty without --session. EXIT_YES, or said. */
int session_resolve(struct cli *, struct client *, struct str *out);

#endif
