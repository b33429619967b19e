/* window.c - the steps by which a thread is made to fit. */
#include "core/run/window.h"

#include "core/run/tool_call.h"

/* With less to gain no summary is made as long as there is another way. */
enum { WORTH_PART = 8 };
/* Summaries with more of the room than that are summarised together. */
enum { SUMMARIES_PART = 4 };

/* The contents of results as the cut has them. */
static void window_apply(
	const struct window_cut *c, struct sent *all, size_t len, struct arena *arena)
{
	for (size_t i = 0; i < len; i++) {
		const struct run_message *m = all[i].m;
		size_t most = m->n <= c->out   ? 0
			      : m->n <= c->cut ? (size_t)c->each
					       : CALL_MODEL_MAX;

		if (m->role == MESSAGE_TOOL)
			all[i].content = history_results(m->content, most, arena);
	}
}

int64_t window_tokens(
	const struct estimate_count *count, const struct sent *all, size_t len)
{
	int64_t tokens = 0;

	for (size_t i = 0; i < len; i++) {
		struct estimate_size size = estimate_content(all[i].content);

		tokens += estimate_tokens(count, &size);
	}
	return tokens;
}

/* Where the last turns begin, if there are so many; else 0. */
static size_t recent_of(const struct sent *all, size_t len, size_t turns)
{
	size_t i = len;

	while (i && turns)
		turns -= all[--i].m->role == MESSAGE_ASSISTANT;
	return turns ? 0 : i;
}

/* The number of the last message before this answer, as the model read it. */
static int64_t number_before(const struct run_message *answer)
{
	return answer->seen ? answer->seen : answer->n - 1;
}

/* What a summary of the messages before `until` is of. `all_of_it`: of other summaries, too. */
static int64_t cover(struct window *w, const struct sent *all, size_t until,
	struct str first, bool all_of_it, struct arena *arena)
{
	int64_t tokens = 0;

	w->until = until;
	w->after = w->messages = 0;
	w->upto = until ? number_before(all[until].m) : 0;
	for (size_t i = 0; i < until; i++) {
		const struct run_message *m = all[i].m;

		if (str_eq(m->id, first)) continue;
		if (summary_is(m) && !all_of_it) {
			if (m->seen > w->after) w->after = m->seen;
			continue;
		}
		w->messages += summary_is(m) ? summary_count(m, arena) : 1;
		tokens += window_tokens(&w->count, &all[i], 1);
	}
	return tokens;
}

static size_t summaries(
	const struct window *w, const struct sent *all, size_t len, int64_t *tokens)
{
	size_t n = 0;

	*tokens = 0;
	for (size_t i = 0; i < len; i++)
		if (summary_is(all[i].m)) {
			*tokens += window_tokens(&w->count, &all[i], 1);
			n++;
		}
	return n;
}

/* The greatest length of results with which all has at most so many tokens; the least, if there is none. */
static void results_even(struct window *w, struct sent *all, size_t len, int64_t tokens,
	struct arena *arena)
{
	int64_t low = WINDOW_RESULT_MIN, high = CALL_MODEL_MAX;

	for (size_t i = 0; i < len; i++)
		if (all[i].m->n > w->cut.cut) w->cut.cut = all[i].m->n;
	while (high - low > WINDOW_RESULT_MIN / 4) {
		w->cut.each = (low + high) / 2;
		window_apply(&w->cut, all, len, arena);
		if (window_tokens(&w->count, all, len) <= tokens)
			low = w->cut.each;
		else
			high = w->cut.each;
	}
	w->cut.each = low;
	window_apply(&w->cut, all, len, arena);
}

/* Summaries that say nothing: another one may take their place. */
static bool none_told(const struct sent *all, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (summary_is(all[i].m) &&
			str_find(all[i].m->content, STR("\"text\":null")) < 0)
			return false;
	return true;
}

/* More messages than it may have: half of them stay. */
static bool history_over(struct window *w, const struct sent *all, size_t len,
	struct str first, struct arena *arena)
{
	int64_t half = w->history / 2 > 0 ? w->history / 2 : 1;
	size_t at = (int64_t)len > half ? len - (size_t)half : 0;

	if (!w->history || (int64_t)len <= w->history) return false;
	while (at < len && all[at].m->role != MESSAGE_ASSISTANT)
		at++;
	while (at && (at == len || all[at].m->role != MESSAGE_ASSISTANT))
		at--;
	cover(w, all, at, first, none_told(all, at), arena);
	w->untold = w->messages > 0;
	return w->untold;
}

enum window_step window_fit(struct window *w, struct sent *all, size_t len,
	struct str first, struct arena *arena)
{
	int64_t enough = w->limit - w->limit / 4, of_summaries, gain;
	size_t recent = recent_of(all, len, WINDOW_TURNS);
	bool together;

	if (history_over(w, all, len, first, arena)) return WINDOW_SUMMARY;
	window_apply(&w->cut, all, len, arena);
	if (!w->limit || window_tokens(&w->count, all, len) <= w->limit)
		return WINDOW_FITS;
	if (recent && number_before(all[recent].m) > w->cut.out) {
		w->cut.out = number_before(all[recent].m);
		window_apply(&w->cut, all, len, arena);
		if (window_tokens(&w->count, all, len) <= enough) return WINDOW_FITS;
	}
	together = !w->untold && summaries(w, all, recent, &of_summaries) > 1 &&
		   of_summaries > w->limit / SUMMARIES_PART;
	gain = cover(w, all, recent, first, together, arena);
	if (w->messages && gain >= w->limit / WORTH_PART) return WINDOW_SUMMARY;
	results_even(w, all, len, enough, arena);
	if (window_tokens(&w->count, all, len) <= w->limit) return WINDOW_FITS;
	return w->messages ? WINDOW_SUMMARY : WINDOW_TOO_LONG;
}
