/* cli_call.h - the requests of a verb, and the texts they are made of. One that administers
 * goes to the store or to its server's socket, any other to the server as the person logged
 * in. The way is opened by the first request and closed with the verb. */
#ifndef CLI_CLI_CALL_H
#define CLI_CLI_CALL_H

#include "base/json.h"
#include "cli/cli.h"
#include "cli/pick_client.h"

/* What fails here is said, and ends the program with the exit status for it. */

void cli_call_open(struct cli *); /* cli_call does so by itself */
/* As the person who reads the inbox here, for the requests that follow. */
void cli_call_open_inbox(struct cli *);
/* The same; somebody has to be logged in. */
void cli_call_open_person(struct cli *);
void cli_call_close(struct cli *);

/* Gives the reply, NULL for an empty one. */
const struct json *cli_call(
	struct cli *, const char *method, struct str path, struct str body);
const struct json *cli_call_get(struct cli *, struct str path);
struct call_pages {
	struct json items;		 /* of all pages, as an array */
	const struct json *first, *last; /* the pages */
};
/* A list, page by page, up to so many items. */
struct call_pages cli_call_pages(struct cli *, struct str path, int64_t limit);
/* All of it, as an array. */
struct json cli_call_all(struct cli *, struct str path);

/* A call by this client, like cli_call_by. */
const struct json *cli_call_with(struct cli *, struct client *, const char *method,
	struct str path, struct str body);
/* The session that a person named with --session: an id as it is; any other word is an agent's own
 * name for one, which is made when it is new. Empty without it. */
struct str session_resolve(struct cli *, struct client *);

/* What fails here gives its exit status after it was said; EXIT_YES otherwise. */

int cli_call_try(struct cli *, const char *method, struct str path, struct str body,
	const struct json **out);
/* A call by this client that is tried again while the server is away for a moment; with a fresh
 * Idempotency-Key unless it is a GET. ERR_CONFLICT is left to the caller when `conflict` is
 * given. */
int cli_call_by(struct cli *, struct client *, const char *method, struct str path,
	struct str body, struct api_reply *out, struct fault *conflict);

/* What a GET by this client gives, if there is one; NULL: why not, and nothing is said. */
const struct json *cli_call_quiet(
	struct cli *, struct client *, struct str path, struct fault *why);

/* "<path><id><tail>", the id escaped where it goes to a server. */
struct str path_with(struct cli *, const char *path, struct str id, const char *tail);
struct str ask_path(struct cli *, struct str id, const char *tail); /* "/v1/asks/…" */
/* "<path>?status=…&limit=…": those of the flags that were given; `names` with blanks
 * between. */
struct str flags_query(struct cli *, const char *path, const char *names);

/* The time that a flag says as a span from now, forwards (1) or backwards (-1); empty without it. */
struct str moment_read(struct cli *, const char *flag, int way);

#endif
