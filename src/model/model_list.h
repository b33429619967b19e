/* model_list.h - the models a provider says it has. */
#ifndef MODEL_MODEL_LIST_H
#define MODEL_MODEL_LIST_H

#include "base/arena.h"
#include "base/json.h"
#include "core/run/model_wire.h"

/* Where the list is; a GET with model_headers. */
const char *model_list_url(enum model_wire, struct str base, struct arena *);
/* {"items": [{"id", "context", "output", "price"}]} from the reply; what this program knows
 * of a model is added. False: it is no such list; nothing was written. */
bool model_list_write(struct json_writer *, enum model_wire, struct str reply);

#endif
