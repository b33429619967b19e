/* doctor.h - what the parts of parley doctor share. */
#ifndef CLI_VERB_DOCTOR_H
#define CLI_VERB_DOCTOR_H

#include "base/json.h"
#include "cli/cli.h"
#include "text/doctor.h"

/* What was found, a line each, or with --json an object each in `json`; wrong counts those
 * that want a hand. */
struct findings {
	struct cli *cli;
	struct buf text;
	struct json_writer json; /* open array of findings; out NULL: lines */
	int wrong;
};

void doctor_note(struct findings *, enum doctor_mark, const char *id, struct str text);
#define NOTE(f, mark, id, ...)                                                           \
	doctor_note((f), (mark), (id), MSG(&(f)->cli->arena, (id), __VA_ARGS__))

/* One of two, with the same values. */
#define NOTE_WHETHER(f, ok, good, bad, ...)                                              \
	NOTE((f), (ok) ? GOOD : WRONG, (ok) ? (good) : (bad), __VA_ARGS__)

/* doctor_channels.c: as the server tells who is logged in, whether
 * routes name who is there, and whether their contacts and zones work. */
/* Push services are told who sends: by these settings, or by those of the server that was
 * reached. */
void doctor_push(struct findings *, bool reached);
void doctor_routes(struct findings *);

#endif
