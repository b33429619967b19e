/* history.c - the window of messages that a model is given. */
#include "core/history.h"

#include <string.h>

int64_t history_tail(int64_t count, int64_t max)
{
	int64_t half, over;

	if (count <= max) return count;
	half = max / 2 > 0 ? max / 2 : 1;
	over = (count - max + half - 1) / half * half;
	return count - over > 0 ? count - over : 1;
}

size_t history_start(const struct run_message *const *tail, size_t len)
{
	size_t i = 0;

	while (i < len && tail[i]->role != MESSAGE_USER)
		i++;
	return i;
}

/* Moves the message at `from` to `to`, before it. */
static void message_move(const struct run_message **all, size_t from, size_t to)
{
	const struct run_message *m = all[from];

	memmove(&all[to + 1], &all[to], (from - to) * sizeof *all);
	all[to] = m;
}

void history_order(const struct run_message **all, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		size_t at = i, k;

		if (all[i]->role != MESSAGE_ASSISTANT) continue;
		while (all[i]->seen.len && at && all[at - 1]->role == MESSAGE_USER &&
			str_cmp(all[at - 1]->id, all[i]->seen) > 0)
			at--;
		message_move(all, i, at);
		for (k = at + 1; k < len && all[k]->role == MESSAGE_USER;)
			k++;
		if (k < len && all[k]->role == MESSAGE_TOOL) message_move(all, k, at + 1);
	}
}
