/* load.h - the modes of the load generator, a file each, and what they share. */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include "hist.h"
#include "wire.h"

/* A mode gets the words after its name and prints one line of numbers. */
typedef void mode_fn(int argc, char **argv);
mode_fn mode_rate, mode_turn, mode_sync, mode_times, mode_resume, mode_park, mode_start,
	mode_calls, mode_held;

/* Whom we talk to: "http" or "redis", a port, and for http two tokens. */
struct peer {
	enum speech speech;
	int port;
	const char *agent, *person;
	int person_port; /* where the person is: another node, or the same */
};
struct peer peer_read(
	int argc, char **argv); /* argv: http PORT AGENT PERSON [PERSON_PORT] */

extern const char question[]; /* about 1 KB of JSON: the request of the first row */
extern const char answer[];   /* what answers it */

/* The same durable work for Redis, as scripts; `sha` is what EVALSHA wants. */
extern const char script_ask[], script_ask_queued[], script_answer[];
struct sha {
	char text[48];
};
struct sha peer_script(struct wire *, const char *script);

/* Asks, and tells the new ask's id. */
void ask_once(struct wire *, const char *token, const char *body, char id[64]);

int number(const char *text);

#endif
