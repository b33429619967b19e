/* asking.h - asks, tells where it can be answered, and waits: what ask, approve, gate and
 * wait have in common. */
#ifndef CLI_ASKING_H
#define CLI_ASKING_H

#include "cli/cli_call.h"
#include "cli/term_dialog.h"
#include "client/waiter.h"

/* { .cli = c } is ready; asking_done afterwards, whatever happened. */
struct asking {
	struct cli *cli;
	struct client *client; /* as the agent */
	struct api_waiter *waiter;
	struct term_dialog *dialog; /* the person at this terminal; NULL: nobody */
	const struct json *ask;	    /* as last seen */
	struct str id;
	struct str url;
	struct str path;  /* where it is posted; empty: /v1/asks */
	struct str title; /* unless --title says another; empty: none */
	uint32_t replies; /* told already */
	bool stops;	  /* a stop that fits ends it, with EXIT_NOT_ALLOWED */
};

/* What every asking verb takes: title, context, session, timeout, priority. */
extern const struct flag asking_flags[];

/* What fails here is said, and ends the program with the exit status for it. */

/* Opens the way and resolves --session, so that the body can be written. */
struct str asking_open(struct asking *);
/* Writes what asking_flags hold into the body. `diff`: the context's; empty: none. */
void asking_members(
	struct asking *, struct json_writer *, struct str session, struct str diff);
void asking_post(struct asking *, struct str body);
/* Takes up an ask that is there already, without asking_open. */
void asking_join(struct asking *, struct str id);
/* With --no-wait: tells its id (or with --json the ask), and it is left alone. */
bool asking_leaves(const struct asking *);
/* Until it is settled: a->ask is that. With `in_place` the person at the terminal may
 * answer, too. Interrupted: says how to go on waiting. */
void asking_wait(struct asking *, bool in_place);
void asking_done(struct asking *);

#endif
