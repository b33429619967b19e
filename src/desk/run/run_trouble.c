/* run_trouble.c - a model cannot go on: another is called in its place, or the run waits as a row and calls
 * again, or a person decides. */
#include "core/run/patience.h"
#include "desk/run/run_inner.h"

/* Can it be called at all, and with the limits that the run has? */
static enum err fallback_usable(const struct run_job *j, struct str provider,
	struct str model, bool *out, struct fault *why)
{
	const struct provider_record *p;
	struct str wrong = STR_NONE;
	enum err e =
		configured_provider(j->t->desk, j->rows, j->r->ws, provider, &p, why);

	*out = false;
	if (e) return e == ERR_NOT_FOUND ? OK : e;
	wrong = configured_provider_wrong(j->t->desk, p, j->rows->arena);
	if (!wrong.len && j->agent->limits.cost)
		e = configured_unpriced(
			j->t->desk, j->rows, j->r->ws, provider, model, &wrong, why);
	*out = !e && !wrong.len;
	return e;
}

static void model_switch(
	const struct run_job *j, struct str provider, struct str model, enum trouble kind)
{
	struct arena *arena = j->rows->arena;
	struct str from = arena_print(
		arena, "%.*s/%.*s", STR_ARGS(j->r->provider), STR_ARGS(j->r->model));
	struct str to =
		arena_print(arena, "%.*s/%.*s", STR_ARGS(provider), STR_ARGS(model));

	j->r->provider = arena_str(arena, provider);
	j->r->model = arena_str(arena, model);
	run_sent(j->r, 0, 0, NULL); /* another one counts otherwise */
	run_event(j, "run.model",
		FIELDS(field_text("from", from), field_text("to", to),
			field_word("why", trouble_name(kind))));
}

enum err run_fall_back(
	const struct run_job *j, enum trouble kind, bool *done, struct fault *why)
{
	struct run at = *j->r; /* as far as it was looked */
	bool usable = false;
	enum err e = OK;
	int i;

	while (!e && !usable && (i = fallback_next(j->agent, &at)) >= 0) {
		fallback_parts(j->agent->fallbacks[i], &at.provider, &at.model);
		e = fallback_usable(j, at.provider, at.model, &usable, why);
	}
	*done = !e && usable;
	if (!*done) return e;
	model_switch(j, at.provider, at.model, kind);
	j->r->tries = j->r->trouble_ms = 0;
	return OK;
}

/* It is called again at that time. */
static enum err run_wait_until(const struct run_job *j, const struct run_trouble *b,
	int64_t wake_ms, struct fault *why)
{
	j->r->wake_ms = wake_ms;
	j->r->tries = b->tries;
	j->r->error = run_error_write(b->kind, b->message, j->rows->arena);
	j->rows->so_far.runs = true; /* whoever claims looks when that is */
	return run_rest(j, why);
}

enum err run_troubled(const struct run_job *j, const struct run_trouble *b, bool *again,
	struct fault *why)
{
	int64_t now_ms = j->rows->now_ms, wake_ms;
	bool passes = b->passes && trouble_passes(b->kind);
	enum err e = OK;

	*again = false;
	if (trouble_falls_back(b->kind, b->gone))
		e = run_fall_back(j, b->kind, again, why);
	if (e || *again) return e;
	if (passes && b->tries < QUICK_TRIES)
		return run_wait_until(j, b, now_ms + b->retry_after_ms, why);
	if (!passes) return run_recover(j, b->kind, b->message, why);
	if (!j->r->trouble_ms) j->r->trouble_ms = now_ms;
	wake_ms = patience_wake(j->r->trouble_ms, patience_of(j->agent),
		b->tries - QUICK_TRIES, now_ms, b->retry_after_ms, b->chance);
	return wake_ms ? run_wait_until(j, b, wake_ms, why)
		       : run_recover(j, b->kind, b->message, why);
}
