/* forecast.c - when somebody will answer, by how long it took before. */
#include "core/ask/forecast.h"

const char *forecast_basis_name(enum forecast_basis b)
{
	static const char *const names[FORECAST_BASES + 1] = {
		[BASIS_HOUR] = "project+kind+hour",
		[BASIS_PROJECT] = "project+kind",
		[BASIS_KIND] = "kind",
		[BASIS_ALL] = "all",
	};

	return names[b];
}

/* The next one is as likely in each of the gaps between those that were, so that the k-th of n is not
 * reached by it with k in n + 1. */
bool forecast_part(const int64_t *sorted, size_t len, int64_t percent, int64_t *out)
{
	size_t k = ((len + 1) * (size_t)percent + 99) / 100;

	if (!len) return false;
	if (k > len) k = len;
	if (k < 1) k = 1;
	if (sorted[k - 1] == FORECAST_NEVER) return false;
	*out = sorted[k - 1];
	return true;
}

void estimate_make(struct estimate *e, const int64_t *sorted, size_t len)
{
	*e = (struct estimate){ .p50_ms = -1, .p90_ms = -1, .samples = (int64_t)len };
	forecast_part(sorted, len, 50, &e->p50_ms);
	forecast_part(sorted, len, 90, &e->p90_ms);
}

enum forecast_basis forecast_choose(
	const struct estimate by[FORECAST_BASES], struct estimate *out)
{
	for (int i = 0; i < FORECAST_BASES; i++)
		if (by[i].samples >= FORECAST_SURE) {
			*out = by[i];
			return (enum forecast_basis)i;
		}
	for (int i = FORECAST_BASES - 1; i >= 0; i--)
		if (by[i].samples >= FORECAST_LEAST) {
			*out = by[i];
			return (enum forecast_basis)i;
		}
	*out = (struct estimate){
		.p50_ms = -1, .p90_ms = -1, .samples = by[BASIS_ALL].samples
	};
	return FORECAST_BASES;
}

/* "40 s", "5 min", "3 h", "2 d", rounded up. */
static struct str span_text(int64_t ms, struct arena *arena)
{
	static const struct {
		int64_t ms, below;
		const char *unit;
	} units[] = {
		{ 1000, 100, "s" },
		{ 60 * 1000, 100, "min" },
		{ 3600 * 1000, 48, "h" },
		{ 24 * 3600 * 1000, INT64_MAX, "d" },
	};

	size_t i = 0;
	int64_t n;

	while ((n = (ms + units[i].ms - 1) / units[i].ms) >= units[i].below)
		i++;
	return arena_print(arena, "%lld %s", (long long)(n ? n : 1), units[i].unit);
}

static struct str estimate_text(const struct estimate *e, struct arena *arena)
{
	struct str half;

	if (e->samples < FORECAST_LEAST)
		return STR("Not enough answers yet to say when somebody will answer.");
	if (e->p50_ms < 0) return STR("Most asks like this one expire unanswered.");
	half = span_text(e->p50_ms, arena);
	if (e->p90_ms < 0)
		return arena_print(
			arena, "Usually answered within %.*s.", STR_ARGS(half));
	return arena_print(arena, "Usually answered within %.*s, 9 of 10 within %.*s.",
		STR_ARGS(half), STR_ARGS(span_text(e->p90_ms, arena)));
}

static void seconds_write(struct json_writer *w, const char *name, int64_t ms)
{
	jw_key(w, name);
	if (ms < 0)
		jw_null(w);
	else
		jw_real(w, (double)ms / 1000);
}

void estimate_write(struct json_writer *w, const struct estimate *e,
	struct str (*words)(struct str english, struct arena *))
{
	struct arena arena = { 0 };
	struct str text = estimate_text(e, &arena);

	seconds_write(w, "p50_s", e->p50_ms);
	seconds_write(w, "p90_s", e->p90_ms);
	jw_put_int(w, "samples", e->samples);
	jw_put_str(w, "text", words ? words(text, &arena) : text);
	arena_done(&arena);
}
