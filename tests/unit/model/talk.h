/* talk.h - a reply fed to a reader in pieces, and a request as text. */
#ifndef TALK_H
#define TALK_H

#include "model/model.h"

#include "unit.h"

struct heard {
	struct model_reader *reader;
	struct model_reply reply;
	struct buf deltas; /* "t:text;" "r:thought;" "c:name;" as they came */
};

/* Reads it in pieces of this size; `whole`: the connection ended properly. */
void hear(struct heard *, enum model_wire, int status, const char *text, size_t piece,
	bool whole);
void heard_done(struct heard *);
/* The same for every size of pieces: content, kept and usage must not differ. Left in
 * `out` as of the last. */
void hear_cut_anywhere(struct heard *out, enum model_wire, const char *text);
/* Counts as "input/cache_read/cache_write/cache_write_1h/output/reasoning". */
const char *counts(const struct usage *);
/* The body, compared with JSON as values; the difference is shown. */
void check_request(enum model_wire, const struct model_request *, const char *json);

#endif
