/* show.h - members of JSON objects that are null when there is nothing to show. */
#ifndef CORE_SHOW_H
#define CORE_SHOW_H

#include "base/json.h"
#include "core/shared/principal.h"

/* Empty text, a time of 0 and empty JSON are null. */
void show_text(struct json_writer *, const char *key, struct str text);
void show_time(struct json_writer *, const char *key, int64_t ms);
void show_json(struct json_writer *, const char *key, struct str json);
/* The members of a JSON object. */
void show_members(struct json_writer *, struct str json);
/* Null unless it is known. */
void show_number(struct json_writer *, const char *key, int64_t n, bool known);
void show_count(struct json_writer *, const char *key, int64_t n); /* below 0: null */
/* {id, name}; `name` is of a person whose id the agent is, or empty. */
void show_agent(struct json_writer *, int64_t ws, struct str agent, struct str name);
/* {"kind": "human", "user": …, "name": …, "via": …}; without a principal all but kind are
 * null. */
void show_who(struct json_writer *, const char *kind, const struct principal *);
void answered_by_write(struct buf *, const char *kind, const struct principal *);

#endif
