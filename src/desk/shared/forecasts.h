/* forecasts.h - when somebody will answer, by workspace: renewed in the background, at most once a
 * minute, so that a reply costs a look into memory. Private to desk. */
#ifndef DESK_FORECASTS_H
#define DESK_FORECASTS_H

#include "base/table.h"
#include "core/ask/ask.h"
#include "core/ask/forecast.h"
#include "store/rows.h"

#include <pthread.h>

struct desk;
struct task;

struct forecasts {
	pthread_mutex_t lock; /* over all of it */
	struct table by_ws;   /* → struct forecast */
};

void forecasts_init(struct forecasts *);
void forecasts_done(struct forecasts *);

/* What a reply with one pending ask says as `expect`: JSON, in the arena of its task. Has it renewed
 * when it is old. */
struct str forecast_shown(
	struct task *, int64_t ws, enum ask_kind, struct str project, int64_t now_ms);
/* The same for who asks for it: read now if it is old, or quick to read. Without a kind or a project
 * (NULL, empty) by what is wider. */
enum err forecast_read(struct desk *, struct rows *, int64_t ws, const enum ask_kind *,
	struct str project, struct estimate *out, enum forecast_basis *, struct fault *);

#endif
