/* price_list.h - prices of models as others publish them: models.dev's and LiteLLM's files. */
#ifndef CORE_PRICE_LIST_H
#define CORE_PRICE_LIST_H

#include "core/run/provider.h"

enum { PRICE_LIST_MAX = 5000 };

/* Of models.dev: {provider: {"models": {id: {"cost": …}}}}, where the vendor's own prices win
 * over those of resellers. Of LiteLLM: {id: {"input_cost_per_token": …}}. In the arena, each
 * id once, at most PRICE_LIST_MAX. ERR_INVALID: neither of both. */
enum err price_list_read(const struct json *, struct arena *, struct provider_model **out,
	size_t *len, struct fault *why);

#endif
