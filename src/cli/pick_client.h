/* pick_client.h - how a verb reaches the server, and with which credential. */
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
/* Whoever sees this ask: the agent, or when it is another agent's, the person logged
 * in. */
struct client *pick_client_seeing(struct cli *, struct str id, struct fault *why);
/* The login of the person at this shell, whatever token was given. NULL: nobody is. */
struct client *pick_client_person(struct cli *);
/* A person is logged in at the server meant, or a token was given: false means that we
 * come as this machine's agent. */
bool pick_client_knows_person(struct cli *);

#endif
