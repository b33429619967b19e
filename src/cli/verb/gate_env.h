/* gate_env.h - variables that decide what a program loads or runs beside what its command line says.
 * They are shown and approved with it. */
#ifndef CLI_VERB_GATE_ENV_H
#define CLI_VERB_GATE_ENV_H

#include "base/json.h"

/* {"NAME": value, …} of those that are set, by name; empty: none is. `readable`: false when a value is
 * not UTF-8, and cannot be shown. */
struct str gate_env(struct arena *, bool *readable);
/* Sets them as this object says, and no others of them. NULL: none. False: it is no such object. */
bool gate_env_set(const struct json *, struct arena *);
/* What runs is a part of our trace, if there is one, begun by this ask. False: out of memory. */
bool gate_env_trace(struct str by, struct arena *);

#endif
