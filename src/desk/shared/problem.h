/* problem.h - errors as RFC 9457 problems: one table for type, title and status. */
#ifndef DESK_PROBLEM_H
#define DESK_PROBLEM_H

#include "base/fault.h"
#include "base/json.h"

int problem_status(enum err); /* 404 … */
/* Writes all but the end, with this status; members of one's own may follow. */
void problem_open(struct json_writer *, enum err, int status, const struct fault *);
/* `ask`: the winner of a conflict, as JSON, or empty; of ERR_HELD the ids of the holds. */
void problem_write(struct json_writer *, enum err, const struct fault *, struct str ask);

#endif
