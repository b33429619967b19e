/* known_model.h - models that this program knows: context, longest answer and list price. */
#ifndef CORE_KNOWN_MODEL_H
#define CORE_KNOWN_MODEL_H

#include "core/run/provider.h"

extern const char
	known_models_date[]; /* "2026-11-15": when the table was last looked at */

/* Of a model by its name, with or without a date behind it ("-20250929", "-latest"). False:
 * it is not in the table. */
bool known_model(struct str id, struct provider_model *out);
/* All rows, in turn; false behind the last. */
bool known_model_at(size_t i, struct provider_model *out);

#endif
