/* outcome.h - a settled ask, as a shell wants it: text on stdout and an exit status. */
#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include "base/json.h"
#include "cli/cli.h"

/* The answer, never translated: yes/no, approve/reject, a number, option ids one a line,
 * then Other's text, a text or a note as they are; KEY= before each line when there are
 * several questions. */
void outcome_write(const struct json *ask, struct buf *out);
int outcome_exit(const struct json *ask);
/* Who settled it and how, in one line; empty while pending. */
struct str outcome_story(const struct json *ask, struct arena *);
/* All of it: the story on stderr, the answer (or with --json the ask) on stdout. On a
 * terminal the answer is shown safely. Returns the exit status. */
int outcome_tell(struct cli *, const struct json *ask);
/* On stdout: into a pipe as it is, on a terminal without what could steer it. */
void outcome_print(const struct cli *, struct str text);
/* A JSON value, {} for NULL, and a line end on stdout. */
void json_print(const struct json *);

#endif
