/* forecast.h - when somebody will answer, by how long it took before. Numbers only, never a promise.
 * Pure. Prefixes: forecast_, estimate_. */
#ifndef CORE_FORECAST_H
#define CORE_FORECAST_H

#include "base/json.h"

/* Of an ask that expired: longer than all. */
#define FORECAST_NEVER INT64_MAX

enum {
	FORECAST_SURE = 20, /* so many samples make a narrow basis good enough */
	FORECAST_LEAST = 5, /* fewer say nothing */
};

struct estimate {
	int64_t p50_ms,
		p90_ms; /* -1: it falls among those that expired, or is not known */
	int64_t samples;
};

/* From the narrowest to the widest. */
enum forecast_basis { BASIS_HOUR, BASIS_PROJECT, BASIS_KIND, BASIS_ALL, FORECAST_BASES };
/* "project+kind+hour", …; NULL for FORECAST_BASES: there is none. */
const char *forecast_basis_name(enum forecast_basis);

/* So many percent of the next ones are answered within *out. False: they are not. */
bool forecast_part(const int64_t *sorted, size_t len, int64_t percent, int64_t *out);
void estimate_make(struct estimate *, const int64_t *sorted, size_t len);
/* The narrowest that is sure, else the widest that says anything, else FORECAST_BASES with an *out
 * that only knows how many there were. Bases that are not known have no samples. */
enum forecast_basis forecast_choose(
	const struct estimate by[FORECAST_BASES], struct estimate *out);
/* The members p50_s, p90_s, samples and text. `words`: an English sentence of ours in the reader's
 * language; NULL: they read English. */
void estimate_write(struct json_writer *, const struct estimate *,
	struct str (*words)(struct str english, struct arena *));

#endif
