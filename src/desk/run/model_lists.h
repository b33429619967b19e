/* model_lists.h - the models that providers say they have, as whoever reads them tells the desk. */
#ifndef DESK_MODEL_LISTS_H
#define DESK_MODEL_LISTS_H

#include "core/run/model_list.h"
#include "store/rows.h"

/* use_model_list_keep, in task.checked: a list was read, or could not be. */
struct model_listing {
	int64_t ws;
	struct str
		provider; /* its name; of use_model_list_show empty: it could not be tried */
	struct str body;  /* as model_list_read wrote it */
	struct str error; /* or empty */
};

/* NULL in *out: it was never read. */
enum err model_list_get(struct rows *, int64_t ws, struct str provider,
	const struct model_list_record **out, struct fault *why);
/* A provider refused a call of this model with that message. If the model is gone, *message says so, and names
 * others: it is listed as retired or past its date, or not listed and named by the message. */
enum err model_list_gone(struct rows *, int64_t ws, struct str provider, struct str model,
	struct str *message, struct fault *why);
/* Its models; none, if it was never read. */
enum err model_list_items(struct rows *, int64_t ws, struct str provider,
	struct model_list *out, struct fault *why);

#endif
