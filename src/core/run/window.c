/* window.c - what is left out first when a thread is too long. */
#include "core/run/window.h"

#include "core/run/tool_call.h"

#include <string.h>

static size_t size_of(const struct run_message *const *all, size_t len)
{
	size_t size = 0;

	for (size_t i = 0; i < len; i++)
		size += all[i]->content.len;
	return size;
}

/* Where the last four turns begin. */
static size_t recent_of(const struct run_message *const *all, size_t len)
{
	size_t turns = 0, i = len;

	while (i && turns < WINDOW_TURNS)
		turns += all[--i]->role == MESSAGE_ASSISTANT;
	return i;
}

/* Results of these messages with at most so many bytes each; 0: none. */
static void results_cut(
	const struct run_message **all, size_t len, size_t most, struct arena *arena)
{
	for (size_t i = 0; i < len; i++) {
		struct run_message *m;

		if (all[i]->role != MESSAGE_TOOL) continue;
		m = ARENA_ARRAY(arena, struct run_message, 1);
		if (!m) return;
		*m = *all[i];
		m->content = history_results(m->content, most, arena);
		all[i] = m;
	}
}

/* Leaves out the first messages before `recent`, never a result's call without the result. */
static size_t earlier_drop(const struct run_message **all, size_t len, size_t recent,
	struct str first, size_t most, struct arena *arena)
{
	struct run_message *told = ARENA_ARRAY(arena, struct run_message, 1);
	const struct run_message *kept = NULL;
	size_t size = size_of(all, len), cut = 0, at = 0;

	while (told && cut < recent && (size > most || all[cut]->role == MESSAGE_TOOL)) {
		if (str_eq(all[cut]->id, first))
			kept = all[cut];
		else
			size -= all[cut]->content.len;
		cut++;
	}
	if (cut == (kept != NULL)) return len;
	*told = (struct run_message){ .role = MESSAGE_USER,
		.content = message_text(
			arena_print(arena, "[%zu earlier messages were left out]",
				cut - (kept != NULL)),
			arena) };
	memmove(all + 1 + (kept != NULL), all + cut, (len - cut) * sizeof *all);
	if (kept) all[at++] = kept;
	all[at++] = told;
	return at + len - cut;
}

size_t window_shorten(const struct run_message **all, size_t len, struct str first,
	size_t most, struct arena *arena)
{
	size_t recent = recent_of(all, len);

	if (size_of(all, len) > most) results_cut(all, recent, 0, arena);
	if (size_of(all, len) > most)
		len = earlier_drop(all, len, recent, first, most, arena);
	for (size_t each = CALL_MODEL_MAX / 2;
		size_of(all, len) > most && each >= WINDOW_RESULT_MIN; each /= 2)
		results_cut(all, len, each, arena);
	return size_of(all, len) > most || arena->failed ? 0 : len;
}
