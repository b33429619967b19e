/* alert_rows.h - alerts as rows: raised, changed and cleared, each with its event. Private to desk. */
#ifndef DESK_ALERT_ROWS_H
#define DESK_ALERT_ROWS_H

#include "core/notify/alert.h"
#include "desk/shared/inner.h"

/* The open one of this kind and key, of those that were fetched; NULL: there is none. */
const struct alert *alert_open(
	const struct rows *, int64_t ws, enum alert_kind, struct str about);
/* Unless one of this kind and key is open; the open ones of the workspace are fetched. */
enum err alert_raise(struct rows *, const struct alert_finding *, struct fault *);
void alert_clear(struct rows *, const struct alert *);
/* The same of the open one of this kind and key, if there is one. */
enum err alert_over(
	struct rows *, int64_t ws, enum alert_kind, struct str about, struct fault *);

#endif
