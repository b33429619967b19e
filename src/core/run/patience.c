/* patience.c - the order of fallbacks, and the pauses of patience. */
#include "core/run/patience.h"

/* A provider in trouble that says "at once" is not called without a pause. */
enum { PATIENCE_ASKED = 6 * 3600 * 1000, RETRY_AFTER_LEAST = 1000 };

bool trouble_passes(enum trouble kind)
{
	return kind == TROUBLE_RATE_LIMITED || kind == TROUBLE_OVERLOADED ||
	       kind == TROUBLE_UNREACHABLE;
}

bool trouble_falls_back(enum trouble kind, bool gone)
{
	return gone || trouble_passes(kind) || kind == TROUBLE_NO_CREDIT ||
	       kind == TROUBLE_UNAUTHORIZED || kind == TROUBLE_DECLINED;
}

int64_t patience_of(const struct agent_config *a)
{
	if (a->patience_ms >= 0) return a->patience_ms;
	return a->ask_on_error ? PATIENCE_ASKED : 0;
}

int64_t patience_wake(int64_t since_ms, int64_t patience_ms, int64_t calls,
	int64_t now_ms, int64_t retry_after_ms, uint64_t chance)
{
	static const int64_t pauses_s[] = { 2, 5, 10, 30, 60, 120, 300, 600 };
	const int64_t last = sizeof pauses_s / sizeof *pauses_s - 1;
	int64_t base = pauses_s[calls < last ? calls : last] * 1000;
	int64_t pause =
		base - base / 5 + (int64_t)(chance % (uint64_t)(base * 2 / 5 + 1));
	int64_t end_ms = since_ms + patience_ms;

	if (now_ms >= end_ms) return 0;
	if (retry_after_ms >= RETRY_AFTER_LEAST) pause = retry_after_ms;
	return pause < end_ms - now_ms ? now_ms + pause : end_ms;
}

bool fallback_parts(struct str text, struct str *provider, struct str *model)
{
	struct str rest = text;

	if (str_find(text, STR("/")) <= 0) return false;
	str_cut(&rest, '/', provider);
	*model = rest;
	return model->len > 0;
}

static bool is_now(struct str fallback, const struct run *r)
{
	struct str provider, model;

	return fallback_parts(fallback, &provider, &model) &&
	       str_eq(provider, r->provider) && str_eq(model, r->model);
}

int fallback_next(const struct agent_config *a, const struct run *r)
{
	size_t i = a->fallbacks_len;

	while (i && !is_now(a->fallbacks[i - 1], r))
		i--;
	for (; i < a->fallbacks_len; i++)
		if (!is_now(a->fallbacks[i], r)) return (int)i;
	return -1;
}
