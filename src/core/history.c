/* history.c - the window of messages that a model is given. */
#include "core/history.h"

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
