/* id_start.h - ids of which only the start was given. */
#ifndef CLI_ID_START_H
#define CLI_ID_START_H

#include "cli/cli.h"

/* The start of an id of this kind ("ask"), not all of it. `kind` NULL: of any. */
bool id_start_is(struct str word, const char *kind);
/* The whole id: of an ask, run, session, rule or stop that begins so; a word that is no start of one
 * comes back as it is. When none or several begin so, that is said and the program ends. */
struct str id_start_complete(struct cli *, struct str word);
/* The same among items with an `id`. */
struct str id_start_among(struct cli *, const struct json *items, struct str word);
/* How many characters tell these ids apart from each other; at least enough to read. */
size_t id_start_length(const struct json *items);

#endif
